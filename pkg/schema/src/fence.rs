//! A Markdown code fence around one whole object.

use std::ops::Range;

const FENCE: &str = "```";

/// Returns the bytes between the lines of a fence, when all of `text` is one fence around one object.
///
/// The fence is three back quotes, at most a word (`json`), a line break, the object, three back
/// quotes; blanks around it do not matter. Whether the inside is an object is for the reader to say:
/// here it only has to begin and end like one, with no other fence inside.
pub(crate) fn object_within(text: &str) -> Option<Range<usize>> {
    let opened = text.trim_start().strip_prefix(FENCE)?;
    let (word, body) = opened.split_once('\n')?;
    if !word.trim().chars().all(|character| character.is_ascii_alphanumeric()) {
        return None;
    }
    let inside = body.trim_end().strip_suffix(FENCE)?.trim();
    if !inside.starts_with('{') || !inside.ends_with('}') || has_fence_line(inside) {
        return None;
    }
    // All of these are ends of one text, so the distances from its end give the positions.
    let start = text.len() - body.len() + (body.len() - body.trim_start().len());
    Some(start..start + inside.len())
}

fn has_fence_line(inside: &str) -> bool {
    inside.lines().any(|line| line.trim_start().starts_with(FENCE))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_fence_around_one_object_is_seen_and_nothing_else() {
        let cases = [
            ("named", "```json\n{\"a\":1}\n```", Some("{\"a\":1}")),
            ("nameless", "```\n{}\n```", Some("{}")),
            ("blanks around", "\n ```json \r\n  {\"a\":\n1}  ```\n", Some("{\"a\":\n1}")),
            ("words before", "Here:\n```json\n{}\n```", None),
            ("words after", "```json\n{}\n```\nDone.", None),
            ("two fences", "```json\n{}\n```\n```json\n{}\n```", None),
            ("an array", "```json\n[]\n```", None),
            ("not closed", "```json\n{}", None),
            ("on one line", "```{}```", None),
            ("a sentence as its name", "```run this\n{}\n```", None),
            ("no fence", "{}", None),
        ];
        for (why, text, expected) in cases {
            let inside = object_within(text).and_then(|range| text.get(range));
            assert_eq!(inside, expected, "{why}");
        }
    }
}

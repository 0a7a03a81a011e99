//! Errors in a server's own words, made safe to repeat.

use std::time::Duration;

use manos_model::ModelFailure;

use crate::Trouble;

/// How much of a server's words an error repeats, in characters.
pub const MESSAGE_CHARS_MAX: usize = 300;

/// A request that a server refused, and whether time may mend that.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// How long the server asks to wait, where it says so in the body.
    pub asked: Option<Duration>,
    /// The failure as the turn takes it.
    pub failure: ModelFailure,
    /// What it means for a further try.
    pub trouble: Trouble,
}

/// Makes a server's words safe to repeat: no control characters, white space run together, anything
/// that looks like a key blotted out, at most [`MESSAGE_CHARS_MAX`] characters.
///
/// ```
/// use manos_wire_llm::safe_words;
/// assert_eq!(safe_words("Bad key\n sk-abcdef1234567890, sorry"), "Bad key … sorry");
/// ```
pub fn safe_words(text: &str) -> String {
    let mut safe = String::new();
    // Words past the limit are not looked at: a page of megabytes costs no more than a line.
    for word in text.split_whitespace().take(MESSAGE_CHARS_MAX) {
        if !safe.is_empty() {
            safe.push(' ');
        }
        if looks_like_key(word) {
            safe.push('…');
        } else {
            safe.extend(word.chars().filter(|c| !c.is_control()));
        }
        if safe.chars().count() > MESSAGE_CHARS_MAX {
            break;
        }
    }
    if safe.chars().count() > MESSAGE_CHARS_MAX {
        safe = safe.chars().take(MESSAGE_CHARS_MAX - 1).collect();
        safe.push('…');
    }
    safe
}

/// Keys begin with a known mark, or are long and have letters and digits but no word's shape.
fn looks_like_key(word: &str) -> bool {
    const MARKS: [&str; 6] = ["sk-", "sk_", "gsk_", "AIza", "xai-", "Bearer"];
    const KEY_CHARS_MIN: usize = 32;
    let core = word.trim_matches(|c: char| !c.is_alphanumeric());
    if MARKS.iter().any(|mark| core.contains(mark)) {
        return true;
    }
    core.len() >= KEY_CHARS_MIN
        && core.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'*' | b'.'))
        && core.bytes().any(|b| b.is_ascii_digit())
        && core.bytes().any(|b| b.is_ascii_alphabetic())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_short_and_hold_no_key() {
        let cases = [
            ("plain", "model not found", "model not found"),
            ("control characters and lines", "a\u{7}b\r\n\tc", "ab c"),
            (
                "a key",
                "Incorrect API key provided: sk-proj-abc***xyz.",
                "Incorrect API key provided: …",
            ),
            ("a long token", "token a1b2c3d4e5f6a1b2c3d4e5f6a1b2c3d4 expired", "token … expired"),
            (
                "a long word is no key",
                "supercalifragilisticexpialidocious-word",
                "supercalifragilisticexpialidocious-word",
            ),
            ("nothing", "", ""),
        ];
        for (why, text, expected) in cases {
            assert_eq!(safe_words(text), expected, "{why}");
        }
        let long = safe_words(&"palabra ".repeat(10_000));
        assert_eq!(long.chars().count(), MESSAGE_CHARS_MAX);
        assert_eq!(safe_words(&"x".repeat(1_000_000)).chars().count(), MESSAGE_CHARS_MAX);
    }
}

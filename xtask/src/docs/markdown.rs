//! As much of Markdown as the checks read: fenced blocks, links and headings.

/// A fenced block: the words after the fence, its first line's number, and its lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Block {
    pub(super) info: String,
    pub(super) line: usize,
    pub(super) lines: Vec<String>,
}

/// The fenced blocks of a page. A block inside a list item loses the item's indent.
pub(super) fn blocks(text: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut open: Option<(Block, String, usize)> = None;
    for (index, line) in text.lines().enumerate() {
        let trimmed = line.trim_start();
        let indent = line.len() - trimmed.len();
        let ticks: String = trimmed.chars().take_while(|character| *character == '`').collect();
        match open.take() {
            None if ticks.len() >= 3 => {
                let info = trimmed[ticks.len()..].trim().to_owned();
                open = Some((Block { info, line: index + 2, lines: Vec::new() }, ticks, indent));
            }
            None => {}
            Some((block, fence, _)) if trimmed.trim_end() == fence => blocks.push(block),
            Some((mut block, fence, indent)) => {
                let blank = line.bytes().take(indent).take_while(|byte| *byte == b' ').count();
                block.lines.push(line[blank..].to_owned());
                open = Some((block, fence, indent));
            }
        }
    }
    blocks
}

/// The targets of inline links outside of code, with their lines.
pub(super) fn links(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (number, line) in prose(text) {
        let without_code: String = line.split('`').step_by(2).collect::<Vec<_>>().join("");
        for after in without_code.split("](").skip(1) {
            if let Some((target, _)) = after.split_once(')') {
                let target = target.split(' ').next().unwrap_or(target);
                found.push((number, target.to_owned()));
            }
        }
    }
    found
}

/// The anchors that the headings of a page make.
pub(super) fn anchors(text: &str) -> Vec<String> {
    prose(text)
        .filter(|(_, line)| line.starts_with('#'))
        .map(|(_, line)| anchor(line.trim_start_matches('#').trim()))
        .collect()
}

fn anchor(heading: &str) -> String {
    heading
        .chars()
        .filter_map(|character| match character {
            ' ' => Some('-'),
            '-' | '_' => Some(character),
            other if other.is_alphanumeric() => other.to_lowercase().next(),
            _ => None,
        })
        .collect()
}

/// The lines outside of fenced blocks, numbered from 1.
fn prose(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut fence: Option<usize> = None;
    text.lines().enumerate().filter_map(move |(index, line)| {
        let ticks = line.trim_start().bytes().take_while(|byte| *byte == b'`').count();
        match fence {
            None if ticks >= 3 => fence = Some(ticks),
            None => return Some((index + 1, line)),
            Some(open) if ticks == open => fence = None,
            Some(_) => {}
        }
        None
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_keep_their_place_and_lose_the_indent_of_a_list() {
        let text =
            "One:\n\n- item\n  ```console\n  $ manos\n    x\n  ```\n\n````md\n```yaml\n```\n````\n";
        let found = blocks(text);
        assert_eq!(
            found,
            [
                Block {
                    info: "console".into(),
                    line: 5,
                    lines: vec!["$ manos".into(), "  x".into()]
                },
                Block { info: "md".into(), line: 10, lines: vec!["```yaml".into(), "```".into()] },
            ]
        );
    }

    #[test]
    fn links_in_code_are_no_links() {
        let text =
            "[a](x.md) and [b](y.md#z \"title\"), `[c](no.md)`\n```md\n[d](no.md)\n```\n[e](w.md)";
        let found = links(text);
        assert_eq!(found, [(1, "x.md".into()), (1, "y.md#z".into()), (5, "w.md".into())]);
    }

    #[test]
    fn a_heading_makes_the_anchor_that_a_reader_of_the_page_gets() {
        let text = "# What `manos` does, in 5 steps\n```sh\n# not a heading\n```\n## Más — y más";
        assert_eq!(anchors(text), ["what-manos-does-in-5-steps", "más--y-más"]);
    }
}

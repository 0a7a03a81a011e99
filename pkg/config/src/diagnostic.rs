//! What is wrong, where, and what to do: one value per mistake.
//!
//! Owns the text form with its excerpt and caret. Colour, and the order of several files, are the
//! matter of whoever prints.

use std::fmt;

use unicode_width::UnicodeWidthChar as _;

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The file cannot be used.
    Error,
    /// The file can be used, and something about it deserves a look.
    Warning,
}

/// One mistake in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// The kind of mistake, such as `config.unknown_key`; one of [`crate::CODES`].
    pub code: &'static str,
    /// The file's name.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1, in characters.
    pub column: usize,
    /// How many characters of that line are meant; at least 1.
    pub length: usize,
    /// What is wrong: one sentence without a full stop.
    pub message: String,
    /// What to do about it; empty when the message says it.
    pub help: String,
    /// The line as it stands in the file, or the part of a long one around the place; literal
    /// secrets are masked.
    pub excerpt: String,
    /// How many characters of the line stand before the excerpt.
    pub excerpt_skipped: usize,
}

/// The widest excerpt, in columns; a longer line is shown around the caret.
pub const EXCERPT_COLUMNS_MAX: usize = 100;
/// How many columns stay visible before the caret when a line is cut.
const COLUMNS_BEFORE: usize = 40;
const CUT: char = '…';

impl fmt::Display for Diagnostic {
    /// Prints the message, the place, the excerpt with a caret, and the help; no line break at the
    /// end.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = match self.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        writeln!(f, "{word}[{}]: {}", self.code, self.message)?;
        let gutter = self.line.to_string().len();
        writeln!(f, "{:gutter$}--> {}:{}:{}", "", self.file, self.line, self.column)?;
        let marked = mark(&self.excerpt, self.excerpt_skipped, self.column, self.length);
        writeln!(f, "{:gutter$} |", "")?;
        writeln!(f, "{} | {}", self.line, marked.text)?;
        write!(f, "{:gutter$} | {}{}", "", " ".repeat(marked.before), "^".repeat(marked.width))?;
        if !self.help.is_empty() {
            write!(f, "\n{:gutter$} = {}", "", self.help)?;
        }
        Ok(())
    }
}

/// A line ready to be printed, and where its carets stand, in terminal columns.
#[derive(Debug, PartialEq, Eq)]
struct Marked {
    text: String,
    before: usize,
    width: usize,
}

/// Cuts a long line around the place, makes what does not print visible, and measures.
fn mark(line: &str, skipped: usize, column: usize, length: usize) -> Marked {
    let shown: Vec<(char, usize)> = line.chars().map(printable).collect();
    let at = column.saturating_sub(1 + skipped).min(shown.len());
    let total: usize = shown.iter().map(|(_, width)| width).sum();
    let mut first = 0;
    if total > EXCERPT_COLUMNS_MAX {
        let mut room = COLUMNS_BEFORE;
        first = at;
        while first > 0 && room >= shown[first - 1].1 {
            room -= shown[first - 1].1;
            first -= 1;
        }
    }
    let mut text = String::new();
    let (mut used, mut before, mut width) = (0, 0, 0);
    if first > 0 || skipped > 0 {
        text.push(CUT);
        (used, before) = (1, 1);
    }
    for (index, (char, columns)) in shown.iter().enumerate().skip(first) {
        if used + columns > EXCERPT_COLUMNS_MAX {
            text.push(CUT);
            break;
        }
        text.push(*char);
        used += columns;
        if index < at {
            before += columns;
        } else if index < at + length {
            width += columns;
        }
    }
    Marked { text, before, width: width.max(1) }
}

/// Tabs become one blank; control and format characters, which could hide or reorder text, a dot.
fn printable(char: char) -> (char, usize) {
    if char == '\t' {
        return (' ', 1);
    }
    match char.width() {
        Some(width) if width > 0 => (char, width),
        // A combining mark stands on the letter before it.
        Some(_) if is_mark(char) => (char, 0),
        _ => ('·', 1),
    }
}

fn is_mark(char: char) -> bool {
    matches!(char, '\u{300}'..='\u{36f}' | '\u{1ab0}'..='\u{1aff}' | '\u{20d0}'..='\u{20ff}' | '\u{fe0f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_caret_stands_under_what_is_meant() {
        let cases = [
            ("plain", "name: x", 7, 1, "name: x", 6, 1),
            ("a tab is one blank", "\tname: x", 2, 4, " name: x", 1, 4),
            ("wide letters take two columns", "日本: x", 5, 1, "日本: x", 6, 1),
            ("a combining mark takes none", "e\u{301}: x", 5, 1, "e\u{301}: x", 3, 1),
            ("direction marks are made visible", "\u{202e}a", 2, 1, "·a", 1, 1),
            ("past the end", "ab", 9, 1, "ab", 2, 1),
        ];
        for (why, line, column, length, text, before, width) in cases {
            let expected = Marked { text: text.to_owned(), before, width };
            assert_eq!(mark(line, 0, column, length), expected, "{why}");
        }
    }

    #[test]
    fn a_long_line_is_shown_around_the_caret() {
        let line = format!("{}X{}", "a".repeat(300), "b".repeat(300));
        let marked = mark(&line, 0, 301, 1);
        assert!(marked.text.starts_with("…a") && marked.text.ends_with("b…"), "{}", marked.text);
        assert_eq!(marked.text.chars().nth(marked.before), Some('X'));
        assert!(marked.text.chars().count() <= EXCERPT_COLUMNS_MAX + 1);
    }
}

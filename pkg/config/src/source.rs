//! One file's text and the places in it.
//!
//! Owns byte spans, lines and columns. Places are kept as byte offsets everywhere; a line and a
//! column are computed only when somebody is told about one.

/// A file as the shell read it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceFile {
    /// The name that diagnostics print.
    pub name: String,
    /// The whole text.
    pub text: String,
}

impl SourceFile {
    /// Takes a name and a text.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        Self { name: name.into(), text: text.into() }
    }
}

/// A stretch of the text, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) struct Span {
    pub(crate) start: usize,
    pub(crate) end: usize,
}

impl Span {
    pub(crate) fn new(start: usize, end: usize) -> Self {
        Self { start, end: end.max(start) }
    }
}

/// A line and a column, both from 1; the column counts characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) line: usize,
    pub(crate) column: usize,
}

/// A file's text with its line starts.
#[derive(Debug)]
pub(crate) struct Source<'a> {
    pub(crate) name: &'a str,
    /// Without a byte order mark.
    pub(crate) text: &'a str,
    line_starts: Vec<usize>,
}

impl<'a> Source<'a> {
    pub(crate) fn new(file: &'a SourceFile) -> Self {
        let text = file.text.strip_prefix('\u{feff}').unwrap_or(&file.text);
        let mut line_starts = vec![0];
        let bytes = text.as_bytes();
        for (index, byte) in bytes.iter().enumerate() {
            let ends = match byte {
                b'\n' => true,
                b'\r' => bytes.get(index + 1) != Some(&b'\n'),
                _ => false,
            };
            if ends {
                line_starts.push(index + 1);
            }
        }
        Self { name: &file.name, text, line_starts }
    }

    /// The start of the line with this number, counted from 1.
    fn line_start(&self, line: usize) -> usize {
        self.line_starts.get(line.saturating_sub(1)).copied().unwrap_or(self.text.len())
    }

    /// The text of a line, without its break.
    pub(crate) fn line(&self, line: usize) -> &'a str {
        let start = self.line_start(line);
        let end = self.line_start(line + 1);
        self.text.get(start..end).unwrap_or_default().trim_end_matches(['\n', '\r'])
    }

    /// The line of a byte; unlike a column it costs next to nothing.
    pub(crate) fn line_of(&self, offset: usize) -> usize {
        self.line_starts.partition_point(|start| *start <= offset).max(1)
    }

    /// The line and the column of a byte; a place past the end is the end.
    pub(crate) fn place(&self, offset: usize) -> Place {
        let offset = self.floor(offset);
        let line = self.line_of(offset);
        let start = self.line_start(line);
        // Within a line break is at the end of the line.
        let offset = offset.min(start + self.line(line).len());
        let before = self.text.get(start..offset).unwrap_or_default();
        Place { line, column: before.chars().count() + 1 }
    }

    /// The byte where a line has its n-th character, both from 1.
    pub(crate) fn offset(&self, line: usize, column: usize) -> usize {
        let text = self.line(line);
        let within = text
            .char_indices()
            .nth(column.saturating_sub(1))
            .map_or(text.len(), |(index, _)| index);
        self.line_start(line) + within
    }

    /// How many characters of the span stand on its first line; at least 1.
    pub(crate) fn length(&self, span: Span) -> usize {
        let start = self.floor(span.start);
        let line = self.line_of(start);
        let line_end = self.line_start(line) + self.line(line).len();
        let end = self.floor(span.end).min(line_end).max(start);
        self.text.get(start..end).map_or(1, |text| text.trim_end().chars().count()).max(1)
    }

    /// The nearest character boundary at or before the offset.
    fn floor(&self, offset: usize) -> usize {
        self.text.floor_char_boundary(offset.min(self.text.len()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_as_they_end_on_every_system() {
        for (why, text) in [("unix", "a\nñb\nc"), ("windows", "a\r\nñb\r\nc"), ("old", "a\rñb\rc")]
        {
            let file = SourceFile::new("f", text);
            let source = Source::new(&file);
            assert_eq!(source.line(2), "ñb", "{why}");
            let b = source.text.find('b').unwrap();
            assert_eq!(source.place(b), Place { line: 2, column: 2 }, "{why}");
            assert_eq!(source.offset(2, 2), b, "{why}");
        }
    }

    #[test]
    fn a_place_past_the_end_is_the_end() {
        let file = SourceFile::new("f", "\u{feff}ab");
        let source = Source::new(&file);
        assert_eq!(source.place(99), Place { line: 1, column: 3 });
        assert_eq!(source.length(Span::new(5, 99)), 1);
    }

    #[test]
    fn a_place_within_a_line_break_is_the_end_of_the_line() {
        let file = SourceFile::new("f", "ab\r\nc");
        let source = Source::new(&file);
        assert_eq!(source.place(3), Place { line: 1, column: 3 });
    }
}

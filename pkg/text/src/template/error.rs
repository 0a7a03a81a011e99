//! Why a template does not compile or render, and where.

use std::fmt;

use crate::template::OUTPUT_BYTES_MAX;

/// A template that does not compile or cannot be rendered.
///
/// # Shape
///
/// `line` and `column` count from one, in the template's own text; zero and `None` when the engine
/// does not know.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct TemplateError {
    /// The line, from 1; 0 when it is not known.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: Option<usize>,
    /// One sentence without a full stop.
    pub message: String,
}

impl fmt::Display for TemplateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.line, self.column) {
            (0, _) => f.write_str(&self.message),
            (line, None) => write!(f, "{} (line {line} of the template)", self.message),
            (line, Some(column)) => {
                write!(f, "{} (line {line}, column {column} of the template)", self.message)
            }
        }
    }
}

impl TemplateError {
    pub(super) fn of(error: &minijinja::Error, source: &str) -> Self {
        let detail = error.detail().map(|detail| format!(": {detail}")).unwrap_or_default();
        let span = error.range();
        let excerpt = span.as_ref().and_then(|range| source.get(range.clone())).unwrap_or_default();
        let message = match error.kind() {
            minijinja::ErrorKind::UndefinedError if !excerpt.trim().is_empty() => {
                format!("`{}` is not defined", excerpt.trim())
            }
            minijinja::ErrorKind::OutOfFuel => "the template does too much work".to_owned(),
            kind => format!("{kind}{detail}"),
        };
        match span {
            Some(range) => Self::at(source, range.start, message),
            None => Self { line: error.line().unwrap_or_default(), column: None, message },
        }
    }

    /// An error at a byte of the source.
    pub(super) fn at(source: &str, byte: usize, message: String) -> Self {
        let before = source.get(..byte).unwrap_or_default();
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        Self { line, column: Some(column), message }
    }

    pub(super) fn too_long(bytes: usize) -> Self {
        let message = format!("the output has {bytes} bytes, the limit is {OUTPUT_BYTES_MAX}");
        Self { line: 0, column: None, message }
    }
}

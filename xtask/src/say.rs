//! The one place that prints. A closed pipe is no reason to fail a check, so its error is dropped.

use std::io::Write as _;

/// Prints a line for the reader.
pub(crate) fn line(text: &str) {
    writeln!(std::io::stdout(), "{text}").ok();
}

/// Prints what went wrong.
pub(crate) fn error(text: &str) {
    writeln!(std::io::stderr(), "error: {text}").ok();
}

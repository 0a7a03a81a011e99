//! The only place that prints. A reader that has gone away is no error.

use std::io::{IsTerminal as _, Write as _};

use manos::config::{Diagnostic, Severity};
use unicode_width::UnicodeWidthStr as _;

use crate::failure::Failure;

/// Prints a line to standard output and hands it on at once.
pub(crate) fn line(text: &str) {
    let mut stdout = std::io::stdout().lock();
    // Whoever read it has gone: there is nobody left to tell.
    let _gone = writeln!(stdout, "{text}").and_then(|()| stdout.flush());
}

/// Prints to standard output as it is.
pub(crate) fn raw(bytes: &[u8]) {
    let mut stdout = std::io::stdout().lock();
    // Whoever read it has gone: there is nobody left to tell.
    let _gone = stdout.write_all(bytes).and_then(|()| stdout.flush());
}

/// Says something beside the answers.
pub(crate) fn note(text: &str) {
    let _gone = writeln!(std::io::stderr(), "{text}");
}

/// Says what failed and what to do.
pub(crate) fn failure(failure: &Failure) {
    let paint = Paint::stderr();
    note(&format!("{} {}", paint.bold_red("error:"), failure.sentence));
    if let Some(hint) = &failure.hint {
        note(&format!("  {} {hint}", paint.bold("help:")));
    }
}

/// Prints a mistake in a file, with its place and excerpt.
pub(crate) fn diagnostic(diagnostic: &Diagnostic) {
    let paint = Paint::stderr();
    let text = diagnostic.to_string();
    let text = match (diagnostic.severity, text.split_once(':')) {
        (Severity::Error, Some((head, rest))) => format!("{}:{rest}", paint.bold_red(head)),
        (Severity::Warning, Some((head, rest))) => format!("{}:{rest}", paint.bold_yellow(head)),
        _ => text,
    };
    note(&text);
}

/// Colours for one stream; none where nobody sees them or `NO_COLOR` is set.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Paint {
    on: bool,
}

impl Paint {
    pub(crate) fn stderr() -> Self {
        Self { on: std::io::stderr().is_terminal() && wanted() }
    }

    pub(crate) fn stdout() -> Self {
        Self { on: std::io::stdout().is_terminal() && wanted() }
    }

    pub(crate) fn is_on(self) -> bool {
        self.on
    }

    pub(crate) fn bold(self, text: &str) -> String {
        self.code("1", text)
    }

    pub(crate) fn bold_red(self, text: &str) -> String {
        self.code("1;31", text)
    }

    pub(crate) fn bold_yellow(self, text: &str) -> String {
        self.code("1;33", text)
    }

    fn code(self, code: &str, text: &str) -> String {
        if self.on { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_owned() }
    }
}

/// `NO_COLOR` with any value, and a terminal without colours, turn colours off.
fn wanted() -> bool {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    set("NO_COLOR").is_none() && set("TERM").is_none_or(|term| term != "dumb")
}

/// Prints rows as columns; the first row is the head. Control characters are shown, not obeyed.
pub(crate) fn table<const COLUMNS: usize>(rows: &[[String; COLUMNS]]) {
    let rows: Vec<[String; COLUMNS]> = rows
        .iter()
        .map(|row| row.each_ref().map(|cell| manos::text::safe_text(cell).into_owned()))
        .collect();
    let mut widths = [0; COLUMNS];
    for row in &rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.width());
        }
    }
    let paint = Paint::stdout();
    for (index, row) in rows.iter().enumerate() {
        let cells = row.iter().zip(widths).map(|(cell, width)| {
            format!("{cell}{}", " ".repeat(width.saturating_sub(cell.width())))
        });
        let text = cells.collect::<Vec<_>>().join("  ");
        let text = text.trim_end();
        line(&if index == 0 { paint.bold(text) } else { text.to_owned() });
    }
}

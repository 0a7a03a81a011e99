//! Editing a line where the terminal cannot move its cursor (`TERM=dumb`): at its end only.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};

use crossterm::event;

use super::editor::{Edited, POLL, PROMPT};
use super::keys::{Ahead, Key, key};
use super::wrap::columns;
use crate::output;

/// Edits one line, from `text` on.
pub(crate) fn edit(text: &str, off: &AtomicBool) -> io::Result<Edited> {
    output::raw(format!("{PROMPT}{text}").as_bytes());
    let mut line = Ahead::default();
    line.put_back(text);
    loop {
        if off.swap(false, Ordering::Relaxed) {
            return Ok(Edited::Off { text: line.take_text(), rows_above: 0 });
        }
        if !event::poll(POLL)? {
            continue;
        }
        let Some(key) = key(event::read()?) else { continue };
        match key {
            Key::Enter => {
                output::raw(b"\n");
                return Ok(Edited::Line(line.take_text()));
            }
            Key::Interrupt => {
                return Ok(Edited::Interrupt { had_text: !line.take_text().is_empty() });
            }
            Key::End if line.text().is_empty() => return Ok(Edited::End),
            Key::End => {}
            Key::Back | Key::Clear | Key::Char(_) | Key::Paste(_) => {
                let before = line.text().to_owned();
                line.take(&key);
                output::raw(change(&before, line.text()).as_bytes());
            }
        }
    }
}

/// What to write so that `before` on the screen becomes `after`, by backspaces alone.
fn change(before: &str, after: &str) -> String {
    if let Some(added) = after.strip_prefix(before) {
        return added.to_owned();
    }
    let gone = before.strip_prefix(after).unwrap_or(before);
    "\u{8} \u{8}".repeat(columns(gone))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_written_by_backspaces_alone() {
        let cases = [
            ("ca", "caf", "f", "a character"),
            ("ca", "c", "\u{8} \u{8}", "one less"),
            ("a漢", "a", "\u{8} \u{8}\u{8} \u{8}", "a wide one less"),
            ("ab", "", "\u{8} \u{8}\u{8} \u{8}", "nothing left"),
            ("a", "a", "", "no change"),
        ];
        for (before, after, written, why) in cases {
            assert_eq!(change(before, after), written, "{why}");
        }
    }
}

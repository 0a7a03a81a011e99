//! The line editor with its history.

use std::borrow::Cow;
use std::ffi::OsString;
use std::fs::{DirBuilder, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use crossterm::event::{KeyCode, KeyModifiers};
use reedline::{
    Color, EditCommand, Emacs, FileBackedHistory, History, Prompt, PromptEditMode,
    PromptHistorySearch, Reedline, ReedlineEvent, Signal, default_emacs_keybindings,
};

use super::wrap::columns;

/// What stands before the line that is edited.
pub(crate) const PROMPT: &str = "> ";

/// What stands before further lines of the same message.
const FURTHER: &str = "· ";

/// Lines that the history keeps; beyond it the oldest go.
pub(crate) const HISTORY_LINES_MAX: usize = 1_000;

/// How often the editor looks whether it is called off.
pub(crate) const POLL: Duration = Duration::from_millis(25);

/// What Ctrl-C tells the host.
const INTERRUPT: &str = "interrupt";

/// How the editing of a line ended.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Edited {
    /// With Enter.
    Line(String),
    /// With Ctrl-C; whether something was written, which is gone now.
    Interrupt { had_text: bool },
    /// With Ctrl-D on an empty line.
    End,
    /// It was called off; what was written, and how many rows above the cursor it began.
    Off { text: String, rows_above: usize },
}

/// The line editor.
pub(crate) struct Editor {
    history: Option<PathBuf>,
    off: Arc<AtomicBool>,
    colours: bool,
    line: Reedline,
}

impl Editor {
    /// An editor that returns when `off` is set. Without a history file it goes on without one.
    pub(crate) fn new(agent: &str, off: Arc<AtomicBool>, colours: bool) -> Self {
        let history =
            history_file(agent, |name| std::env::var_os(name)).filter(|path| prepare(path).is_ok());
        let line = make(history.as_ref(), &off, colours);
        Self { history, off, colours, line }
    }

    /// Edits one line, from `text` on.
    pub(crate) fn edit(&mut self, text: &str) -> io::Result<Edited> {
        if !text.is_empty() {
            self.line.run_edit_commands(&[EditCommand::InsertString(text.to_owned())]);
        }
        let signal = self.line.read_line(&Plain).map_err(io::Error::other)?;
        Ok(match signal {
            Signal::Success(line) => {
                // A history that cannot be written is gone without.
                let _unkept = self.line.sync_history();
                Edited::Line(line)
            }
            Signal::CtrlC => Edited::Interrupt { had_text: false },
            Signal::HostCommand(_) => {
                let had_text = !self.line.current_buffer_contents().is_empty();
                self.renew();
                Edited::Interrupt { had_text }
            }
            Signal::ExternalBreak(text) => {
                let before = text.get(..self.line.current_insertion_point()).unwrap_or(&text);
                let rows_above = rows(before, super::screen::window().0) - 1;
                self.renew();
                Edited::Off { text, rows_above }
            }
            _ => Edited::End,
        })
    }

    /// Forgets a line that was left and where it stood.
    fn renew(&mut self) {
        let _unkept = self.line.sync_history();
        self.line = make(self.history.as_ref(), &self.off, self.colours);
    }
}

fn make(history: Option<&PathBuf>, off: &Arc<AtomicBool>, colours: bool) -> Reedline {
    let mut keys = default_emacs_keybindings();
    let interrupt = ReedlineEvent::ExecuteHostCommand(INTERRUPT.to_owned());
    keys.add_binding(KeyModifiers::CONTROL, KeyCode::Char('c'), interrupt);
    let further = ReedlineEvent::Edit(vec![EditCommand::InsertNewline]);
    keys.add_binding(KeyModifiers::ALT, KeyCode::Enter, further);
    let line = Reedline::create()
        .use_bracketed_paste(true)
        .with_ansi_colors(colours)
        .with_edit_mode(Box::new(Emacs::new(keys)))
        // A line that begins with a blank is not kept.
        .with_history_exclusion_prefix(Some(" ".to_owned()))
        .with_poll_interval(POLL)
        .with_break_signal(Arc::clone(off));
    let kept =
        history.and_then(|path| FileBackedHistory::with_file(HISTORY_LINES_MAX, path.clone()).ok());
    let fresh = || FileBackedHistory::new(HISTORY_LINES_MAX).ok();
    match kept.or_else(fresh) {
        Some(history) => line.with_history(Box::new(history) as Box<dyn History>),
        None => line,
    }
}

/// How many rows a text takes behind the prompt in a window of `width` columns.
fn rows(text: &str, width: usize) -> usize {
    let width = width.max(1);
    // The cursor after a full row stands in the next one.
    text.split('\n').map(|line| (columns(PROMPT) + columns(line)) / width + 1).sum()
}

/// Where the history of an agent is kept: the state folder of the person, if there is one.
fn history_file(agent: &str, env: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let folder = |name: &str| env(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let state =
        folder("XDG_STATE_HOME").or_else(|| Some(folder("HOME")?.join(".local").join("state")))?;
    let name: String =
        agent.chars().map(|c| if c.is_alphanumeric() || c == '_' { c } else { '-' }).collect();
    Some(state.join("manos").join(format!("history-{name}")))
}

/// Makes the file so that nobody else reads what was written.
fn prepare(path: &PathBuf) -> io::Result<()> {
    /// Only the person, folders and files.
    const FOLDER_MODE: u32 = 0o700;
    const FILE_MODE: u32 = 0o600;
    if let Some(folder) = path.parent() {
        DirBuilder::new().recursive(true).mode(FOLDER_MODE).create(folder)?;
    }
    let file = OpenOptions::new().create(true).append(true).mode(FILE_MODE).open(path)?;
    file.set_permissions(std::fs::Permissions::from_mode(FILE_MODE))
}

/// The prompt without anything but its mark.
struct Plain;

impl Prompt for Plain {
    fn render_prompt_left(&self) -> Cow<'_, str> {
        Cow::Borrowed("")
    }

    fn render_prompt_right(&self) -> Cow<'_, str> {
        Cow::Borrowed("")
    }

    fn render_prompt_indicator(&self, _mode: PromptEditMode) -> Cow<'_, str> {
        Cow::Borrowed(PROMPT)
    }

    fn render_prompt_multiline_indicator(&self) -> Cow<'_, str> {
        Cow::Borrowed(FURTHER)
    }

    fn render_prompt_history_search_indicator(&self, search: PromptHistorySearch) -> Cow<'_, str> {
        Cow::Owned(format!("({}) {PROMPT}", search.term))
    }

    fn get_indicator_color(&self) -> Color {
        Color::Cyan
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Variables, the file that is due, and why.
    type Case<'a> = (&'a [(&'a str, &'a str)], Option<&'a str>, &'a str);

    #[test]
    fn the_history_is_in_the_state_folder() {
        let cases: [Case<'_>; 5] = [
            (&[("XDG_STATE_HOME", "/s"), ("HOME", "/h")], Some("/s/manos/history-pan"), "its own"),
            (&[("HOME", "/h")], Some("/h/.local/state/manos/history-pan"), "the usual one"),
            (
                &[("XDG_STATE_HOME", ""), ("HOME", "/h")],
                Some("/h/.local/state/manos/history-pan"),
                "empty is not set",
            ),
            (
                &[("XDG_STATE_HOME", "s"), ("HOME", "/h")],
                Some("/h/.local/state/manos/history-pan"),
                "a relative path is none",
            ),
            (&[], None, "nowhere"),
        ];
        for (variables, path, why) in cases {
            let env = |name: &str| {
                let value = variables.iter().find(|(of, _)| *of == name)?;
                Some(OsString::from(value.1))
            };
            assert_eq!(history_file("pan", env), path.map(PathBuf::from), "{why}");
        }
        let odd = history_file("../a b", |_| Some("/s".into()));
        assert_eq!(odd, Some(PathBuf::from("/s/manos/history----a-b")), "a name is no path");
    }

    #[test]
    fn nobody_else_reads_the_history() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a").join("history");
        prepare(&path).unwrap();
        let mode = |path: &std::path::Path| path.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&path), 0o600);
        assert_eq!(mode(path.parent().unwrap()), 0o700);
    }

    #[test]
    fn rows_of_an_edited_line_are_counted_with_the_prompt() {
        let cases = [("", 1), ("12345678", 2), ("1234567", 1), ("a\nb", 2), ("パンパン", 2)];
        for (text, expected) in cases {
            assert_eq!(rows(text, 10), expected, "{text:?}");
        }
    }
}

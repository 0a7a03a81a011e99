//! What is on the screen: replies, questions, and below them the live rows that go again.
//!
//! Live rows are the spinner, or text of a step that has not ended. They stand at the bottom with
//! the cursor at their end and are erased before anything else is printed. Without cursor movement
//! (`TERM=dumb`) there are none; with `NO_COLOR` nothing moves by itself, so work is named once.

use std::fmt::Write as _;
use std::io::Write;

use super::keys::Letters;
use super::wrap::{columns, fit, visible, wrap};

/// The pictures of the spinner.
const FRAMES: [&str; 10] = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];

/// What stands left of a question.
const BAR: &str = "│ ";

/// The most text of an unfinished step that is kept for the screen, in bytes; of more only the end
/// is shown. The reply is printed whole.
const STREAM_BYTES_MAX: usize = 64 * 1024;

/// The window where its size is not known, in columns and rows.
const SIZE_UNKNOWN: (usize, usize) = (80, 24);

/// What a terminal can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Ability {
    /// Moves the cursor and erases.
    pub(crate) moves: bool,
    /// Shows colours, and rows that change by themselves.
    pub(crate) lively: bool,
}

impl Ability {
    /// What the environment says of the terminal.
    pub(crate) fn of_environment() -> Self {
        let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
        let moves = set("TERM").is_none_or(|term| term != "dumb");
        Self { moves, lively: moves && set("NO_COLOR").is_none() }
    }

    fn accent(self, text: &str) -> String {
        self.code("36", text)
    }

    fn bold(self, text: &str) -> String {
        self.code("1", text)
    }

    fn dim(self, text: &str) -> String {
        self.code("2", text)
    }

    fn code(self, code: &str, text: &str) -> String {
        if self.lively { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_owned() }
    }
}

/// A question as it is shown.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Block<'a> {
    /// The tool's title.
    pub(crate) title: &'a str,
    /// The whole text.
    pub(crate) text: &'a str,
    /// The letters that answer, with their labels; none: words only.
    pub(crate) letters: Option<(Letters, [&'a str; 2])>,
    /// Until when.
    pub(crate) until: &'a str,
}

/// The screen.
pub(crate) struct Screen {
    out: Box<dyn Write + Send>,
    size: fn() -> (usize, usize),
    ability: Ability,
    /// Titles of tools that run, as sentences.
    working: Vec<String>,
    /// Those that are still to be named where no spinner does it.
    unnamed: Vec<String>,
    thinking: bool,
    /// The text of a step that has not ended.
    stream: String,
    /// Whether the live rows are not what they should be.
    dirty: bool,
    frame: usize,
    drawn: Vec<String>,
}

impl Screen {
    /// The screen of this process.
    pub(crate) fn stdout() -> Self {
        let out = Box::new(std::io::stdout());
        Self::new(out, window, Ability::of_environment())
    }

    fn new(out: Box<dyn Write + Send>, size: fn() -> (usize, usize), ability: Ability) -> Self {
        Self {
            out,
            size,
            ability,
            working: Vec::new(),
            unnamed: Vec::new(),
            thinking: false,
            stream: String::new(),
            dirty: false,
            frame: 0,
            drawn: Vec::new(),
        }
    }

    /// Prints a reply.
    pub(crate) fn reply(&mut self, text: &str) {
        self.name_work();
        let rows = wrap(text, self.width());
        self.print(&rows);
    }

    /// Prints something beside the talk.
    pub(crate) fn aside(&mut self, text: &str) {
        let rows: Vec<String> =
            wrap(text, self.width()).iter().map(|row| self.ability.dim(row)).collect();
        self.print(&rows);
    }

    /// Prints a question as a block of its own.
    pub(crate) fn question(&mut self, block: &Block<'_>) {
        self.name_work();
        let bar = self.ability.accent(BAR);
        let width = self.width().saturating_sub(columns(BAR));
        let title = visible(block.title);
        let mut rows = Vec::new();
        for line in block.text.trim_end_matches('\n').split('\n') {
            let is_head = !title.is_empty() && visible(line).ends_with(&title);
            for row in wrap(line, width) {
                let row = if is_head { self.ability.bold(&row) } else { row };
                rows.push(format!("{bar}{row}"));
            }
        }
        for (row, is_keys) in hints(block, width) {
            let row = if is_keys { self.ability.accent(&row) } else { self.ability.dim(&row) };
            rows.push(format!("{bar}{row}"));
        }
        self.print(&rows);
    }

    /// The model is asked.
    pub(crate) fn think(&mut self) {
        self.thinking = true;
        self.stream.clear();
        self.dirty = true;
    }

    /// A piece of a step's text.
    pub(crate) fn stream(&mut self, piece: &str) {
        if self.ability.moves {
            self.stream.push_str(piece);
            let mut cut = self.stream.len().saturating_sub(STREAM_BYTES_MAX);
            while !self.stream.is_char_boundary(cut) {
                cut += 1;
            }
            self.stream.drain(..cut);
            self.dirty = true;
        }
    }

    /// The model has answered. Its text stays until the next thing happens: mostly that is the
    /// same text as a reply, which takes its place.
    pub(crate) fn stream_ended(&mut self) {
        self.thinking = false;
        self.dirty = true;
    }

    /// A tool runs.
    pub(crate) fn work(&mut self, sentence: &str) {
        self.stream.clear();
        self.working.push(sentence.to_owned());
        self.dirty = true;
        if !self.ability.lively {
            // The answer that it was approved with is shown first.
            self.unnamed.push(visible(sentence));
        }
    }

    fn name_work(&mut self) {
        let unnamed = std::mem::take(&mut self.unnamed);
        if !unnamed.is_empty() {
            self.print(&unnamed);
        }
    }

    /// A tool has ended.
    pub(crate) fn work_ended(&mut self) {
        self.working.pop();
        self.dirty = true;
    }

    /// The turn has ended or waits: no live rows any more.
    pub(crate) fn rest(&mut self) {
        self.name_work();
        self.working.clear();
        self.thinking = false;
        self.stream.clear();
        self.erase();
    }

    /// Draws the live rows anew where that is due; called several times a second.
    pub(crate) fn tick(&mut self) {
        self.name_work();
        let spins = self.ability.lively && self.stream.is_empty() && !self.spinner().is_empty();
        if !spins && !self.dirty {
            return;
        }
        self.frame = (self.frame + 1) % FRAMES.len();
        self.dirty = false;
        let rows = self.live_rows();
        if rows == self.drawn {
            return;
        }
        let mut text = self.erasing();
        text.push_str(&rows.join("\n"));
        self.write(&text);
        self.drawn = rows;
    }

    /// What is said beside the spinner.
    fn spinner(&self) -> &str {
        match self.working.last() {
            Some(sentence) => sentence,
            None if self.thinking => "…",
            None => "",
        }
    }

    fn live_rows(&self) -> Vec<String> {
        if !self.ability.moves {
            return Vec::new();
        }
        let (width, height) = (self.size)();
        if !self.stream.trim().is_empty() {
            // What has left the window at its top could not be erased.
            let mut rows = wrap(self.stream.trim_end(), width);
            let over = rows.len().saturating_sub(height.saturating_sub(1).max(1));
            return rows.split_off(over);
        }
        let said = visible(self.spinner());
        if said.is_empty() || !self.ability.lively {
            return Vec::new();
        }
        let frame = FRAMES.get(self.frame).copied().unwrap_or_default();
        vec![fit(&format!("{frame} {said}"), width.saturating_sub(1))]
    }

    /// Takes the live rows away.
    pub(crate) fn erase(&mut self) {
        let text = self.erasing();
        self.drawn.clear();
        self.dirty = true;
        if !text.is_empty() {
            self.write(&text);
        }
    }

    /// The sequence that erases the live rows, also when the window has become narrower meanwhile
    /// and the terminal has broken them.
    fn erasing(&self) -> String {
        if self.drawn.is_empty() {
            return String::new();
        }
        let width = self.width();
        let rows: usize = self.drawn.iter().map(|row| columns(row).div_ceil(width).max(1)).sum();
        let mut text = "\r".to_owned();
        if rows > 1 {
            // Writing to a text cannot fail.
            let _infallible = write!(text, "\u{1b}[{}A", rows - 1);
        }
        text.push_str("\u{1b}[J");
        text
    }

    fn print(&mut self, rows: &[String]) {
        let mut text = self.erasing();
        self.drawn.clear();
        self.stream.clear();
        self.dirty = true;
        for row in rows {
            text.push_str(row);
            text.push('\n');
        }
        self.write(&text);
    }

    fn write(&mut self, text: &str) {
        // Whoever read it has gone: there is nobody left to tell.
        let _gone = self.out.write_all(text.as_bytes()).and_then(|()| self.out.flush());
    }

    fn width(&self) -> usize {
        (self.size)().0.max(1)
    }
}

/// The rows under a question: what keys do, and until when.
fn hints(block: &Block<'_>, width: usize) -> Vec<(String, bool)> {
    let until = format!("⌛ {}", block.until);
    let Some((letters, [yes, no])) = block.letters else {
        return wrap(&until, width).into_iter().map(|row| (row, false)).collect();
    };
    let keys = format!("[{}] {yes}   [{}] {no}", letters.yes, letters.no);
    let both = format!("{keys}   {until}");
    if columns(&both) <= width {
        return vec![(both, true)];
    }
    let keys = wrap(&keys, width).into_iter().map(|row| (row, true));
    keys.chain(wrap(&until, width).into_iter().map(|row| (row, false))).collect()
}

/// The window's columns and rows.
pub(crate) fn window() -> (usize, usize) {
    match crossterm::terminal::size() {
        Ok((columns @ 1.., rows @ 1..)) => (usize::from(columns), usize::from(rows)),
        _ => SIZE_UNKNOWN,
    }
}

#[cfg(test)]
mod tests;

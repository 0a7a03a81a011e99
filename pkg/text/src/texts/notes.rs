//! Longer texts that are put together from several sentences: prompt notes and help.

use jiff::Zoned;

use super::{Say, Texts};
use crate::locale::{date_words, weekday_word, words};

/// The most runs that the note about done runs lists.
const DONE_RUNS_MAX: usize = 10;

/// One run for the note about what was done in the chat.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DoneRun<'a> {
    /// When it ended, in the agent's time zone.
    pub at: &'a Zoned,
    /// The tool's name, as the model knows it.
    pub tool: &'a str,
    /// The arguments as JSON text.
    pub arguments: &'a str,
    /// The result as the model saw it, or `None` when the outcome is unknown.
    pub result: Option<&'a str>,
}

/// A command that a person can write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Command<'a> {
    /// `/help`.
    Help,
    /// A command of the agent's own rules, printed as it is.
    Own(&'a str),
    /// `/reset`.
    Reset,
    /// `!tool`.
    Tool,
    /// `!tools`.
    Tools,
}

impl Texts {
    /// Writes the last line of the system prompt: weekday, date, time, zone.
    ///
    /// The clock has 24 hours in every language, since a model reads it.
    ///
    /// # Examples
    ///
    /// ```
    /// use jiff::{Timestamp, tz::{TimeZone, offset}};
    /// use manos_text::{Language, Texts};
    ///
    /// let at: Timestamp = "2026-01-05T19:03:00Z".parse().unwrap();
    /// let at = at.to_zoned(TimeZone::fixed(offset(-5)));
    /// assert_eq!(
    ///     Texts::new(Language::Es).now_line(&at),
    ///     "Ahora: lunes, 5 de enero de 2026, 14:03 (UTC-05:00).",
    /// );
    /// ```
    pub fn now_line(&self, at: &Zoned) -> String {
        let words = words(self.language());
        let offset = format!("UTC{}", at.strftime("%:z"));
        let zone = at.time_zone().iana_name().map(|name| format!("{name}, {offset}"));
        self.say(&Say::Now {
            weekday: weekday_word(words, at.date()),
            date: &date_words(words, at.date()),
            time: &at.strftime("%H:%M").to_string(),
            zone: &zone.unwrap_or(offset),
        })
    }

    /// Writes what was done, or perhaps done, in the chat; `None` when nothing was.
    ///
    /// `runs` come newest first; those after the tenth are left out.
    pub fn done_note(&self, runs: &[DoneRun<'_>]) -> Option<String> {
        if runs.is_empty() {
            return None;
        }
        let lines: Vec<String> =
            runs.iter().take(DONE_RUNS_MAX).map(|run| self.done_line(run)).collect();
        Some(self.say(&Say::DoneNote { lines: &lines.join("\n") }))
    }

    /// Writes the answer to `/help`.
    pub fn help(&self, commands: &[Command<'_>]) -> String {
        self.say(&Say::Help { commands: &self.commands(commands) })
    }

    /// Says that nothing fits, and what can be written.
    pub fn no_match(&self, commands: &[Command<'_>]) -> String {
        self.say(&Say::NoMatch { commands: &self.commands(commands) })
    }

    fn done_line(&self, run: &DoneRun<'_>) -> String {
        let when = run.at.strftime("%Y-%m-%d %H:%M").to_string();
        let (tool, arguments) = (run.tool, run.arguments);
        self.say(&match run.result {
            Some(result) => Say::DoneLine { when: &when, tool, arguments, result },
            None => Say::DoneLineUnknown { when: &when, tool, arguments },
        })
    }

    fn commands(&self, commands: &[Command<'_>]) -> String {
        let lines: Vec<String> = commands
            .iter()
            .map(|command| match command {
                Command::Help => self.say(&Say::CommandHelp),
                Command::Own(text) => (*text).to_owned(),
                Command::Reset => self.say(&Say::CommandReset),
                Command::Tool => self.say(&Say::CommandTool),
                Command::Tools => self.say(&Say::CommandTools),
            })
            .map(|line| format!("• {line}"))
            .collect();
        lines.join("\n")
    }
}

//! What was asked and what came back: the inputs of the reader besides the text, and its result.

use crate::language::Language;

/// The confidence under which a transcript is no answer, unless the agent's file says another.
pub const CONFIDENCE_MIN_DEFAULT: f64 = 0.6;

/// How an answer to a confirmation was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Answer {
    /// A clear yes: the action may run.
    Yes,
    /// A clear no: the action does not run.
    No,
    /// Anything else: the action does not run, and the words go to the model.
    Other,
}

impl Answer {
    /// Returns `"yes"`, `"no"` or `"other"`.
    pub fn as_str(self) -> &'static str {
        match self {
            Answer::Yes => "yes",
            Answer::No => "no",
            Answer::Other => "other",
        }
    }
}

/// How the question was put, which decides what counts as an answer to it.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Asked<'a> {
    /// The languages of the agent and of the chat. English is always tried as well.
    pub languages: &'a [Language],
    /// A numbered menu (`1` yes, `2` no) was shown, so that the numbers answer too.
    pub menu: bool,
    /// The waiting action itself cancels or deletes, so that "cancel it" says nothing clear.
    pub cancels: bool,
    /// Set when the text is a transcript of speech.
    pub voice: Option<Voice>,
}

/// What the recogniser said about a transcript.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Voice {
    /// From 0 to 1; `None` when the recogniser gives none, which is not taken for low.
    pub confidence: Option<f64>,
    /// A confidence under this makes the transcript [`Answer::Other`].
    pub confidence_min: f64,
    /// The agent was speaking at the same time, so that the words may be its own.
    pub overlapped: bool,
}

impl Voice {
    /// Returns whether the transcript can be trusted to hold the person's own words.
    ///
    /// A confidence that is not a number is not trusted.
    pub fn is_clear(&self) -> bool {
        !self.overlapped && self.confidence.is_none_or(|value| value >= self.confidence_min)
    }
}

impl Default for Voice {
    fn default() -> Self {
        Voice { confidence: None, confidence_min: CONFIDENCE_MIN_DEFAULT, overlapped: false }
    }
}

//! A chat's agent with everything that decides before the model does.

use std::time::Duration;

use manos_answer::Language as AnswerLanguage;
use manos_engine::AgentSpec;

use crate::Rule;

/// An agent with its rules and the bounds of its chats. Checked, compiled, never changed.
#[derive(Debug)]
pub struct ChatSpec {
    /// The agent.
    pub agent: AgentSpec,
    /// Its rules, in file order.
    pub rules: Vec<Rule>,
    /// What is said when no rule fits and there is no model.
    pub fallback: Option<String>,
    /// What the first message of a chat is greeted with.
    pub greeting: Option<String>,
    /// Roles that may write `!tool` and `!tools`.
    pub direct_tools: Vec<String>,
    /// Languages in which answers are read; English always is.
    pub answer_languages: Vec<AnswerLanguage>,
    /// Messages that wait while a turn runs.
    pub waiting_max: usize,
    /// The longest message, in characters.
    pub message_chars_max: usize,
}

/// A second clear yes within this time after an answered question is swallowed.
pub const SECOND_YES_WINDOW: Duration = Duration::from_secs(10);

/// The default of [`ChatSpec::waiting_max`].
pub const WAITING_MAX: usize = 20;

/// The default of [`ChatSpec::message_chars_max`].
pub const MESSAGE_CHARS_MAX: usize = 8_000;

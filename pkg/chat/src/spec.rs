//! A chat's agent with everything that decides before the model does.

use std::time::Duration;

use manos_answer::Language as AnswerLanguage;
use manos_engine::AgentSpec;
use manos_model::ChannelName;

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
    /// How long the first of several messages in a row waits for the others, on messengers.
    pub gather: Duration,
    /// How long the id of a message is remembered, so that one that comes again is known.
    pub message_ids_kept: Duration,
}

impl ChatSpec {
    /// Returns how long messages in a row are joined on a channel: nothing but messengers joins,
    /// neither the terminal nor the API.
    pub fn gather_on(&self, channel: &ChannelName) -> Duration {
        if MESSENGERS.contains(&channel.as_str()) { self.gather } else { Duration::ZERO }
    }
}

/// Channels on which people write a thought in several messages.
pub const MESSENGERS: [&str; 15] = [
    "baileys",
    "discord",
    "evolution",
    "gohighlevel",
    "gupshup",
    "instagram",
    "matrix",
    "messenger",
    "slack",
    "sms",
    "telegram",
    "tiktok",
    "twilio",
    "whatsapp",
    "wppconnect",
];

/// The default of [`ChatSpec::gather`].
pub const GATHER: Duration = Duration::from_millis(1_500);

/// The default of [`ChatSpec::message_ids_kept`].
pub const MESSAGE_IDS_KEPT: Duration = Duration::from_hours(8 * 24);

/// A second clear yes within this time after an answered question is swallowed.
pub const SECOND_YES_WINDOW: Duration = Duration::from_secs(10);

/// The default of [`ChatSpec::waiting_max`].
pub const WAITING_MAX: usize = 20;

/// The default of [`ChatSpec::message_chars_max`].
pub const MESSAGE_CHARS_MAX: usize = 8_000;

//! A rule: data that decides before the model does.

use regex::Regex;
use serde::{Deserialize, Serialize};

use manos_engine::Filled;

/// One rule.
#[derive(Debug)]
pub struct Rule {
    /// When it fits. All that is given must fit.
    pub when: When,
    /// What it does.
    pub then: Then,
}

/// When a rule fits.
#[derive(Debug, Default)]
pub struct When {
    /// The whole message is one of these, case and outer blanks aside; empty: any.
    pub equals: Vec<String>,
    /// A command without its slash: `horario` for `/horario`.
    pub command: Option<String>,
    /// A pattern; its named groups can be used by the action.
    pub matches: Option<Regex>,
    /// The channel is one of these; empty: any.
    pub channel: Vec<String>,
    /// The writer has one of these roles; empty: any.
    pub role: Vec<String>,
    /// Local time of day, from (inclusive) to (exclusive), in minutes; may pass midnight.
    pub between: Option<(u16, u16)>,
}

/// What a rule does.
#[derive(Debug)]
pub enum Then {
    /// The model answers.
    AskModel,
    /// A human takes over, after these words; ours when `None`.
    Handoff(Option<manos_text::Template>),
    /// Nothing at all.
    Ignore,
    /// A text.
    Reply(manos_text::Template),
    /// A call, and what is said of it.
    Tool {
        /// The tool.
        tool: String,
        /// Its arguments.
        arguments: Vec<(String, RuleArgument)>,
        /// What is said of it.
        speaker: Speaker,
    },
}

/// One argument of a rule's call.
#[derive(Debug)]
pub enum RuleArgument {
    /// One object for each match of a pattern inside a group.
    Each {
        /// The pattern; its named groups are the keys.
        pattern: Regex,
        /// The group.
        group: String,
    },
    /// A value, or a template over the named groups.
    Filled(Filled),
}

/// What a rule says of its call. Kept with the turn as source text, so that a changed file cannot
/// change what a turn under way will say.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Speaker {
    /// Template over `result` and `args`, when it was done.
    pub reply: Option<String>,
    /// Template over `failure`, when it was not.
    pub otherwise: Option<String>,
    /// The name under which the result is kept for later rules.
    pub result_as: Option<String>,
}

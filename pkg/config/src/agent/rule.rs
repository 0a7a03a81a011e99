//! Rules as the file has them.

use jiff::civil::Time;
use manos_model::ToolName;
use manos_text::Template;
use regex::Regex;
use serde_json::Value;

/// One rule.
#[derive(Debug, Clone)]
pub struct RuleFile {
    /// Which messages it is for; all conditions must hold.
    pub when: When,
    /// What is done.
    pub then: Action,
    /// The line it stands on, for the audit trail.
    pub line: usize,
}

/// Which messages a rule is for.
#[derive(Debug, Clone, Default)]
pub struct When {
    /// One of these, case and accents folded; any when empty.
    pub equals: Vec<String>,
    /// This command, without its slash.
    pub command: Option<String>,
    /// Text that matches.
    pub matches: Option<Regex>,
    /// On one of these channels; any when empty.
    pub channel: Vec<String>,
    /// From somebody with one of these roles; anybody when empty.
    pub role: Vec<String>,
    /// At these times of day.
    pub between: Option<Between>,
}

/// From one time of day to another; over midnight when the first is later.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Between {
    /// Included.
    pub from: Time,
    /// Not included.
    pub to: Time,
}

/// What a rule does.
#[derive(Debug, Clone)]
pub enum Action {
    /// The model decides.
    AskModel,
    /// A person takes over.
    Handoff {
        /// What is said.
        reply: Option<Template>,
    },
    /// Nothing.
    Ignore,
    /// Something is said.
    Reply(Template),
    /// A tool is called.
    Tool {
        /// Which.
        tool: ToolName,
        /// With what, in the order of the file.
        args: Vec<(String, Argument)>,
        /// What is said when it was done.
        reply: Option<Template>,
        /// What is said when it was not.
        otherwise: Option<Template>,
        /// Under which name the result is kept for later rules.
        result_as: Option<String>,
    },
}

/// A value for a tool's argument.
#[derive(Debug, Clone)]
pub enum Argument {
    /// One object per match inside a group; the matches must cover it.
    Each {
        /// What one object matches.
        each: Regex,
        /// The group it is looked for in.
        within: String,
    },
    /// A template over the named groups.
    Template(Template),
    /// As it is.
    Value(Value),
}

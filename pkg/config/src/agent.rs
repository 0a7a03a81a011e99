//! A checked agent file: plain data, every default filled in, everything compiled.

mod model;
mod rule;
mod tool;

use std::collections::BTreeMap;
use std::time::Duration;

use jiff::tz::TimeZone;
use manos_model::{AgentName, Secret, ToolName};
use manos_policy::{Access, Who};
use manos_text::{Language, Locale, Money};
use serde_json::Value;

pub use model::{ModelChoice, ModelConfig};
pub use rule::{Action, Argument, Between, RuleFile, When};
pub use tool::{
    Builtin, CommandRunner, ConfirmLines, Endpoint, Fixed, Mcp, McpServer, Method, OpenApi,
    Operations, RequestFormat, RunnerFile, SqlRunner, ToolFile, ToolSourceFile,
};

/// A checked agent file.
#[derive(Debug, Clone)]
pub struct AgentFile {
    /// Its name.
    pub name: AgentName,
    /// The language of our texts.
    pub language: Language,
    /// How numbers, dates and money are written.
    pub locale: Locale,
    /// The zone for dates and times; `None` is the system's.
    pub time_zone: Option<TimeZone>,
    /// How amounts are written.
    pub money: Money,
    /// What the model is told about itself; empty when nothing.
    pub persona: String,
    /// The model.
    pub model: ModelChoice,
    /// Models to try after the first.
    pub fallback_models: Vec<ModelConfig>,
    /// Where chats are kept.
    pub store: StoreConfig,
    /// How long finished turns are kept; `None` is for ever.
    pub store_keep: Option<Duration>,
    /// Databases of `sql` tools.
    pub databases: BTreeMap<String, DatabaseConfig>,
    /// How people are asked.
    pub confirm: ConfirmConfig,
    /// Tools that this file names one by one.
    pub tools: Vec<ToolFile>,
    /// Sources that bring tools when they are reached.
    pub sources: Vec<ToolSourceFile>,
    /// Who may use what.
    pub access: Access,
    /// The webhook.
    pub webhook: Option<Webhook>,
    /// Who is told after runs.
    pub notices: Vec<Notice>,
    /// What is decided before the model.
    pub rules: Vec<RuleFile>,
    /// Channels by kind, as raw checked data with variables in place.
    pub channels: BTreeMap<String, Secret<Value>>,
    /// Bounds.
    pub limits: Limits,
    /// What is said when the steps are used up; ours when `None`.
    pub max_steps_message: Option<String>,
    /// Whether one more call without tools follows the last step.
    pub final_answer: bool,
    /// Whether text beside tool calls is sent.
    pub interim_text: bool,
    /// Whether read-only calls of a step run side by side.
    pub parallel_reads: bool,
    /// What is said when nothing else answers.
    pub fallback: Option<String>,
    /// The answer to a chat's first message.
    pub greeting: Option<String>,
    /// Our sentences in other words, by key; they are known to fit.
    pub texts: BTreeMap<String, String>,
    /// The prefix of signature headers.
    pub signing_prefix: String,
    /// Where requests may go.
    pub network: Network,
    /// The HTTP server.
    pub server: ServerConfig,
    /// Roles that may run tools by `!tool`.
    pub direct_tools: Vec<String>,
}

impl AgentFile {
    /// Returns the tool of this name.
    pub fn tool(&self, name: &str) -> Option<&ToolFile> {
        self.tools.iter().find(|tool| tool.name.as_str() == name)
    }

    /// Returns what the requests of a platform that calls tools are checked with. Our own signature
    /// is checked with the webhook's secret where no other is given.
    pub fn caller_secrets(&self, platform: &str) -> &[Secret<String>] {
        let own = self.server.callers.get(platform).map(|caller| &caller.secrets[..]);
        match (own, &self.webhook) {
            (Some(own), _) if !own.is_empty() => own,
            (_, Some(webhook)) if platform == "tools" => &webhook.secrets,
            _ => &[],
        }
    }

    /// Whether a platform asks the person about this tool itself.
    pub fn caller_confirms(&self, platform: &str, tool: &str) -> bool {
        let caller = self.server.callers.get(platform);
        caller.is_some_and(|caller| caller.confirms.iter().any(|name| name == tool))
    }

    /// Returns the tools of this file that may be used at all.
    pub fn allowed(&self) -> impl Iterator<Item = &ToolName> {
        let allowed = self.access.allowed_tools.as_ref();
        self.tools
            .iter()
            .map(|tool| &tool.name)
            .filter(move |name| allowed.is_none_or(|allowed| allowed.contains(name.as_str())))
    }
}

/// Where chats are kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoreConfig {
    /// Nowhere: gone with the process.
    Memory,
    /// In PostgreSQL.
    Postgres {
        /// Its address, password included.
        url: Secret<String>,
    },
    /// In a file.
    Sqlite {
        /// Relative to the agent file.
        path: String,
    },
}

/// A database of `sql` tools.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DatabaseConfig {
    /// Where it is; never [`StoreConfig::Memory`] unless the file says `sqlite::memory:`.
    pub location: StoreConfig,
    /// SQL that runs once, when it is new.
    pub init: Option<InitSql>,
}

/// SQL of a new database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InitSql {
    /// The file it came from, as written.
    pub path: String,
    /// The statements.
    pub sql: String,
}

/// How people are asked.
#[derive(Debug, Clone, PartialEq)]
pub struct ConfirmConfig {
    /// How long a question waits.
    pub timeout: Duration,
    /// How long it waits on single channels, by name.
    pub timeouts: BTreeMap<String, Duration>,
    /// Whether buttons are drawn where the channel has them.
    pub buttons: bool,
    /// Whether numbers answer where it has none.
    pub menu: bool,
    /// Whether a late press is told so.
    pub expired_notice: bool,
    /// Whether a press is answered where messages cannot be edited.
    pub answered_notice: bool,
    /// Who may answer.
    pub who: Who,
    /// What the model is told about confirming.
    pub system_note: SystemNoteConfig,
    /// A transcript below this is no answer.
    pub min_confidence: f64,
    /// The longest question, in characters.
    pub max_chars: usize,
    /// The most questions in one turn.
    pub max_per_turn: u32,
    /// How long a done call is warned about.
    pub repeat_window: Duration,
}

/// What the model is told about confirming.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SystemNoteConfig {
    /// Our localised note.
    Built,
    /// Nothing.
    Off,
    /// This.
    Text(String),
}

/// The endpoint of tools without one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Webhook {
    /// Its address.
    pub url: Secret<String>,
    /// What requests are signed with; several while one is being changed.
    pub secrets: Vec<Secret<String>>,
}

/// An endpoint that is told what happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// Its address.
    pub url: Secret<String>,
    /// The kinds it wants; all when empty.
    pub events: Vec<String>,
    /// What requests are signed with.
    pub secrets: Vec<Secret<String>>,
    /// Only of this agent.
    pub agent: Option<String>,
}

/// Bounds of a turn and of what comes in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Model calls in one turn.
    pub max_steps: u32,
    /// How long a tool may take; `None` is without limit.
    pub tool_timeout: Option<Duration>,
    /// When an unfinished turn is not continued.
    pub turn_max_age: Duration,
    /// Bytes of a result that the model is told.
    pub max_result_bytes: usize,
    /// Bytes of an endpoint's reply.
    pub max_response_bytes: usize,
    /// Characters of a message.
    pub max_message_chars: usize,
    /// Messages of the chat that the model sees.
    pub history_messages: usize,
    /// Messages that wait in one chat.
    pub inbox_max_waiting: usize,
    /// How long messages in a row are joined; `None` is the channel's own.
    pub inbox_gather: Option<Duration>,
    /// How long message ids are known.
    pub inbox_remember: Duration,
    /// How long a stop waits for effects.
    pub shutdown_grace: Duration,
}

/// Where requests may go.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Network {
    /// Hosts that may be spoken to without TLS.
    pub allow_http: Vec<String>,
    /// A proxy.
    pub proxy: Option<Secret<String>>,
}

/// The HTTP server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerConfig {
    /// Address and port.
    pub listen: String,
    /// Host names it answers to.
    pub hosts: Vec<String>,
    /// Keys by name.
    pub api_keys: BTreeMap<String, ApiKey>,
    /// Platforms that call tools, by the first part of their path: `tools`, `retell`, `vapi`.
    pub callers: BTreeMap<String, Caller>,
}

/// A platform that calls tools of the agent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Caller {
    /// What its requests are signed with, or show; several while one is being changed.
    pub secrets: Vec<Secret<String>>,
    /// Tools with `confirm` about which it asks the person itself: its call counts as the yes.
    pub confirms: Vec<String>,
}

/// A key of the HTTP API.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiKey {
    /// The key itself.
    pub key: Secret<String>,
    /// Whether it may read other channels' chats and hand off.
    pub operate: bool,
}

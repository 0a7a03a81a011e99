//! An agent as the turn sees it: checked, compiled, never changed.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::{Map, Value};

use manos_model::{AgentName, ChatKey, ToolDeclaration, ToolName, ToolSet, UserId};
use manos_policy::{Access, ToolSpec, Who};
use manos_text::{Formats, Labels, Template, TemplateError, Texts, Values};

/// An argument value that comes from the agent file.
#[derive(Debug, Clone)]
pub enum Filled {
    /// A template; gives text.
    Template(Template),
    /// A value as it is.
    Value(Value),
}

impl Filled {
    /// Gives the value.
    ///
    /// # Errors
    ///
    /// [`TemplateError`] when the template misses a name.
    pub fn fill(
        &self,
        formats: &Formats,
        variables: &Map<String, Value>,
    ) -> Result<Value, TemplateError> {
        match self {
            Self::Template(template) => {
                template.render(Values::Raw, formats, variables).map(Value::String)
            }
            Self::Value(value) => Ok(value.clone()),
        }
    }
}

/// Makes the lines of a question in Rust.
pub type LinesFn = Arc<dyn Fn(&Map<String, Value>) -> Result<String, String> + Send + Sync>;

/// What stands between the title and the question.
#[derive(Clone)]
pub enum QuestionBody {
    /// The arguments, one bullet each.
    Arguments,
    /// Lines made in Rust.
    Function(LinesFn),
    /// Lines made by a template.
    Lines(Template),
    /// A template that is the whole text.
    Message(Template),
}

impl fmt::Debug for QuestionBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Arguments => "Arguments",
            Self::Function(_) => "Function",
            Self::Lines(_) => "Lines",
            Self::Message(_) => "Message",
        })
    }
}

/// A read-only tool whose result the question is made from.
#[derive(Debug, Clone)]
pub struct QuoteSource {
    /// The tool.
    pub tool: ToolName,
    /// Its arguments; `None`: those parsed arguments that its schema has.
    pub arguments: Option<Vec<(String, Filled)>>,
}

/// A tool of an agent.
#[derive(Debug)]
pub struct Tool {
    /// What policy knows of it.
    pub spec: ToolSpec,
    /// Its name for people.
    pub title: String,
    /// What the model is told.
    pub description: String,
    /// Words for raw values in questions.
    pub labels: Labels,
    /// Where the question's facts come from.
    pub quote: Option<QuoteSource>,
    /// What the question says.
    pub body: QuestionBody,
    /// Values merged after validation; they win.
    pub fixed: Vec<(String, Filled)>,
    /// Whether it cancels or deletes, so that "cancel" is no clear answer.
    pub cancels: bool,
    /// Whether arguments and results stay out of the audit trail.
    pub redact: bool,
    /// How long it may run; `None` is without limit.
    pub timeout: Option<Duration>,
}

/// How questions are put.
#[derive(Debug, Clone, PartialEq)]
pub struct ConfirmSettings {
    /// How long a question waits, and a yes is good.
    pub timeout: Duration,
    /// The same on single channels, by name.
    pub timeouts: BTreeMap<String, Duration>,
    /// Whether native buttons are used where the channel has them.
    pub buttons: bool,
    /// Whether a numbered menu is printed where it has none.
    pub menu: bool,
    /// Whether a stale press is told so, where buttons cannot be removed.
    pub expired_notice: bool,
    /// Whether a press is answered, where buttons cannot be removed.
    pub answered_notice: bool,
    /// Who may answer.
    pub who: Who,
    /// The note about confirmations in the system prompt.
    pub note: SystemNote,
    /// A transcript below this confidence is no answer.
    pub confidence_min: f64,
    /// The longest question, in characters.
    pub chars_max: usize,
    /// The most questions in one turn.
    pub per_turn_max: u32,
    /// How long a done run is warned of.
    pub repeat_window: Duration,
}

impl ConfirmSettings {
    /// The longest question that is spoken, in characters.
    pub const VOICE_CHARS_MAX: usize = 400;

    /// Returns how long a question waits, and a yes is good, in a chat.
    pub fn timeout_in(&self, chat: &ChatKey) -> Duration {
        self.timeouts.get(chat.channel().as_str()).copied().unwrap_or(self.timeout)
    }
}

/// The note about confirmations in the system prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SystemNote {
    /// None.
    Off,
    /// Ours, localised.
    Ours,
    /// The owner's.
    Text(String),
}

impl Default for ConfirmSettings {
    fn default() -> Self {
        Self {
            timeout: Duration::from_mins(2),
            timeouts: BTreeMap::new(),
            buttons: true,
            menu: false,
            expired_notice: true,
            answered_notice: false,
            who: Who::Requester,
            note: SystemNote::Ours,
            confidence_min: 0.6,
            chars_max: 4_000,
            per_turn_max: 5,
            repeat_window: Duration::from_hours(1),
        }
    }
}

/// The bounds of a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Model calls in a turn.
    pub steps_max: u32,
    /// Whether one more call without tools is made at the bound.
    pub final_answer: bool,
    /// Whether text beside tool calls is sent.
    pub interim_text: bool,
    /// Whether read-only calls of a step run side by side.
    pub parallel_reads: bool,
    /// How old an unfinished turn may be to go on after a restart.
    pub turn_age_max: Duration,
    /// The longest result a model is shown, in bytes; what is longer is cut.
    pub result_bytes_max: usize,
    /// The longest result that is read from a tool, in bytes; what is longer is a failure. Where it
    /// is lower than [`Limits::result_bytes_max`], that counts.
    pub read_bytes_max: usize,
    /// The entries of history a model is shown.
    pub history_messages_max: usize,
    /// Whether a single value is taken where an array of it is due.
    pub single_as_array: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            steps_max: 5,
            final_answer: false,
            interim_text: false,
            parallel_reads: false,
            turn_age_max: Duration::from_mins(10),
            result_bytes_max: 16 * 1024,
            read_bytes_max: 1024 * 1024,
            history_messages_max: 20,
            single_as_array: false,
        }
    }
}

/// An agent: a persona, tools, and how it behaves.
#[derive(Debug)]
pub struct AgentSpec {
    /// Its name.
    pub name: AgentName,
    /// Who it is, for the model.
    pub persona: String,
    /// Whether it has a model.
    pub has_model: bool,
    /// Its sentences.
    pub texts: Texts,
    /// Its numbers, dates and zone.
    pub formats: Formats,
    /// Who may use what.
    pub access: Access,
    /// How questions are put.
    pub confirm: ConfirmSettings,
    /// The bounds of a turn.
    pub limits: Limits,
    /// What is said at the bound of steps, when the owner says it.
    pub max_steps_message: Option<String>,
    tools: Vec<Tool>,
    by_name: BTreeMap<String, usize>,
    offers: Mutex<BTreeMap<String, Arc<ToolSet>>>,
}

/// What an agent is made from, besides its tools.
#[derive(Debug)]
pub struct AgentParts {
    /// Its name.
    pub name: AgentName,
    /// Who it is, for the model.
    pub persona: String,
    /// Whether it has a model.
    pub has_model: bool,
    /// Its sentences.
    pub texts: Texts,
    /// Its numbers, dates and zone.
    pub formats: Formats,
    /// Who may use what.
    pub access: Access,
    /// How questions are put.
    pub confirm: ConfirmSettings,
    /// The bounds of a turn.
    pub limits: Limits,
    /// What is said at the bound of steps, when the owner says it.
    pub max_steps_message: Option<String>,
}

/// Two tools have one name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there are two tools with the name {name}")]
pub struct DuplicateTool {
    /// The name.
    pub name: ToolName,
}

impl AgentSpec {
    /// Puts an agent together.
    ///
    /// # Errors
    ///
    /// [`DuplicateTool`] when two tools have one name.
    pub fn new(parts: AgentParts, tools: Vec<Tool>) -> Result<Self, DuplicateTool> {
        let mut by_name = BTreeMap::new();
        for (index, tool) in tools.iter().enumerate() {
            let name = tool.spec.name.clone();
            if by_name.insert(name.as_str().to_owned(), index).is_some() {
                return Err(DuplicateTool { name });
            }
        }
        Ok(Self {
            name: parts.name,
            persona: parts.persona,
            has_model: parts.has_model,
            texts: parts.texts,
            formats: parts.formats,
            access: parts.access,
            confirm: parts.confirm,
            limits: parts.limits,
            max_steps_message: parts.max_steps_message,
            tools,
            by_name,
            offers: Mutex::new(BTreeMap::new()),
        })
    }

    /// Returns a tool.
    pub fn tool(&self, name: &str) -> Option<&Tool> {
        self.by_name.get(name).map(|&index| &self.tools[index])
    }

    /// Returns all tools in the order of the file.
    pub fn tools(&self) -> &[Tool] {
        &self.tools
    }

    /// Returns the tools that this user is offered; the same `Arc` for equal roles.
    pub fn offer(&self, user: &UserId) -> Arc<ToolSet> {
        let key = self.access.role_key(user);
        let mut offers = self.offers.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(offer) = offers.get(&key) {
            return Arc::clone(offer);
        }
        let declarations = self
            .tools
            .iter()
            .filter(|tool| self.access.may_use(user, tool.spec.name.as_str()))
            .map(|tool| ToolDeclaration {
                name: tool.spec.name.as_str().to_owned(),
                description: tool.description.clone(),
                parameters: tool.spec.schema.source().clone(),
            })
            .collect();
        let offer = Arc::new(ToolSet::new(declarations));
        if offers.len() >= OFFERS_MAX {
            offers.clear();
        }
        offers.insert(key, Arc::clone(&offer));
        offer
    }

    /// The tools of a call without tools.
    pub fn no_tools() -> Arc<ToolSet> {
        Arc::new(ToolSet::new(Vec::new()))
    }
}

/// Offers kept for different sets of roles; all are dropped when there are more.
const OFFERS_MAX: usize = 64;

//! What goes to a model and what comes back, in no provider's dialect.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{Cost, ToolCallId};

/// Who speaks in the stored history.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Role {
    /// The agent.
    Assistant,
    /// The person in the chat.
    User,
}

/// One entry of the stored history: plain text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HistoryEntry {
    /// Who said it.
    pub role: Role,
    /// What was said.
    pub text: String,
}

/// Arguments as a provider sent them: JSON text, or already an object.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum CallArguments {
    /// Nothing was sent.
    Missing,
    /// Text that ought to be JSON.
    Text(String),
    /// A JSON value.
    Value(Value),
}

/// A tool call as a reply has it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RequestedCall {
    /// The provider's id, where it gave one; used only on its wire.
    pub wire_id: Option<String>,
    /// The tool's name as the model wrote it, mapped back from the provider's form.
    pub name: String,
    /// Its arguments.
    pub arguments: CallArguments,
}

/// Provider state that must go back unchanged within the turn (reasoning, signatures).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Opaque {
    /// The provider family it came from; it goes back to no other.
    pub family: String,
    /// The item, byte for byte.
    pub json: String,
}

/// Why a reply ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum FinishReason {
    /// A filter stopped it.
    ContentFilter,
    /// The token limit cut it.
    Length,
    /// Something we have no name for.
    Other(String),
    /// It was done.
    Stop,
    /// It asks for tools.
    ToolCalls,
}

/// Tokens, where the provider says. Zero where it does not. Every dialect counts alike: what was
/// read from a cache is part of the input, reasoning is part of the output.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Of the request.
    pub tokens_input: u64,
    /// Of the reply.
    pub tokens_output: u64,
    /// Of the request, read from the provider's cache.
    pub tokens_cached: u64,
    /// Of the reply, spent on reasoning.
    pub tokens_reasoning: u64,
}

impl Usage {
    /// Adds another call's.
    pub fn add(&mut self, other: &Self) {
        self.tokens_input = self.tokens_input.saturating_add(other.tokens_input);
        self.tokens_output = self.tokens_output.saturating_add(other.tokens_output);
        self.tokens_cached = self.tokens_cached.saturating_add(other.tokens_cached);
        self.tokens_reasoning = self.tokens_reasoning.saturating_add(other.tokens_reasoning);
    }
}

/// Which model a reply came from, for the trail.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ReplyOrigin {
    /// The provider, by its name in the agent file.
    pub provider: String,
    /// The model, by its name at the provider.
    pub model: String,
    /// What the call cost, where a price is set and tokens were told.
    pub cost: Option<Cost>,
    /// The models before it that did not answer.
    pub instead_of: Vec<Unanswered>,
}

/// A model that did not answer, so that another one was asked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Unanswered {
    /// The provider, by its name in the agent file.
    pub provider: String,
    /// The model, by its name at the provider.
    pub model: String,
    /// Why, in one sentence.
    pub reason: String,
}

/// One whole model reply.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelReply {
    /// Its text; empty when it has none.
    pub text: String,
    /// The tools it asks for, in order.
    pub calls: Vec<RequestedCall>,
    /// Why it ended.
    pub finish: FinishReason,
    /// What must go back unchanged.
    pub opaque: Vec<Opaque>,
    /// The tokens it took.
    pub usage: Option<Usage>,
    /// Which model it came from; whoever calls the provider fills it in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Box<ReplyOrigin>>,
}

impl ModelReply {
    /// A reply that is only text.
    pub fn of_text(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            calls: Vec::new(),
            finish: FinishReason::Stop,
            opaque: Vec::new(),
            usage: None,
            origin: None,
        }
    }
}

/// A call as it is told back to the model: its arguments are always a JSON object.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToldCall {
    /// Our id.
    pub id: ToolCallId,
    /// The provider's id.
    pub wire_id: Option<String>,
    /// The name as the model wrote it.
    pub name: String,
    /// The arguments; `{}` when what came was no object.
    pub arguments: Value,
}

/// What the model is told about one call; exactly one for each call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolResult {
    /// The call.
    pub call_id: ToolCallId,
    /// The tool's result, or a failure's JSON, bounded. Text is a JSON string.
    pub content: Value,
    /// Whether it is a failure.
    pub failed: bool,
}

/// One message of the turn under way.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum StepMessage {
    /// A reply of the model.
    Assistant {
        /// Its text.
        text: String,
        /// The calls it asked for.
        calls: Vec<ToldCall>,
        /// What goes back unchanged.
        opaque: Vec<Opaque>,
    },
    /// A note from us, such as that the reply was cut.
    Note(String),
    /// The result of a call.
    Result(ToolResult),
    /// What the person wrote.
    User(String),
}

/// A tool as a model is shown it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolDeclaration {
    /// Its name.
    pub name: String,
    /// What it does.
    pub description: String,
    /// The JSON Schema of its arguments, unchanged.
    pub parameters: Value,
}

/// The tools that one kind of user is offered. Shared and never changed, so that a provider can
/// keep its encoded bytes by [`ToolSet::id`].
#[derive(Debug, PartialEq)]
pub struct ToolSet {
    /// Equal for equal sets: a digest of the declarations.
    pub id: String,
    /// In the order of the agent file.
    pub declarations: Vec<ToolDeclaration>,
}

impl ToolSet {
    /// Makes the set and its id.
    pub fn new(declarations: Vec<ToolDeclaration>) -> Self {
        let text = serde_json::to_vec(&declarations).unwrap_or_default();
        Self { id: crate::sha256_hex(&[&text]), declarations }
    }
}

/// Everything a provider needs to make one model call.
#[derive(Debug, Clone)]
pub struct ModelRequest {
    /// The system prompt; its last line is the date.
    pub system: String,
    /// Turns gone by.
    pub history: Arc<Vec<HistoryEntry>>,
    /// This turn, its first message the person's.
    pub messages: Arc<Vec<StepMessage>>,
    /// The tools offered; empty for an answer without tools.
    pub tools: Arc<ToolSet>,
    /// Which model call of the turn this is, from 1.
    pub step: u32,
}

/// Why a model call brought no reply. Plain data, since it is an event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelFailure {
    /// What kind of trouble.
    pub kind: ModelFailureKind,
    /// One sentence for whoever runs the agent; says what to do. Never shown to the person.
    pub message: String,
}

/// The kinds of trouble with a model that are handled apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ModelFailureKind {
    /// The stream ended, or was no reply at all.
    BadReply,
    /// Somebody stopped it.
    Cancelled,
    /// Key, address or model name.
    Config,
    /// The provider refused a call that the model itself had written.
    RefusedCall,
    /// It took longer than the model timeout.
    Timeout,
    /// The chat is longer than the model takes.
    TooLong,
    /// Busy, down or unreachable, after all tries.
    Unavailable,
}

//! Which model an agent has.

use std::time::Duration;

use manos_model::{Price, Secret};
use manos_wire_llm::{KeepAlive, ScriptEntry, Streaming, Strict, ToolChoice};
use serde_json::Number;

/// Whether an agent has a model.
#[derive(Debug, Clone)]
pub enum ModelChoice {
    /// The file names none: rules alone.
    None,
    /// The file names one that is optional, and its key is missing: rules alone, said once.
    Off {
        /// What is missing, in one sentence.
        reason: String,
    },
    /// This one.
    Use(Box<ModelConfig>),
}

/// One model of one provider.
#[derive(Debug, Clone)]
pub struct ModelConfig {
    /// The provider's name.
    pub provider: String,
    /// The model's name; empty for `scripted`.
    pub model: String,
    /// Where its API is, when not at its own address.
    pub base_url: Option<String>,
    /// Its key.
    pub api_key: Option<Secret<String>>,
    /// How long one call may take, with its retries.
    pub timeout: Duration,
    /// How long the first byte of a reply may take.
    pub first_byte_timeout: Option<Duration>,
    /// How long a reply may be silent between two bytes.
    pub idle_timeout: Option<Duration>,
    /// Whether replies come in pieces.
    pub streaming: Streaming,
    /// The most tokens of one reply.
    pub max_output_tokens: Option<u32>,
    /// How many tokens it looks back on; of `ollama` alone.
    pub num_ctx: Option<u32>,
    /// How long the server keeps it in memory after a call; of `ollama` alone.
    pub keep_alive: Option<KeepAlive>,
    /// How freely it chooses its words.
    pub temperature: Option<Number>,
    /// Which tools the first call of a turn may or must use.
    pub tool_choice: ToolChoice,
    /// Whether one reply may ask for several calls.
    pub parallel_tool_calls: Option<bool>,
    /// Whether the provider is asked to hold the model to the schemas.
    pub strict: Strict,
    /// What its tokens cost.
    pub price: Option<Price>,
    /// Of a `scripted` model: what it says.
    pub script: Vec<ScriptEntry>,
}

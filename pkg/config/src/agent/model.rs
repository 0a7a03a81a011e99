//! Which model an agent has.

use std::time::Duration;

use manos_model::Secret;
use manos_wire_llm::ScriptEntry;

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
    /// Of a `scripted` model: what it says.
    pub script: Vec<ScriptEntry>,
}

//! What the providers of an agent are sent of its tools.

use manos_config::{AgentFile, ModelChoice, ModelConfig};
use manos_wire_llm::CallOptions;

use crate::{OpenError, providers, spec_of};

/// What a provider is sent of an agent's tools.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Declarations {
    /// The exact JSON; empty when no tool is offered.
    pub json: String,
    /// What the provider is shown otherwise than it was declared, in the order of the tools' names.
    /// All of it is enforced when a call comes.
    pub changes: Vec<Shown>,
}

/// One thing that a provider is shown otherwise than it was declared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    /// The tool.
    pub tool: String,
    /// Where, and what was changed, in words.
    pub what: String,
}

/// Returns what a provider is sent of the tools that everybody is offered: with the settings of the
/// file's model where that is its provider.
///
/// # Errors
///
/// [`OpenError::Assemble`].
pub fn declarations(file: &AgentFile, provider: &str) -> Result<Declarations, OpenError> {
    let spec = spec_of(file)?;
    let offer = spec.agent.offer(&"".into());
    let options = match models(file).find(|model| model.provider == provider) {
        Some(model) => CallOptions {
            parallel_tool_calls: model.parallel_tool_calls,
            strict: model.strict,
            tool_choice: model.tool_choice.clone(),
            ..CallOptions::new("", model.model.clone())
        },
        None => CallOptions::new("", ""),
    };
    let tools = providers::dialect(provider).tools(&offer, &options);
    let mut changes = Vec::new();
    for tool in &offer.declarations {
        let wire = tools.names().to_wire(&tool.name);
        if tools.offers(&tool.name) && wire != tool.name.as_str() {
            let what = format!("called `{wire}` on the wire");
            changes.push(Shown { tool: tool.name.clone(), what });
        }
        for note in tools.notes().get(&tool.name).into_iter().flatten() {
            changes.push(Shown { tool: tool.name.clone(), what: note.to_string() });
        }
    }
    Ok(Declarations { json: String::from_utf8_lossy(tools.json()).into_owned(), changes })
}

/// Returns the models of a file in the order in which they are asked.
fn models(file: &AgentFile) -> impl Iterator<Item = &ModelConfig> {
    let first = match &file.model {
        ModelChoice::Use(model) => Some(model.as_ref()),
        ModelChoice::None | ModelChoice::Off { .. } => None,
    };
    first.into_iter().chain(&file.fallback_models)
}

/// Returns the names of the providers of a file's models, each once, in the order in which they are
/// asked.
pub fn providers_of(file: &AgentFile) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for model in models(file).filter(|model| model.provider != "scripted") {
        if !names.contains(&model.provider.as_str()) {
            names.push(&model.provider);
        }
    }
    names
}

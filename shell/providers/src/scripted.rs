//! A model that follows a script and needs no network.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;
use tokio_util::sync::CancellationToken;

use manos_model::{ModelFailure, ModelFailureKind, ModelReply, ModelRequest, RequestedCall};
use manos_ports::{Deltas, Provider};
use manos_text::{Formats, Template, TemplateError, Values};
use manos_wire_llm::{Script, ScriptEntry, script_values};

use crate::tries::cancelled;

/// A `say` of a script does not compile.
#[derive(Debug, thiserror::Error)]
#[error("entry {entry} of the script does not compile")]
pub struct ScriptedError {
    /// Which entry, counted from 1.
    pub entry: usize,
    /// What is wrong with it.
    pub source: TemplateError,
}

/// A scripted model: at each step the first entry that matches answers.
///
/// Entries that serve once are counted over all chats of this value.
#[derive(Debug)]
pub struct Scripted {
    script: Script,
    /// For each entry, what it says.
    says: Vec<Option<Template>>,
    formats: Formats,
    used: Mutex<BTreeSet<usize>>,
}

impl Scripted {
    /// Takes the entries and compiles what they say.
    ///
    /// # Errors
    ///
    /// [`ScriptedError`] for the first template that does not compile.
    pub fn new(entries: Vec<ScriptEntry>, formats: Formats) -> Result<Self, ScriptedError> {
        let compile = |(at, entry): (usize, &ScriptEntry)| {
            let template = entry.say.as_deref().map(Template::compile).transpose();
            template.map_err(|source| ScriptedError { entry: at + 1, source })
        };
        let says = entries.iter().enumerate().map(compile).collect::<Result<_, _>>()?;
        Ok(Self { script: Script::new(entries), says, formats, used: Mutex::default() })
    }

    /// Finds the entry that answers, and marks it as used.
    fn pick(&self, request: &ModelRequest) -> Result<(usize, &ScriptEntry), ModelFailure> {
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        let at = self.script.pick(&used, request).map_err(|error| failure(error.to_string()))?;
        let Some(entry) = self.script.entries().get(at) else {
            return Err(failure("the script has no such entry".to_owned()));
        };
        used.insert(at);
        Ok((at, entry))
    }

    fn text(&self, at: usize, request: &ModelRequest) -> Result<String, ModelFailure> {
        let Some(template) = self.says.get(at).and_then(Option::as_ref) else {
            return Ok(String::new());
        };
        let values = script_values(request);
        template.render(Values::Raw, &self.formats, &values).map_err(|error| {
            failure(format!("entry {} of the script cannot be rendered: {error}", at + 1))
        })
    }
}

#[async_trait]
impl Provider for Scripted {
    async fn reply(
        &self,
        request: ModelRequest,
        deltas: &dyn Deltas,
        cancel: &CancellationToken,
    ) -> Result<ModelReply, ModelFailure> {
        let (at, entry) = self.pick(&request)?;
        if !entry.delay.is_zero() {
            tokio::select! {
                biased;
                () = cancel.cancelled() => return Err(cancelled()),
                () = tokio::time::sleep(entry.delay) => {}
            }
        }
        let text = self.text(at, &request)?;
        if !text.is_empty() {
            deltas.text(&text);
        }
        let calls = entry.calls.iter().map(|call| RequestedCall {
            wire_id: None,
            name: call.tool.clone(),
            arguments: call.arguments.clone(),
        });
        Ok(ModelReply {
            calls: calls.collect(),
            finish: entry.finish_reason(),
            ..ModelReply::of_text(text)
        })
    }
}

fn failure(message: String) -> ModelFailure {
    ModelFailure { kind: ModelFailureKind::Config, message }
}

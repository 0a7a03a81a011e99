//! Ollama's own API: `/api/chat`, JSON lines.
//!
//! [`Ollama`] is the dialect. The server runs on the user's machine, so that its errors say which
//! command mends them. It is asked not to shorten a chat that is too long without a word, which it
//! does otherwise.
//!
//! # Source
//!
//! <https://github.com/ollama/ollama/blob/main/docs/api.md>,
//! <https://docs.ollama.com/capabilities/tool-calling>, and for the quirks `SOURCE.md` beside the
//! recorded cases.

mod decode;
mod encode;
mod failure;
mod strict;
mod types;

use manos_model::{ModelRequest, ToolSet};

use crate::{
    CallOptions, Dialect, EncodedTools, KeyPlace, Refusal, ReplyReader, Setting, ToolChoice,
    WireRequest, endpoint,
};

pub use strict::complaints;

/// The family of the opaque items that this dialect makes and takes.
pub const FAMILY: &str = "ollama";

/// What means nothing here. `tool_choice` is passed over: <https://github.com/ollama/ollama/issues/17921>.
pub const IGNORED: &[Setting] =
    &[Setting::ParallelToolCalls, Setting::Strict, Setting::ToolChoiceRequired];

/// The dialect of Ollama.
///
/// # Examples
///
/// ```
/// use std::sync::Arc;
/// use manos_model::{ModelRequest, StepMessage, ToolSet};
/// use manos_wire_llm::{CallOptions, Dialect, Streaming, ollama::Ollama};
/// let tools = Arc::new(ToolSet::new(Vec::new()));
/// let request = ModelRequest {
///     system: "Breve.".into(),
///     history: Arc::default(),
///     messages: Arc::new(vec![StepMessage::User("Hola".into())]),
///     tools: Arc::clone(&tools),
///     step: 1,
/// };
/// let mut options = CallOptions::new("http://localhost:11434", "qwen3");
/// options.streaming = Streaming::Off;
/// let wire = Ollama.request(&request, &Ollama.tools(&tools, &options), &options);
/// assert_eq!(wire.url, "http://localhost:11434/api/chat");
/// assert_eq!(
///     String::from_utf8(wire.body).unwrap(),
///     r#"{"model":"qwen3","messages":[{"role":"system","content":"Breve."},{"role":"user","content":"Hola"}],"stream":false,"truncate":false,"shift":false}"#,
/// );
/// ```
#[derive(Debug, Default, Clone, Copy)]
pub struct Ollama;

impl Dialect for Ollama {
    fn family(&self) -> &'static str {
        FAMILY
    }

    fn home(&self) -> Option<&'static str> {
        Some("http://localhost:11434")
    }

    // A server of one's own asks for none; ollama.com does, and has one for who names it.
    fn key_variable(&self) -> Option<&'static str> {
        None
    }

    fn when_unreachable(&self) -> &'static str {
        "start it with `ollama serve`, or check model.base_url"
    }

    /// Encodes a tool set. The API has no `tool_choice`: with none, no tool is shown; of a named one,
    /// only that is; that one must be called cannot be said.
    fn tools(&self, tools: &ToolSet, options: &CallOptions) -> EncodedTools {
        let only = match &options.tool_choice {
            ToolChoice::None => Some(ToolSet::new(Vec::new())),
            ToolChoice::Named(name) => {
                let named = tools.declarations.iter().find(|tool| tool.name == *name);
                named.map(|tool| ToolSet::new(vec![tool.clone()]))
            }
            ToolChoice::Auto | ToolChoice::Required => None,
        };
        EncodedTools::new(only.as_ref().unwrap_or(tools), encode::push_tool)
    }

    fn request(
        &self,
        request: &ModelRequest,
        tools: &EncodedTools,
        options: &CallOptions,
    ) -> WireRequest {
        WireRequest {
            body: encode::encode(request, tools, options),
            headers: Vec::new(),
            key: KeyPlace::Bearer,
            url: endpoint(root(&options.base_url), "/api/chat"),
        }
    }

    fn reader(&self) -> Box<dyn ReplyReader> {
        Box::new(decode::Partial::default())
    }

    fn refusal(&self, status: u16, body: &[u8], model: &str) -> Refusal {
        failure::refusal(status, body, model)
    }
}

/// The server's address without the path of its other API, which is the one that people know.
fn root(base_url: &str) -> &str {
    let base = base_url.trim().trim_end_matches('/');
    base.strip_suffix("/v1").or_else(|| base.strip_suffix("/api")).unwrap_or(base)
}

#[cfg(test)]
mod tests;

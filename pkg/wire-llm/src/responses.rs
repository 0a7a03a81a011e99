//! OpenAI Responses, as OpenAI and the servers that copy it speak it.
//!
//! [`Responses`] is the dialect. Nothing is kept at the provider (`store: false`): each request has
//! the whole chat, and reasoning comes encrypted and goes back as it came.
//!
//! # Source
//!
//! <https://platform.openai.com/docs/api-reference/responses>,
//! <https://platform.openai.com/docs/guides/reasoning#encrypted-reasoning-items>, and for the quirks
//! `SOURCE.md` beside the recorded cases.

mod decode;
mod encode;
mod failure;
mod order;
mod strict;
mod types;

use manos_model::{ModelRequest, ToolSet};

use crate::{
    CallOptions, Dialect, EncodedTools, KeyPlace, Refusal, ReplyReader, SchemaForm, Strict,
    WireRequest, endpoint,
};

pub use strict::complaints;

/// The family of the opaque items that this dialect makes and takes.
pub const FAMILY: &str = "openai-responses";

/// The variable that usually holds the key.
const KEY_VARIABLE: &str = "OPENAI_API_KEY";

/// The dialect of Responses.
///
/// # Examples
///
/// ```
/// use std::sync::Arc;
/// use manos_model::{ModelRequest, StepMessage, ToolSet};
/// use manos_wire_llm::{CallOptions, Dialect, Streaming, responses::Responses};
/// let tools = Arc::new(ToolSet::new(Vec::new()));
/// let request = ModelRequest {
///     system: "Breve.".into(),
///     history: Arc::default(),
///     messages: Arc::new(vec![StepMessage::User("Hola".into())]),
///     tools: Arc::clone(&tools),
///     step: 1,
/// };
/// let mut options = CallOptions::new("https://api.openai.com/v1", "gpt-4.1");
/// options.streaming = Streaming::Off;
/// let wire = Responses.request(&request, &Responses.tools(&tools, &options), &options);
/// assert_eq!(wire.url, "https://api.openai.com/v1/responses");
/// assert_eq!(
///     String::from_utf8(wire.body).unwrap(),
///     r#"{"model":"gpt-4.1","instructions":"Breve.","input":[{"type":"message","role":"user","content":"Hola"}],"store":false}"#,
/// );
/// ```
#[derive(Debug, Default, Clone, Copy)]
pub struct Responses;

impl Dialect for Responses {
    fn family(&self) -> &'static str {
        FAMILY
    }

    fn home(&self) -> Option<&'static str> {
        Some("https://api.openai.com/v1")
    }

    fn key_variable(&self) -> Option<&'static str> {
        Some(KEY_VARIABLE)
    }

    fn tools(&self, tools: &ToolSet, options: &CallOptions) -> EncodedTools {
        let form = match options.strict {
            Strict::Off => SchemaForm::OpenAi,
            Strict::On => SchemaForm::OpenAiStrict,
        };
        EncodedTools::new(tools, |json, tool, names| encode::push_tool(json, tool, names, form))
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
            url: endpoint(&options.base_url, "/responses"),
        }
    }

    fn reader(&self) -> Box<dyn ReplyReader> {
        Box::new(decode::Partial::default())
    }

    fn refusal(&self, status: u16, body: &[u8], model: &str) -> Refusal {
        failure::refusal(status, body, model)
    }
}

#[cfg(test)]
mod tests;

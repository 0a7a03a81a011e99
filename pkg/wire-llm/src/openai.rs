//! OpenAI Chat Completions, as OpenAI and the many servers that copy it speak it.
//!
//! [`Chat`] is the dialect. Quirks are taken as a matter of course: every field may be absent or of
//! an odd kind, only the end mark is asked for.
//!
//! # Source
//!
//! <https://platform.openai.com/docs/api-reference/chat>, and for the quirks `SOURCE.md` beside the
//! recorded cases.

mod decode;
mod encode;
mod failure;
mod types;

use manos_model::{ModelRequest, ToolSet};

use crate::{
    CallOptions, Dialect, EncodedTools, KeyPlace, Refusal, ReplyReader, WireRequest, endpoint,
};

/// The family of the opaque items that this dialect makes and takes.
pub const FAMILY: &str = "openai-chat";

/// The dialect of Chat Completions.
///
/// # Examples
///
/// ```
/// use std::sync::Arc;
/// use manos_model::{ModelRequest, StepMessage, ToolSet};
/// use manos_wire_llm::{CallOptions, Dialect, Streaming, openai::Chat};
/// let tools = Arc::new(ToolSet::new(Vec::new()));
/// let request = ModelRequest {
///     system: "Breve.".into(),
///     history: Arc::default(),
///     messages: Arc::new(vec![StepMessage::User("Hola".into())]),
///     tools: Arc::clone(&tools),
///     step: 1,
/// };
/// let mut options = CallOptions::new("https://api.openai.com/v1", "m");
/// options.streaming = Streaming::Off;
/// let chat = Chat::default();
/// let wire = chat.request(&request, &chat.tools(&tools, &options), &options);
/// assert_eq!(wire.url, "https://api.openai.com/v1/chat/completions");
/// assert_eq!(
///     String::from_utf8(wire.body).unwrap(),
///     r#"{"model":"m","messages":[{"role":"system","content":"Breve."},{"role":"user","content":"Hola"}]}"#,
/// );
/// ```
#[derive(Debug, Default, Clone)]
pub struct Chat {}

impl Dialect for Chat {
    fn family(&self) -> &'static str {
        FAMILY
    }

    fn tools(&self, tools: &ToolSet, _options: &CallOptions) -> EncodedTools {
        EncodedTools::new(tools, encode::push_tool)
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
            url: endpoint(&options.base_url, "/chat/completions"),
        }
    }

    fn reader(&self) -> Box<dyn ReplyReader> {
        Box::new(decode::Partial::default())
    }

    fn refusal(&self, status: u16, body: &[u8], model: &str) -> Refusal {
        failure::refusal(status, body, model, "OPENAI_API_KEY")
    }
}

#[cfg(test)]
mod tests;

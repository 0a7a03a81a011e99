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
mod servers;
mod strict;
mod types;

pub use servers::{COMPATIBLE, Cap, Choice, Lack, OPENAI, SERVERS, Server};
pub use strict::complaints;

use manos_model::{ModelRequest, ToolSet};

use crate::{
    CallOptions, Dialect, EncodedTools, Refusal, ReplyReader, SchemaForm, Strict, ToolChoice,
    WireRequest, endpoint,
};

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
#[derive(Debug, Clone, Copy)]
pub struct Chat {
    server: &'static Server,
}

impl Default for Chat {
    fn default() -> Self {
        Self::of(&OPENAI)
    }
}

impl Chat {
    /// Speaks to this server.
    pub fn of(server: &'static Server) -> Self {
        Self { server }
    }

    /// Speaks to the server of this name, or to one of which nothing is known.
    ///
    /// ```
    /// use manos_wire_llm::{Dialect, openai::Chat};
    /// assert_eq!(Chat::named("mistral").family(), "mistral");
    /// assert_eq!(Chat::named("our-own").family(), "compatible");
    /// ```
    pub fn named(name: &str) -> Self {
        Self::of(Server::named(name).unwrap_or(&COMPATIBLE))
    }
}

impl Dialect for Chat {
    // Each server's own: one that keeps its reasoning to itself refuses what another one wants back.
    fn family(&self) -> &'static str {
        self.server.name
    }

    fn home(&self) -> Option<&'static str> {
        self.server.base_url
    }

    fn key_variable(&self) -> Option<&'static str> {
        self.server.key_variable
    }

    fn tools(&self, tools: &ToolSet, options: &CallOptions) -> EncodedTools {
        let form = match options.strict {
            Strict::On if !self.server.lacks(Lack::Strict) => SchemaForm::OpenAiStrict,
            Strict::Off | Strict::On => self.server.schema,
        };
        let encode = |tools: &ToolSet| {
            EncodedTools::new(tools, |json, tool, names| encode::push_tool(json, tool, names, form))
        };
        // Where a name cannot be forced, only that tool is shown.
        if let (ToolChoice::Named(name), false) =
            (&options.tool_choice, self.server.choice.takes_names())
        {
            let mut only = tools.declarations.clone();
            only.retain(|tool| tool.name == *name);
            if !only.is_empty() {
                return encode(&ToolSet::new(only));
            }
        }
        encode(tools)
    }

    fn request(
        &self,
        request: &ModelRequest,
        tools: &EncodedTools,
        options: &CallOptions,
    ) -> WireRequest {
        WireRequest {
            body: encode::encode(request, tools, options, self.server),
            headers: Vec::new(),
            key: self.server.key,
            url: endpoint(&options.base_url, "/chat/completions"),
        }
    }

    fn reader(&self) -> Box<dyn ReplyReader> {
        Box::new(decode::Partial::new(self.server.name))
    }

    fn refusal(&self, status: u16, body: &[u8], model: &str) -> Refusal {
        failure::refusal(status, body, model, self.server.key_variable.unwrap_or("MODEL_API_KEY"))
    }
}

#[cfg(test)]
mod tests;

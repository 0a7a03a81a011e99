//! Anthropic Messages, as Anthropic and the servers that copy it speak it.
//!
//! [`Messages`] is the dialect. It writes what the API takes at its strictest: roles that take turns
//! from the person's to the person's, all results of a reply first in the one message after it, no
//! blank words, thinking back in its place. What comes may be odd: only the end mark is asked for.
//!
//! # Source
//!
//! <https://platform.claude.com/docs/en/api/messages> and the pages on streaming, tool use, extended
//! thinking and prompt caching beside it, API version `2023-06-01`; for the quirks `SOURCE.md` beside
//! the recorded cases.

mod decode;
mod encode;
mod failure;
mod lower;
mod strict;
mod types;

pub use strict::complaints;

use manos_model::{ModelRequest, ToolSet};

use crate::{
    CallOptions, Dialect, EncodedTools, KeyPlace, Refusal, ReplyReader, Setting, WireRequest,
    endpoint,
};

/// What means nothing here.
pub const IGNORED: &[Setting] = &[Setting::Strict];

/// The family of the opaque items that this dialect makes and takes.
pub const FAMILY: &str = "anthropic";

/// The most tokens of a reply unless the caller says otherwise: the API wants a number, and every
/// model that it serves takes this one. A longer reply is cut, and told to be so.
pub const OUTPUT_TOKENS_DEFAULT: u32 = 4096;

/// Where the provider is.
const HOME: &str = "https://api.anthropic.com/v1";

/// What usually holds the key.
const KEY_VARIABLE: &str = "ANTHROPIC_API_KEY";

/// The version of the API.
const VERSION: &str = "2023-06-01";

/// The dialect of Messages.
///
/// # Examples
///
/// ```
/// use std::sync::Arc;
/// use manos_model::{ModelRequest, StepMessage, ToolSet};
/// use manos_wire_llm::{CallOptions, Dialect, Streaming, anthropic::Messages};
/// let tools = Arc::new(ToolSet::new(Vec::new()));
/// let request = ModelRequest {
///     system: "Breve.".into(),
///     history: Arc::default(),
///     messages: Arc::new(vec![StepMessage::User("Hola".into())]),
///     tools: Arc::clone(&tools),
///     step: 1,
/// };
/// let mut options = CallOptions::new("https://api.anthropic.com", "m");
/// options.streaming = Streaming::Off;
/// let dialect = Messages::default();
/// let wire = dialect.request(&request, &dialect.tools(&tools, &options), &options);
/// assert_eq!(wire.url, "https://api.anthropic.com/v1/messages");
/// assert_eq!(
///     String::from_utf8(wire.body).unwrap(),
///     r#"{"model":"m","max_tokens":4096,"system":[{"type":"text","text":"Breve."}],"messages":[{"role":"user","content":[{"type":"text","text":"Hola"}]}]}"#,
/// );
/// ```
#[derive(Debug, Default, Clone)]
pub struct Messages {}

impl Dialect for Messages {
    fn family(&self) -> &'static str {
        FAMILY
    }

    fn home(&self) -> Option<&'static str> {
        Some(HOME)
    }

    fn key_variable(&self) -> Option<&'static str> {
        Some(KEY_VARIABLE)
    }

    fn tools(&self, tools: &ToolSet, _options: &CallOptions) -> EncodedTools {
        encode::encode_tools(tools)
    }

    fn request(
        &self,
        request: &ModelRequest,
        tools: &EncodedTools,
        options: &CallOptions,
    ) -> WireRequest {
        WireRequest {
            body: encode::encode(request, tools, options),
            headers: vec![("anthropic-version", VERSION.to_owned())],
            key: KeyPlace::Header("x-api-key"),
            url: url(&options.base_url),
        }
    }

    fn reader(&self) -> Box<dyn ReplyReader> {
        Box::new(decode::Partial::default())
    }

    fn refusal(&self, status: u16, body: &[u8], model: &str) -> Refusal {
        failure::refusal(status, body, model)
    }
}

/// Returns the address of the messages at `base_url`. Anthropic's own libraries take it without the
/// version, others with it: both lead there.
fn url(base_url: &str) -> String {
    let path = base_url.trim().split(['?', '#']).next().unwrap_or_default();
    let path = path.trim_end_matches('/');
    let named = path.ends_with("/v1") || path.ends_with("/messages");
    endpoint(base_url, if named { "/messages" } else { "/v1/messages" })
}

#[cfg(test)]
mod tests;

//! What a dialect is, and what a call is made with.
//!
//! # How to add a dialect
//!
//! A dialect is one folder beside `openai/` with the same files, and one line in the registry of the
//! composition root; nothing else of the workspace knows it by name.
//!
//! | file | holds |
//! | --- | --- |
//! | `encode.rs` | [`Dialect::request`]: messages of [`acceptable`](crate::acceptable) → the body's bytes |
//! | `decode.rs` | the [`ReplyReader`]: events or whole JSON values → a reply |
//! | `failure.rs` | [`Dialect::refusal`]: what only this provider says, then the shared sentences |
//! | `types.rs` | the wire structs, every field optional and of any kind |
//! | `tests.rs` | the recorded cases, cut at every byte |
//!
//! Shared, and not written again: what kind of body comes and when it is too large ([`Decoder`]),
//! putting calls together ([`Assembler`](crate::Assembler)), names ([`NameTable`](crate::NameTable)),
//! a schema in the form this provider takes ([`compile`](crate::compile()) with a [`SchemaForm`](crate::SchemaForm)),
//! mapping names and arguments back, the sentences about wrong keys and unknown models.
//! A dialect never guesses: what it cannot tell apart is a [`DecodeError`](crate::DecodeError).

use std::fmt::Debug;
use std::time::Duration;

use serde_json::Number;

use manos_model::{ModelRequest, ToolSet};

use crate::{Decoder, EncodedTools, Refusal, ReplyReader};

/// How one family of providers is spoken to. Pure: bytes out, bytes in.
pub trait Dialect: Debug + Send + Sync {
    /// Returns the family of the opaque items that this dialect makes and takes.
    fn family(&self) -> &'static str;

    /// Returns the provider's own address; none where each user has an address of their own.
    fn home(&self) -> Option<&'static str>;

    /// Returns the variable that usually holds the key; none where no key is asked for.
    fn key_variable(&self) -> Option<&'static str>;

    /// Returns what to do when nothing listens at the server's address.
    fn when_unreachable(&self) -> &'static str {
        "check model.base_url and that the server runs"
    }

    /// Encodes a tool set; called once per set, so that its bytes stay the same from turn to turn.
    fn tools(&self, tools: &ToolSet, options: &CallOptions) -> EncodedTools;

    /// Writes a request.
    fn request(
        &self,
        request: &ModelRequest,
        tools: &EncodedTools,
        options: &CallOptions,
    ) -> WireRequest;

    /// Starts reading a successful response.
    fn reader(&self) -> Box<dyn ReplyReader>;

    /// Reads a response whose status is no success; `model` is the name that was asked for.
    fn refusal(&self, status: u16, body: &[u8], model: &str) -> Refusal;

    /// Starts taking the bytes of a successful response to a request with these tools.
    fn decoder(&self, tools: &EncodedTools) -> Decoder {
        Decoder::new(self.reader(), tools)
    }
}

/// What every call to one model is made with.
///
/// # Examples
///
/// ```
/// use manos_wire_llm::{CallOptions, ToolChoice};
/// let options = CallOptions {
///     tool_choice: ToolChoice::Required,
///     ..CallOptions::new("https://api.openai.com/v1", "gpt-5-mini")
/// };
/// assert_eq!(options.model, "gpt-5-mini");
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct CallOptions {
    /// The server's address; the dialect adds the path.
    pub base_url: String,
    /// How long the server keeps the model in memory after a call; none leaves it to the server.
    /// Ollama alone takes it.
    pub keep_alive: Option<KeepAlive>,
    /// The most tokens of a reply; none leaves it to the provider.
    pub max_output_tokens: Option<u32>,
    /// The model's name at the provider.
    pub model: String,
    /// How many tokens the model looks back on; none leaves it to the server. Ollama alone takes it.
    pub num_ctx: Option<u32>,
    /// Whether one reply may ask for several calls; none leaves it to the provider.
    pub parallel_tool_calls: Option<bool>,
    /// Whether replies come in pieces.
    pub streaming: Streaming,
    /// Whether the provider is asked to hold the model to the schemas.
    pub strict: Strict,
    /// How freely the model chooses its words; none leaves it to the provider.
    pub temperature: Option<Number>,
    /// Which tools the model may or must use. Passed over in a request without tools.
    pub tool_choice: ToolChoice,
}

impl CallOptions {
    /// Leaves everything but address and model to the provider; replies come in pieces.
    pub fn new(base_url: impl Into<String>, model: impl Into<String>) -> Self {
        Self {
            base_url: base_url.into(),
            keep_alive: None,
            max_output_tokens: None,
            model: model.into(),
            num_ctx: None,
            parallel_tool_calls: None,
            streaming: Streaming::On,
            strict: Strict::Off,
            temperature: None,
            tool_choice: ToolChoice::Auto,
        }
    }
}

/// How long a server keeps a model in memory after a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeepAlive {
    /// For so long; nothing at all unloads it at once.
    For(Duration),
    /// Until the server stops or needs the room.
    Forever,
}

/// Whether the reply is to come in pieces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Streaming {
    /// All at once.
    Off,
    /// In pieces.
    On,
}

/// Whether the provider is asked to hold the model to the schemas of its tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strict {
    /// The schemas are shown; what comes is checked here.
    Off,
    /// The provider is asked to enforce them, for each tool whose schema it can; what comes is
    /// checked here all the same.
    On,
}

/// A setting of [`CallOptions`] that means nothing to some providers. What means nothing is not sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Setting {
    /// `parallel_tool_calls`.
    ParallelToolCalls,
    /// `strict`.
    Strict,
    /// [`ToolChoice::Required`]. A named tool and none at all are asked for by what is shown.
    ToolChoiceRequired,
}

/// Which tools the model may or must use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ToolChoice {
    /// The model decides.
    Auto,
    /// This one, by its own name.
    Named(String),
    /// None of them.
    None,
    /// At least one.
    Required,
}

/// Where the key goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyPlace {
    /// `Authorization: Bearer KEY`.
    Bearer,
    /// A header of this name, in small letters, that holds the key alone.
    Header(&'static str),
}

/// A request as it goes over the wire, all but the key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WireRequest {
    /// The JSON body.
    pub body: Vec<u8>,
    /// The dialect's own headers, names in small letters. Content type and `accept` are added by
    /// whoever sends it.
    pub headers: Vec<(&'static str, String)>,
    /// Where the key goes.
    pub key: KeyPlace,
    /// The whole address.
    pub url: String,
}

/// Returns the address of `path` at `base_url`, whether that ends in a slash or already names it.
///
/// A query of `base_url` stays at the end.
///
/// ```
/// use manos_wire_llm::endpoint;
/// let expected = "https://api.openai.com/v1/chat/completions";
/// assert_eq!(endpoint("https://api.openai.com/v1/", "/chat/completions"), expected);
/// assert_eq!(endpoint(expected, "/chat/completions"), expected);
/// assert_eq!(endpoint("http://h/v1?k=1", "/messages"), "http://h/v1/messages?k=1");
/// ```
pub fn endpoint(base_url: &str, path: &str) -> String {
    let base = base_url.trim();
    let (base, query) = match base.split_once('?') {
        Some((base, query)) => (base, format!("?{query}")),
        None => (base, String::new()),
    };
    let base = base.trim_end_matches('/');
    if base.ends_with(path) { format!("{base}{query}") } else { format!("{base}{path}{query}") }
}

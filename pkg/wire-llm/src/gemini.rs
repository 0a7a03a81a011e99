//! Gemini's generateContent, as Google's servers speak it.
//!
//! [`GenerateContent`] is the dialect. It writes what the API takes at its strictest: the person
//! speaks first and last, the results of a reply stand alone in the one content after it, signatures
//! go back with the very part that they came with. What comes may be odd: only a reason to end is
//! asked for, since there is no other end mark.
//!
//! # Source
//!
//! <https://ai.google.dev/api/generate-content> and the pages on function calling and thought
//! signatures beside it, version `v1beta`; for the quirks `SOURCE.md` beside the recorded cases.

mod decode;
mod encode;
mod failure;
mod lower;
mod strict;
mod types;

pub use strict::{Signatures, complaints};

use manos_model::{ModelRequest, ToolSet};

use crate::{
    CallOptions, Dialect, EncodedTools, KeyPlace, Refusal, ReplyReader, Setting, Streaming,
    WireRequest,
};

/// What means nothing here.
pub const IGNORED: &[Setting] = &[Setting::ParallelToolCalls, Setting::Strict];

/// The family of the opaque items that this dialect makes and takes.
pub const FAMILY: &str = "gemini";

/// Where the provider is.
const HOME: &str = "https://generativelanguage.googleapis.com/v1beta";

/// What usually holds the key.
const KEY_VARIABLE: &str = "GEMINI_API_KEY";

/// The version of the API, unless the address names one.
const VERSION: &str = "v1beta";

/// The dialect of generateContent. Whether one reply may ask for several calls cannot be chosen
/// there; the option is passed over.
///
/// # Examples
///
/// ```
/// use std::sync::Arc;
/// use manos_model::{ModelRequest, StepMessage, ToolSet};
/// use manos_wire_llm::{CallOptions, Dialect, gemini::GenerateContent};
/// let tools = Arc::new(ToolSet::new(Vec::new()));
/// let request = ModelRequest {
///     system: "Breve.".into(),
///     history: Arc::default(),
///     messages: Arc::new(vec![StepMessage::User("Hola".into())]),
///     tools: Arc::clone(&tools),
///     step: 1,
/// };
/// let options = CallOptions::new("https://generativelanguage.googleapis.com", "gemini-2.5-flash");
/// let dialect = GenerateContent::default();
/// let wire = dialect.request(&request, &dialect.tools(&tools, &options), &options);
/// assert_eq!(
///     wire.url,
///     "https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse",
/// );
/// assert_eq!(
///     String::from_utf8(wire.body).unwrap(),
///     r#"{"systemInstruction":{"parts":[{"text":"Breve."}]},"contents":[{"role":"user","parts":[{"text":"Hola"}]}]}"#,
/// );
/// ```
#[derive(Debug, Default, Clone)]
pub struct GenerateContent {}

impl Dialect for GenerateContent {
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
            key: KeyPlace::Header("x-goog-api-key"),
            url: url(options),
        }
    }

    fn reader(&self) -> Box<dyn ReplyReader> {
        Box::new(decode::Partial::default())
    }

    fn refusal(&self, status: u16, body: &[u8], model: &str) -> Refusal {
        failure::refusal(status, body, model)
    }
}

/// Returns the address of a model's method at `base_url`, which may name the version or not and may
/// have a query of its own.
fn url(options: &CallOptions) -> String {
    let base = options.base_url.trim();
    let (base, query) = base.split_once('?').unwrap_or((base, ""));
    let base = base.trim_end_matches('/');
    let base = base.strip_suffix("/models").unwrap_or(base);
    let version = if names_version(base) { String::new() } else { format!("/{VERSION}") };
    let model = options.model.trim();
    // A tuned model has another folder.
    let folder = if model.contains('/') { "" } else { "models/" };
    let model: String = model.chars().filter(|c| is_model_character(*c)).collect();
    let (method, own) = match options.streaming {
        Streaming::Off => ("generateContent", ""),
        Streaming::On => ("streamGenerateContent", "alt=sse"),
    };
    let query: Vec<&str> = [own, query].into_iter().filter(|part| !part.is_empty()).collect();
    let mark = if query.is_empty() { "" } else { "?" };
    format!("{base}{version}/{folder}{model}:{method}{mark}{}", query.join("&"))
}

/// Whether a part of the path is a version, such as `v1` or `v1beta`.
fn names_version(base: &str) -> bool {
    let path = base.split_once("://").map_or(base, |(_, rest)| rest);
    path.split('/').skip(1).any(|part| {
        let rest = part.strip_prefix('v').unwrap_or_default();
        rest.starts_with(|c: char| c.is_ascii_digit())
            && rest.bytes().all(|byte| byte.is_ascii_alphanumeric())
    })
}

/// No model's name has any other character; one would lead the request elsewhere.
fn is_model_character(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '/' | '@' | '_')
}

#[cfg(test)]
mod tests;

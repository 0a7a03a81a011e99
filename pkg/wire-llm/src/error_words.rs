//! What a server says of an error, wherever it put it; shared by all dialects.

use std::borrow::Cow;

use crate::lenient::{Many, One, Raw, text};
use crate::safe_words;

/// What a server says of an error, wherever it put it.
#[derive(Debug, Default)]
pub(crate) struct ErrorWords {
    /// Its code; a status where the server has it there.
    pub(crate) code: String,
    /// Its type, or its status in words.
    pub(crate) kind: String,
    pub(crate) message: String,
}

impl ErrorWords {
    /// Reads an error body: JSON of any known shape, or plain words.
    pub(crate) fn of_body(body: &[u8]) -> Self {
        let body = body.trim_ascii();
        if let Ok(One(Some(outer))) = serde_json::from_slice::<One<ErrorBody<'_>>>(body) {
            return Self::of_object(&outer);
        }
        if let Ok(Many(list)) = serde_json::from_slice::<Many<One<ErrorBody<'_>>>>(body)
            && let Some(first) = list.into_iter().find_map(|One(outer)| outer)
        {
            return Self::of_object(&first);
        }
        // A page says nothing that helps; a short text may.
        let text = String::from_utf8_lossy(body);
        let text = text.strip_prefix('"').and_then(|t| t.strip_suffix('"')).unwrap_or(&text);
        let message = if text.starts_with('<') { String::new() } else { text.to_owned() };
        Self { message, ..Self::default() }
    }

    fn of_object(outer: &ErrorBody<'_>) -> Self {
        let inner = outer.error.and_then(|raw| {
            serde_json::from_str::<One<ErrorBody<'_>>>(raw.get()).ok().and_then(|One(inner)| inner)
        });
        let read = |raw: Raw<'_>| raw.and_then(text).map(Cow::into_owned);
        let plain = read(outer.error);
        let source = inner.as_ref().unwrap_or(outer);
        Self {
            code: read(source.code).unwrap_or_default(),
            kind: read(source.kind).or_else(|| read(source.status)).unwrap_or_default(),
            message: plain
                .or_else(|| read(source.message))
                .or_else(|| read(source.detail))
                .unwrap_or_default(),
        }
    }

    /// Returns the words that are safe to repeat, as a further sentence; empty when there are none.
    pub(crate) fn said(&self) -> String {
        let words = safe_words(&self.message);
        if words.is_empty() { String::new() } else { format!(". It says: {words}") }
    }

    /// Returns the status that stands in place of a code.
    pub(crate) fn status(&self) -> Option<u16> {
        self.code.parse().ok()
    }

    /// Returns whether any of these marks, in small letters, stands in code, type or message.
    pub(crate) fn has(&self, marks: &[&str]) -> bool {
        let all = [&self.code, &self.kind, &self.message]
            .map(|text| text.chars().take(2000).collect::<String>().to_ascii_lowercase());
        marks.iter().any(|mark| all.iter().any(|text| text.contains(mark)))
    }

    pub(crate) fn is_no_credit(&self) -> bool {
        self.has(&[
            "insufficient_quota",
            "billing_hard_limit",
            "credit balance",
            "exceeded your current quota",
            "insufficient balance",
        ])
    }

    pub(crate) fn is_wrong_key(&self) -> bool {
        self.has(&["api_key_invalid", "api key not valid", "invalid_api_key", "incorrect api key"])
    }

    pub(crate) fn is_unknown_model(&self) -> bool {
        self.has(&[
            "model_not_found",
            "invalid model",
            "invalid_model",
            "is not a valid model",
            "model not found",
            "unknown model",
        ])
    }

    pub(crate) fn is_blocked_region(&self) -> bool {
        self.has(&["unsupported_country_region_territory", "location is not supported"])
    }

    pub(crate) fn is_filtered(&self) -> bool {
        self.has(&["content_filter", "content management policy", "responsibleaipolicyviolation"])
    }

    pub(crate) fn is_refused_call(&self) -> bool {
        self.has(&[
            "tool_use_failed",
            "malformed_function_call",
            "malformed function call",
            "failed to call a function",
            "failed to parse tool call",
            "tool call validation failed",
            "error parsing tool call",
        ])
    }

    pub(crate) fn is_too_long(&self) -> bool {
        self.has(&[
            "context_length_exceeded",
            "maximum context length",
            "context window",
            "prompt is too long",
            "input is too long",
            "exceed_context_size",
            "exceeds the available context size",
            // Ollama: https://github.com/ollama/ollama/issues/17889
            "exceeds the context length",
            "exceeded max context length",
            "longer than the context length",
            "exceeds maximum context length",
            "exceeds the maximum number of tokens allowed",
        ])
    }
}

/// An error in a server's words.
#[derive(Debug, Default, serde::Deserialize)]
struct ErrorBody<'a> {
    #[serde(borrow, default)]
    code: Raw<'a>,
    #[serde(borrow, default)]
    detail: Raw<'a>,
    #[serde(borrow, default)]
    error: Raw<'a>,
    #[serde(borrow, default)]
    message: Raw<'a>,
    #[serde(borrow, default, rename = "type")]
    kind: Raw<'a>,
    #[serde(borrow, default)]
    status: Raw<'a>,
}

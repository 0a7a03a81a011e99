//! Responses that are errors → what to do about them.

use serde_json::value::RawValue;

use manos_model::{ModelFailure, ModelFailureKind};

use super::decode::text;
use super::types::{ErrorBody, Many, One, Raw};
use crate::{Refusal, Trouble, is_passing, safe_words};

/// Reads a response whose status is no success; `model` is the name that was asked for.
///
/// The sentence says what to do, and repeats the server's words only as far as they are safe.
pub fn refusal(status: u16, body: &[u8], model: &str) -> Refusal {
    let words = Words::of_body(body);
    let final_ = |kind, message| make(kind, message, Trouble::Final);
    let said = words.said();
    match status {
        300..=399 => final_(
            ModelFailureKind::Config,
            format!(
                "the model's server sends us elsewhere ({status}): set model.base_url to the address that it moved to"
            ),
        ),
        // Servers repeat the key in their answer; none of it is repeated here.
        401 => final_(
            ModelFailureKind::Config,
            "the model's server refused the key (401): check model.api_key and the variable it \
             names, such as ${OPENAI_API_KEY}"
                .to_owned(),
        ),
        402 => final_(ModelFailureKind::Config, no_credit(status)),
        429 if words.is_no_credit() => final_(ModelFailureKind::Config, no_credit(status)),
        _ if status == 413 || words.is_too_long() => {
            final_(ModelFailureKind::Config, too_long(status))
        }
        403 => final_(
            ModelFailureKind::Config,
            format!(
                "the model's server does not allow this key to use the model {model} (403): check model.api_key, such as ${{OPENAI_API_KEY}}, and what its account may use{said}"
            ),
        ),
        404 | 405 => final_(
            ModelFailureKind::Config,
            format!(
                "the model's server knows no model {model}, or not this address ({status}): check model.model and model.base_url{said}"
            ),
        ),
        400 | 422 | 500 if words.is_refused_call() => final_(
            ModelFailureKind::RefusedCall,
            format!("the model's server refused the call that the model wrote ({status}){said}"),
        ),
        429 => make(
            ModelFailureKind::Unavailable,
            format!(
                "the model's server has too many requests (429): try later or raise the account's limits{said}"
            ),
            Trouble::Status(429),
        ),
        _ if is_passing(status) => make(
            ModelFailureKind::Unavailable,
            format!("the model's server is in trouble ({status}): try later{said}"),
            Trouble::Status(status),
        ),
        _ => final_(
            ModelFailureKind::Config,
            format!(
                "the model's server refused the request ({status}): check model.model and model.base_url{said}"
            ),
        ),
    }
}

/// Reads an error that came inside a successful response: JSON, or plain words.
pub(super) fn in_band(data: &[u8]) -> Refusal {
    let words = Words::of_body(data);
    let status = words.status();
    if status.is_some_and(|status| (400..600).contains(&status)) || words.is_too_long() {
        return refusal(status.unwrap_or(400), data, "of the request");
    }
    if words.is_refused_call() {
        return refusal(400, data, "of the request");
    }
    if words.is_no_credit() {
        return make(ModelFailureKind::Config, no_credit(429), Trouble::Final);
    }
    let passing =
        words.has(&["overloaded", "rate_limit", "server_error", "unavailable", "timeout"]);
    let said = words.said();
    let message = format!("the model's server reported an error in place of a reply{said}");
    if passing {
        make(ModelFailureKind::Unavailable, message, Trouble::Status(503))
    } else {
        make(ModelFailureKind::BadReply, message, Trouble::Final)
    }
}

/// Returns whether an `error` field says anything: some servers always send it, empty.
pub(super) fn says_something(raw: &RawValue) -> bool {
    !matches!(raw.get(), "null" | "false" | "\"\"" | "{}" | "[]" | "0")
}

fn make(kind: ModelFailureKind, message: String, trouble: Trouble) -> Refusal {
    Refusal { failure: ModelFailure { kind, message }, trouble }
}

fn no_credit(status: u16) -> String {
    format!(
        "the account at the model's server has no credit left ({status}): top it up or use another model.api_key"
    )
}

fn too_long(status: u16) -> String {
    format!(
        "the chat is too long for the model ({status}): lower history.messages or max_result_bytes, offer fewer tools, or choose a model that takes more"
    )
}

/// What a server says of an error, wherever it put it.
#[derive(Debug, Default)]
struct Words {
    code: String,
    kind: String,
    message: String,
}

impl Words {
    fn of_body(body: &[u8]) -> Self {
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
        let read = |raw: Raw<'_>| raw.and_then(text).map(std::borrow::Cow::into_owned);
        let plain = read(outer.error);
        let source = inner.as_ref().unwrap_or(outer);
        Self {
            code: read(source.code).unwrap_or_default(),
            kind: read(source.kind).unwrap_or_default(),
            message: plain
                .or_else(|| read(source.message))
                .or_else(|| read(source.detail))
                .unwrap_or_default(),
        }
    }

    fn said(&self) -> String {
        let words = safe_words(&self.message);
        if words.is_empty() { String::new() } else { format!(". It says: {words}") }
    }

    fn status(&self) -> Option<u16> {
        self.code.parse().ok()
    }

    fn has(&self, marks: &[&str]) -> bool {
        let all = [&self.code, &self.kind, &self.message]
            .map(|text| text.chars().take(2000).collect::<String>().to_ascii_lowercase());
        marks.iter().any(|mark| all.iter().any(|text| text.contains(mark)))
    }

    fn is_no_credit(&self) -> bool {
        self.has(&[
            "insufficient_quota",
            "billing_hard_limit",
            "credit balance",
            "exceeded your current quota",
        ])
    }

    fn is_refused_call(&self) -> bool {
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

    fn is_too_long(&self) -> bool {
        self.has(&[
            "context_length_exceeded",
            "maximum context length",
            "context window",
            "prompt is too long",
            "input is too long",
            "exceed_context_size",
            "exceeds the available context size",
        ])
    }
}

#[cfg(test)]
mod tests;

//! Responses that are errors → what to do about them.

use manos_model::ModelFailureKind;
use serde_json::value::RawValue;

use super::KEY_VARIABLE;
use crate::Refusal;
use crate::error_words::ErrorWords;
use crate::refusals::{self, Asked, settled};

/// Reads a response whose status is no success; `model` is the name that was asked for.
pub(super) fn refusal(status: u16, body: &[u8], model: &str) -> Refusal {
    let words = ErrorWords::of_body(body);
    if let Some(own) = own(status, &words, model) {
        return own;
    }
    refusals::refusal(status, &words, Asked { key_variable: KEY_VARIABLE, model })
}

/// Reads an error that came inside a successful response: an event, its `error`, or plain words.
pub(super) fn in_band(data: &[u8]) -> Refusal {
    let mut words = ErrorWords::of_body(data);
    if let Ok(Failed { response: Some(response) }) = serde_json::from_slice(data) {
        words = ErrorWords::of_body(response.get().as_bytes());
    }
    let asked = Asked { key_variable: KEY_VARIABLE, model: "of the request" };
    own(200, &words, asked.model).unwrap_or_else(|| refusals::in_band(&words, asked))
}

#[derive(serde::Deserialize)]
struct Failed<'a> {
    #[serde(borrow, default)]
    response: Option<&'a RawValue>,
}

/// What only this API says.
fn own(status: u16, words: &ErrorWords, model: &str) -> Option<Refusal> {
    let config = |message: String| Some(settled(ModelFailureKind::Config, message));
    let said = words.said();
    if words.has(&["encrypted content is not supported"]) {
        return config(format!(
            "the model {model} does not reason, so that Responses cannot be asked for its reasoning: write `provider: openai`, or choose a model that reasons{said}"
        ));
    }
    if words.has(&["invalid_encrypted_content", "encrypted content could not be verified"]) {
        return config(format!(
            "the model's server cannot read the reasoning that comes back to it: both calls of a turn must go to one account, so check model.base_url and fallback_models{said}"
        ));
    }
    if words.has(&["must be verified to stream", "must be verified to use the model"]) {
        return config(format!(
            "the account's organisation must be verified before it may use the model {model}: verify it in the account's settings, or choose another model{said}"
        ));
    }
    if words.has(&["invalid_prompt", "cyber_policy"]) {
        return config(format!(
            "the model's server refused what the chat says by its usage policy: reword the instructions, or choose another model{said}"
        ));
    }
    if matches!(status, 404 | 405) && !words.is_unknown_model() && !words.has(&["does not exist"]) {
        return config(format!(
            "the model's server knows no address /responses, or no model {model} ({status}): write `provider: openai` if it speaks Chat Completions alone, and check model.base_url{said}"
        ));
    }
    None
}

#[cfg(test)]
mod tests;

//! Responses that are errors → what to do about them.

use crate::Refusal;
use crate::error_words::ErrorWords;
use crate::refusals::{self, Asked};

/// Reads a response whose status is no success; `model` is the name that was asked for,
/// `key_variable` what usually holds the key.
pub(super) fn refusal(status: u16, body: &[u8], model: &str, key_variable: &str) -> Refusal {
    refusals::refusal(status, &ErrorWords::of_body(body), Asked { key_variable, model })
}

/// Reads an error that came inside a successful response: JSON, or plain words.
pub(super) fn in_band(data: &[u8]) -> Refusal {
    let asked = Asked { key_variable: "OPENAI_API_KEY", model: "of the request" };
    refusals::in_band(&ErrorWords::of_body(data), asked)
}

#[cfg(test)]
mod tests;

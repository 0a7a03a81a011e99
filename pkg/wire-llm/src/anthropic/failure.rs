//! Responses that are errors → what to do about them.

use manos_model::ModelFailureKind::{Config, Unavailable};

use super::KEY_VARIABLE;
use crate::error_words::ErrorWords;
use crate::refusals::{self, Asked, refuse, settled};
use crate::{DecodeError, Refusal, Trouble};

/// Reads a response whose status is no success; `model` is the name that was asked for.
pub(super) fn refusal(status: u16, body: &[u8], model: &str) -> Refusal {
    read(status, &ErrorWords::of_body(body), model)
}

/// Reads an error that came inside a successful response.
pub(super) fn in_band(data: &[u8]) -> Refusal {
    let words = ErrorWords::of_body(data);
    match status_of(&words.kind) {
        Some(status) => read(status, &words, "of the request"),
        None => refusals::in_band(&words, asked("of the request")),
    }
}

/// Reads a list that came in place of a message, as some gateways wrap their errors.
pub(super) fn in_list(json: &[u8]) -> Option<DecodeError> {
    let words = ErrorWords::of_body(json);
    (!words.kind.is_empty()).then(|| DecodeError::InBand(in_band(json)))
}

fn read(status: u16, words: &ErrorWords, model: &str) -> Refusal {
    let said = words.said();
    match status {
        // The limit that an account sets itself comes as a plain bad request.
        400 | 403 | 429 if words.has(&["api usage limits", "spend limit", "spending limit"]) => {
            settled(
                Config,
                format!(
                    "the account at the model's server has reached its own spend limit ({status}): raise it in the provider's console, wait until it ends, or use another model.api_key{said}"
                ),
            )
        }
        400 if words.has(&["max_tokens"]) => settled(
            Config,
            format!(
                "the model's server refused how long the reply may be (400): lower model.max_output_tokens or choose a model that writes more{said}"
            ),
        ),
        400 if words.has(&["content filtering policy"]) => settled(
            Config,
            format!(
                "the model's server stopped the reply by its content filter (400): reword the instructions or the message{said}"
            ),
        ),
        403 if words.has(&["request not allowed", "access to anthropic models is not allowed"]) => {
            settled(
                Config,
                format!(
                    "the model's server does not serve the country that we call from (403): run from a country that it serves, set network.proxy, or use another provider{said}"
                ),
            )
        }
        529 => refuse(
            Unavailable,
            format!("the model's server is overloaded (529): try later or use another model{said}"),
            Trouble::Status(529),
        ),
        _ => refusals::refusal(status, words, asked(model)),
    }
}

fn asked(model: &str) -> Asked<'_> {
    Asked { key_variable: KEY_VARIABLE, model }
}

/// Returns the status that an error of this type has when nothing has been sent before it.
///
/// # Source
///
/// <https://platform.claude.com/docs/en/api/errors>
fn status_of(kind: &str) -> Option<u16> {
    Some(match kind {
        "invalid_request_error" => 400,
        "authentication_error" => 401,
        "billing_error" => 402,
        "permission_error" => 403,
        "not_found_error" => 404,
        "request_too_large" => 413,
        "rate_limit_error" => 429,
        "api_error" => 500,
        "timeout_error" => 504,
        "overloaded_error" => 529,
        _ => return None,
    })
}

#[cfg(test)]
mod tests;

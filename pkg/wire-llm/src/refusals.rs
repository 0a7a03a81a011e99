//! Responses that are errors → what to do about them: the sentences that all dialects share.
//!
//! A dialect's `failure.rs` looks at what only its provider says, and leaves the rest to this.

use manos_model::{ModelFailure, ModelFailureKind};

use crate::error_words::ErrorWords;
use crate::{Refusal, Trouble, is_passing};

/// What an error is about.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Asked<'a> {
    /// The variable that usually holds the key, without `${}`.
    pub(crate) key_variable: &'a str,
    /// The model's name, as it was asked for.
    pub(crate) model: &'a str,
}

/// Reads a response whose status is no success.
///
/// The sentence says what to do, and repeats the server's words only as far as they are safe.
pub(crate) fn refusal(status: u16, words: &ErrorWords, asked: Asked<'_>) -> Refusal {
    use ModelFailureKind::{Config, RefusedCall, TooLong, Unavailable};
    let Asked { key_variable, model } = asked;
    let said = words.said();
    match status {
        300..=399 => settled(
            Config,
            format!(
                "the model's server sends us elsewhere ({status}): set model.base_url to the address that it moved to"
            ),
        ),
        // Servers repeat the key in their answer; none of it is repeated here.
        401 => settled(
            Config,
            format!(
                "the model's server refused the key (401): check model.api_key and the variable it names, such as ${{{key_variable}}}"
            ),
        ),
        402 => settled(Config, no_credit(status)),
        429 | 400 | 403 if words.is_no_credit() => settled(Config, no_credit(status)),
        _ if status == 413 || words.is_too_long() => settled(TooLong, too_long(status)),
        400 | 403 | 451 if words.is_blocked_region() => settled(
            Config,
            format!(
                "the model's server does not serve the country that we call from ({status}): run from a country that it serves, set network.proxy, or use another provider{said}"
            ),
        ),
        400 | 403 | 422 if words.is_filtered() => settled(
            Config,
            format!(
                "the model's server refused what the chat says by its content filter ({status}): reword the instructions, or change the filter in its account{said}"
            ),
        ),
        400 if words.is_wrong_key() => settled(
            Config,
            format!(
                "the model's server refused the key (400): check model.api_key and the variable it names, such as ${{{key_variable}}}"
            ),
        ),
        403 => settled(
            Config,
            format!(
                "the model's server does not allow this key to use the model {model} (403): check model.api_key, such as ${{{key_variable}}}, and what its account may use{said}"
            ),
        ),
        404 | 405 => settled(Config, unknown_model(status, model, &said)),
        400 | 422 if words.is_unknown_model() => {
            settled(Config, unknown_model(status, model, &said))
        }
        400 | 422 | 500 if words.is_refused_call() => settled(
            RefusedCall,
            format!("the model's server refused the call that the model wrote ({status}){said}"),
        ),
        429 => refuse(
            Unavailable,
            format!(
                "the model's server has too many requests (429): try later or raise the account's limits{said}"
            ),
            Trouble::Status(429),
        ),
        _ if is_passing(status) => refuse(
            Unavailable,
            format!("the model's server is in trouble ({status}): try later{said}"),
            Trouble::Status(status),
        ),
        _ => settled(
            Config,
            format!(
                "the model's server refused the request ({status}): check model.model and model.base_url{said}"
            ),
        ),
    }
}

/// Reads an error that came inside a successful response.
pub(crate) fn in_band(words: &ErrorWords, asked: Asked<'_>) -> Refusal {
    let status = words.status().filter(|status| (400..600).contains(status));
    if status.is_some() || words.is_too_long() || words.is_refused_call() {
        return refusal(status.unwrap_or(400), words, asked);
    }
    if words.is_no_credit() {
        return settled(ModelFailureKind::Config, no_credit(429));
    }
    let passing =
        words.has(&["overloaded", "rate_limit", "server_error", "unavailable", "timeout"]);
    let said = words.said();
    let message = format!("the model's server reported an error in place of a reply{said}");
    if passing {
        refuse(ModelFailureKind::Unavailable, message, Trouble::Status(503))
    } else {
        settled(ModelFailureKind::BadReply, message)
    }
}

/// Makes a refusal that time does not mend.
pub(crate) fn settled(kind: ModelFailureKind, message: String) -> Refusal {
    refuse(kind, message, Trouble::Final)
}

/// Makes a refusal.
pub(crate) fn refuse(kind: ModelFailureKind, message: String, trouble: Trouble) -> Refusal {
    Refusal { asked: None, failure: ModelFailure { kind, message }, trouble }
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

fn unknown_model(status: u16, model: &str, said: &str) -> String {
    format!(
        "the model's server knows no model {model}, or not this address ({status}): check model.model and model.base_url{said}"
    )
}

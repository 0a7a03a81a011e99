//! Responses that are errors → what to do about them.

use std::time::Duration;

use manos_model::ModelFailureKind::{Config, Unavailable};

use super::KEY_VARIABLE;
use super::types::{Detail, ErrorBody, Violation};
use crate::error_words::ErrorWords;
use crate::lenient::{Many, One, text};
use crate::refusals::{self, Asked, refuse, settled};
use crate::{Refusal, Trouble};

/// Reads a response whose status is no success; `model` is the name that was asked for.
pub(super) fn refusal(status: u16, body: &[u8], model: &str) -> Refusal {
    read(status, body, model)
}

/// Reads an error that came inside a successful response.
pub(super) fn in_band(data: &[u8]) -> Refusal {
    let words = ErrorWords::of_body(data);
    match words.status().filter(|status| (400..600).contains(status)) {
        Some(status) => read(status, data, "of the request"),
        None => refusals::in_band(&words, asked("of the request")),
    }
}

/// Says that the provider's filter let a request not through.
pub(super) fn blocked(reason: &str) -> Refusal {
    let reason = crate::safe_words(reason);
    settled(
        Config,
        format!(
            "the model's server blocked what the chat says by its content filter ({reason}): reword the instructions, or start a new chat without the message that it blocks"
        ),
    )
}

fn read(status: u16, body: &[u8], model: &str) -> Refusal {
    let words = ErrorWords::of_body(body);
    let said = words.said();
    match status {
        // What Google says of every quota sounds like one that never comes back; most do in a minute.
        429 => match quota(body) {
            Quota::Minute => Refusal {
                asked: delay(body),
                ..refuse(
                    Unavailable,
                    format!(
                        "the model's server has too many requests of this account (429): try later or raise its quota{said}"
                    ),
                    Trouble::Status(429),
                )
            },
            Quota::Day => settled(
                Config,
                format!(
                    "the account's quota of the model {model} is used up for today, or it has none (429): raise it, switch billing on, or use another model{said}"
                ),
            ),
        },
        400 if words.has(&["api key expired"]) || says_wrong_key(body) => settled(
            Config,
            format!(
                "the model's server refused the key (400): check model.api_key and the variable it names, such as ${{{KEY_VARIABLE}}}"
            ),
        ),
        400 if words
            .has(&["function calling is not enabled", "function calling is not supported"]) =>
        {
            settled(
                Config,
                format!(
                    "the model {model} takes no tools (400): choose one that does as model.model, or leave the tools out{said}"
                ),
            )
        }
        400 if words.has(&["free tier is not available in your country"]) => settled(
            Config,
            format!(
                "the model's server does not serve the country that we call from without billing (400): switch billing on for the key's project, or use another provider{said}"
            ),
        ),
        403 if words.has(&["reported as leaked"]) => settled(
            Config,
            format!(
                "the model's server has locked the key because it was found in public (403): make a new one and put it into the variable that model.api_key names, such as ${{{KEY_VARIABLE}}}"
            ),
        ),
        403 if words.has(&["has not been used in project", "it is disabled"]) => settled(
            Config,
            format!(
                "the key's project may not use the model's server yet (403): switch the Generative Language API on in it{said}"
            ),
        ),
        _ => refusals::refusal(status, &words, asked(model)),
    }
}

fn asked(model: &str) -> Asked<'_> {
    Asked { key_variable: KEY_VARIABLE, model }
}

/// How long a used-up quota stays so.
#[derive(Debug, PartialEq, Eq)]
enum Quota {
    Day,
    Minute,
}

fn quota(body: &[u8]) -> Quota {
    let is_long = |violation: &Violation<'_>| {
        let id = violation.quota_id.and_then(text).unwrap_or_default();
        let value = violation.quota_value.and_then(text);
        id.contains("PerDay") || value.as_deref() == Some("0")
    };
    let found = find_detail(body, |detail| {
        detail.violations.0.iter().any(|One(one)| one.as_ref().is_some_and(is_long)).then_some(())
    });
    if found.is_some() { Quota::Day } else { Quota::Minute }
}

/// Reads how long to wait, such as `34.07s`; no header says it.
fn delay(body: &[u8]) -> Option<Duration> {
    find_detail(body, |detail| {
        let delay = detail.retry_delay.and_then(text)?;
        let seconds: f64 = delay.strip_suffix('s')?.parse().ok()?;
        Duration::try_from_secs_f64(seconds).ok()
    })
}

fn says_wrong_key(body: &[u8]) -> bool {
    find_detail(body, |detail| (detail.reason.and_then(text)? == "API_KEY_INVALID").then_some(()))
        .is_some()
}

/// Finds something among an error's details; the error may stand alone, under `error`, or in a list.
fn find_detail<T>(body: &[u8], find: impl Fn(&Detail<'_>) -> Option<T>) -> Option<T> {
    let first = match serde_json::from_slice::<Many<One<ErrorBody<'_>>>>(body) {
        Ok(Many(list)) if !list.is_empty() => list.into_iter().find_map(|One(body)| body),
        _ => serde_json::from_slice::<One<ErrorBody<'_>>>(body).ok().and_then(|One(body)| body),
    };
    let outer = first?;
    let inner = outer.error.and_then(|raw| {
        serde_json::from_str::<One<ErrorBody<'_>>>(raw.get()).ok().and_then(|One(inner)| inner)
    });
    let body = inner.unwrap_or(outer);
    body.details.0.iter().find_map(|One(detail)| detail.as_ref().and_then(&find))
}

#[cfg(test)]
mod tests;

//! Whether a request comes from somebody who knows the platform's secret.
//!
//! # Source
//!
//! Retell: <https://docs.retellai.com/features/secure-webhook> and its SDK: the milliseconds follow
//! the body without a separator. Vapi: <https://docs.vapi.ai/server-url/server-authentication>: a
//! secret in a header, or an HMAC whose default form is `{timestamp}.{body}`.

use hmac::Mac as _;
use manos_model::{Secret, sha256_hex};
use subtle::ConstantTimeEq as _;

use super::{HeaderError, Request};
use crate::signing::{
    EmptySecret, HeaderNames, Key, Signed, TOLERANCE_SECONDS, VerifyError, push_hex, verify,
};

/// Why a request is not believed. None of the messages holds anything secret; an answer to a
/// stranger repeats none of them.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CallerError {
    /// The signature has not the form that the platform gives it.
    #[error("the signature header has not the form that the platform gives it")]
    Form,
    /// A header stands there twice.
    #[error(transparent)]
    Header(#[from] HeaderError),
    /// Neither a secret nor a signature came.
    #[error("the request carries neither a secret nor a signature")]
    Missing,
    /// Another secret.
    #[error("the secret is another one")]
    Secret,
    /// A signature that was not made with our secret over this request, or too long ago.
    #[error(transparent)]
    Signature(#[from] VerifyError),
}

impl From<EmptySecret> for CallerError {
    fn from(error: EmptySecret) -> Self {
        Self::Signature(error.into())
    }
}

/// A request that is believed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proof {
    /// SHA-256 over everything that was signed, the time included; the same whichever secret signed
    /// it and however the header is written. `None` when only a secret was shown.
    pub signed: Option<String>,
}

/// Checks our own signatures: the one over everything must be there, and where the one over the body
/// alone is there too, it must be right as well. `now` is in Unix seconds.
///
/// # Errors
///
/// [`CallerError`].
pub fn check_manos(
    request: &Request<'_>,
    names: &HeaderNames,
    secrets: &[Secret<String>],
    now: i64,
) -> Result<Proof, CallerError> {
    let header = request.header(&names.signature_v2)?;
    let signed = Signed { method: request.method, path: request.path, body: request.body };
    verify(header, secrets, &signed, now)?;
    if let Some(legacy) = request.header(&names.signature)? {
        let keys = keys(secrets)?;
        let macs = keys.iter().map(|key| key.legacy(request.body));
        if !is_one_of(legacy, macs) {
            return Err(VerifyError::Mismatch.into());
        }
    }
    // It was read a moment ago, so it is there.
    let time = header.and_then(time_of).unwrap_or_default();
    let method = request.method.to_ascii_uppercase();
    let parts = [time.as_bytes(), method.as_bytes(), request.path.as_bytes(), request.body];
    Ok(Proof { signed: Some(sha256_hex(&parts)) })
}

/// The time in one of our headers, as a number prints.
fn time_of(header: &str) -> Option<String> {
    let items = header.split(',').filter_map(|item| item.split_once('='));
    let time = items.into_iter().find(|(key, _)| key.trim() == "t")?.1.trim();
    Some(time.parse::<i64>().ok()?.to_string())
}

/// Checks the signature of Retell, `v=<milliseconds>,d=<hex>` over the body and the milliseconds.
/// `now` is in Unix seconds.
///
/// # Errors
///
/// [`CallerError`].
///
/// ```
/// use manos_model::Secret;
/// use manos_wire_tool::called::{Request, check_retell};
/// // The vector of the platform's own SDK.
/// let signature = "v=1700000000000,d=07024cabe7dd8f6d1c6e4a8324ca92c812e6ad4a7ee506c04f7e462e3321823e";
/// let headers = [("x-retell-signature".to_owned(), signature.to_owned())];
/// let body = br#"{"event":"call_ended"}"#;
/// let request = Request { method: "POST", path: "/retell/a/b", headers: &headers, body };
/// let secrets = [Secret::new("test-api-key".to_owned())];
/// assert!(check_retell(&request, &secrets, 1_700_000_000).is_ok());
/// assert!(check_retell(&request, &secrets, 1_700_000_301).is_err());
/// ```
pub fn check_retell(
    request: &Request<'_>,
    secrets: &[Secret<String>],
    now: i64,
) -> Result<Proof, CallerError> {
    let keys = keys(secrets)?;
    let header = request.header("x-retell-signature")?.ok_or(CallerError::Missing)?;
    let parts = header.strip_prefix("v=").and_then(|rest| rest.split_once(",d="));
    let (time, signature) = parts.ok_or(CallerError::Form)?;
    let milliseconds = number(time)?;
    in_time(milliseconds.div_euclid(1_000), now)?;
    let macs = keys.iter().map(|key| key.over(&[request.body, time.as_bytes()]));
    if !is_one_of(signature, macs) {
        return Err(VerifyError::Mismatch.into());
    }
    Ok(Proof { signed: Some(sha256_hex(&[request.body, time.as_bytes()])) })
}

/// Checks what Vapi sends: an HMAC in `x-signature` with its `x-timestamp`, the secret itself in
/// `x-vapi-secret`, or the secret as a bearer token. Where a signature came, it must be right.
/// `now` is in Unix seconds.
///
/// # Errors
///
/// [`CallerError`].
pub fn check_vapi(
    request: &Request<'_>,
    secrets: &[Secret<String>],
    now: i64,
) -> Result<Proof, CallerError> {
    let keys = keys(secrets)?;
    if let Some(signature) = request.header("x-signature")? {
        let time = request.header("x-timestamp")?.ok_or(VerifyError::NoTime)?;
        in_time(seconds(number(time)?), now)?;
        let signature = signature.strip_prefix("sha256=").unwrap_or(signature);
        let signed = [time.as_bytes(), b".", request.body];
        if !is_one_of(signature, keys.iter().map(|key| key.over(&signed))) {
            return Err(VerifyError::Mismatch.into());
        }
        return Ok(Proof { signed: Some(sha256_hex(&signed)) });
    }
    let bearer = request.header("authorization")?.and_then(bearer);
    let shown = request.header("x-vapi-secret")?.or(bearer).ok_or(CallerError::Missing)?;
    if is_secret(shown, secrets) { Ok(Proof { signed: None }) } else { Err(CallerError::Secret) }
}

/// Whether a text is one of the secrets. All are compared, in constant time.
pub fn is_secret(shown: &str, secrets: &[Secret<String>]) -> bool {
    let mut matches = subtle::Choice::from(0);
    for secret in secrets {
        let expected = secret.expose().as_bytes();
        if !expected.is_empty() {
            matches |= shown.as_bytes().ct_eq(expected);
        }
    }
    matches.into()
}

/// The token of an `Authorization` header of this kind.
fn bearer(header: &str) -> Option<&str> {
    let (scheme, token) = header.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then_some(token.trim())
}

fn keys(secrets: &[Secret<String>]) -> Result<Vec<Key>, EmptySecret> {
    if secrets.is_empty() {
        return Err(EmptySecret);
    }
    secrets.iter().map(Key::new).collect()
}

/// At most 15 ASCII digits.
fn number(text: &str) -> Result<i64, VerifyError> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !digits || text.len() > crate::signing::TIME_CHARS_MAX {
        return Err(VerifyError::BadTime);
    }
    text.parse().map_err(|_| VerifyError::BadTime)
}

/// The platform's pages do not say whether its time is in seconds or milliseconds; from this number
/// on it can only be milliseconds (as seconds, the year 5138).
const MILLISECONDS_FROM: i64 = 100_000_000_000;

fn seconds(time: i64) -> i64 {
    if time >= MILLISECONDS_FROM { time.div_euclid(1_000) } else { time }
}

fn in_time(at: i64, now: i64) -> Result<(), VerifyError> {
    let (seconds, max) = (now.abs_diff(at), TOLERANCE_SECONDS);
    match (seconds > max, at < now) {
        (false, _) => Ok(()),
        (true, true) => Err(VerifyError::TooEarly { seconds, max }),
        (true, false) => Err(VerifyError::TooLate { seconds, max }),
    }
}

/// Compares hex without regard to case, in constant time, with every one.
fn is_one_of(signature: &str, macs: impl Iterator<Item = [u8; 32]>) -> bool {
    let signature = signature.to_ascii_lowercase();
    let mut matches = subtle::Choice::from(0);
    for mac in macs {
        let mut expected = String::with_capacity(64);
        push_hex(&mac, &mut expected);
        matches |= signature.as_bytes().ct_eq(expected.as_bytes());
    }
    matches.into()
}

impl Key {
    /// Over several parts, one after another.
    pub(crate) fn over(&self, parts: &[&[u8]]) -> [u8; 32] {
        let mut mac = self.0.clone();
        for part in parts {
            mac.update(part);
        }
        mac.finalize().into_bytes().into()
    }
}

#[cfg(test)]
mod tests;

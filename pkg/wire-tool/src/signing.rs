//! Signatures of requests, so that an endpoint can tell ours from anybody else's.
//!
//! Owns both signatures, the headers they stand in, and the verifier. What is signed are the exact
//! bytes that are sent; which bytes these are, [`crate::http`] says. Tested against
//! `fixtures/signatures`, which the verifiers of other languages run against too.

mod headers;
mod verify;

use hmac::{Hmac, KeyInit as _, Mac as _};
use manos_model::Secret;
use sha2::Sha256;

pub use headers::{DEFAULT_PREFIX, HeaderNames, PrefixError};
pub use verify::{TIME_CHARS_MAX, TOLERANCE_SECONDS, VerifyError, verify, verify_within};

/// What a signature covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Signed<'a> {
    /// The method; case does not matter.
    pub method: &'a str,
    /// Path and query, exactly as sent.
    pub path: &'a str,
    /// The body, exactly as sent; empty for GET and DELETE.
    pub body: &'a [u8],
}

/// The values of both signature headers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signatures {
    /// `t=…,v1=…`, over time, method, path, query and body. Of several secrets, a `v1` for each.
    pub v2: String,
    /// Over the body alone, with the first secret, for endpoints that know no other.
    pub legacy: String,
}

/// Signing with an empty secret, or with none, would sign nothing. A mistake in the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a secret to sign with is empty, or there is none")]
pub struct EmptySecret;

/// Signs requests; the keys are made ready once.
///
/// ```
/// use manos_model::Secret;
/// use manos_wire_tool::signing::{Signed, Signer};
/// let signer = Signer::new(&[Secret::new("whsec_test_secret".to_owned())])?;
/// let request = Signed { method: "PUT", path: "/x", body: b"{}" };
/// let signatures = signer.sign(&request, 1_767_225_600);
/// assert_eq!(
///     signatures.v2,
///     "t=1767225600,v1=ee97ce34034a9fe06070c6d61800795e64ae11ff3d816e560b9daf130d2e60eb",
/// );
/// # Ok::<(), manos_wire_tool::signing::EmptySecret>(())
/// ```
#[derive(Clone)]
pub struct Signer {
    first: Key,
    others: Vec<Key>,
}

impl std::fmt::Debug for Signer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Signer(…)")
    }
}

impl Signer {
    /// Makes the keys ready: each is a secret's UTF-8, whole.
    ///
    /// # Errors
    ///
    /// [`EmptySecret`] when a secret is empty or there is none.
    pub fn new(secrets: &[Secret<String>]) -> Result<Self, EmptySecret> {
        let mut keys = secrets.iter().map(Key::new).collect::<Result<Vec<_>, _>>()?.into_iter();
        let first = keys.next().ok_or(EmptySecret)?;
        Ok(Self { first, others: keys.collect() })
    }

    /// Signs a request at a time in Unix seconds.
    pub fn sign(&self, signed: &Signed<'_>, at: i64) -> Signatures {
        let time = at.to_string();
        let mut v2 = String::with_capacity(time.len() + 70 * (1 + self.others.len()));
        v2.push_str("t=");
        v2.push_str(&time);
        for key in std::iter::once(&self.first).chain(&self.others) {
            v2.push_str(",v1=");
            push_hex(&key.v2(&time, signed), &mut v2);
        }
        let mut legacy = String::with_capacity(64);
        push_hex(&self.first.legacy(signed.body), &mut legacy);
        Signatures { v2, legacy }
    }
}

/// One secret, ready to be used.
#[derive(Clone)]
pub(crate) struct Key(pub(crate) Hmac<Sha256>);

impl Key {
    pub(crate) fn new(secret: &Secret<String>) -> Result<Self, EmptySecret> {
        let bytes = secret.expose().as_bytes();
        if bytes.is_empty() {
            return Err(EmptySecret);
        }
        // HMAC takes keys of any length.
        Hmac::new_from_slice(bytes).map(Self).map_err(|_| EmptySecret)
    }

    /// `<t> LF <METHOD> LF <path> LF <body>`, no line feed at the end. `time` as it stands in the
    /// header.
    fn v2(&self, time: &str, signed: &Signed<'_>) -> [u8; 32] {
        let mut mac = self.0.clone();
        mac.update(time.as_bytes());
        mac.update(b"\n");
        if signed.method.bytes().any(|byte| byte.is_ascii_lowercase()) {
            mac.update(signed.method.to_ascii_uppercase().as_bytes());
        } else {
            mac.update(signed.method.as_bytes());
        }
        mac.update(b"\n");
        mac.update(signed.path.as_bytes());
        mac.update(b"\n");
        mac.update(signed.body);
        mac.finalize().into_bytes().into()
    }

    pub(crate) fn legacy(&self, body: &[u8]) -> [u8; 32] {
        let mut mac = self.0.clone();
        mac.update(body);
        mac.finalize().into_bytes().into()
    }
}

pub(crate) fn push_hex(bytes: &[u8], text: &mut String) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    for byte in bytes {
        text.push(char::from(DIGITS[usize::from(byte >> 4)]));
        text.push(char::from(DIGITS[usize::from(byte & 0xf)]));
    }
}

#[cfg(test)]
mod tests;

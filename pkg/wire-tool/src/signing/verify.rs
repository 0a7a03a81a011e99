//! Whether a request is from somebody who knows a secret, and not an old one sent again.

use manos_model::Secret;
use subtle::ConstantTimeEq as _;

use super::{EmptySecret, Key, Signed, push_hex};

/// How far the time of a signature and ours may be apart, both ways and inclusive.
pub const TOLERANCE_SECONDS: u64 = 300;
/// The longest time in a header; a longer one is refused.
pub const TIME_CHARS_MAX: usize = 15;

/// Why a signature is not accepted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum VerifyError {
    /// A time that is not ASCII digits, or too many of them.
    #[error("the time in the signature is not 1 to {TIME_CHARS_MAX} digits")]
    BadTime,
    /// A mistake of the verifying program.
    #[error(transparent)]
    EmptySecret(#[from] EmptySecret),
    /// There is no header.
    #[error("there is no signature header")]
    Missing,
    /// None of the signatures was made with one of the secrets over this request.
    #[error("the signature was not made with this secret over this method, path and body")]
    Mismatch,
    /// The header has no `v1`.
    #[error("the signature header has no v1=…")]
    NoSignature,
    /// The header has no `t`.
    #[error("the signature header has no t=…")]
    NoTime,
    /// It was signed too long ago.
    #[error("it was signed {seconds} s ago; at most {max} s are accepted")]
    TooEarly {
        /// How long ago.
        seconds: u64,
        /// The tolerance.
        max: u64,
    },
    /// It was signed with a clock that is ahead.
    #[error("it was signed {seconds} s ahead of now; at most {max} s are accepted")]
    TooLate {
        /// How far ahead.
        seconds: u64,
        /// The tolerance.
        max: u64,
    },
    /// The header has more than one `t`.
    #[error("the signature header has t=… more than once")]
    TwoTimes,
}

/// Checks the value of a V2 header. `now` is in Unix seconds.
///
/// Of several secrets, for a rotation, and of several signatures any pair may match; all of them
/// are compared, in constant time.
///
/// # Errors
///
/// [`VerifyError`], which says what is wrong. An answer to a stranger should not repeat it.
///
/// ```
/// use manos_model::Secret;
/// use manos_wire_tool::signing::{Signed, VerifyError, verify};
/// let secrets = [Secret::new("whsec_test_secret".to_owned())];
/// let header = "t=1767225600,v1=ee97ce34034a9fe06070c6d61800795e64ae11ff3d816e560b9daf130d2e60eb";
/// let request = Signed { method: "PUT", path: "/x", body: b"{}" };
/// assert_eq!(verify(Some(header), &secrets, &request, 1_767_225_900), Ok(()));
/// let other = Signed { body: b"{} ", ..request };
/// assert_eq!(verify(Some(header), &secrets, &other, 1_767_225_600), Err(VerifyError::Mismatch));
/// ```
pub fn verify(
    header: Option<&str>,
    secrets: &[Secret<String>],
    signed: &Signed<'_>,
    now: i64,
) -> Result<(), VerifyError> {
    verify_within(header, secrets, signed, now, TOLERANCE_SECONDS)
}

/// Checks as [`verify`] does, with another tolerance.
///
/// # Errors
///
/// As [`verify`].
pub fn verify_within(
    header: Option<&str>,
    secrets: &[Secret<String>],
    signed: &Signed<'_>,
    now: i64,
    tolerance: u64,
) -> Result<(), VerifyError> {
    let keys = secrets.iter().map(Key::new).collect::<Result<Vec<_>, _>>()?;
    if keys.is_empty() {
        return Err(EmptySecret.into());
    }
    let header = Header::read(header.ok_or(VerifyError::Missing)?)?;
    let at: i64 = header.time.parse().map_err(|_| VerifyError::BadTime)?;
    // Zeros in front are no part of a number, and so not of what was signed.
    let time = at.to_string();
    let seconds = now.abs_diff(at);
    if seconds > tolerance {
        let max = tolerance;
        return Err(if at < now {
            VerifyError::TooEarly { seconds, max }
        } else {
            VerifyError::TooLate { seconds, max }
        });
    }
    let mut matches = subtle::Choice::from(0);
    for key in &keys {
        let mut expected = String::with_capacity(64);
        push_hex(&key.v2(&time, signed), &mut expected);
        for signature in &header.signatures {
            matches |= signature.as_bytes().ct_eq(expected.as_bytes());
        }
    }
    if matches.into() { Ok(()) } else { Err(VerifyError::Mismatch) }
}

/// A header taken apart.
struct Header<'a> {
    /// As it stands there: it is signed so.
    time: &'a str,
    /// In lower case.
    signatures: Vec<String>,
}

impl<'a> Header<'a> {
    fn read(header: &'a str) -> Result<Self, VerifyError> {
        let mut time = None;
        let mut signatures = Vec::new();
        for item in header.split(',') {
            let Some((key, value)) = item.split_once('=') else { continue };
            match key.trim() {
                "t" if time.is_some() => return Err(VerifyError::TwoTimes),
                "t" => time = Some(value.trim()),
                "v1" => signatures.push(value.trim().to_ascii_lowercase()),
                _ => {}
            }
        }
        let time = time.ok_or(VerifyError::NoTime)?;
        let digits = time.bytes().all(|byte| byte.is_ascii_digit());
        if time.is_empty() || time.len() > TIME_CHARS_MAX || !digits {
            return Err(VerifyError::BadTime);
        }
        if signatures.is_empty() {
            return Err(VerifyError::NoSignature);
        }
        Ok(Self { time, signatures })
    }
}

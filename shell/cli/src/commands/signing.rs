//! `manos sign` and `manos verify`: the signatures of requests, for whoever writes or debugs an
//! endpoint. The body comes from standard input, byte for byte.

use std::io::{IsTerminal as _, Read as _};
use std::process::ExitCode;

use manos::model::Secret;
use manos::ports::Clock as _;
use manos::runtime::SystemClock;
use manos::signing::{HeaderNames, Signed, Signer, VerifyError, verify as verified};

use crate::args::{SecretArgs, SignArgs, VerifyArgs};
use crate::failure::Failure;
use crate::output;

/// The longest body that is read, in bytes; a longer one is refused.
const BODY_BYTES_MAX: u64 = 16 * 1024 * 1024;

pub(crate) fn sign(args: &SignArgs) -> Result<ExitCode, Failure> {
    let names =
        HeaderNames::new(&args.prefix).map_err(|error| Failure::usage(error.to_string()))?;
    let signer =
        Signer::new(&secrets(&args.secrets)?).map_err(|error| Failure::usage(error.to_string()))?;
    let body = body(&args.method)?;
    let signed = Signed { method: &args.method, path: &args.path, body: &body };
    let signatures = signer.sign(&signed, args.at.unwrap_or_else(now));
    output::line(&format!("{}: {}", names.signature_v2, signatures.v2));
    output::line(&format!("{}: {}", names.signature, signatures.legacy));
    Ok(ExitCode::SUCCESS)
}

pub(crate) fn verify(args: &VerifyArgs) -> Result<ExitCode, Failure> {
    let secrets = secrets(&args.secrets)?;
    let body = body(&args.method)?;
    let signed = Signed { method: &args.method, path: &args.path, body: &body };
    let now = args.now.unwrap_or_else(now);
    match verified(args.header.as_deref(), &secrets, &signed, now) {
        Ok(()) => {
            output::line("the signature is valid");
            Ok(ExitCode::SUCCESS)
        }
        Err(error @ VerifyError::EmptySecret(_)) => Err(Failure::usage(error.to_string())),
        Err(error) => Err(Failure::failed(error.to_string())),
    }
}

fn now() -> i64 {
    SystemClock.now().as_second()
}

fn secrets(args: &SecretArgs) -> Result<Vec<Secret<String>>, Failure> {
    let mut secrets: Vec<_> = args.secrets.iter().cloned().map(Secret::new).collect();
    for name in &args.variables {
        let value =
            std::env::var(name).ok().filter(|value| !value.is_empty()).ok_or_else(|| {
                Failure::usage(format!("the variable {name} is not set, is empty or is no text"))
            })?;
        secrets.push(Secret::new(value));
    }
    Ok(secrets)
}

/// Reads the body. At a terminal, nobody is asked to type one for a method that has none.
fn body(method: &str) -> Result<Vec<u8>, Failure> {
    let stdin = std::io::stdin().lock();
    let bodiless = ["GET", "DELETE"].iter().any(|known| method.eq_ignore_ascii_case(known));
    let mut body = Vec::new();
    if bodiless && stdin.is_terminal() {
        return Ok(body);
    }
    stdin
        .take(BODY_BYTES_MAX + 1)
        .read_to_end(&mut body)
        .map_err(|error| Failure::failed(format!("the body cannot be read: {error}")))?;
    if u64::try_from(body.len()).unwrap_or(u64::MAX) > BODY_BYTES_MAX {
        return Err(Failure::failed(format!("the body has more than {BODY_BYTES_MAX} bytes")));
    }
    Ok(body)
}

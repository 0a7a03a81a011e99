//! What a failed request means for its run.
//!
//! *Not done* only where the request never left. The sentences name no address: the model reads
//! them.

use std::time::Duration;

use manos_model::{Failure, RunEnd};
use manos_net::{HttpError, HttpErrorKind};

pub(super) fn end(error: &HttpError, timeout: Duration) -> RunEnd {
    tracing::debug!(kind = error.kind.as_str(), "{error}");
    let failure = match error.kind {
        HttpErrorKind::Timeout => {
            Failure::Timeout { after_ms: u64::try_from(timeout.as_millis()).unwrap_or(u64::MAX) }
        }
        HttpErrorKind::BadRequest => {
            Failure::Failed { message: "the request cannot be sent as it is configured".to_owned() }
        }
        kind => Failure::Transport { kind: kind.as_str().to_owned(), message: sentence(error) },
    };
    if error.never_sent { RunEnd::NotDone(failure) } else { RunEnd::Unknown(failure) }
}

fn sentence(error: &HttpError) -> String {
    let sentence = match error.kind {
        HttpErrorKind::BadReply => "the server's answer cannot be read",
        HttpErrorKind::BadRequest => "the request cannot be sent",
        HttpErrorKind::Blocked => "requests may not go to the server's address",
        HttpErrorKind::Connection if error.never_sent => "the server cannot be reached",
        HttpErrorKind::Connection => "the connection was lost before the whole answer came",
        HttpErrorKind::Dns => "the server's name is not found",
        HttpErrorKind::Redirect => "the server sends us elsewhere, where we do not follow",
        HttpErrorKind::Tls => "there is no safe connection to the server",
        HttpErrorKind::Timeout => "the server did not answer in time",
        HttpErrorKind::TooLarge => "the server's answer is too large to be read",
    };
    sentence.to_owned()
}

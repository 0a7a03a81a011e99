//! What the HTTP client reports → what an operator reads.

use manos_model::{ModelFailure, ModelFailureKind};
use manos_net::{HttpError, HttpErrorKind};
use manos_wire_llm::Trouble;

use crate::tries::Failed;

/// Names a failure of the connection. `content_came` says that a part of the reply was received:
/// then it is not asked for again. `unreachable` says what to do when nothing listens there.
pub(crate) fn of_http(error: &HttpError, content_came: bool, unreachable: &str) -> Failed {
    use ModelFailureKind::{BadReply, Config, Timeout, Unavailable};
    let (kind, hint, trouble) = match error.kind {
        HttpErrorKind::Dns => {
            (Unavailable, "check model.base_url and the network", Trouble::Connection)
        }
        HttpErrorKind::Connection if content_came => {
            (BadReply, "the reply broke off before its end", Trouble::Final)
        }
        HttpErrorKind::Connection => (Unavailable, unreachable, Trouble::Connection),
        HttpErrorKind::Tls => (Config, "check model.base_url and the certificates", Trouble::Final),
        HttpErrorKind::Blocked | HttpErrorKind::Redirect => {
            (Config, "check model.base_url and network.allow_http", Trouble::Final)
        }
        HttpErrorKind::BadRequest => {
            (Config, "check model.base_url and model.api_key", Trouble::Final)
        }
        HttpErrorKind::Timeout if error.never_sent => {
            (Unavailable, "check model.base_url and the network", Trouble::Connection)
        }
        HttpErrorKind::Timeout => {
            (Timeout, "try later, raise model.timeout or use a faster model", Trouble::Final)
        }
        HttpErrorKind::BadReply => (BadReply, "check model.base_url", Trouble::Final),
        HttpErrorKind::TooLarge => (BadReply, "no model's reply is that long", Trouble::Final),
    };
    let message = format!("the model cannot be reached: {error}; {hint}");
    Failed { failure: ModelFailure { kind, message }, trouble, asked: None }
}

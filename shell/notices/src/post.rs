//! One try to tell an endpoint, over HTTP.

use std::fmt::Debug;
use std::time::Duration;

use async_trait::async_trait;
use manos_model::{NoticeEndpointId, NoticeTrouble, Timestamp};
use manos_net::{HttpClient, HttpErrorKind, HttpLimits, HttpMethod, HttpRequest};
use manos_wire_tool::address::Target;
use manos_wire_tool::notice::{EVENT, Wanted};
use manos_wire_tool::signing::{HeaderNames, Signed, Signer};

/// How long an endpoint may take to answer.
pub const POST_WAIT: Duration = Duration::from_secs(30);

/// How much of an answer is read, in bytes, so that its connection can be used again; nothing in it
/// is looked at. Beyond it the connection is closed.
const ANSWER_BYTES_MAX: usize = 4 * 1024;

/// How long the rest of an answer is waited for once its status has come.
const ANSWER_WAIT: Duration = Duration::from_secs(1);

/// Who is told.
#[derive(Debug, Clone)]
pub struct Endpoint {
    /// The id of its address.
    pub id: NoticeEndpointId,
    /// How it is called in logs and lists; holds no secret.
    pub label: String,
    /// Its address.
    pub target: Target,
    /// What it wants to hear.
    pub wanted: Wanted,
    /// Signs what it is sent; `None` sends no signature.
    pub signer: Option<Signer>,
}

/// What a try came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Posted {
    /// Why it came to nothing; `None` when it arrived.
    pub trouble: Option<NoticeTrouble>,
    /// The status of the answer, when there was one.
    pub http_status: Option<u16>,
}

impl Posted {
    /// What an answer with this status says.
    pub fn of_status(status: u16) -> Self {
        let trouble =
            if (200..300).contains(&status) { None } else { Some(NoticeTrouble::HttpError) };
        Self { trouble, http_status: Some(status) }
    }

    /// No answer.
    pub fn of_trouble(trouble: NoticeTrouble) -> Self {
        Self { trouble: Some(trouble), http_status: None }
    }
}

/// Makes tries.
#[async_trait]
pub trait Post: Debug + Send + Sync {
    /// Sends a notice once, signed at this time.
    async fn post(&self, endpoint: &Endpoint, body: String, at: Timestamp) -> Posted;
}

/// Makes tries over HTTP.
#[derive(Debug, Clone)]
pub struct HttpPost {
    /// Sends them; its rule says where they may go.
    pub client: HttpClient,
    /// What our headers are called.
    pub names: HeaderNames,
}

#[async_trait]
impl Post for HttpPost {
    async fn post(&self, endpoint: &Endpoint, body: String, at: Timestamp) -> Posted {
        let mut headers = vec![
            ("Content-Type".to_owned(), "application/json".to_owned()),
            (self.names.event.clone(), EVENT.to_owned()),
        ];
        if let Some(signer) = &endpoint.signer {
            let path = endpoint.target.path_and_query();
            let signed = Signed { method: "POST", path, body: body.as_bytes() };
            let signatures = signer.sign(&signed, at.as_second());
            headers.push((self.names.signature_v2.clone(), signatures.v2));
            headers.push((self.names.signature.clone(), signatures.legacy));
        }
        let request = HttpRequest {
            headers,
            body: body.into(),
            limits: HttpLimits::within(POST_WAIT),
            ..HttpRequest::new(HttpMethod::Post, endpoint.target.url())
        };
        match self.client.send(request).await {
            Ok(mut response) => {
                let posted = Posted::of_status(response.status());
                // Whether the rest comes changes nothing.
                let _rest =
                    tokio::time::timeout(ANSWER_WAIT, response.head(ANSWER_BYTES_MAX)).await;
                posted
            }
            Err(error) => {
                tracing::debug!(kind = error.kind.as_str(), "{error}");
                Posted::of_trouble(trouble(error.kind))
            }
        }
    }
}

fn trouble(kind: HttpErrorKind) -> NoticeTrouble {
    match kind {
        HttpErrorKind::Connection => NoticeTrouble::Connection,
        HttpErrorKind::Dns => NoticeTrouble::Dns,
        HttpErrorKind::Redirect => NoticeTrouble::HttpError,
        HttpErrorKind::Timeout => NoticeTrouble::Timeout,
        HttpErrorKind::Tls => NoticeTrouble::Tls,
        HttpErrorKind::BadReply
        | HttpErrorKind::BadRequest
        | HttpErrorKind::Blocked
        | HttpErrorKind::TooLarge => NoticeTrouble::Other,
    }
}

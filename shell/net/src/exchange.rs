//! One request and the head of its answer.

use std::sync::Arc;

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::header::{self, HeaderMap, HeaderValue};
use hyper::http::uri::PathAndQuery;
use hyper::{Method, Request, Response, Uri};
use manos_wire_tool::address::{AddressPolicy, Target};
use tokio::time::{Instant, timeout_at};

use crate::connect::{Connector, Form};
use crate::http1::{Http1, SendFailure};
use crate::http2::Stream;
use crate::pool::{Free, Key, Pool};
use crate::request::Secrets;
use crate::response::deadline;
use crate::{HEADERS_BYTES_MAX, HttpError, HttpErrorKind, HttpRequest};

/// How many waiting connections are tried that turn out closed before anything was written; then a
/// new one is opened.
const REUSE_TRIES_MAX: usize = 8;

/// What the body of an answer comes through.
#[derive(Debug)]
pub(crate) enum Channel {
    Http1(Key, Box<Http1>),
    Http2 {
        /// Held for its place on the connection.
        _stream: Stream,
    },
}

/// One sending of a request.
pub(crate) struct Exchange<'a> {
    pub(crate) request: &'a HttpRequest,
    pub(crate) target: &'a Target,
    pub(crate) policy: &'a AddressPolicy,
    /// Ready for the first try.
    pub(crate) headers: Option<HeaderMap>,
    /// Whether the secret headers go along.
    pub(crate) secrets: Secrets,
    /// Until when the head of the answer must be here.
    pub(crate) until: Instant,
}

impl Exchange<'_> {
    /// Sends it over a waiting connection or a new one.
    ///
    /// It is tried again only where no byte of it has left.
    pub(crate) async fn run(
        &mut self,
        connector: &Connector,
        pool: &Arc<Pool>,
    ) -> Result<(Response<Incoming>, Channel), HttpError> {
        let key = Key::new(self.target, self.policy);
        let form = connector.form(self.target, self.policy);
        for _ in 0..REUSE_TRIES_MAX {
            let Some(free) = pool.take(&key) else { break };
            match self.over(free, &key, &form).await {
                Err(error) if error.never_sent && error.kind == HttpErrorKind::Connection => {}
                ended => return ended,
            }
        }
        let connect_until = deadline(Instant::now(), self.request.limits.connect).min(self.until);
        let connecting = connector.connect(self.target, self.policy, &key, pool);
        let free = timeout_at(connect_until, connecting).await.unwrap_or_else(|_| {
            let sentence =
                format!("{} did not take the connection in time", self.target.authority());
            Err(HttpError::new(HttpErrorKind::Timeout, true, sentence))
        })?;
        self.over(free, &key, &form).await
    }

    async fn over(
        &mut self,
        free: Free,
        key: &Key,
        form: &Form,
    ) -> Result<(Response<Incoming>, Channel), HttpError> {
        match free {
            Free::Http1(mut http1) => {
                let before = http1.written();
                let request = self.http1_request(form)?;
                let ended = timeout_at(self.until, http1.send(request)).await;
                let never_sent = http1.written() == before;
                match ended {
                    Ok(Ok(response)) => Ok((response, Channel::Http1(key.clone(), http1))),
                    Ok(Err(failure)) => Err(self.failed(&failure, never_sent)),
                    Err(_) => Err(self.too_late(never_sent)),
                }
            }
            Free::Http2(mut http2, stream) => {
                let request = self.whole_request()?;
                match timeout_at(self.until, http2.send(request)).await {
                    Ok(Ok(response)) => Ok((response, Channel::Http2 { _stream: stream })),
                    Ok(Err((error, never_sent))) => {
                        let host = self.target.authority();
                        Err(HttpError::of_hyper(&error, never_sent, &host))
                    }
                    Err(_) => Err(self.too_late(false)),
                }
            }
        }
    }

    fn http1_request(&mut self, form: &Form) -> Result<Request<Full<Bytes>>, HttpError> {
        let mut request = match form {
            Form::Path => {
                let path = PathAndQuery::try_from(self.target.path_and_query());
                self.request_to(path.map(Uri::from).map_err(|_| self.unsendable())?)?
            }
            Form::Whole { authorization } => {
                let mut request = self.whole_request()?;
                if let Some(value) = authorization {
                    request.headers_mut().insert(header::PROXY_AUTHORIZATION, value.clone());
                }
                request
            }
        };
        let host = HeaderValue::try_from(self.target.authority());
        request.headers_mut().insert(header::HOST, host.map_err(|_| self.unsendable())?);
        Ok(request)
    }

    /// A request that carries the whole address.
    fn whole_request(&mut self) -> Result<Request<Full<Bytes>>, HttpError> {
        let uri = Uri::try_from(self.target.url()).map_err(|_| self.unsendable())?;
        self.request_to(uri)
    }

    fn request_to(&mut self, uri: Uri) -> Result<Request<Full<Bytes>>, HttpError> {
        let headers = match self.headers.take() {
            Some(headers) => headers,
            None => self.request.header_map(self.secrets)?,
        };
        let mut request = Request::new(Full::new(self.request.body.clone()));
        *request.method_mut() = self.request.method.of_hyper();
        *request.uri_mut() = uri;
        *request.headers_mut() = headers;
        let has_meaning = matches!(*request.method(), Method::PATCH | Method::POST | Method::PUT);
        if has_meaning && self.request.body.is_empty() {
            // The library says nothing of an empty body, and some servers wait for a length.
            request.headers_mut().insert(header::CONTENT_LENGTH, HeaderValue::from_static("0"));
        }
        Ok(request)
    }

    fn unsendable(&self) -> HttpError {
        let host = self.target.authority();
        let sentence = format!("the address of the request to {host} cannot be sent");
        HttpError::new(HttpErrorKind::BadRequest, true, sentence)
    }

    fn too_late(&self, never_sent: bool) -> HttpError {
        let sentence = format!("{} did not answer in time", self.target.authority());
        HttpError::new(HttpErrorKind::Timeout, never_sent, sentence)
    }

    fn failed(&self, failure: &SendFailure, never_sent: bool) -> HttpError {
        let host = self.target.authority();
        match failure {
            SendFailure::Hyper(error) => HttpError::of_hyper(error, never_sent, &host),
            SendFailure::NoEnd => {
                let sentence =
                    format!("{host} sent more than {HEADERS_BYTES_MAX} bytes and no answer");
                HttpError::new(HttpErrorKind::TooLarge, never_sent, sentence)
            }
        }
    }
}

//! What comes back, piece by piece and within the limits.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use hyper::body::{Body as _, Frame, Incoming};
use hyper::header::{self, HeaderMap};
use hyper::{Response, StatusCode};
use tokio::time::Instant;

use crate::exchange::Channel;
use crate::pool::Pool;
use crate::{HttpError, HttpErrorKind, HttpLimits};

/// Ways of compressing that a server may choose unasked.
const COMPRESSED: [&str; 7] = ["br", "compress", "deflate", "gzip", "x-compress", "x-gzip", "zstd"];

/// A response whose body is still on its way.
///
/// # Cancel safety
///
/// Dropping it closes the socket (of HTTP/2: its stream) unless the body has been read to its end.
pub struct HttpResponse {
    status: StatusCode,
    headers: HeaderMap,
    body: Incoming,
    /// `None` once the body has ended.
    channel: Option<Channel>,
    pool: Arc<Pool>,
    host: String,
    limits: HttpLimits,
    started: Instant,
    bytes: u64,
}

/// Headers and bodies may carry what is nobody's business.
impl fmt::Debug for HttpResponse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpResponse")
            .field("status", &self.status)
            .field("host", &self.host)
            .field("bytes", &self.bytes)
            .finish_non_exhaustive()
    }
}

impl HttpResponse {
    pub(crate) fn new(
        response: Response<Incoming>,
        channel: Channel,
        pool: Arc<Pool>,
        host: String,
        limits: HttpLimits,
        started: Instant,
    ) -> Result<Self, HttpError> {
        let (head, body) = response.into_parts();
        let refusal = |sentence: String| HttpError::new(HttpErrorKind::BadReply, false, sentence);
        if head.status == StatusCode::SWITCHING_PROTOCOLS {
            return Err(refusal(format!("{host} switched to another protocol unasked")));
        }
        let coding = head.headers.get(header::CONTENT_ENCODING);
        let coding = coding.and_then(|value| value.to_str().ok()).unwrap_or_default();
        let codings = coding.split(',').map(str::trim);
        if let Some(coding) =
            codings.into_iter().find(|one| COMPRESSED.iter().any(|c| c.eq_ignore_ascii_case(one)))
        {
            return Err(refusal(format!(
                "{host} sent its answer compressed ({coding}), though it was asked not to"
            )));
        }
        let mut response = Self {
            status: head.status,
            headers: head.headers,
            body,
            channel: Some(channel),
            pool,
            host,
            limits,
            started,
            bytes: 0,
        };
        response.end_early();
        Ok(response)
    }

    /// Returns the status.
    pub fn status(&self) -> u16 {
        self.status.as_u16()
    }

    /// Returns a header's first value, when it is visible ASCII.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }

    /// Returns the next piece of the body, or `None` at its end.
    ///
    /// # Errors
    ///
    /// `Timeout` past the first-byte, idle or total limit; `TooLarge` past the size limit;
    /// `Connection` when it breaks off; `BadReply` when it is no HTTP.
    pub async fn chunk(&mut self) -> Result<Option<Bytes>, HttpError> {
        loop {
            if self.channel.is_none() {
                return Ok(None);
            }
            let (until, why) = self.next_deadline();
            let next = std::future::poll_fn(|cx| self.poll_frame(cx));
            let Ok(frame) = tokio::time::timeout_at(until, next).await else {
                let sentence = format!("{} {why}", self.host);
                return Err(self.give_up(HttpError::new(HttpErrorKind::Timeout, false, sentence)));
            };
            let frame = match frame {
                None => {
                    self.end();
                    return Ok(None);
                }
                Some(Ok(frame)) => frame,
                Some(Err(error)) => {
                    let error = HttpError::of_hyper(&error, false, &self.host);
                    return Err(self.give_up(error));
                }
            };
            // What is no data is a trailer, which nobody here reads.
            let Ok(chunk) = frame.into_data() else { continue };
            self.bytes = self.bytes.saturating_add(u64::try_from(chunk.len()).unwrap_or(u64::MAX));
            if self.bytes > self.limits.response_bytes_max {
                let max = self.limits.response_bytes_max;
                let sentence = format!("{} sent more than {max} bytes", self.host);
                return Err(self.give_up(HttpError::new(HttpErrorKind::TooLarge, false, sentence)));
            }
            self.end_early();
            return Ok(Some(chunk));
        }
    }

    fn poll_frame(&mut self, cx: &mut Context<'_>) -> Poll<Option<hyper::Result<Frame<Bytes>>>> {
        match &mut self.channel {
            Some(Channel::Http1(_, http1)) => http1.poll_frame(&mut self.body, cx),
            Some(Channel::Http2 { .. }) => Pin::new(&mut self.body).poll_frame(cx),
            None => Poll::Ready(None),
        }
    }

    /// Gives the connection back as soon as the length says that nothing more comes: not every
    /// reader asks once more after the last piece.
    fn end_early(&mut self) {
        if self.body.is_end_stream() {
            self.end();
        }
    }

    fn end(&mut self) {
        if let Some(Channel::Http1(key, http1)) = self.channel.take() {
            self.pool.put(key, http1);
        }
    }

    /// Closes the socket: after an error nothing is read from it again.
    fn give_up(&mut self, error: HttpError) -> HttpError {
        self.channel = None;
        error
    }

    /// Reads at most `bytes_max` bytes of the body and leaves the rest; for bodies of errors.
    ///
    /// What breaks on the way ends the text: half an explanation is better than none.
    pub async fn head(&mut self, bytes_max: usize) -> Vec<u8> {
        let mut head = Vec::new();
        while head.len() < bytes_max {
            match self.chunk().await {
                Ok(Some(chunk)) => head.extend_from_slice(&chunk),
                Ok(None) | Err(_) => break,
            }
        }
        head.truncate(bytes_max);
        head
    }

    /// Reads the whole body.
    ///
    /// # Errors
    ///
    /// As [`HttpResponse::chunk`].
    pub async fn body(&mut self) -> Result<Vec<u8>, HttpError> {
        let mut body = Vec::new();
        while let Some(chunk) = self.chunk().await? {
            body.extend_from_slice(&chunk);
        }
        Ok(body)
    }

    fn next_deadline(&self) -> (Instant, &'static str) {
        let total = deadline(self.started, self.limits.total);
        let (wait, why) = if self.bytes == 0 {
            (deadline(self.started, self.limits.first_byte), "sent no byte of its answer in time")
        } else {
            (deadline(Instant::now(), self.limits.idle), "fell silent in the middle of its answer")
        };
        if total <= wait { (total, "did not finish its answer in time") } else { (wait, why) }
    }
}

/// Adds, and stays in range for a wait that means "never".
pub(crate) fn deadline(start: Instant, wait: Duration) -> Instant {
    const FAR: Duration = Duration::from_hours(365 * 24);
    start.checked_add(wait.min(FAR)).unwrap_or(start)
}

//! What comes back, piece by piece and within the limits.

use std::time::Duration;

use bytes::Bytes;
use tokio::time::Instant;

use crate::{HttpError, HttpErrorKind, HttpLimits};

/// A response whose body is still on its way.
///
/// # Cancel safety
///
/// Dropping it closes the socket unless the body has been read to its end.
#[derive(Debug)]
pub struct HttpResponse {
    inner: reqwest::Response,
    host: String,
    limits: HttpLimits,
    started: Instant,
    bytes: u64,
    ended: bool,
}

impl HttpResponse {
    pub(crate) fn new(
        inner: reqwest::Response,
        host: String,
        limits: HttpLimits,
        started: Instant,
    ) -> Self {
        Self { inner, host, limits, started, bytes: 0, ended: false }
    }

    /// Returns the status.
    pub fn status(&self) -> u16 {
        self.inner.status().as_u16()
    }

    /// Returns a header's first value, when it is visible ASCII.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.inner.headers().get(name).and_then(|value| value.to_str().ok())
    }

    /// Returns the next piece of the body, or `None` at its end.
    ///
    /// # Errors
    ///
    /// `Timeout` past the first-byte, idle or total limit; `TooLarge` past the size limit;
    /// `Connection` when it breaks off.
    pub async fn chunk(&mut self) -> Result<Option<Bytes>, HttpError> {
        if self.ended {
            return Ok(None);
        }
        let (until, why) = self.next_deadline();
        let Ok(read) = tokio::time::timeout_at(until, self.inner.chunk()).await else {
            let sentence = format!("{} {why}", self.host);
            return Err(HttpError::new(HttpErrorKind::Timeout, false, sentence));
        };
        let chunk = read.map_err(|error| HttpError::of_reqwest(&error, &self.host))?;
        let Some(chunk) = chunk else {
            self.ended = true;
            return Ok(None);
        };
        self.bytes = self.bytes.saturating_add(u64::try_from(chunk.len()).unwrap_or(u64::MAX));
        if self.bytes > self.limits.response_bytes_max {
            let max = self.limits.response_bytes_max;
            let sentence = format!("{} sent more than {max} bytes", self.host);
            return Err(HttpError::new(HttpErrorKind::TooLarge, false, sentence));
        }
        Ok(Some(chunk))
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

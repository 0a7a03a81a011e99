//! One connection of HTTP/2, shared by many requests.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::client::conn::http2;
use hyper::{Request, Response};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::HEADERS_BYTES_MAX;
use crate::wire::Io;

/// How many requests share one connection; the next one gets another connection.
pub const STREAMS_PER_CONNECTION_MAX: usize = 100;

/// How much of one body, and of all bodies of a connection, may wait to be read, in bytes. The
/// other side sends no more before it is read.
const STREAM_WINDOW_BYTES: u32 = 256 * 1024;
const CONNECTION_WINDOW_BYTES: u32 = 2 * 1024 * 1024;

/// How often a silent connection with requests on it is asked whether it is alive, and how long it
/// may take to say so before they all fail.
const PING_EVERY: Duration = Duration::from_secs(20);
const PING_WAIT: Duration = Duration::from_secs(10);

/// A shared connection. A task of the client's drives it.
#[derive(Debug, Clone)]
pub(crate) struct Http2 {
    sender: http2::SendRequest<Full<Bytes>>,
    use_: Arc<Use>,
}

#[derive(Debug)]
struct Use {
    streams: AtomicUsize,
    last: Mutex<Instant>,
}

/// One request's place on a connection, free again when dropped.
#[derive(Debug)]
pub(crate) struct Stream(Arc<Use>);

impl Drop for Stream {
    fn drop(&mut self) {
        *self.0.last.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
        self.0.streams.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Http2 {
    pub(crate) async fn new(io: Io, tasks: &Mutex<JoinSet<()>>) -> hyper::Result<Self> {
        let (sender, connection) = http2::Builder::new(TokioExecutor::new())
            .timer(TokioTimer::new())
            .initial_stream_window_size(STREAM_WINDOW_BYTES)
            .initial_connection_window_size(CONNECTION_WINDOW_BYTES)
            .max_header_list_size(u32::try_from(HEADERS_BYTES_MAX).unwrap_or(u32::MAX))
            .keep_alive_interval(PING_EVERY)
            .keep_alive_timeout(PING_WAIT)
            .handshake(TokioIo::new(io))
            .await?;
        let mut tasks = tasks.lock().unwrap_or_else(PoisonError::into_inner);
        while tasks.try_join_next().is_some() {}
        tasks.spawn(async move {
            if let Err(error) = connection.await {
                tracing::debug!(%error, "a connection of HTTP/2 ended");
            }
        });
        let use_ = Use { streams: AtomicUsize::new(0), last: Mutex::new(Instant::now()) };
        Ok(Self { sender, use_: Arc::new(use_) })
    }

    /// Takes a place on it, or `None` when it is closed or full.
    pub(crate) fn place(&self) -> Option<Stream> {
        if self.sender.is_closed() {
            return None;
        }
        let before = self.use_.streams.fetch_add(1, Ordering::Relaxed);
        let stream = Stream(Arc::clone(&self.use_));
        (before < STREAMS_PER_CONNECTION_MAX).then_some(stream)
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.sender.is_closed()
    }

    /// Since when nothing uses it, or `None` while something does.
    pub(crate) fn idle_since(&self) -> Option<Instant> {
        let last = *self.use_.last.lock().unwrap_or_else(PoisonError::into_inner);
        (self.use_.streams.load(Ordering::Relaxed) == 0).then_some(last)
    }

    /// Sends and waits for the head of the answer; an error comes with whether the request never
    /// left.
    pub(crate) async fn send(
        &mut self,
        request: Request<Full<Bytes>>,
    ) -> Result<Response<Incoming>, (hyper::Error, bool)> {
        self.sender.try_send_request(request).await.map_err(|mut failure| {
            let never_sent = failure.take_message().is_some();
            (failure.into_error(), never_sent)
        })
    }
}

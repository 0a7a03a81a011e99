//! One connection of HTTP/1.1.

use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::{Body as _, Frame, Incoming};
use hyper::client::conn::http1;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;

use crate::HEADERS_BYTES_MAX;
use crate::wire::{Counts, Io};

type Connection = http1::Connection<TokioIo<Io>, Full<Bytes>>;

/// A connection that no task owns: whoever waits for its answer drives it.
///
/// So a request costs no switch between tasks, a dropped request closes its socket at once, and an
/// idle connection costs nothing. Its state is looked at when it is taken from the pool.
#[derive(Debug)]
pub(crate) struct Http1 {
    sender: http1::SendRequest<Full<Bytes>>,
    connection: Pin<Box<Connection>>,
    counts: Arc<Counts>,
    over: bool,
}

/// Why a request brought no answer.
#[derive(Debug)]
pub(crate) enum SendFailure {
    Hyper(hyper::Error),
    /// More than [`HEADERS_BYTES_MAX`] bytes came, and no answer was among them.
    NoEnd,
}

impl Http1 {
    pub(crate) async fn new(io: Io) -> hyper::Result<Self> {
        let counts = io.counts();
        let (sender, connection) = http1::Builder::new()
            .max_buf_size(HEADERS_BYTES_MAX)
            .handshake(TokioIo::new(io))
            .await?;
        Ok(Self { sender, connection: Box::pin(connection), counts, over: false })
    }

    /// How many bytes have left through it.
    pub(crate) fn written(&self) -> u64 {
        self.counts.written()
    }

    /// Returns whether a request may go out: nothing of the last one is left, and the other side
    /// has not closed it.
    pub(crate) fn is_usable(&mut self) -> bool {
        self.drive(&mut Context::from_waker(Waker::noop()));
        !self.over && self.sender.is_ready()
    }

    /// Sends and waits for the head of the answer.
    pub(crate) async fn send(
        &mut self,
        request: Request<Full<Bytes>>,
    ) -> Result<Response<Incoming>, SendFailure> {
        let read_before = self.counts.read();
        let mut answer = pin!(self.sender.send_request(request));
        let Self { connection, counts, over, .. } = self;
        std::future::poll_fn(|cx| {
            drive(connection, over, cx);
            if let Poll::Ready(answer) = answer.as_mut().poll(cx) {
                return Poll::Ready(answer.map_err(SendFailure::Hyper));
            }
            // Each preliminary answer is small; a flood of them is not.
            let bytes = counts.read().saturating_sub(read_before);
            if bytes > u64::try_from(2 * HEADERS_BYTES_MAX).unwrap_or(u64::MAX) {
                return Poll::Ready(Err(SendFailure::NoEnd));
            }
            Poll::Pending
        })
        .await
    }

    /// Returns the next piece of a body that came through it.
    pub(crate) fn poll_frame(
        &mut self,
        body: &mut Incoming,
        cx: &mut Context<'_>,
    ) -> Poll<Option<hyper::Result<Frame<Bytes>>>> {
        if let Poll::Ready(frame) = Pin::new(&mut *body).poll_frame(cx) {
            return Poll::Ready(frame);
        }
        self.drive(cx);
        Pin::new(body).poll_frame(cx)
    }

    fn drive(&mut self, cx: &mut Context<'_>) {
        drive(&mut self.connection, &mut self.over, cx);
    }
}

fn drive(connection: &mut Pin<Box<Connection>>, over: &mut bool, cx: &mut Context<'_>) {
    if !*over {
        // What went wrong is told to whoever waits for the answer or the body.
        *over = connection.as_mut().poll(cx).is_ready();
    }
}

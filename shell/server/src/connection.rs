//! One connection, with its time limits.

use std::net::IpAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpStream;
use tokio_util::sync::CancellationToken;

use crate::handle::{Shared, handle};

/// Connections at once; the next waits until one has ended.
pub const CONNECTIONS_MAX: usize = 1_024;

/// How long the head of a request may take, and how long a connection may idle; then it is closed.
pub const HEAD_WAIT: Duration = Duration::from_secs(30);

/// How long the body of a request may take; then the request is refused.
pub const BODY_WAIT: Duration = Duration::from_secs(30);

/// The longest head of a request, in bytes; a longer one is refused.
pub const HEAD_BYTES_MAX: usize = 64 * 1024;

/// Serves a connection until it ends, or until the server does and its last request is answered.
pub(crate) async fn serve(
    stream: TcpStream,
    address: IpAddr,
    shared: Arc<Shared>,
    closing: CancellationToken,
) {
    let service = service_fn(move |request| handle(Arc::clone(&shared), address, request));
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_WAIT)
        .max_buf_size(HEAD_BYTES_MAX)
        .serve_connection(TokioIo::new(stream), service);
    let mut connection = pin!(connection);
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = closing.cancelled() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%address, %error, "a connection broke off");
    }
}

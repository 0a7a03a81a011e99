//! The one HTTP client: every request that leaves this program goes through [`HttpClient`].
//!
//! It owns the limits (connect, first byte, idle, total, size), TLS, the proxy rule and the naming
//! of what went wrong ([`HttpError`]). It follows no redirect and retries nothing: whoever asks
//! knows whether the other side may be asked twice. What bytes mean is the caller's.

mod client;
mod error;
mod limits;
mod request;
mod response;
mod tls;

pub use client::{HttpClient, Proxy};
pub use error::{HttpError, HttpErrorKind};
pub use limits::{
    CONNECT_WAIT, FIRST_BYTE_WAIT, HttpLimits, IDLE_WAIT, RESPONSE_BYTES_MAX, TOTAL_WAIT,
};
pub use request::{HttpMethod, HttpRequest};
pub use response::HttpResponse;

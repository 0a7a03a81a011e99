//! The one HTTP client: every request that leaves this program goes through [`HttpClient`].
//!
//! It owns the limits (connect, first byte, idle, total, size), TLS, the proxy, the open
//! connections, the rule where a request may go, and the naming of what went wrong ([`HttpError`]).
//! It sends nothing twice: whoever asks knows whether the other side may be asked again, and
//! [`HttpError::never_sent`] says whether it can have heard the first time. What bytes mean is the
//! caller's.
//!
//! Tested against servers on raw sockets, well behaved and not, in `tests/it`.

mod client;
mod connect;
mod error;
mod exchange;
mod http1;
mod http2;
mod limits;
mod pool;
mod proxy;
mod request;
mod resolve;
mod response;
mod tls;
mod wire;

pub use client::{HttpClient, HttpClientBuilder};
pub use connect::{ADDRESS_STAGGER, ADDRESSES_TRIED_MAX};
pub use error::{HttpError, HttpErrorKind};
pub use http2::STREAMS_PER_CONNECTION_MAX;
pub use limits::{
    CONNECT_WAIT, FIRST_BYTE_WAIT, HEADERS_BYTES_MAX, HttpLimits, IDLE_WAIT, RESPONSE_BYTES_MAX,
    TOTAL_WAIT,
};
pub use manos_wire_tool::address::{AddressPolicy, HostPattern, HostPatternError, Redirects};
pub use pool::{IDLE_CONNECTIONS_MAX, IDLE_CONNECTIONS_PER_HOST_MAX, POOL_IDLE_WAIT};
pub use proxy::{PROXY_REPLY_BYTES_MAX, Proxy};
pub use request::{HttpMethod, HttpRequest};
pub use resolve::{Resolve, SystemResolver};
pub use response::HttpResponse;

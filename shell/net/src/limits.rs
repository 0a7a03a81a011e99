//! How long and how much.

use std::time::Duration;

/// How long a connection, name look-up and TLS included, may take to stand.
pub const CONNECT_WAIT: Duration = Duration::from_secs(10);

/// How long the first byte of the body may take after the request is on its way.
pub const FIRST_BYTE_WAIT: Duration = Duration::from_mins(1);

/// How long a body may be silent between two bytes.
pub const IDLE_WAIT: Duration = Duration::from_secs(30);

/// How long everything together may take, from the call to the last byte of the body.
pub const TOTAL_WAIT: Duration = Duration::from_mins(1);

/// The largest body that is taken, in bytes.
pub const RESPONSE_BYTES_MAX: u64 = 16 * 1024 * 1024;

/// The most bytes of a response's head, preliminary answers (1xx) included; a longer one is
/// `TooLarge`.
pub const HEADERS_BYTES_MAX: usize = 64 * 1024;

/// The limits of one request. Past any of them the socket is closed and the caller gets an
/// [`crate::HttpError`] of kind `Timeout` or `TooLarge`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HttpLimits {
    /// Until a connection stands; [`CONNECT_WAIT`].
    pub connect: Duration,
    /// Until the first byte of the body; [`FIRST_BYTE_WAIT`].
    pub first_byte: Duration,
    /// Between two bytes of the body; [`IDLE_WAIT`].
    pub idle: Duration,
    /// Of the body; [`RESPONSE_BYTES_MAX`].
    pub response_bytes_max: u64,
    /// Everything together; [`TOTAL_WAIT`].
    pub total: Duration,
}

impl Default for HttpLimits {
    fn default() -> Self {
        Self {
            connect: CONNECT_WAIT,
            first_byte: FIRST_BYTE_WAIT,
            idle: IDLE_WAIT,
            response_bytes_max: RESPONSE_BYTES_MAX,
            total: TOTAL_WAIT,
        }
    }
}

impl HttpLimits {
    /// Returns the default limits with another total, which the first byte may use up whole.
    ///
    /// ```
    /// use std::time::Duration;
    /// use manos_net::HttpLimits;
    /// let limits = HttpLimits::within(Duration::from_secs(90));
    /// assert_eq!(limits.total, limits.first_byte);
    /// ```
    pub fn within(total: Duration) -> Self {
        Self { first_byte: total, total, ..Self::default() }
    }
}

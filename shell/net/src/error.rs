//! What can go wrong between here and the other side.

use std::fmt;

use manos_model::Fault;

/// The kinds of trouble with a request; the words are those of the failures that models read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum HttpErrorKind {
    /// What came is no HTTP, or the body broke off.
    BadReply,
    /// The request itself cannot be sent: an address or header that is none.
    BadRequest,
    /// Refused, unreachable or lost.
    Connection,
    /// The name has no address.
    Dns,
    /// The certificate or the handshake.
    Tls,
    /// One of the time limits.
    Timeout,
    /// The body is larger than the limit.
    TooLarge,
}

impl HttpErrorKind {
    /// Returns the kind as models and operators read it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::BadReply => "bad_reply",
            Self::BadRequest => "bad_request",
            Self::Connection => "connection",
            Self::Dns => "dns",
            Self::Tls => "tls",
            Self::Timeout => "timeout",
            Self::TooLarge => "too_large",
        }
    }
}

impl fmt::Display for HttpErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Why a request brought no whole response.
///
/// It names the host and never the path, the query, a header or a body, since any of them may
/// carry a secret.
#[derive(Debug, thiserror::Error)]
#[error("{sentence}")]
pub struct HttpError {
    /// What kind of trouble.
    pub kind: HttpErrorKind,
    /// Whether the request never left: nothing was done on the other side, so asking again is safe.
    pub never_sent: bool,
    /// One lower-case sentence with the host in it.
    pub sentence: String,
}

impl HttpError {
    pub(crate) fn new(kind: HttpErrorKind, never_sent: bool, sentence: impl Into<String>) -> Self {
        Self { kind, never_sent, sentence: sentence.into() }
    }

    /// Returns who can do something about it.
    pub fn fault(&self) -> Fault {
        match self.kind {
            HttpErrorKind::BadRequest => Fault::Config,
            HttpErrorKind::BadReply
            | HttpErrorKind::Connection
            | HttpErrorKind::Dns
            | HttpErrorKind::Timeout
            | HttpErrorKind::Tls
            | HttpErrorKind::TooLarge => Fault::Unavailable { retry_after: None },
        }
    }

    /// Names what the client library reports.
    pub(crate) fn of_reqwest(error: &reqwest::Error, host: &str) -> Self {
        use HttpErrorKind::{BadReply, BadRequest, Connection, Dns, Timeout, Tls};
        let connecting = error.is_connect();
        if let Some(tls) = cause::<rustls::Error>(error) {
            let why = tls_reason(tls);
            return Self::new(Tls, true, format!("no safe connection to {host}: {why}"));
        }
        if error.is_dns() {
            return Self::new(Dns, true, format!("the name {host} has no address"));
        }
        if error.is_timeout() {
            let sentence = format!("{host} did not take the connection in time");
            return Self::new(Timeout, connecting, sentence);
        }
        if connecting {
            let why = cause::<std::io::Error>(error).map_or("it failed", |e| io_reason(e.kind()));
            return Self::new(Connection, true, format!("no connection to {host}: {why}"));
        }
        if error.is_builder() {
            return Self::new(BadRequest, true, format!("the request to {host} cannot be built"));
        }
        if let Some(io) = cause::<std::io::Error>(error) {
            let why = io_reason(io.kind());
            return Self::new(Connection, false, format!("the connection to {host} broke: {why}"));
        }
        if error.is_body() || error.is_decode() || error.is_request() {
            let sentence = format!("the connection to {host} ended before the whole reply came");
            return Self::new(Connection, false, sentence);
        }
        Self::new(BadReply, false, format!("{host} did not answer in HTTP"))
    }
}

/// Finds the innermost cause of one type; an IO error may hide another error inside.
fn cause<'a, E: std::error::Error + 'static>(
    error: &'a (dyn std::error::Error + 'static),
) -> Option<&'a E> {
    let mut found = None;
    let mut next = Some(error);
    while let Some(current) = next {
        if let Some(hit) = current.downcast_ref::<E>() {
            found = Some(hit);
        }
        let inside = current
            .downcast_ref::<std::io::Error>()
            .and_then(std::io::Error::get_ref)
            .map(|inner| inner as &(dyn std::error::Error + 'static));
        next = inside.or_else(|| current.source());
    }
    found
}

fn io_reason(kind: std::io::ErrorKind) -> &'static str {
    match kind {
        std::io::ErrorKind::ConnectionRefused => "nothing listens there",
        std::io::ErrorKind::ConnectionReset | std::io::ErrorKind::BrokenPipe => {
            "the other side closed it"
        }
        std::io::ErrorKind::HostUnreachable | std::io::ErrorKind::NetworkUnreachable => {
            "there is no way to it from here"
        }
        std::io::ErrorKind::TimedOut => "it took too long",
        std::io::ErrorKind::UnexpectedEof => "it ended too early",
        _ => "it failed",
    }
}

fn tls_reason(error: &rustls::Error) -> &'static str {
    use rustls::CertificateError;
    match error {
        rustls::Error::InvalidCertificate(
            CertificateError::Expired | CertificateError::ExpiredContext { .. },
        ) => "its certificate has expired",
        rustls::Error::InvalidCertificate(
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
        ) => "its certificate is for another name",
        rustls::Error::InvalidCertificate(CertificateError::UnknownIssuer) => {
            "nobody known here vouches for its certificate"
        }
        rustls::Error::InvalidCertificate(_) => "its certificate is not valid",
        rustls::Error::InvalidMessage(_) => {
            "it does not speak TLS; is it http:// rather than https://?"
        }
        _ => "the TLS handshake failed",
    }
}

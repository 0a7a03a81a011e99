//! What can go wrong between here and the other side.

use std::fmt;
use std::io;

use manos_model::Fault;

use crate::HEADERS_BYTES_MAX;

/// The kinds of trouble with a request; the words are those of the failures that models read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum HttpErrorKind {
    /// What came is no HTTP, or compressed though nobody asked for that.
    BadReply,
    /// The request itself cannot be sent: an address or header that is none.
    BadRequest,
    /// The address rule lets nothing go there.
    Blocked,
    /// Refused, unreachable or lost.
    Connection,
    /// The name has no address.
    Dns,
    /// It leads somewhere that is not followed.
    Redirect,
    /// The certificate or the handshake.
    Tls,
    /// One of the time limits.
    Timeout,
    /// The head or the body is larger than the limit.
    TooLarge,
}

impl HttpErrorKind {
    /// Returns the kind as models and operators read it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::BadReply => "bad_reply",
            Self::BadRequest => "bad_request",
            Self::Blocked => "blocked_address",
            Self::Connection => "connection",
            Self::Dns => "dns",
            Self::Redirect => "redirect",
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
    /// Whether the other side certainly did nothing: no byte of the request left, or the other side
    /// said that it did not look at it. Asking again is safe then, and the run never began.
    pub never_sent: bool,
    /// One lower-case sentence with the host in it.
    pub sentence: String,
}

impl HttpError {
    pub(crate) fn new(kind: HttpErrorKind, never_sent: bool, sentence: impl Into<String>) -> Self {
        Self { kind, never_sent, sentence: sentence.into() }
    }

    /// Returns whether the other side may have acted upon the request: what it did is unknown then,
    /// and asking again may do it twice.
    ///
    /// A redirect is an answer, so nothing is unknown about it.
    pub fn may_have_acted(&self) -> bool {
        !self.never_sent && self.kind != HttpErrorKind::Redirect
    }

    /// Returns who can do something about it.
    pub fn fault(&self) -> Fault {
        match self.kind {
            HttpErrorKind::BadRequest => Fault::Config,
            HttpErrorKind::Blocked => Fault::Denied,
            HttpErrorKind::BadReply
            | HttpErrorKind::Connection
            | HttpErrorKind::Dns
            | HttpErrorKind::Redirect
            | HttpErrorKind::Timeout
            | HttpErrorKind::Tls
            | HttpErrorKind::TooLarge => Fault::Unavailable { retry_after: None },
        }
    }

    /// Names what broke while connecting to one address.
    pub(crate) fn of_connect(error: &io::Error, host: &str) -> Self {
        let why = io_reason(error.kind());
        Self::new(HttpErrorKind::Connection, true, format!("no connection to {host}: {why}"))
    }

    /// Names what broke in the TLS handshake, before which no request leaves.
    pub(crate) fn of_handshake(error: &io::Error, host: &str) -> Self {
        let why = match cause::<rustls::Error>(error) {
            Some(tls) => tls_reason(tls),
            None if error.kind() == io::ErrorKind::UnexpectedEof => {
                "it ended in the middle of the TLS handshake"
            }
            None => io_reason(error.kind()),
        };
        let sentence = format!("no safe connection to {host}: {why}");
        Self::new(HttpErrorKind::Tls, true, sentence)
    }

    /// Names what the HTTP library reports of a request or of its response.
    pub(crate) fn of_hyper(error: &hyper::Error, never_sent: bool, host: &str) -> Self {
        use HttpErrorKind::{BadReply, BadRequest, Connection, Tls, TooLarge};
        let make = |kind, sentence: String| Self::new(kind, never_sent, sentence);
        // The library tells clients so in words alone.
        if error.is_parse() && error.to_string().contains("too large") {
            let sentence = format!("{host} sent headers of more than {HEADERS_BYTES_MAX} bytes");
            return make(TooLarge, sentence);
        }
        if error.is_parse() {
            return make(BadReply, format!("{host} did not answer in HTTP"));
        }
        if error.is_incomplete_message() {
            let sentence = format!("the connection to {host} ended before the whole reply came");
            return make(Connection, sentence);
        }
        if let Some(h2) = cause::<h2::Error>(error) {
            return Self::of_stream(h2, never_sent, host);
        }
        if let Some(tls) = cause::<rustls::Error>(error) {
            let why = tls_reason(tls);
            return make(Tls, format!("the safe connection to {host} broke: {why}"));
        }
        if let Some(io) = cause::<io::Error>(error) {
            return match io.kind() {
                // So the library names a body whose chunks are none.
                io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData => {
                    make(BadReply, format!("the body that {host} sent is no HTTP"))
                }
                kind => {
                    let why = io_reason(kind);
                    make(Connection, format!("the connection to {host} broke: {why}"))
                }
            };
        }
        if error.is_user() && never_sent && !error.is_canceled() {
            return make(BadRequest, format!("the request to {host} cannot be built"));
        }
        make(Connection, format!("the connection to {host} ended before the whole reply came"))
    }

    /// Names what became of a stream of HTTP/2.
    fn of_stream(error: &h2::Error, never_sent: bool, host: &str) -> Self {
        use HttpErrorKind::{BadReply, Connection};
        let refused = error.reason() == Some(h2::Reason::REFUSED_STREAM);
        if error.is_remote() || error.is_io() {
            // RFC 9113, 8.7: a refused stream was not processed at all.
            let why = if refused { "it did not take the request" } else { "it closed it" };
            let sentence = format!("the connection to {host} broke: {why}");
            return Self::new(Connection, never_sent || refused, sentence);
        }
        Self::new(BadReply, never_sent, format!("{host} did not keep to HTTP/2"))
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
            .downcast_ref::<io::Error>()
            .and_then(io::Error::get_ref)
            .map(|inner| inner as &(dyn std::error::Error + 'static));
        next = inside.or_else(|| current.source());
    }
    found
}

pub(crate) fn io_reason(kind: io::ErrorKind) -> &'static str {
    match kind {
        io::ErrorKind::ConnectionRefused => "nothing listens there",
        io::ErrorKind::ConnectionReset
        | io::ErrorKind::ConnectionAborted
        | io::ErrorKind::BrokenPipe => "the other side closed it",
        io::ErrorKind::HostUnreachable | io::ErrorKind::NetworkUnreachable => {
            "there is no way to it from here"
        }
        io::ErrorKind::TimedOut => "it took too long",
        io::ErrorKind::UnexpectedEof => "it ended too early",
        _ => "it failed",
    }
}

fn tls_reason(error: &rustls::Error) -> &'static str {
    use rustls::{AlertDescription as Alert, CertificateError as Certificate, Error};
    match error {
        Error::InvalidCertificate(Certificate::Expired | Certificate::ExpiredContext { .. }) => {
            "its certificate has expired; if not, this machine's clock is wrong"
        }
        Error::InvalidCertificate(
            Certificate::NotValidYet | Certificate::NotValidYetContext { .. },
        ) => "its certificate is not valid yet; if it is, this machine's clock is wrong",
        Error::InvalidCertificate(
            Certificate::NotValidForName | Certificate::NotValidForNameContext { .. },
        ) => "its certificate is for another name",
        Error::InvalidCertificate(Certificate::UnknownIssuer | Certificate::BadSignature) => {
            "nobody known here vouches for its certificate; if a proxy or virus scanner opens TLS \
             on this network, or the server has a certificate of its own making, add the issuing \
             certificate to this machine's trusted ones or name its file in SSL_CERT_FILE"
        }
        Error::InvalidCertificate(_) => "its certificate is not valid",
        Error::InvalidMessage(_) => "it does not speak TLS; is it http:// rather than https://?",
        Error::AlertReceived(Alert::CertificateRequired | Alert::BadCertificate) => {
            "it asks for a certificate of ours, and we have none"
        }
        Error::AlertReceived(Alert::UnrecognisedName) => {
            "it does not know the name it is asked for"
        }
        Error::AlertReceived(Alert::ProtocolVersion) => "it speaks only versions of TLS before 1.2",
        _ => "the TLS handshake failed",
    }
}

//! Going through a proxy.

use std::fmt;

use hyper::header::HeaderValue;
use manos_model::Secret;
use manos_wire_tool::address::{Host, Scheme, Target};
use manos_wire_tool::mask::base64;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::wire::Wire;
use crate::{HttpError, HttpErrorKind};

/// The most bytes of a proxy's answer to `CONNECT`; a longer one is `BadReply`.
pub const PROXY_REPLY_BYTES_MAX: usize = 8 * 1024;

/// Which proxy requests go through. Those of the environment are not used.
#[derive(Debug, Clone, Default)]
pub enum Proxy {
    /// None.
    #[default]
    Off,
    /// This one for everything but this machine itself: `http://[user:password@]host:port`.
    Url(Secret<String>),
}

/// A proxy's address, taken apart.
#[derive(Clone)]
pub(crate) struct ProxyAddress {
    pub(crate) host: Host,
    pub(crate) port: u16,
    /// `Proxy-Authorization`.
    pub(crate) authorization: Option<HeaderValue>,
}

impl fmt::Debug for ProxyAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ProxyAddress({}:{})", self.host, self.port)
    }
}

impl ProxyAddress {
    /// Reads the setting; the sentence says what is wrong with it.
    pub(crate) fn read(proxy: &Proxy) -> Result<Option<Self>, String> {
        let Proxy::Url(url) = proxy else { return Ok(None) };
        let url = url.expose();
        let (scheme, rest) = url.split_once("://").unwrap_or(("http", url));
        let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
        let (user_info, place) = match authority.rsplit_once('@') {
            Some((user_info, place)) => (Some(user_info), place),
            None => (None, authority),
        };
        let target = Target::parse(&format!("{scheme}://{place}"))
            .map_err(|error| format!("`network.proxy` cannot be used: {error}"))?;
        if target.scheme() == Scheme::Https {
            return Err("`network.proxy` cannot be used: write http://host:port; the way to the \
                        proxy itself is not over TLS, what goes through it is"
                .to_owned());
        }
        let authorization = user_info.map(authorization).transpose()?;
        Ok(Some(Self { host: target.host().clone(), port: target.port(), authorization }))
    }

    /// Asks the proxy for a tunnel to `place` (`host:port`).
    pub(crate) async fn tunnel(&self, wire: &mut Wire, place: &str) -> Result<(), HttpError> {
        let mut request = format!("CONNECT {place} HTTP/1.1\r\nhost: {place}\r\n").into_bytes();
        if let Some(authorization) = &self.authorization {
            request.extend_from_slice(b"proxy-authorization: ");
            request.extend_from_slice(authorization.as_bytes());
            request.extend_from_slice(b"\r\n");
        }
        request.extend_from_slice(b"\r\n");
        let broke = |error: &std::io::Error| {
            let why = crate::error::io_reason(error.kind());
            let sentence = format!("the connection to the proxy {} broke: {why}", self.host);
            HttpError::new(HttpErrorKind::Connection, true, sentence)
        };
        wire.write_all(&request).await.map_err(|error| broke(&error))?;
        let mut reply = Vec::with_capacity(256);
        // Byte by byte, so that nothing of what follows the head is taken from the tunnel.
        while !reply.ends_with(b"\r\n\r\n") {
            if reply.len() >= PROXY_REPLY_BYTES_MAX {
                return Err(self.refusal("an answer that is no HTTP"));
            }
            let byte = wire.read_u8().await.map_err(|error| broke(&error))?;
            reply.push(byte);
        }
        match status(&reply) {
            Some(200..=299) => Ok(()),
            Some(407) => {
                let sentence = format!(
                    "the proxy {} wants a user and password: write them into `network.proxy`",
                    self.host
                );
                Err(HttpError::new(HttpErrorKind::Connection, true, sentence))
            }
            Some(status) => Err(self.refusal(&format!("status {status}"))),
            None => Err(self.refusal("an answer that is no HTTP")),
        }
    }

    fn refusal(&self, what: &str) -> HttpError {
        let sentence = format!("the proxy {} opened no way to the other side: {what}", self.host);
        HttpError::new(HttpErrorKind::Connection, true, sentence)
    }
}

fn status(reply: &[u8]) -> Option<u16> {
    let line = std::str::from_utf8(reply.split(|byte| *byte == b'\r').next()?).ok()?;
    let (version, rest) = line.split_once(' ')?;
    let digits = rest.get(..3)?;
    if version.starts_with("HTTP/1.") { digits.parse().ok() } else { None }
}

/// Makes `Basic …` of `user:password`, both percent-decoded.
fn authorization(user_info: &str) -> Result<HeaderValue, String> {
    let decoded = percent_decoded(user_info.as_bytes());
    let decoded = if decoded.contains(&b':') { decoded } else { [&decoded[..], b":"].concat() };
    let mut encoded = base64(&decoded);
    // The masker's form leaves out the padding, which this scheme wants.
    encoded.extend(std::iter::repeat_n('=', encoded.len().next_multiple_of(4) - encoded.len()));
    let mut value = HeaderValue::try_from(format!("Basic {encoded}"))
        .map_err(|_| "the user of `network.proxy` cannot be sent".to_owned())?;
    value.set_sensitive(true);
    Ok(value)
}

fn percent_decoded(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((first, after)) = rest.split_first() {
        let digit = |at: usize| after.get(at).and_then(|byte| char::from(*byte).to_digit(16));
        let pair = digit(0).zip(digit(1)).filter(|_| *first == b'%');
        if let Some(byte) = pair.and_then(|(high, low)| u8::try_from(high * 16 + low).ok()) {
            out.push(byte);
            rest = after.get(2..).unwrap_or_default();
        } else {
            out.push(*first);
            rest = after;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(url: &str) -> Result<(String, Option<String>), String> {
        let address = ProxyAddress::read(&Proxy::Url(Secret::new(url.to_owned())))?.unwrap();
        let authorization = address.authorization.map(|value| value.to_str().unwrap().to_owned());
        Ok((format!("{}:{}", address.host, address.port), authorization))
    }

    #[test]
    fn a_proxy_is_a_host_with_a_user_or_without() {
        let none = |place: &str| Ok((place.to_owned(), None));
        let some =
            |place: &str, basic: &str| Ok((place.to_owned(), Some(format!("Basic {basic}"))));
        let cases = [
            ("http://proxy.example:3128", none("proxy.example:3128")),
            ("proxy.example:3128", none("proxy.example:3128")),
            ("http://proxy.example/", none("proxy.example:80")),
            ("http://a:b@proxy.example:1", some("proxy.example:1", "YTpi")),
            ("http://a:b%40c@[::1]:1", some("[::1]:1", "YTpiQGM=")),
            ("http://ab@proxy.example:1", some("proxy.example:1", "YWI6")),
            ("http://abc:@proxy.example:1", some("proxy.example:1", "YWJjOg==")),
        ];
        for (url, expected) in cases {
            assert_eq!(read(url), expected, "{url}");
        }
        for url in ["https://proxy.example", "socks5://proxy.example", "http://", "http://a b"] {
            assert!(read(url).unwrap_err().contains("`network.proxy`"), "{url}");
        }
    }
}

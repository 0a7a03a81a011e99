//! What is sent.

use std::sync::Arc;

use bytes::Bytes;
use hyper::Method;
use hyper::header::{self, HeaderMap, HeaderName, HeaderValue};
use manos_model::Secret;
use manos_wire_tool::address::{AddressPolicy, Redirects};

use crate::{HttpError, HttpErrorKind, HttpLimits};

/// Headers that say how the bytes are carried: ours to set.
const OURS: [HeaderName; 9] = [
    header::CONNECTION,
    header::CONTENT_LENGTH,
    header::HOST,
    header::PROXY_AUTHORIZATION,
    header::TE,
    header::TRAILER,
    header::TRANSFER_ENCODING,
    header::UPGRADE,
    HeaderName::from_static("keep-alive"),
];

/// The methods that are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HttpMethod {
    /// `DELETE`.
    Delete,
    /// `GET`.
    Get,
    /// `PATCH`.
    Patch,
    /// `POST`.
    Post,
    /// `PUT`.
    Put,
}

impl HttpMethod {
    pub(crate) fn of_hyper(self) -> Method {
        match self {
            Self::Delete => Method::DELETE,
            Self::Get => Method::GET,
            Self::Patch => Method::PATCH,
            Self::Post => Method::POST,
            Self::Put => Method::PUT,
        }
    }
}

/// Whether the secret headers go along: not to where a redirect leads away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Secrets {
    GoAlong,
    StayHere,
}

/// One request with its limits.
#[derive(Debug, Clone)]
pub struct HttpRequest {
    /// How.
    pub method: HttpMethod,
    /// Where, with scheme.
    pub url: String,
    /// Plain headers, sent in this order.
    pub headers: Vec<(String, String)>,
    /// Headers that must not be printed, such as `Authorization`.
    pub secret_headers: Vec<(String, Secret<String>)>,
    /// What; empty for none.
    pub body: Bytes,
    /// Its limits.
    pub limits: HttpLimits,
    /// Where it may go; `None` is the client's own rule, for addresses that the operator wrote.
    pub policy: Option<Arc<AddressPolicy>>,
    /// Whether a redirect is followed. Only GET ever is.
    pub redirects: Redirects,
}

impl HttpRequest {
    /// Starts a request without headers and body, within the default limits.
    pub fn new(method: HttpMethod, url: impl Into<String>) -> Self {
        Self {
            method,
            url: url.into(),
            headers: Vec::new(),
            secret_headers: Vec::new(),
            body: Bytes::new(),
            limits: HttpLimits::default(),
            policy: None,
            redirects: Redirects::None,
        }
    }

    /// Puts the headers into the library's form, ours first.
    ///
    /// A body is asked for as it is: what was compressed would have to be unpacked, under limits of
    /// its own.
    pub(crate) fn header_map(&self, secrets: Secrets) -> Result<HeaderMap, HttpError> {
        const AGENT: HeaderValue =
            HeaderValue::from_static(concat!("manos/", env!("CARGO_PKG_VERSION")));
        let count = self.headers.len() + self.secret_headers.len() + 3;
        let mut map = HeaderMap::with_capacity(count);
        for (name, value) in &self.headers {
            let (name, value) = header(name, value)?;
            map.append(name, value);
        }
        let secret_headers = match secrets {
            Secrets::GoAlong => &self.secret_headers[..],
            Secrets::StayHere => &[],
        };
        for (name, value) in secret_headers {
            let (name, mut value) = header(name, value.expose())?;
            value.set_sensitive(true);
            map.append(name, value);
        }
        map.entry(header::USER_AGENT).or_insert(AGENT);
        map.entry(header::ACCEPT_ENCODING).or_insert(HeaderValue::from_static("identity"));
        Ok(map)
    }
}

fn header(name: &str, value: &str) -> Result<(HeaderName, HeaderValue), HttpError> {
    let bad = |what: &str| {
        let sentence = format!("the header {name:?} {what}");
        HttpError::new(HttpErrorKind::BadRequest, true, sentence)
    };
    let parsed_name: HeaderName =
        name.parse().map_err(|_| bad("has a name that HTTP cannot carry"))?;
    // What is no ASCII goes out as the UTF-8 that it is.
    let parsed_value = HeaderValue::from_bytes(value.as_bytes())
        .map_err(|_| bad("has a value that HTTP cannot carry"))?;
    if OURS.contains(&parsed_name) {
        Err(bad("is set by the client itself"))
    } else {
        Ok((parsed_name, parsed_value))
    }
}

//! What is sent.

use bytes::Bytes;

use manos_model::Secret;

use crate::{HttpError, HttpErrorKind, HttpLimits};

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
    pub(crate) fn of_reqwest(self) -> reqwest::Method {
        match self {
            Self::Delete => reqwest::Method::DELETE,
            Self::Get => reqwest::Method::GET,
            Self::Patch => reqwest::Method::PATCH,
            Self::Post => reqwest::Method::POST,
            Self::Put => reqwest::Method::PUT,
        }
    }
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
        }
    }

    /// Puts the headers into the library's form.
    pub(crate) fn header_map(&self) -> Result<reqwest::header::HeaderMap, HttpError> {
        let mut map = reqwest::header::HeaderMap::with_capacity(self.headers.len() + 1);
        for (name, value) in &self.headers {
            let (name, value) = header(name, value)?;
            map.append(name, value);
        }
        for (name, value) in &self.secret_headers {
            let (name, mut value) = header(name, value.expose())?;
            value.set_sensitive(true);
            map.append(name, value);
        }
        Ok(map)
    }
}

fn header(
    name: &str,
    value: &str,
) -> Result<(reqwest::header::HeaderName, reqwest::header::HeaderValue), HttpError> {
    let bad = |what: &str| {
        let sentence = format!("the header {name:?} has {what} that HTTP cannot carry");
        HttpError::new(HttpErrorKind::BadRequest, true, sentence)
    };
    let parsed_name = name.parse().map_err(|_| bad("a name"))?;
    let parsed_value = value.parse().map_err(|_| bad("a value"))?;
    Ok((parsed_name, parsed_value))
}

//! Sending.

use std::sync::{Arc, OnceLock};

use tokio::time::Instant;

use crate::response::deadline;
use crate::{CONNECT_WAIT, HttpError, HttpErrorKind, HttpRequest, HttpResponse, tls};

/// Which proxy requests go through.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Proxy {
    /// `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY`, `NO_PROXY`.
    #[default]
    Environment,
    /// None, whatever the environment says.
    Off,
    /// This one for everything.
    Url(String),
}

/// The HTTP client. Cheap to clone; clones share the pool of open connections.
///
/// It speaks HTTP/1.1, follows no redirect, keeps no cookie, and is built when the first request
/// is made: a program that never calls out pays nothing for reading certificates.
///
/// ```
/// use manos_net::{HttpClient, Proxy};
/// let client = HttpClient::new(Proxy::Environment);
/// let same_pool = client.clone();
/// ```
#[derive(Debug, Clone, Default)]
pub struct HttpClient {
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    proxy: Proxy,
    built: OnceLock<Result<reqwest::Client, String>>,
}

impl HttpClient {
    /// Makes a client.
    pub fn new(proxy: Proxy) -> Self {
        Self { shared: Arc::new(Shared { proxy, built: OnceLock::new() }) }
    }

    /// Sends the request and returns once the status and headers are here.
    ///
    /// # Errors
    ///
    /// [`HttpError`] when no response came within the limits.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future closes the socket; the other side may have the request by then.
    pub async fn send(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let started = Instant::now();
        let client = self.client()?;
        let headers = request.header_map()?;
        let url = reqwest::Url::parse(&request.url).ok().filter(reqwest::Url::has_host);
        let Some(url) = url.filter(|url| matches!(url.scheme(), "http" | "https")) else {
            let sentence = "the address of a request is no http:// or https:// address";
            return Err(HttpError::new(HttpErrorKind::BadRequest, true, sentence));
        };
        let host = host_of(&url);
        let mut builder = client.request(request.method.of_reqwest(), url).headers(headers);
        if !request.body.is_empty() {
            builder = builder.body(request.body);
        }
        let limits = request.limits;
        let until = deadline(started, limits.total.min(limits.first_byte));
        match tokio::time::timeout_at(until, builder.send()).await {
            Ok(Ok(response)) => Ok(HttpResponse::new(response, host, limits, started)),
            Ok(Err(error)) => Err(HttpError::of_reqwest(&error, &host)),
            Err(_) => {
                let sentence = format!("{host} did not answer in time");
                Err(HttpError::new(HttpErrorKind::Timeout, false, sentence))
            }
        }
    }

    fn client(&self) -> Result<&reqwest::Client, HttpError> {
        self.shared
            .built
            .get_or_init(|| build(&self.shared.proxy))
            .as_ref()
            .map_err(|sentence| HttpError::new(HttpErrorKind::BadRequest, true, sentence.clone()))
    }
}

#[expect(clippy::disallowed_methods, reason = "this is the one place that makes the client")]
fn build(proxy: &Proxy) -> Result<reqwest::Client, String> {
    let tls = tls::config().map_err(|_| "TLS cannot be set up on this machine".to_owned())?;
    let mut builder = reqwest::Client::builder()
        .tls_backend_preconfigured(tls)
        .user_agent(concat!("manos/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(CONNECT_WAIT)
        .redirect(reqwest::redirect::Policy::none());
    match proxy {
        Proxy::Environment => {}
        Proxy::Off => builder = builder.no_proxy(),
        Proxy::Url(url) => {
            let all = reqwest::Proxy::all(url).map_err(|_| "the proxy is no address".to_owned())?;
            builder = builder.no_proxy().proxy(all);
        }
    }
    builder.build().map_err(|_| "the HTTP client cannot be set up".to_owned())
}

/// Names the other side without user, path and query.
fn host_of(url: &reqwest::Url) -> String {
    let host = url.host_str().unwrap_or("the other side");
    url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
}

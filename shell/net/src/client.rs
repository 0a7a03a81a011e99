//! Sending.

use std::sync::Arc;

use manos_wire_tool::address::{AddressPolicy, HostPattern, Redirects, Target, redirect};
use rustls::pki_types::CertificateDer;
use tokio::time::Instant;

use crate::connect::Connector;
use crate::exchange::Exchange;
use crate::pool::Pool;
use crate::request::Secrets;
use crate::response::deadline;
use crate::{
    HttpError, HttpErrorKind, HttpMethod, HttpRequest, HttpResponse, Proxy, Resolve, SystemResolver,
};

/// The HTTP client. Cheap to clone; clones share the open connections.
///
/// It speaks HTTP/1.1, and HTTP/2 where the other side offers it over TLS. It keeps no cookie, asks
/// for nothing compressed and follows no redirect that the request does not allow. Nothing is
/// prepared before the first request: a program that never calls out pays nothing for reading
/// certificates.
///
/// ```
/// use manos_net::{HttpClient, Proxy};
/// let client = HttpClient::new(Proxy::Off);
/// let same_connections = client.clone();
/// ```
#[derive(Debug, Clone)]
pub struct HttpClient {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    connector: Connector,
    pool: Arc<Pool>,
    policy: AddressPolicy,
}

impl Default for HttpClient {
    fn default() -> Self {
        Self::builder().build()
    }
}

/// Sets a client up; everything is optional.
///
/// ```
/// use manos_net::{HostPattern, HttpClient};
/// let client = HttpClient::builder()
///     .allow_http(vec![HostPattern::parse("models.lan").unwrap()])
///     .build();
/// ```
#[derive(Debug)]
#[must_use]
pub struct HttpClientBuilder {
    proxy: Proxy,
    allow_http: Vec<HostPattern>,
    resolver: Arc<dyn Resolve>,
    more_roots: Vec<CertificateDer<'static>>,
}

impl HttpClientBuilder {
    /// Goes through a proxy. Default: none, whatever the environment says.
    pub fn proxy(mut self, proxy: Proxy) -> Self {
        self.proxy = proxy;
        self
    }

    /// Also speaks to these hosts without TLS. Default: to this machine only.
    pub fn allow_http(mut self, hosts: Vec<HostPattern>) -> Self {
        self.allow_http = hosts;
        self
    }

    /// Looks names up in another way. Default: [`SystemResolver`].
    pub fn resolver(mut self, resolver: Arc<dyn Resolve>) -> Self {
        self.resolver = resolver;
        self
    }

    /// Trusts these issuers as well as the machine's own.
    pub fn more_roots(mut self, roots: Vec<CertificateDer<'static>>) -> Self {
        self.more_roots = roots;
        self
    }

    /// Makes the client.
    pub fn build(self) -> HttpClient {
        let connector = Connector::new(self.resolver, &self.proxy, self.more_roots);
        let policy = AddressPolicy::Configured { allow_http: self.allow_http };
        HttpClient { shared: Arc::new(Shared { connector, pool: Arc::default(), policy }) }
    }
}

impl HttpClient {
    /// Makes a client that goes through this proxy.
    pub fn new(proxy: Proxy) -> Self {
        Self::builder().proxy(proxy).build()
    }

    /// Starts setting a client up.
    pub fn builder() -> HttpClientBuilder {
        HttpClientBuilder {
            proxy: Proxy::Off,
            allow_http: Vec::new(),
            resolver: Arc::new(SystemResolver),
            more_roots: Vec::new(),
        }
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
        let Shared { connector, pool, policy } = &*self.shared;
        let started = Instant::now();
        let limits = request.limits;
        let policy = request.policy.as_deref().unwrap_or(policy);
        let mut target = Target::parse(&request.url).map_err(|error| {
            HttpError::new(HttpErrorKind::BadRequest, true, format!("no request: {error}"))
        })?;
        let mut secrets = Secrets::GoAlong;
        let mut headers = Some(request.header_map(secrets)?);
        let until = deadline(started, limits.total.min(limits.first_byte));
        for followed in 0_u8.. {
            policy.check_target(&target).map_err(|refusal| {
                let sentence = format!("{} is not asked: {refusal}", target.authority());
                HttpError::new(HttpErrorKind::Blocked, followed == 0, sentence)
            })?;
            let (request, target_now, headers) = (&request, &target, headers.take());
            let mut exchange =
                Exchange { request, target: target_now, policy, headers, secrets, until };
            let ended = exchange.run(connector, pool).await;
            let (response, channel) = ended.map_err(|error| {
                // The first redirect was an answer: that request was heard.
                HttpError { never_sent: error.never_sent && followed == 0, ..error }
            })?;
            let host = target.authority();
            let response =
                HttpResponse::new(response, channel, Arc::clone(pool), host, limits, started)?;
            let Some(next) = next_target(request, &target, &response, followed)? else {
                return Ok(response);
            };
            if !next.is_same_origin(&target) {
                secrets = Secrets::StayHere;
            }
            target = next;
        }
        Err(HttpError::new(HttpErrorKind::Redirect, false, "it is redirected without end"))
    }
}

/// Where the answer sends the request, when redirects are followed.
fn next_target(
    request: &HttpRequest,
    from: &Target,
    response: &HttpResponse,
    followed: u8,
) -> Result<Option<Target>, HttpError> {
    let follows = request.method == HttpMethod::Get && request.redirects != Redirects::None;
    let moved = matches!(response.status(), 301 | 302 | 303 | 307 | 308);
    let Some(location) = response.header("location").filter(|_| follows && moved) else {
        return Ok(None);
    };
    redirect(from, location, request.redirects, followed).map(Some).map_err(|refusal| {
        let sentence = format!("{}: {refusal}", from.authority());
        HttpError::new(HttpErrorKind::Redirect, false, sentence)
    })
}

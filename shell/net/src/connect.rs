//! From an address to a connection that HTTP can be spoken over.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use hyper::header::HeaderValue;
use manos_wire_tool::address::{AddressPolicy, Host, Scheme, Target};
use rustls::pki_types::{CertificateDer, ServerName};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

use crate::http1::Http1;
use crate::http2::Http2;
use crate::pool::{Free, Key, Pool};
use crate::proxy::ProxyAddress;
use crate::resolve::Resolve;
use crate::wire::{Io, Wire};
use crate::{HttpError, HttpErrorKind, Proxy, tls};

/// How many addresses of one name are tried at most; all of them are judged.
pub const ADDRESSES_TRIED_MAX: usize = 8;

/// How long one address may be silent before the next one is tried beside it.
pub const ADDRESS_STAGGER: Duration = Duration::from_millis(250);

/// How a request names what it is for.
#[derive(Debug)]
pub(crate) enum Form {
    /// Path and query, to the other side itself.
    Path,
    /// The whole address, to a proxy.
    Whole {
        /// `Proxy-Authorization`.
        authorization: Option<HeaderValue>,
    },
}

/// Opens connections. Certificates are read when the first one needs TLS.
#[derive(Debug)]
pub(crate) struct Connector {
    resolver: Arc<dyn Resolve>,
    proxy: Result<Option<ProxyAddress>, String>,
    more_roots: Vec<CertificateDer<'static>>,
    tls: OnceLock<Option<Tls>>,
}

struct Tls(TlsConnector);

impl std::fmt::Debug for Tls {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Tls")
    }
}

impl Connector {
    pub(crate) fn new(
        resolver: Arc<dyn Resolve>,
        proxy: &Proxy,
        more_roots: Vec<CertificateDer<'static>>,
    ) -> Self {
        let proxy = ProxyAddress::read(proxy);
        Self { resolver, proxy, more_roots, tls: OnceLock::new() }
    }

    /// Returns how a request over HTTP/1.1 names its target.
    ///
    /// An address that a model chose is never left to the proxy: it would look the name up again.
    pub(crate) fn form(&self, target: &Target, policy: &AddressPolicy) -> Form {
        match self.proxy_for(target) {
            Ok(Some(proxy)) if target.scheme() == Scheme::Http && !is_model_chosen(policy) => {
                Form::Whole { authorization: proxy.authorization.clone() }
            }
            _ => Form::Path,
        }
    }

    /// Opens a connection to an address that the policy lets through, and to no other.
    pub(crate) async fn connect(
        &self,
        target: &Target,
        policy: &AddressPolicy,
        key: &Key,
        pool: &Arc<Pool>,
    ) -> Result<Free, HttpError> {
        let host = target.authority();
        let wire = self.wire(target, policy).await?;
        if target.scheme() == Scheme::Http {
            return http1(Io::Plain(wire), &host).await;
        }
        let (io, speaks_http2) = self.handshake(target, wire).await?;
        if !speaks_http2 {
            return http1(io, &host).await;
        }
        let http2 = Http2::new(io, pool.tasks())
            .await
            .map_err(|error| HttpError::of_hyper(&error, true, &host))?;
        pool.share(key.clone(), http2).ok_or_else(|| {
            let sentence = format!("{host} closed the connection at once");
            HttpError::new(HttpErrorKind::Connection, true, sentence)
        })
    }

    /// Returns the proxy for a target. This machine is reached without: to the proxy, `localhost` is
    /// another one.
    fn proxy_for(&self, target: &Target) -> Result<Option<&ProxyAddress>, HttpError> {
        let proxy = self.proxy.as_ref().map_err(|sentence| {
            HttpError::new(HttpErrorKind::BadRequest, true, sentence.as_str())
        })?;
        Ok(proxy.as_ref().filter(|_| !target.host().is_loopback()))
    }

    async fn wire(&self, target: &Target, policy: &AddressPolicy) -> Result<Wire, HttpError> {
        let Some(proxy) = self.proxy_for(target)? else {
            let addresses = self.checked_addresses(target, policy).await?;
            return dial(&addresses, target.port(), &target.authority()).await;
        };
        let place = if is_model_chosen(policy) {
            let addresses = self.checked_addresses(target, policy).await?;
            addresses.first().map(|ip| SocketAddr::new(*ip, target.port()).to_string())
        } else {
            Some(format!("{}:{}", target.host(), target.port()))
        };
        let addresses = self.addresses(&proxy.host).await?;
        let mut wire = dial(&addresses, proxy.port, &format!("the proxy {}", proxy.host)).await?;
        if let Some(place) = place.filter(|_| matches!(self.form(target, policy), Form::Path)) {
            proxy.tunnel(&mut wire, &place).await?;
        }
        Ok(wire)
    }

    /// Looks the host up, once, and judges every address that comes.
    async fn checked_addresses(
        &self,
        target: &Target,
        policy: &AddressPolicy,
    ) -> Result<Vec<IpAddr>, HttpError> {
        let addresses = self.addresses(target.host()).await?;
        for ip in &addresses {
            policy.check_address(target, *ip).map_err(|refusal| {
                let sentence = format!("{} is not asked: {refusal}", target.authority());
                HttpError::new(HttpErrorKind::Blocked, true, sentence)
            })?;
        }
        Ok(addresses)
    }

    async fn addresses(&self, host: &Host) -> Result<Vec<IpAddr>, HttpError> {
        let name = match host {
            Host::Ip(ip) => return Ok(vec![*ip]),
            Host::Name(name) => name,
        };
        let found = self.resolver.resolve(name).await.unwrap_or_default();
        if found.is_empty() {
            let sentence = format!("the name {name} has no address, or no name server answers");
            return Err(HttpError::new(HttpErrorKind::Dns, true, sentence));
        }
        Ok(found)
    }

    /// Agrees on TLS and returns whether HTTP/2 is spoken over it.
    async fn handshake(&self, target: &Target, wire: Wire) -> Result<(Io, bool), HttpError> {
        let host = target.authority();
        let unusable = |why: &str| {
            let sentence = format!("no safe connection to {host}: {why}");
            HttpError::new(HttpErrorKind::Tls, true, sentence)
        };
        let name = match target.host() {
            Host::Ip(ip) => ServerName::from(*ip),
            Host::Name(name) => ServerName::try_from(name.clone())
                .map_err(|_| unusable("no certificate can be for such a name"))?,
        };
        let tls = self.tls.get_or_init(|| {
            let config = tls::config(&self.more_roots).ok()?;
            Some(Tls(TlsConnector::from(Arc::new(config))))
        });
        let tls = tls.as_ref().ok_or_else(|| unusable("TLS cannot be set up on this machine"))?;
        let stream = tls
            .0
            .connect(name, wire)
            .await
            .map_err(|error| HttpError::of_handshake(&error, &host))?;
        let speaks_http2 = stream.get_ref().1.alpn_protocol() == Some(b"h2");
        Ok((Io::Tls(Box::new(stream)), speaks_http2))
    }
}

fn is_model_chosen(policy: &AddressPolicy) -> bool {
    matches!(policy, AddressPolicy::ModelChosen { .. })
}

async fn http1(io: Io, host: &str) -> Result<Free, HttpError> {
    let http1 = Http1::new(io).await.map_err(|error| HttpError::of_hyper(&error, true, host))?;
    Ok(Free::Http1(Box::new(http1)))
}

async fn dial(addresses: &[IpAddr], port: u16, host: &str) -> Result<Wire, HttpError> {
    let in_order = by_turns(addresses);
    let tcp =
        first_of(&in_order, port).await.map_err(|error| HttpError::of_connect(&error, host))?;
    // A request is written whole, so there is nothing to wait for.
    if let Err(error) = tcp.set_nodelay(true) {
        tracing::debug!(%error, "TCP_NODELAY cannot be set");
    }
    Ok(Wire::new(tcp))
}

/// Takes the two families by turns, beginning with that of the first address: a machine whose IPv6
/// leads nowhere reaches the other side all the same.
///
/// # Source
///
/// [RFC 8305](https://www.rfc-editor.org/rfc/rfc8305).
fn by_turns(addresses: &[IpAddr]) -> Vec<IpAddr> {
    let Some(first) = addresses.first() else { return Vec::new() };
    let (same, other): (Vec<IpAddr>, Vec<IpAddr>) =
        addresses.iter().partition(|ip| ip.is_ipv4() == first.is_ipv4());
    let mut in_order = Vec::with_capacity(addresses.len());
    let (mut same, mut other) = (same.into_iter(), other.into_iter());
    loop {
        let before = in_order.len();
        in_order.extend(same.next());
        in_order.extend(other.next());
        if in_order.len() == before {
            break;
        }
    }
    in_order.truncate(ADDRESSES_TRIED_MAX);
    in_order
}

/// Connects to the first address that takes it, each a little after the one before.
async fn first_of(addresses: &[IpAddr], port: u16) -> io::Result<TcpStream> {
    let mut left = addresses.iter();
    let mut tries = FuturesUnordered::new();
    let mut failure = io::Error::from(io::ErrorKind::AddrNotAvailable);
    loop {
        if let Some(ip) = left.next() {
            tries.push(TcpStream::connect(SocketAddr::new(*ip, port)));
        } else if tries.is_empty() {
            return Err(failure);
        }
        tokio::select! {
            Some(tried) = tries.next() => match tried {
                Ok(tcp) => return Ok(tcp),
                Err(error) => failure = error,
            },
            () = tokio::time::sleep(ADDRESS_STAGGER), if left.len() > 0 => {}
        }
    }
}

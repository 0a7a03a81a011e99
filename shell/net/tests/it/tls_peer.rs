//! Certificates of our own making, and a server that shows them.

use std::sync::Arc;

use manos_net::{HostPattern, HttpClient, HttpClientBuilder, Resolve};
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair, date_time_ymd};
use rustls::ServerConfig;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

/// Whom the tests' client trusts.
pub(crate) struct Authority {
    issuer: Issuer<'static, KeyPair>,
    root: CertificateDer<'static>,
}

/// What is wrong with a certificate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flaw {
    Expired,
    None,
    NotYetValid,
    OtherName,
    SelfSigned,
}

impl Authority {
    pub(crate) fn new() -> Self {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().unwrap();
        let root = params.self_signed(&key).unwrap().der().clone();
        Self { issuer: Issuer::new(params, key), root }
    }

    /// A client that trusts it and knows `tls.example`.
    pub(crate) fn client(&self) -> HttpClientBuilder {
        let resolver: Arc<dyn Resolve> = Arc::new(Loopback);
        HttpClient::builder()
            .resolver(resolver)
            .allow_http(vec![HostPattern::parse("*").unwrap()])
            .more_roots(vec![self.root.clone()])
    }

    /// A server's settings with a certificate for `tls.example`.
    pub(crate) fn server(&self, flaw: Flaw, protocols: &[&str]) -> ServerConfig {
        let name = if flaw == Flaw::OtherName { "other.example" } else { "tls.example" };
        let mut params = CertificateParams::new(vec![name.to_owned()]).unwrap();
        if flaw == Flaw::Expired {
            (params.not_before, params.not_after) =
                (date_time_ymd(2001, 1, 1), date_time_ymd(2002, 1, 1));
        }
        if flaw == Flaw::NotYetValid {
            params.not_before = date_time_ymd(4000, 1, 1);
        }
        let key = KeyPair::generate().unwrap();
        let leaf = if flaw == Flaw::SelfSigned {
            params.self_signed(&key).unwrap()
        } else {
            params.signed_by(&key, &self.issuer).unwrap()
        };
        let key = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![leaf.der().clone()], key)
            .unwrap();
        config.alpn_protocols =
            protocols.iter().map(|protocol| protocol.as_bytes().to_vec()).collect();
        config
    }
}

/// Every name is this machine.
#[derive(Debug)]
struct Loopback;

#[async_trait::async_trait]
impl Resolve for Loopback {
    async fn resolve(&self, _name: &str) -> std::io::Result<Vec<std::net::IpAddr>> {
        Ok(vec![std::net::Ipv4Addr::LOCALHOST.into()])
    }
}

/// A listener that speaks TLS.
pub(crate) struct TlsListener {
    listener: TcpListener,
    acceptor: TlsAcceptor,
}

impl TlsListener {
    pub(crate) async fn bind(config: ServerConfig) -> (Self, u16) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        (Self { listener, acceptor: TlsAcceptor::from(Arc::new(config)) }, port)
    }

    /// Takes the next connection; an error when the client does not like the certificate.
    pub(crate) async fn accept(&self) -> std::io::Result<TlsStream<TcpStream>> {
        let (socket, _) = self.listener.accept().await?;
        self.acceptor.accept(socket).await
    }
}

//! Whom we trust: the machine's certificates, or the bundled ones where it has none.

use std::sync::Arc;

use rustls::pki_types::CertificateDer;

/// Makes the TLS settings: ring, TLS 1.2 and 1.3, HTTP/2 before HTTP/1.1, the machine's root
/// certificates and the given ones.
///
/// A machine without certificates (a bare container) gets the Mozilla roots that are built in.
pub(crate) fn config(
    more_roots: &[CertificateDer<'static>],
) -> Result<rustls::ClientConfig, rustls::Error> {
    let mut roots = rustls::RootCertStore::empty();
    let native = rustls_native_certs::load_native_certs();
    let (added, skipped) = roots.add_parsable_certificates(native.certs);
    if added == 0 {
        tracing::debug!(skipped, "this machine has no root certificates, the built-in ones serve");
        roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
    }
    for root in more_roots {
        roots.add(root.clone())?;
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(config)
}

//! From the agent file to tools over HTTP.

use manos_config::{AgentFile, Endpoint as EndpointFile};
use manos_net::HttpClient;
use manos_tools::{EndpointSpec, HttpTools};
use manos_wire_tool::address::AddressError;
use manos_wire_tool::http::{Endpoint, UrlTemplate, UrlTemplateError, Webhook};
use manos_wire_tool::signing::{EmptySecret, HeaderNames, PrefixError, Signer};

/// Why tools over HTTP cannot be set up. A file that was checked has none of these.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HttpSetupError {
    /// An address that is told what happens is none.
    #[error(transparent)]
    Address(#[from] AddressError),
    /// A secret to sign with is empty.
    #[error(transparent)]
    EmptySecret(#[from] EmptySecret),
    /// `signing.prefix` cannot be part of a header's name.
    #[error(transparent)]
    Prefix(#[from] PrefixError),
    /// An address is none.
    #[error(transparent)]
    Url(#[from] UrlTemplateError),
}

/// Makes what all tools over HTTP share.
pub(crate) fn tools(file: &AgentFile, client: HttpClient) -> Result<HttpTools, HttpSetupError> {
    let webhook = file.webhook.as_ref();
    let secrets = webhook.map(|webhook| &webhook.secrets[..]).unwrap_or_default();
    let signer = if secrets.is_empty() { None } else { Some(Signer::new(secrets)?) };
    Ok(HttpTools {
        client,
        signer,
        names: HeaderNames::new(&file.signing_prefix)?,
        webhook: webhook.map(|webhook| Webhook::new(webhook.url.expose())).transpose()?,
    })
}

/// Makes one tool with an endpoint.
pub(crate) fn endpoint(
    file: &EndpointFile,
    idempotent: bool,
) -> Result<EndpointSpec, HttpSetupError> {
    Ok(EndpointSpec {
        endpoint: Endpoint {
            url: UrlTemplate::parse(file.url.expose())?,
            method: file.method,
            format: file.request_format,
            placement: file.placement.clone(),
        },
        headers: file.headers.clone(),
        idempotent,
    })
}

//! The HTTP client of an agent, from its `network` settings.

use manos_config::Network;
use manos_net::{HostPattern, HttpClient, Proxy};

use crate::OpenError;

/// Makes the client that everything of one agent shares.
pub(crate) fn client(network: &Network) -> Result<HttpClient, OpenError> {
    let proxy = network.proxy.clone().map_or(Proxy::Off, Proxy::Url);
    let allow_http = HostPattern::list(&network.allow_http)?;
    Ok(HttpClient::builder().proxy(proxy).allow_http(allow_http).build())
}

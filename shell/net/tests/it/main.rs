//! The client against servers on loopback, most of which do not behave.
#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod guard;
mod http2;
mod misbehaving;
mod peer;
mod pool;
mod proxy;
mod redirects;
mod requests;
mod tls;
mod tls_peer;

use std::time::Duration;

use manos_net::{HttpClient, HttpError, HttpLimits, HttpMethod, HttpRequest};

/// What no test waits for in vain.
const SHORT: Duration = Duration::from_millis(80);

fn get(url: &str, limits: HttpLimits) -> HttpRequest {
    HttpRequest { limits, ..HttpRequest::new(HttpMethod::Get, url) }
}

/// Asks once, with a client of its own, for the whole body.
async fn fetch(url: &str, limits: HttpLimits) -> Result<(u16, Vec<u8>), HttpError> {
    fetch_with(&HttpClient::default(), get(url, limits)).await
}

async fn fetch_with(
    client: &HttpClient,
    request: HttpRequest,
) -> Result<(u16, Vec<u8>), HttpError> {
    let mut response = client.send(request).await?;
    let body = response.body().await?;
    Ok((response.status(), body))
}

#[test]
fn every_file_here_is_declared() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it");
    let main = std::fs::read_to_string(folder.join("main.rs")).unwrap();
    for entry in std::fs::read_dir(folder).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let module = name.trim_end_matches(".rs");
        assert!(module == "main" || main.contains(&format!("mod {module};")), "{name}");
    }
}

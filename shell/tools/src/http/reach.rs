//! Whether endpoints can be reached, without running anything.

use std::time::Duration;

use manos_net::{HttpLimits, HttpMethod, HttpRequest};
use manos_wire_tool::address::Target;
use manos_wire_tool::http::{Method, redirected};

use super::HttpTools;

/// How long one server may take to answer.
const REACH_WAIT: Duration = Duration::from_secs(10);

impl HttpTools {
    /// Asks for an address by GET, which changes nothing, without signature and own headers; says
    /// what is wrong with it. Any answer is one, but for one that sends us elsewhere.
    pub(crate) async fn reach(&self, method: Method, target: &Target) -> Result<(), String> {
        let request = HttpRequest {
            limits: HttpLimits::within(REACH_WAIT),
            ..HttpRequest::new(HttpMethod::Get, target.url())
        };
        let response = self.client.send(request).await.map_err(|error| error.to_string())?;
        let status = response.status();
        if !(300..400).contains(&status) {
            return Ok(());
        }
        match redirected(target, status, response.header("location")) {
            Ok(_) if method.only_reads() => Ok(()),
            Ok(_) => Err(format!(
                "it answers {status} and sends to another path, and {} follows nowhere",
                method.as_str()
            )),
            Err(error) => Err(format!("it answers {status}: {error}")),
        }
    }
}

//! The headers of a request.

use manos_net::HttpMethod;
use manos_wire_tool::http::{Encoded, Method};
use manos_wire_tool::signing::Signatures;

use super::{HttpTools, Prepared};
use crate::executor::RunParts;

/// What our requests are, as the event header says.
const EVENT: &str = "call";

impl HttpTools {
    /// Returns the headers that are ours. A `Content-Type` of the tool's own wins over ours.
    pub(super) fn own_headers(
        &self,
        encoded: &Encoded,
        prepared: &Prepared<'_>,
        run: &RunParts<'_>,
        signatures: Option<Signatures>,
    ) -> Vec<(String, String)> {
        let mut headers = Vec::with_capacity(7);
        let mut put = |name: &str, value: String| headers.push((name.to_owned(), value));
        let own = |(name, _): &(String, _)| name.eq_ignore_ascii_case("content-type");
        let content_type = encoded.content_type.as_ref();
        if let Some(media) = content_type.filter(|_| !prepared.headers.iter().any(own)) {
            put("Content-Type", media.clone());
        }
        for (name, value) in &encoded.headers {
            put(name, value.clone());
        }
        if let Some(call_id) = prepared.call_id {
            put(&self.names.call_id, call_id.as_str().to_owned());
        }
        put(&self.names.event, EVENT.to_owned());
        if !encoded.method.only_reads() {
            put("Idempotency-Key", run.run_id.as_str().to_owned());
        }
        if let Some(signatures) = signatures {
            put(&self.names.signature_v2, signatures.v2);
            put(&self.names.signature, signatures.legacy);
        }
        headers
    }
}

pub(super) fn method(method: Method) -> HttpMethod {
    match method {
        Method::Delete => HttpMethod::Delete,
        Method::Get => HttpMethod::Get,
        Method::Patch => HttpMethod::Patch,
        Method::Post => HttpMethod::Post,
        Method::Put => HttpMethod::Put,
    }
}

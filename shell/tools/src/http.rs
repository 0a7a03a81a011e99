//! Tools over HTTP: one request for each try of a run, within the tool's timeout.
//!
//! Owns sending, waiting, trying again and following. Which bytes go out and what a reply means is
//! in `manos_wire_tool::http`; the client's limits are in `manos_net`. Nothing is logged but the
//! tool, the run, and what kind of trouble there was: never an address, a header or a body.

mod headers;
mod reach;
mod trouble;

use std::time::Duration;

use manos_model::{Failure, RunEnd, Secret};
use manos_net::{HttpClient, HttpError, HttpLimits, HttpRequest, HttpResponse};
use manos_wire_tool::http::{
    Call, CallId, ERROR_BODY_BYTES_MAX, Encoded, Endpoint, Envelope, Place, REDIRECTS_MAX,
    RequestFormat, Tries, Webhook, read_reply, redirected, vapi,
};
use manos_wire_tool::signing::{HeaderNames, Signer};
use tokio::time::Instant;

use crate::executor::RunParts;
use crate::stop::{Stop, stopped};

/// What the client's own limits get beyond a run's timeout before the run is stopped from outside.
const STOP_GRACE: Duration = Duration::from_secs(1);
/// The time of a run whose tool has no timeout; tools over HTTP always have one.
const TIMEOUT: Duration = Duration::from_mins(3);

/// What all tools over HTTP share.
#[derive(Debug, Clone)]
pub struct HttpTools {
    /// Sends the requests; clones share connections.
    pub client: HttpClient,
    /// Signs them; `None` sends none of the signatures.
    pub signer: Option<Signer>,
    /// What our headers are called.
    pub names: HeaderNames,
    /// Runs tools without an endpoint.
    pub webhook: Option<Webhook>,
}

/// A tool with an endpoint.
#[derive(Debug, Clone)]
pub struct EndpointSpec {
    /// Where and how it is called.
    pub endpoint: Endpoint,
    /// Its own headers, sent as they are.
    pub headers: Vec<(String, Secret<String>)>,
    /// Whether running it twice is running it once, so that it may be tried again.
    pub idempotent: bool,
}

/// A request, and what the rest of its run needs to know of it.
struct Prepared<'a> {
    encoded: Encoded,
    call_id: Option<&'a CallId>,
    headers: &'a [(String, Secret<String>)],
    format: RequestFormat,
    /// Whether it may be sent again.
    again: bool,
}

/// The end of one try, and how long the endpoint asks to be left alone.
type Tried = (RunEnd, Option<Duration>);

impl HttpTools {
    /// Runs a tool with an endpoint.
    pub(crate) async fn run_endpoint(&self, spec: &EndpointSpec, run: RunParts<'_>) -> RunEnd {
        let call_id = CallId::of_chat(&run.context.chat);
        let encoded = match spec.endpoint.encode(&call(&run, &call_id)) {
            Ok(encoded) => encoded,
            Err(violations) => return RunEnd::NotDone(Failure::InvalidArguments { violations }),
        };
        let again = spec.idempotent || spec.endpoint.method.only_reads();
        let (headers, format) = (&spec.headers[..], spec.endpoint.format);
        let call_id = Some(&call_id);
        self.run(&Prepared { encoded, call_id, headers, format, again }, run).await
    }

    /// Runs a tool without an endpoint.
    pub(crate) async fn run_webhook(
        &self,
        webhook: &Webhook,
        idempotent: bool,
        run: RunParts<'_>,
    ) -> RunEnd {
        let call_id = CallId::of_chat(&run.context.chat);
        let encoded = webhook.encode(&Envelope {
            call: call(&run, &call_id),
            place: Place::of_channel(&run.context.channel),
            chat: &run.context.chat,
            channel: &run.context.channel,
            user: &run.context.user,
        });
        let format = RequestFormat::Standard;
        let prepared = Prepared { encoded, call_id: None, headers: &[], format, again: idempotent };
        self.run(&prepared, run).await
    }

    /// Sends a request until its end stands.
    async fn run(&self, prepared: &Prepared<'_>, run: RunParts<'_>) -> RunEnd {
        let started = Instant::now();
        let timeout = run.context.timeout.unwrap_or(TIMEOUT);
        let grace = Some(timeout + STOP_GRACE);
        let mut stop = std::pin::pin!(stopped(run.cancel, started, grace));
        let mut tries = Tries::default();
        loop {
            let clock = Clock { started, timeout };
            let (end, asked) = tokio::select! {
                biased;
                tried = self.try_once(prepared, &run, clock) => tried,
                stop = &mut stop => return RunEnd::Unknown(unclear(stop, timeout)),
            };
            if let RunEnd::NotDone(failure) | RunEnd::Unknown(failure) = &end {
                let (tool, run_id, kind) = (run.tool.as_str(), run.run_id.as_str(), failure.code());
                tracing::info!(tool, run_id, kind, "a request of a tool failed");
            }
            let wait = if prepared.again { tries.next_wait(&end, asked) } else { None };
            let Some(wait) = wait.filter(|wait| *wait < clock.left()) else {
                return tries.whole(end);
            };
            tokio::select! {
                () = tokio::time::sleep(wait) => {}
                _stop = &mut stop => return tries.whole(end),
            }
        }
    }

    /// Sends a request once; a GET as often as it is sent on.
    async fn try_once(&self, prepared: &Prepared<'_>, run: &RunParts<'_>, clock: Clock) -> Tried {
        let mut encoded = std::borrow::Cow::Borrowed(&prepared.encoded);
        let mut hops = 0;
        loop {
            let mut response = match self.send(&encoded, prepared, run, clock).await {
                Ok(response) => response,
                Err(error) => return (trouble::end(&error, clock.timeout), None),
            };
            let status = response.status();
            if encoded.method.only_reads() && (300..400).contains(&status) {
                if hops == REDIRECTS_MAX {
                    let message = format!("the server sent us on more than {REDIRECTS_MAX} times");
                    return (RunEnd::NotDone(Failure::Redirect { status, message }), None);
                }
                match redirected(&encoded.target, status, response.header("location")) {
                    Ok(target) => encoded.to_mut().target = target,
                    Err(error) => {
                        let message = error.to_string();
                        return (RunEnd::NotDone(Failure::Redirect { status, message }), None);
                    }
                }
                hops += 1;
                continue;
            }
            let asked = response.header("retry-after").and_then(|text| text.trim().parse().ok());
            let end = self.read(&mut response, prepared.format, run, clock).await;
            return (end, asked.map(Duration::from_secs));
        }
    }

    async fn send(
        &self,
        encoded: &Encoded,
        prepared: &Prepared<'_>,
        run: &RunParts<'_>,
        clock: Clock,
    ) -> Result<HttpResponse, HttpError> {
        let left = clock.left();
        let response_bytes_max = u64::try_from(run.context.result_bytes_max).unwrap_or(u64::MAX);
        let at = run.context.at + clock.started.elapsed();
        let signatures =
            self.signer.as_ref().map(|signer| signer.sign(&encoded.signed(), at.as_second()));
        let request = HttpRequest {
            headers: self.own_headers(encoded, prepared, run, signatures),
            secret_headers: prepared.headers.to_vec(),
            body: encoded.body.clone().into(),
            limits: HttpLimits { idle: left, response_bytes_max, ..HttpLimits::within(left) },
            ..HttpRequest::new(headers::method(encoded.method), encoded.target.url())
        };
        self.client.send(request).await
    }

    async fn read(
        &self,
        response: &mut HttpResponse,
        format: RequestFormat,
        run: &RunParts<'_>,
        clock: Clock,
    ) -> RunEnd {
        let status = response.status();
        let body = if (200..300).contains(&status) {
            match response.body().await {
                Ok(body) => body,
                Err(error) => return trouble::end(&error, clock.timeout),
            }
        } else {
            response.head(ERROR_BODY_BYTES_MAX + 1).await
        };
        let read = read_reply(format, &vapi::tool_call_id(run.run_id), status, &body);
        if let Some(warning) = read.warning {
            let (tool, run_id) = (run.tool.as_str(), run.run_id.as_str());
            tracing::warn!(tool, run_id, "{warning}; it is read as a plain one");
        }
        read.end
    }
}

fn call<'a>(run: &RunParts<'a>, call_id: &'a CallId) -> Call<'a> {
    Call {
        tool: run.tool.as_str(),
        arguments: run.arguments,
        call_id,
        run_id: run.run_id,
        at: run.context.at,
    }
}

/// What is said when a run is stopped from outside; the grace is ours and nobody's business.
fn unclear(stop: Stop, timeout: Duration) -> Failure {
    match stop {
        Stop::Cancelled => stop.unclear(),
        Stop::TimedOut { .. } => Stop::TimedOut { after: timeout }.unclear(),
    }
}

/// The time of one run.
#[derive(Debug, Clone, Copy)]
struct Clock {
    started: Instant,
    timeout: Duration,
}

impl Clock {
    fn left(self) -> Duration {
        self.timeout.saturating_sub(self.started.elapsed())
    }
}

//! Tools over HTTP against a server that checks what it gets, byte by byte.

mod bytes;
mod ends;
mod tries;

use manos_model::{RunEnd, Secret};
use manos_net::HttpClient;
use manos_ports::{RunContext, ToolExecutor as _};
use manos_testkit::endpoint::{EndpointServer, Seen};
use manos_tools::{EndpointSpec, Executor, HttpTools, Runner};
use manos_wire_tool::http::{Endpoint, Method, RequestFormat, UrlTemplate, Webhook};
use manos_wire_tool::mask::Masker;
use manos_wire_tool::signing::{HeaderNames, Signed, Signer, verify};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

const RUN: &str = "00112233445566778899aabbccddeeff";
const SECRET: &str = "whsec_test_secret";
const API_KEY: &str = "key-8f3a6c1d9e";

/// One tool called `tool`, and how it is run.
struct Rig {
    spec: EndpointSpec,
    secrets: Vec<Secret<String>>,
    prefix: &'static str,
    webhook: Option<String>,
    context: RunContext,
}

impl Rig {
    fn new(method: Method, format: RequestFormat, url: &str) -> Self {
        Self {
            spec: EndpointSpec {
                endpoint: Endpoint {
                    url: UrlTemplate::parse(url).unwrap(),
                    method,
                    format,
                    placement: None,
                },
                headers: Vec::new(),
                idempotent: false,
            },
            secrets: vec![Secret::new(SECRET.to_owned())],
            prefix: "Manos",
            webhook: None,
            context: RunContext { chat: "call:987654321".into(), ..super::context() },
        }
    }

    fn post(url: &str) -> Self {
        Self::new(Method::Post, RequestFormat::Standard, url)
    }

    fn get(url: &str) -> Self {
        Self::new(Method::Get, RequestFormat::Standard, url)
    }

    fn header(mut self, name: &str, value: &str) -> Self {
        self.spec.headers.push((name.to_owned(), Secret::new(value.to_owned())));
        self
    }

    fn timeout_ms(mut self, ms: u64) -> Self {
        self.context.timeout = Some(std::time::Duration::from_millis(ms));
        self
    }

    fn idempotent(mut self) -> Self {
        self.spec.idempotent = true;
        self
    }

    fn executor(&self) -> Executor {
        let signer = (!self.secrets.is_empty()).then(|| Signer::new(&self.secrets).unwrap());
        let tools = HttpTools {
            client: HttpClient::default(),
            signer,
            names: HeaderNames::new(self.prefix).unwrap(),
            webhook: self.webhook.as_deref().map(|url| Webhook::new(url).unwrap()),
        };
        let runner = match &self.webhook {
            Some(_) => Runner::Webhook { idempotent: self.spec.idempotent },
            None => Runner::Endpoint(self.spec.clone()),
        };
        let secrets = [SECRET, API_KEY].map(|text| Secret::new(text.to_owned()));
        let builder = Executor::builder().http(tools).masker(Masker::new(secrets));
        builder.tool("tool".to_owned().try_into().unwrap(), runner).build().unwrap()
    }

    async fn run(&self, arguments: &Value) -> RunEnd {
        self.run_until(arguments, &CancellationToken::new()).await
    }

    async fn run_until(&self, arguments: &Value, cancel: &CancellationToken) -> RunEnd {
        let order = super::order("tool", RUN, arguments);
        self.executor().run(&order, &self.context, cancel).await
    }
}

/// Both signatures are over exactly what came.
fn assert_signed(seen: &Seen, prefix: &str, context: &RunContext) {
    let secrets = [Secret::new(SECRET.to_owned())];
    let header = |end: &str| {
        seen.header(&format!("x-{}-{end}", prefix.to_ascii_lowercase())).map(str::to_owned)
    };
    let signed = Signed { method: &seen.method, path: &seen.path, body: &seen.body };
    let now = context.at.as_second();
    assert_eq!(verify(header("signature-v2").as_deref(), &secrets, &signed, now), Ok(()));
    let expected = Signer::new(&secrets).unwrap().sign(&signed, now).legacy;
    assert_eq!(header("signature"), Some(expected));
}

/// Runs a call against one reply; returns the end and what came.
async fn once(rig: Rig, arguments: &Value, server: &EndpointServer) -> (RunEnd, Seen) {
    let end = rig.run(arguments).await;
    let mut seen = server.seen();
    assert_eq!(seen.len(), 1, "{seen:?}");
    (end, seen.remove(0))
}

//! What a call of an HTTP tool costs, against a bare request of the same client library as the
//! floor's to the same server: canonical body, two signatures, our headers, the run's clock.
//!
//! Also how many bodies are canonicalised and signed a second, without any network.

use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use manos::model::{RunEnd, Secret, Timestamp};
use manos::ports::{RunContext, ToolExecutor as _};
use manos::signing::{HeaderNames, Signer};
use manos_policy::{Asking, PreparedCall, RunOrder, Standing, ToolSpec, Verdict, decide};
use manos_tools::{EndpointSpec, Executor, HttpTools, Runner};
use manos_wire_tool::http::{Call, CallId, Endpoint, Method, RequestFormat, UrlTemplate};
use serde_json::{Value, json};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::clock::{self, Cost, median};
use crate::floor;
use crate::server::Server;

/// How much is measured.
#[derive(Debug, Clone, Args)]
pub(crate) struct Options {
    /// Calls a round and side.
    #[arg(long, default_value_t = 4_000)]
    calls: usize,
    /// Rounds.
    #[arg(long, default_value_t = 9)]
    rounds: usize,
}

const RUN: &str = "00112233445566778899aabbccddeeff";

/// Measures and prints a table.
pub(crate) async fn run(options: &Options) -> anyhow::Result<()> {
    let server = Server::start()?;
    let url = format!("{}/tool", server.base_url());
    println!("| at once | CPU bare, µs | CPU ours, µs | CPU × | wall × |\n|---|---|---|---|---|");
    let sides = Arc::new(Sides::new(&url)?);
    sides.calls(Side::Bare, 64, options.calls).await?;
    sides.calls(Side::Ours, 64, options.calls).await?;
    for at_once in [1, 64] {
        let mut rounds = Vec::new();
        for _ in 0..options.rounds {
            let bare = sides.calls(Side::Bare, at_once, options.calls).await?;
            let ours = sides.calls(Side::Ours, at_once, options.calls).await?;
            rounds.push((bare, ours));
        }
        let of = |pick: &dyn Fn(&(Cost, Cost)) -> f64| median(rounds.iter().map(pick).collect());
        println!(
            "| {at_once} | {:.1} | {:.1} | **{:.2}** | {:.2} |",
            of(&|(bare, _)| bare.cpu_us(options.calls)),
            of(&|(_, ours)| ours.cpu_us(options.calls)),
            of(&|(bare, ours)| ours.cpu_us(1) / bare.cpu_us(1)),
            of(&|(bare, ours)| ours.wall_us(1) / bare.wall_us(1)),
        );
    }
    signing()
}

#[derive(Debug, Clone, Copy)]
enum Side {
    Bare,
    Ours,
}

struct Sides {
    bare: reqwest::Client,
    url: String,
    arguments: Value,
    executor: Executor,
    order: RunOrder,
    context: RunContext,
}

impl Sides {
    fn new(url: &str) -> anyhow::Result<Self> {
        let tools = HttpTools {
            client: manos_net::HttpClient::default(),
            signer: Some(Signer::new(&[Secret::new("whsec_bench".to_owned())])?),
            names: HeaderNames::default(),
            webhook: None,
        };
        let spec =
            EndpointSpec { endpoint: endpoint(url)?, headers: Vec::new(), idempotent: false };
        let name: manos::model::ToolName = "search_appointments".to_owned().try_into()?;
        let executor =
            Executor::builder().http(tools).tool(name, Runner::Endpoint(spec)).build()?;
        Ok(Self {
            bare: floor::client()?,
            url: url.to_owned(),
            arguments: arguments(),
            executor,
            order: order()?,
            context: context(),
        })
    }

    async fn calls(
        self: &Arc<Self>,
        side: Side,
        at_once: usize,
        calls: usize,
    ) -> anyhow::Result<Cost> {
        let started = clock::start();
        let mut tasks = JoinSet::new();
        for _ in 0..at_once {
            let sides = Arc::clone(self);
            tasks.spawn(async move {
                for _ in 0..calls / at_once {
                    match side {
                        Side::Bare => sides.bare_call().await?,
                        Side::Ours => sides.our_call().await?,
                    }
                }
                anyhow::Ok(())
            });
        }
        while let Some(ended) = tasks.join_next().await {
            ended??;
        }
        Ok(started.cost())
    }

    async fn bare_call(&self) -> anyhow::Result<()> {
        let request = self.bare.post(&self.url).header("content-type", "application/json");
        let response = request.body(serde_json::to_vec(&self.arguments)?).send().await?;
        let _result: Value = serde_json::from_slice(&response.error_for_status()?.bytes().await?)?;
        Ok(())
    }

    async fn our_call(&self) -> anyhow::Result<()> {
        let end = self.executor.run(&self.order, &self.context, &CancellationToken::new()).await;
        anyhow::ensure!(matches!(end, RunEnd::Done(_)), "{end:?}");
        Ok(())
    }
}

fn arguments() -> Value {
    json!({
        "service": "consultation", "date": "2025-01-02", "notes": "first visit, ñ ☕",
        "patient": {"name": "Ana", "age": 42}, "slots": ["10:00", "11:30"],
    })
}

fn endpoint(url: &str) -> anyhow::Result<Endpoint> {
    let url = UrlTemplate::parse(url)?;
    Ok(Endpoint { url, method: Method::Post, format: RequestFormat::Standard, placement: None })
}

fn order() -> anyhow::Result<RunOrder> {
    let spec = ToolSpec {
        name: "search_appointments".to_owned().try_into()?,
        schema: manos_schema::ToolSchema::compile(&json!({"type": "object"}))?.into(),
        confirm: false,
        dedupe: None,
        read_only: false,
        idempotent: false,
        definition: String::new(),
    };
    let arguments = arguments().as_object().cloned().unwrap_or_default();
    let call = PreparedCall::new("call-1".into(), &spec, arguments);
    match decide(call, &spec, &Standing::Fresh, &Asking::Possible) {
        Verdict::Allow(call) => Ok(RunOrder { call, run_id: RUN.into() }),
        Verdict::Confirm(_) | Verdict::Deny(_) => anyhow::bail!("the tool needs no yes"),
    }
}

fn context() -> RunContext {
    RunContext {
        agent: "bench".into(),
        chat: "call:987654321".into(),
        user: "call:987654321".into(),
        channel: "call".into(),
        locale: "en".to_owned(),
        at: Timestamp::UNIX_EPOCH,
        turn_id: "turn-1".into(),
        step: None,
        timeout: Some(Duration::from_secs(20)),
        result_bytes_max: 1024 * 1024,
    }
}

/// Bodies canonicalised and signed a second, on one core.
fn signing() -> anyhow::Result<()> {
    const TIMES: usize = 200_000;
    let endpoint = endpoint("https://api.example.com/appointments/search")?;
    let signer = Signer::new(&[Secret::new("whsec_bench".to_owned())])?;
    let arguments = arguments().as_object().cloned().unwrap_or_default();
    let (call_id, run_id) = (CallId::new("987654321"), RUN.into());
    let at = Timestamp::UNIX_EPOCH;
    let started = clock::start();
    for second in 0..TIMES {
        let call = Call {
            tool: "search_appointments",
            arguments: &arguments,
            call_id: &call_id,
            run_id: &run_id,
            at,
        };
        let encoded = endpoint.encode(&call).map_err(|_| anyhow::anyhow!("not encoded"))?;
        let signatures = signer.sign(&encoded.signed(), i64::try_from(second)?);
        std::hint::black_box((encoded, signatures));
    }
    let each = started.cost().cpu_us(TIMES);
    println!(
        "\na body to canonical text and both signatures: {each:.2} µs, {:.0} a second",
        1e6 / each
    );
    Ok(())
}

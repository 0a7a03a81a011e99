//! Model calls and tool runs: started here, ended as events.

use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use manos_chat::{Chat, ChatSpec, Event};
use manos_engine::{Running, Tool, ToolRun};
use manos_model::{
    ChatKey, Failure, ModelFailure, ModelFailureKind, ModelReply, ModelRequest, RunEnd, TurnId,
};
use manos_ports::{Channel, Deltas, Progress, RunContext};
use tokio::sync::mpsc;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::actor::Order;
use crate::registry::Registry;
use crate::runtime::Shared;

/// Tells the end of an effect to its chat.
#[derive(Debug, Clone)]
pub(crate) struct Reporter {
    chat: ChatKey,
    own: mpsc::WeakSender<Order>,
    registry: Arc<Registry>,
}

impl Reporter {
    pub(crate) fn new(
        chat: ChatKey,
        own: mpsc::WeakSender<Order>,
        registry: Arc<Registry>,
    ) -> Self {
        Self { chat, own, registry }
    }

    pub(crate) fn chat(&self) -> &ChatKey {
        &self.chat
    }

    pub(crate) async fn report(&self, event: Event) {
        let order = Order::Event { event: Box::new(event), taken: None };
        if let Some(own) = self.own.upgrade() {
            match own.send(order).await {
                Ok(()) => {}
                Err(mpsc::error::SendError(order)) => self.registry.send(&self.chat, order).await,
            }
        } else {
            self.registry.send(&self.chat, order).await;
        }
    }
}

/// Shows pieces of a reply while it is on its way.
struct Shown {
    channel: Arc<dyn Channel>,
    chat: ChatKey,
}

impl Deltas for Shown {
    fn text(&self, piece: &str) {
        self.channel.progress(&self.chat, Progress::Text(piece.to_owned()));
    }
}

pub(crate) fn call_model(
    shared: &Arc<Shared>,
    reporter: Reporter,
    turn_id: TurnId,
    request: ModelRequest,
    cancel: CancellationToken,
) {
    let tasks = shared.tasks.clone();
    let shared = Arc::clone(shared);
    tasks.spawn(async move {
        let channel = Arc::clone(&shared.parts.channel);
        channel.progress(reporter.chat(), Progress::Thinking);
        let started = Instant::now();
        let reply = reply(&shared, reporter.chat(), request, cancel).await;
        let duration_ms = Some(millis(started));
        channel.progress(reporter.chat(), Progress::TextEnded);
        let event = match reply {
            Ok(reply) => Event::ModelReplied { turn_id, reply: Box::new(reply), duration_ms },
            // The next process makes the call again.
            Err(_) if shared.stopping.is_cancelled() => return,
            Err(failure) => Event::ModelFailed { turn_id, failure, duration_ms },
        };
        reporter.report(event).await;
    });
}

/// Makes the call. A provider that panics must not leave the turn waiting.
async fn reply(
    shared: &Shared,
    chat: &ChatKey,
    request: ModelRequest,
    cancel: CancellationToken,
) -> Result<ModelReply, ModelFailure> {
    let failed = |kind, message: &str| Err(ModelFailure { kind, message: message.to_owned() });
    let Some(provider) = shared.parts.provider.clone() else {
        return failed(ModelFailureKind::Config, "this agent has no model");
    };
    if cancel.is_cancelled() {
        return failed(ModelFailureKind::Cancelled, "the call was stopped before it was made");
    }
    let shown = Shown { channel: Arc::clone(&shared.parts.channel), chat: chat.clone() };
    let call = AssertUnwindSafe(provider.reply(request, &shown, &cancel)).catch_unwind();
    match call.await {
        Ok(reply) => reply,
        Err(_panic) => failed(ModelFailureKind::BadReply, "the provider stopped unexpectedly"),
    }
}

pub(crate) fn run_tool(
    shared: &Arc<Shared>,
    reporter: Reporter,
    run: ToolRun,
    cancel: CancellationToken,
) {
    let tasks = shared.tasks.clone();
    let shared = Arc::clone(shared);
    let run_id = run.order.run_id.clone();
    // Before it runs: its late end may be told while its first end is on its way.
    shared.late.started(run_id.clone(), reporter.chat().clone());
    tasks.spawn(async move {
        let started = Instant::now();
        let (end, late) = if cancel.is_cancelled() {
            (RunEnd::NotDone(Failure::Failed { message: STOPPED_BEFORE.to_owned() }), None)
        } else if run.is_stale(&shared.parts.spec.agent, reporter.chat(), shared.parts.clock.now())
        {
            (RunEnd::NotDone(Failure::Expired), None)
        } else {
            run_bounded(&shared, reporter.chat(), run, cancel).await
        };
        shared.late.ended(&run_id, matches!(end, RunEnd::Unknown(_)));
        let event = Event::ToolEnded { run_id: run_id.clone(), end, duration_ms: millis(started) };
        reporter.report(event).await;
        if let Some(running) = late
            && let Ok(end) = running.await
        {
            // It ended after all: that settles what was told as unknown.
            reporter.report(Event::ToolEnded { run_id, end, duration_ms: millis(started) }).await;
        }
    });
}

/// What is said of a run that was stopped before its tool heard of it.
const STOPPED_BEFORE: &str = "the run was stopped before it began";

async fn run_bounded(
    shared: &Shared,
    chat: &ChatKey,
    run: ToolRun,
    cancel: CancellationToken,
) -> (RunEnd, Option<UnderWay>) {
    let channel = &shared.parts.channel;
    channel.progress(chat, Progress::ToolStarted(run.title.clone()));
    let context = run_context(shared, chat, &run);
    let timeout = context.timeout;
    let executor = Arc::clone(&shared.parts.executor);
    let running = async move { executor.run(&run.order, &context, &cancel).await };
    let running: UnderWay = Box::pin(AssertUnwindSafe(running).catch_unwind());
    let ended = bounded(running, timeout).await;
    channel.progress(chat, Progress::ToolEnded);
    ended
}

fn run_context(shared: &Shared, chat: &ChatKey, run: &ToolRun) -> RunContext {
    let spec = &shared.parts.spec;
    RunContext {
        agent: spec.agent.name.clone(),
        channel: chat.channel(),
        locale: spec.agent.formats.locale().tag().to_owned(),
        at: shared.parts.clock.now(),
        turn_id: run.turn_id.clone(),
        step: (run.step > 0).then_some(run.step),
        user: run.user.clone(),
        timeout: spec.agent.tool(run.order.call.tool().as_str()).and_then(|tool| tool.timeout),
        result_bytes_max: read_bytes_max(spec),
        chat: chat.clone(),
    }
}

/// What an executor gets beyond a run's timeout to stop it and say how it ended.
const STOP_GRACE: Duration = Duration::from_secs(5);

/// A run under way; an `Err` is a panic.
type UnderWay = Pin<Box<dyn Future<Output = std::thread::Result<RunEnd>> + Send>>;

/// Waits for the end of a run. An executor that does not come back is not waited for: the run is
/// unknown, and it is handed back for the late end.
async fn bounded(mut running: UnderWay, timeout: Option<Duration>) -> (RunEnd, Option<UnderWay>) {
    let joined = if let Some(timeout) = timeout {
        let Ok(joined) = tokio::time::timeout(timeout + STOP_GRACE, &mut running).await else {
            let after_ms = u64::try_from(timeout.as_millis()).unwrap_or(u64::MAX);
            return (RunEnd::Unknown(Failure::Timeout { after_ms }), Some(running));
        };
        joined
    } else {
        (&mut running).await
    };
    // The executor catches panics of tools; one that comes through is its own.
    let end = joined.unwrap_or_else(|_| {
        RunEnd::Unknown(Failure::Failed { message: "the tool stopped unexpectedly".into() })
    });
    (end, None)
}

/// How much of a result is read: a result is cut for the model, not at its source.
fn read_bytes_max(spec: &ChatSpec) -> usize {
    let limits = &spec.agent.limits;
    limits.read_bytes_max.max(limits.result_bytes_max)
}

fn millis(since: Instant) -> u64 {
    u64::try_from(since.elapsed().as_millis()).unwrap_or(u64::MAX)
}

/// The facts for asking about a run that an earlier process began.
pub(crate) fn settle_context(
    chat: &ChatKey,
    state: &Chat,
    spec: &ChatSpec,
    tool: &Tool,
    run: &Running,
) -> RunContext {
    let turn = state.turn();
    RunContext {
        agent: spec.agent.name.clone(),
        chat: chat.clone(),
        user: turn.map_or_else(|| "".into(), |turn| turn.user.clone()),
        channel: chat.channel(),
        locale: spec.agent.formats.locale().tag().to_owned(),
        at: run.started_at,
        turn_id: turn.map_or_else(|| "".into(), |turn| turn.id.clone()),
        step: None,
        timeout: tool.timeout,
        result_bytes_max: read_bytes_max(spec),
    }
}

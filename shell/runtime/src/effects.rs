//! Model calls and tool runs: started here, ended as events.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use manos_chat::{Chat, ChatEffect, ChatSpec, Event};
use manos_engine::{Running, Tool, ToolRun};
use manos_model::{
    ChatKey, Failure, ModelFailure, ModelFailureKind, ModelRequest, RunEnd, RunId, TurnId,
};
use manos_ports::{Channel, Deltas, Progress, RunContext};
use tokio::sync::mpsc;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::actor::Order;
use crate::registry::Registry;
use crate::runtime::Shared;

/// Whether an effect may be done twice without harm, and shows nothing to a person: it need not
/// wait until its event is on the disk.
pub(crate) fn is_harmless(effect: &ChatEffect) -> bool {
    match effect {
        ChatEffect::CallModel { .. } | ChatEffect::StopModel(_) | ChatEffect::StopRun(_) => true,
        ChatEffect::RunTool(run) => run.read_only,
        ChatEffect::Deliver(_) | ChatEffect::TurnEnded { .. } => false,
    }
}

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

    async fn report(&self, event: Event) {
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
struct Shown<'a> {
    channel: &'a dyn Channel,
    chat: &'a ChatKey,
}

impl Deltas for Shown<'_> {
    fn text(&self, piece: &str) {
        self.channel.progress(self.chat, Progress::Text(piece.to_owned()));
    }
}

pub(crate) fn call_model(
    shared: &Arc<Shared>,
    reporter: Reporter,
    chat: &ChatKey,
    turn_id: TurnId,
    request: ModelRequest,
    cancel: CancellationToken,
) {
    let (shared, chat) = (Arc::clone(shared), chat.clone());
    let tasks = shared.tasks.clone();
    tasks.spawn(async move {
        let channel = shared.parts.channel.as_ref();
        channel.progress(&chat, Progress::Thinking);
        let reply = match &shared.parts.provider {
            Some(provider) => {
                let shown = Shown { channel, chat: &chat };
                provider.reply(request, &shown, &cancel).await
            }
            None => Err(ModelFailure {
                kind: ModelFailureKind::Config,
                message: "this agent has no model".into(),
            }),
        };
        channel.progress(&chat, Progress::TextEnded);
        let event = match reply {
            Ok(reply) => Event::ModelReplied { turn_id, reply: Box::new(reply) },
            Err(failure) => Event::ModelFailed { turn_id, failure },
        };
        reporter.report(event).await;
    });
}

pub(crate) fn run_tool(
    shared: &Arc<Shared>,
    reporter: Reporter,
    chat: &ChatKey,
    run: ToolRun,
    cancel: CancellationToken,
) {
    let (shared, chat) = (Arc::clone(shared), chat.clone());
    let tasks = shared.tasks.clone();
    tasks.spawn(async move {
        let spec = &shared.parts.spec;
        let channel = Arc::clone(&shared.parts.channel);
        channel.progress(&chat, Progress::ToolStarted(run.title.clone()));
        let context = RunContext {
            agent: spec.agent.name.clone(),
            channel: chat.channel(),
            locale: spec.agent.formats.locale().tag().to_owned(),
            at: shared.parts.clock.now(),
            turn_id: run.turn_id.clone(),
            step: (run.step > 0).then_some(run.step),
            user: run.user.clone(),
            timeout: spec.agent.tool(run.order.call.tool().as_str()).and_then(|tool| tool.timeout),
            result_bytes_max: spec.agent.limits.result_bytes_max,
            chat: chat.clone(),
        };
        let started = Instant::now();
        let executor = Arc::clone(&shared.parts.executor);
        let order = run.order.clone();
        let timeout = context.timeout;
        let running =
            shared.tasks.spawn(async move { executor.run(&order, &context, &cancel).await });
        let (end, late) = bounded(running, timeout).await;
        channel.progress(&chat, Progress::ToolEnded);
        let run_id = run.order.run_id.clone();
        if matches!(end, RunEnd::Unknown(_)) {
            shared.late.expect(run_id.clone(), chat.clone());
        }
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

/// What an executor gets beyond a run's timeout to stop it and say how it ended.
const STOP_GRACE: Duration = Duration::from_secs(5);

type RunTask = tokio::task::JoinHandle<RunEnd>;

/// Waits for the end of a run. An executor that does not come back is not waited for: the run is
/// unknown, and its task is handed back for the late end.
async fn bounded(mut running: RunTask, timeout: Option<Duration>) -> (RunEnd, Option<RunTask>) {
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

/// Runs that were told as unknown and whose end may still come, with their chats.
#[derive(Debug, Default)]
pub(crate) struct LateRuns(Mutex<VecDeque<(RunId, ChatKey)>>);

/// Late ends that are waited for; beyond it the oldest is forgotten, and stays unknown until a
/// human settles it.
const LATE_RUNS_MAX: usize = 4_096;

impl LateRuns {
    fn expect(&self, run_id: RunId, chat: ChatKey) {
        let mut runs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if runs.len() >= LATE_RUNS_MAX {
            runs.pop_front();
        }
        runs.push_back((run_id, chat));
    }

    pub(crate) fn take(&self, run_id: &RunId) -> Option<ChatKey> {
        let mut runs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = runs.iter().position(|(waited, _)| waited == run_id)?;
        runs.remove(at).map(|(_, chat)| chat)
    }
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
        result_bytes_max: spec.agent.limits.result_bytes_max,
    }
}

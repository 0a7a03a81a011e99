//! The same worlds through `manos-runtime` itself, with threads' tasks, timers and queues, on a
//! clock that does not wait. Slower, and so played less; it keeps `process.rs` honest.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use manos_engine::KnownEnd;
use manos_model::{
    ChatKey, MessageId, ModelFailure, ModelReply, ModelRequest, RunEnd, RunId, Seed, Timestamp,
    ToolName,
};
use manos_policy::RunOrder;
use manos_ports::{
    Accepted, Channel, ChannelError, Clock, Commit, Committed, Deltas, Output, OutputKind,
    Progress, Provider, RunContext, Settled, Store, StoreError, StoreLayer, StoredChat,
    ToolExecutor,
};
use manos_runtime::{Chance, Parts, Runtime};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use crate::agent;
use crate::chance::Dice;
use crate::play::Played;
use crate::step::{self, Step};
use crate::watch::Broken;
use crate::world::{self, Faults, FlightId, FlightKind, Mail, ModelEnd, Outcome, World};

/// What somebody waits for.
enum Waiting {
    Model(oneshot::Sender<Result<ModelReply, ModelFailure>>),
    Tool(oneshot::Sender<RunEnd>),
    Send(oneshot::Sender<Outcome>),
}

/// The world, seen through the ports.
#[derive(Clone)]
struct Ports {
    inner: Arc<Mutex<Inner>>,
    /// The store itself; commits and reads of chats go through its faults.
    store: Arc<manos_store::MemoryStore>,
}

struct Inner {
    world: World,
    waiting: BTreeMap<FlightId, Waiting>,
}

impl std::fmt::Debug for Ports {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Ports")
    }
}

impl Ports {
    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Nothing goes on in a process that is dead.
    async fn alive(&self) {
        if self.inner().world.crashed {
            std::future::pending::<()>().await;
        }
    }
}

#[async_trait]
impl StoreLayer for Ports {
    fn behind(&self) -> &dyn Store {
        self.store.as_ref()
    }

    async fn commit(&self, commit: Commit) -> Result<Committed, StoreError> {
        let committed = self.inner().world.commit(&commit);
        self.alive().await;
        committed
    }

    async fn load(&self, chat: &ChatKey) -> Result<Option<StoredChat>, StoreError> {
        self.inner().world.load(chat)
    }

    async fn seen(&self, chat: &ChatKey, message: &MessageId) -> Result<bool, StoreError> {
        self.inner().world.seen(chat, message)
    }
}

#[async_trait]
impl Provider for Ports {
    async fn reply(
        &self,
        request: ModelRequest,
        _deltas: &dyn Deltas,
        cancel: &CancellationToken,
    ) -> Result<ModelReply, ModelFailure> {
        let (sender, receiver) = oneshot::channel();
        {
            let mut inner = self.inner();
            let id = inner.world.model_called(None, None, request);
            inner.waiting.insert(id, Waiting::Model(sender));
        }
        tokio::select! {
            biased;
            () = cancel.cancelled() => Ok(ModelReply::of_text("too late")),
            reply = receiver => match reply {
                Ok(reply) => reply,
                Err(_) => std::future::pending().await,
            },
        }
    }
}

#[async_trait]
impl ToolExecutor for Ports {
    async fn run(
        &self,
        order: &RunOrder,
        context: &RunContext,
        _cancel: &CancellationToken,
    ) -> RunEnd {
        let (sender, receiver) = oneshot::channel();
        {
            let mut inner = self.inner();
            let id = inner.world.tool_started(&context.chat, order);
            inner.waiting.insert(id, Waiting::Tool(sender));
        }
        match receiver.await {
            Ok(end) => end,
            Err(_) => std::future::pending().await,
        }
    }

    async fn settle(&self, tool: &ToolName, run_id: &RunId, _context: &RunContext) -> Settled {
        match self.inner().world.known_end(tool, run_id) {
            KnownEnd::Done(value) => Settled::Done(value),
            KnownEnd::NotDone => Settled::NotDone,
            KnownEnd::Unknown => Settled::Unknown,
        }
    }
}

#[async_trait]
impl Channel for Ports {
    fn serves(&self, _chat: &ChatKey) -> bool {
        self.inner().world.serves
    }

    async fn send(&self, chat: &ChatKey, output: &Output) -> Result<Accepted, ChannelError> {
        let (sender, receiver) = oneshot::channel();
        let kind = match &output.kind {
            OutputKind::Confirm { id, .. } => world::OutputKind::Confirm(id.clone()),
            OutputKind::Edit { id, .. } => world::OutputKind::Edit(id.clone()),
            OutputKind::Reply { text } => world::OutputKind::Reply(text.clone()),
        };
        {
            let mut inner = self.inner();
            let sent = world::Output { id: output.delivery_id.clone(), kind };
            let id = inner.world.output_sent(chat, sent);
            inner.waiting.insert(id, Waiting::Send(sender));
        }
        match receiver.await {
            Ok(Outcome::Sent) => Ok(Accepted),
            Ok(Outcome::NotSent) => Err(ChannelError::NotSent { source: "no line".into() }),
            Ok(Outcome::Unclear) => Err(ChannelError::Unclear { source: "it broke".into() }),
            Err(_) => std::future::pending().await,
        }
    }

    fn progress(&self, _chat: &ChatKey, _progress: Progress) {}
}

impl Clock for Ports {
    fn now(&self) -> Timestamp {
        self.inner().world.now()
    }
}

impl Chance for Ports {
    fn draw(&self) -> Seed {
        self.inner().world.draw()
    }
}

/// One process after another, over one world.
struct Stage {
    ports: Ports,
    tokio: tokio::runtime::Runtime,
    runtime: Runtime,
    count: u64,
}

/// Draws and plays `count` steps through the runtime.
///
/// # Errors
///
/// Never in practice: only when no timer can be had.
pub fn play_real(seed: u64, count: usize) -> anyhow::Result<Played> {
    let mut dice = Dice::new(seed);
    let world = World::new(agent::settings(&mut dice)?);
    let store = world.store();
    let inner = Arc::new(Mutex::new(Inner { world, waiting: BTreeMap::new() }));
    let ports = Ports { inner, store };
    let mut stage = Stage { tokio: timers()?, runtime: start(&ports), ports, count: 0 };
    let mut steps = Vec::new();
    while steps.len() < count && stage.holds() {
        let step = step::next_step(&mut dice, &stage.ports.inner().world);
        steps.push(step);
        stage.step(step)?;
    }
    stage.rest()?;
    let mut inner = stage.ports.inner();
    let kinds = std::mem::take(&mut inner.world.watch.kinds);
    let broken: Option<Broken> = inner.world.watch.broken().cloned();
    drop(inner);
    Ok(Played { steps, broken, kinds, count: stage.count })
}

fn timers() -> std::io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build()
}

fn start(ports: &Ports) -> Runtime {
    let shared = Arc::new(ports.clone());
    Runtime::new(Parts {
        spec: Arc::clone(&ports.inner().world.settings.spec),
        store: shared.clone(),
        provider: Some(shared.clone()),
        executor: shared.clone(),
        channel: shared.clone(),
        clock: shared.clone(),
        chance: shared,
    })
}

impl Stage {
    fn holds(&self) -> bool {
        self.ports.inner().world.watch.broken().is_none()
    }

    fn step(&mut self, step: Step) -> anyhow::Result<()> {
        self.count += 1;
        let mut waits = Duration::from_millis(1);
        {
            let inner = &mut *self.ports.inner();
            let world = &mut inner.world;
            match step {
                Step::Says { chat, user, what } => world.says(chat, user, what),
                Step::Presses { chat, user, which, yes } => world.presses(chat, user, which, yes),
                Step::Asks { chat, tool, who } => world.asks(chat, tool, who),
                Step::Operates { chat, what } => world.operates(chat, what),
                Step::Acts { which } => world.acts(which),
                Step::Takes { which } => world.takes(which),
                Step::Jumps { seconds } => world.jump(i64::from(seconds)),
                Step::Fate { how } => world.faults.next = Some(Faults::fate(how)),
                Step::Full { full } => world.faults.full = full,
                Step::Unreadable { unreadable } => world.faults.unreadable = unreadable,
                Step::Waits { seconds } => {
                    world.wait(u64::from(seconds) * 1000);
                    waits = Duration::from_secs(u64::from(seconds));
                }
                Step::Ticks => {
                    world.wait(1_000);
                    waits = Duration::from_secs(1);
                }
                _ => {}
            }
        }
        match step {
            Step::Arrives { which, copy, .. } => self.arrives(which, copy),
            Step::Crashes { serves } => self.crash(serves)?,
            _ => self.ends(step),
        }
        self.tokio.block_on(async { tokio::time::sleep(waits).await });
        let crashed = self.ports.inner().world.crashed;
        if crashed { self.crash(true) } else { Ok(()) }
    }

    fn arrives(&self, which: u8, copy: bool) {
        let Some(mail) = self.ports.inner().world.arrives(which, copy) else { return };
        let (ports, runtime) = (self.ports.clone(), self.runtime.clone());
        // It comes back when nobody says that it is kept, also from a process that dies.
        let unsure = Unsure { ports: ports.clone(), mail: Some(mail.clone()) };
        self.tokio.handle().spawn(async move {
            let mut unsure = unsure;
            if let Ok(receipt) = runtime.deliver(&mail.chat, mail.inbound.clone()).await {
                unsure.mail = None;
                ports.inner().world.acknowledged(&mail, receipt.duplicate);
            }
        });
    }

    /// A model call, a run or an output comes to its end.
    fn ends(&self, step: Step) {
        let mut late = None;
        {
            let inner = &mut *self.ports.inner();
            match step {
                Step::Model { which, how, calls, .. } => {
                    let ended = inner.world.model_ends(which, how, calls);
                    if let Some(ModelEnd { id, reply, .. }) = ended
                        && let Some(Waiting::Model(sender)) = inner.waiting.remove(&id)
                    {
                        let _gone = sender.send(reply);
                    }
                }
                Step::Ends { which, how, .. } => {
                    let Some((id, _, run_id, end)) = inner.world.ends(which, how) else { return };
                    match inner.waiting.remove(&id) {
                        Some(Waiting::Tool(sender)) => {
                            let _gone = sender.send(end);
                        }
                        _ => late = Some((run_id, end)),
                    }
                }
                Step::Sent { which, how, .. } => {
                    let Some((id, _, _, outcome)) = inner.world.sent(which, how) else { return };
                    if let Some(Waiting::Send(sender)) = inner.waiting.remove(&id) {
                        let _gone = sender.send(outcome);
                    }
                }
                _ => {}
            }
        }
        if let Some((run_id, end)) = late {
            let _inside = self.tokio.enter();
            self.runtime.late(run_id, end);
        }
    }

    /// The process dies with all its tasks, and another one takes up what it left.
    fn crash(&mut self, serves: bool) -> anyhow::Result<()> {
        self.tokio = timers()?;
        {
            let inner = &mut *self.ports.inner();
            inner.world.die(serves);
            inner.waiting.clear();
        }
        self.runtime = start(&self.ports);
        // The runtime finds by itself what it has to take up.
        self.ports.inner().world.to_wake.clear();
        let runtime = self.runtime.clone();
        self.tokio.block_on(async { runtime.resume().await })?;
        Ok(())
    }

    fn rest(&mut self) -> anyhow::Result<()> {
        self.ports.inner().world.faults = Faults::default();
        let serves = self.ports.inner().world.serves;
        if !serves {
            self.crash(true)?;
        }
        for _ in 0..ROUNDS_MAX {
            if !self.holds() {
                return Ok(());
            }
            let step = self.next_to_rest();
            let Some(step) = step else { break };
            self.step(step)?;
        }
        if self.holds() {
            self.ports.inner().world.at_rest();
        }
        Ok(())
    }

    fn next_to_rest(&self) -> Option<Step> {
        let inner = self.ports.inner();
        if !inner.world.mail.is_empty() {
            return Some(Step::Arrives { which: 0, copy: false, hold: false });
        }
        let flight = inner.world.flights.values().find(|flight| !flight.orphan);
        match flight.map(|flight| &flight.kind) {
            Some(FlightKind::Model { .. }) => {
                Some(Step::Model { which: 0, how: u8::MAX, calls: [0; 3], hold: false })
            }
            Some(FlightKind::Tool { .. }) => Some(Step::Ends { which: 0, how: 0, hold: false }),
            Some(FlightKind::Send { .. }) => Some(Step::Sent { which: 0, how: 2, hold: false }),
            // The longest sleep of an actor, and of a retry, is shorter than all of these together.
            None if inner.world.awake_chats().is_empty() && self.runtime.awake_chats() == 0 => None,
            None => Some(Step::Waits { seconds: 31 }),
        }
    }
}

/// A message of which nobody has said that it is kept.
struct Unsure {
    ports: Ports,
    mail: Option<Mail>,
}

impl Drop for Unsure {
    fn drop(&mut self) {
        if let Some(mail) = self.mail.take() {
            self.ports.inner().world.not_acknowledged(mail);
        }
    }
}

/// More than any world needs to come to rest.
const ROUNDS_MAX: usize = 2_000;

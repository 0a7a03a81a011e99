//! One awake chat: it takes events one after another, lets the core decide, keeps, and acts.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use manos_chat::{Chat, ChatEffect, Doing, Event};
use manos_engine::KnownEnd;
use manos_model::{ChatKey, RunId, Stamp, TurnId};
use manos_ports::{Settled, StoreError, StoredChat};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use crate::commit::Batch;
use crate::effects;
use crate::outbox::Outbox;
use crate::registry::Registry;
use crate::runtime::{DeliverError, Ended, Receipt, Shared};

/// What an actor is told.
#[derive(Debug)]
pub(crate) enum Order {
    /// Something happened.
    Event {
        event: Box<Event>,
        /// Told once the event is kept, or was refused.
        taken: Option<Taken>,
    },
    /// Take up what an earlier process left.
    Wake,
    /// Tell when the chat does nothing or a person is asked.
    WhenSettled(oneshot::Sender<Doing>),
}

pub(crate) type Taken = oneshot::Sender<Result<Receipt, DeliverError>>;

/// How long an idle chat stays in memory.
const IDLE_KEPT: Duration = Duration::from_secs(30);

/// The longest sleep before the clock is looked at again: it may have jumped.
const SLEEP_MAX: Duration = Duration::from_secs(30);

/// Events kept together in one commit.
const BATCH_MAX: usize = 16;

/// How long to wait before something that happened is offered to a failing store again.
const RETRY_WAIT: Duration = Duration::from_millis(500);

pub(crate) struct Actor {
    key: ChatKey,
    shared: Arc<Shared>,
    registry: Arc<Registry>,
    own: mpsc::WeakSender<Order>,
    orders: mpsc::Receiver<Order>,
    loaded: Option<Loaded>,
    /// Events that happened and are not kept yet, since the store failed.
    unkept: VecDeque<Event>,
    waiters: Vec<oneshot::Sender<Doing>>,
    runs: HashMap<RunId, CancellationToken>,
    model: Option<(TurnId, CancellationToken)>,
    outbox: Outbox,
}

/// The chat as it is in memory and in the store.
struct Loaded {
    chat: Chat,
    revision: u64,
    /// The small state as the store has it.
    active: String,
}

/// Work that one batch of events leaves.
struct Decided {
    effects: Vec<ChatEffect>,
    taken: Vec<(Taken, Receipt)>,
}

impl Actor {
    pub(crate) fn new(
        key: ChatKey,
        shared: Arc<Shared>,
        registry: Arc<Registry>,
        own: mpsc::WeakSender<Order>,
        orders: mpsc::Receiver<Order>,
    ) -> Self {
        let tasks = registry.tasks();
        let outbox = Outbox::new(key.clone(), Arc::clone(&shared), own.clone(), tasks);
        Self {
            key,
            shared,
            registry,
            own,
            orders,
            loaded: None,
            unkept: VecDeque::new(),
            waiters: Vec::new(),
            runs: HashMap::new(),
            model: None,
            outbox,
        }
    }

    pub(crate) async fn run(mut self) {
        loop {
            let sleep = self.sleep();
            let order = tokio::time::timeout(sleep, self.orders.recv()).await;
            match order {
                Ok(Some(order)) => self.take(order).await,
                Ok(None) => return,
                Err(_) => self.woke().await,
            }
            self.tell_waiters();
            let idle = self.idle();
            if idle && self.registry.crowded() && self.registry.leave(&self.key, &mut self.orders) {
                return;
            }
        }
    }

    fn idle(&self) -> bool {
        let at_rest = self.loaded.as_ref().is_none_or(|loaded| !loaded.chat.awake());
        at_rest && self.unkept.is_empty() && self.runs.is_empty() && self.waiters.is_empty()
    }

    /// How long to sleep when no order comes.
    fn sleep(&self) -> Duration {
        if !self.unkept.is_empty() {
            return RETRY_WAIT;
        }
        let deadline = self.loaded.as_ref().and_then(|loaded| loaded.chat.deadline());
        match deadline {
            None => IDLE_KEPT,
            Some(deadline) => {
                let left = deadline.duration_since(self.shared.parts.clock.now());
                Duration::try_from(left).unwrap_or(Duration::ZERO).min(SLEEP_MAX)
            }
        }
    }

    /// Time has passed without an order.
    async fn woke(&mut self) {
        if !self.unkept.is_empty() {
            let again: Vec<_> = self.unkept.drain(..).map(|event| (event, None)).collect();
            self.keep(again).await;
            return;
        }
        let now = self.shared.parts.clock.now();
        let due = self
            .loaded
            .as_ref()
            .and_then(|loaded| loaded.chat.deadline())
            .is_some_and(|deadline| now >= deadline);
        if due {
            self.keep(vec![(Event::TimeUp, None)]).await;
        } else if self.idle() {
            // When an order came at the last moment, the chat stays.
            let _left = self.registry.leave(&self.key, &mut self.orders);
        }
    }

    async fn take(&mut self, order: Order) {
        let mut batch = Vec::new();
        let mut next = Some(order);
        while let Some(order) = next.take() {
            match order {
                Order::Event { event, taken } => batch.push((*event, taken)),
                Order::Wake => self.wake(&mut batch).await,
                Order::WhenSettled(waiter) => self.waiters.push(waiter),
            }
            if batch.len() < BATCH_MAX {
                next = self.orders.try_recv().ok();
            }
        }
        if batch.is_empty() {
            if let Err(error) = self.load().await {
                tracing::error!(chat = %self.key, %error, "the chat cannot be read");
            }
            return;
        }
        if !self.unkept.is_empty() {
            // Whatever happened first is kept first.
            let mut all: Vec<_> = self.unkept.drain(..).map(|event| (event, None)).collect();
            all.append(&mut batch);
            batch = all;
        }
        self.keep(batch).await;
    }

    /// Asks the tools about runs that an earlier process began, and takes the chat up.
    async fn wake(&mut self, batch: &mut Vec<(Event, Option<Taken>)>) {
        if self.loaded.is_some() {
            return;
        }
        if let Err(error) = self.load().await {
            tracing::error!(chat = %self.key, %error, "the chat cannot be taken up");
            return;
        }
        let Some(loaded) = &self.loaded else { return };
        let mut known = Vec::new();
        for run in loaded.chat.runs_under_way() {
            let end = self.known_end(run, &loaded.chat).await;
            known.push((run.run_id.clone(), end));
        }
        batch.push((Event::Resumed { known }, None));
    }

    async fn known_end(&self, run: &manos_engine::Running, chat: &Chat) -> KnownEnd {
        let spec = &self.shared.parts.spec;
        let Some(tool) = spec.agent.tool(run.call.tool.as_str()) else { return KnownEnd::Unknown };
        let context = effects::settle_context(&self.key, chat, spec, tool, run);
        match self.shared.parts.executor.settle(&run.call.tool, &run.run_id, &context).await {
            Settled::Done(value) => KnownEnd::Done(value),
            Settled::NotDone => KnownEnd::NotDone,
            Settled::Unknown => KnownEnd::Unknown,
        }
    }

    async fn load(&mut self) -> Result<(), DeliverError> {
        if self.loaded.is_some() {
            return Ok(());
        }
        let stored = self.shared.parts.store.load(&self.key).await.map_err(Arc::new)?;
        let loaded = match stored {
            None => {
                let chat = Chat::new(self.key.clone());
                let active = chat.active_json().map_err(|error| self.unreadable(error.into()))?;
                Loaded { chat, revision: 0, active }
            }
            Some(StoredChat { revision, active, memory }) => {
                let chat = Chat::read(self.key.clone(), &active, memory.as_deref())
                    .map_err(|error| self.unreadable(error))?;
                Loaded { chat, revision, active }
            }
        };
        self.loaded = Some(loaded);
        Ok(())
    }

    fn unreadable(&self, source: manos_chat::StateError) -> DeliverError {
        DeliverError::Unreadable { chat: self.key.clone(), source }
    }

    /// Decides, keeps, acts; in as few commits as the events allow.
    async fn keep(&mut self, events: Vec<(Event, Option<Taken>)>) {
        let mut events = VecDeque::from(events);
        while !events.is_empty() {
            if let Err(error) = self.load().await {
                self.refuse(events, &error);
                return;
            }
            self.keep_some(&mut events).await;
            if !self.unkept.is_empty() {
                self.refuse(events, &DeliverError::Store { source: Arc::new(store_is_down()) });
                return;
            }
        }
    }

    /// Keeps as many of the events as fit one commit.
    async fn keep_some(&mut self, events: &mut VecDeque<(Event, Option<Taken>)>) {
        let mut batch = Batch::default();
        let mut decided = Decided { effects: Vec::new(), taken: Vec::new() };
        let mut kept_events = Vec::new();
        let now = self.shared.parts.clock.now();
        while let Some((event, taken)) = events.pop_front() {
            if batch.has_message() && matches!(event, Event::Received(_)) {
                events.push_front((event, taken));
                break;
            }
            let event = self.unless_seen(event).await;
            let stamp = Stamp { at: now, seed: self.shared.parts.chance.draw() };
            let Some(loaded) = &mut self.loaded else { return };
            let duplicate = matches!(event, Event::Duplicate(_));
            match loaded.chat.apply(&self.shared.parts.spec, &event, stamp) {
                Ok(mut decision) => {
                    let turns_started = decision.turns_started.clone();
                    let spec = &self.shared.parts.spec;
                    if let Err(error) = batch.add(&self.key, spec, &event, stamp, &mut decision) {
                        tracing::error!(chat = %self.key, %error, "an event does not serialise");
                    }
                    decided.effects.append(&mut decision.effects);
                    if let Some(taken) = taken {
                        decided.taken.push((taken, Receipt { turns_started, duplicate }));
                    }
                    kept_events.push(event);
                }
                Err(refusal) => tell(taken, Err(refusal.into())),
            }
        }
        self.commit(batch, decided, kept_events).await;
    }

    /// A message whose id was taken before is only noted.
    async fn unless_seen(&self, event: Event) -> Event {
        let Event::Received(inbound) = &event else { return event };
        let Some(message_id) = &inbound.message_id else { return event };
        match self.shared.parts.store.seen(&self.key, message_id).await {
            Ok(true) => Event::Duplicate(message_id.clone()),
            // A store that fails now refuses the commit as well; the unique key there decides.
            Ok(false) | Err(_) => event,
        }
    }

    async fn commit(&mut self, batch: Batch, decided: Decided, events: Vec<Event>) {
        if events.is_empty() {
            return;
        }
        let now = self.shared.parts.clock.now();
        let Some(loaded) = &mut self.loaded else { return };
        let commit = match batch.commit(&loaded.chat, loaded.revision, now, &loaded.active) {
            Ok(commit) => commit,
            Err(error) => {
                tracing::error!(chat = %self.key, %error, "a chat does not serialise");
                self.loaded = None;
                return;
            }
        };
        let active = commit.active.clone();
        let (harmless, others): (Vec<_>, Vec<_>) =
            decided.effects.into_iter().partition(effects::is_harmless);
        // What may be done twice without harm need not wait for the disk.
        let store = Arc::clone(&self.shared.parts.store);
        let early = others.is_empty();
        let committing = store.commit(commit);
        let mut waiting = harmless;
        if early {
            for effect in waiting.drain(..) {
                self.start(effect);
            }
        }
        match committing.await {
            Ok(committed) => {
                if let Some(loaded) = &mut self.loaded {
                    loaded.revision = committed.revision;
                    loaded.active = active;
                }
                for (taken, receipt) in decided.taken {
                    tell(Some(taken), Ok(receipt));
                }
                for effect in waiting.into_iter().chain(others) {
                    self.start(effect);
                }
            }
            Err(error) => self.not_kept(error, decided.taken, events),
        }
    }

    /// The store did not keep the events: the chat in memory is dropped and read again. What came
    /// from outside is refused; what has happened is offered again.
    fn not_kept(&mut self, error: StoreError, taken: Vec<(Taken, Receipt)>, events: Vec<Event>) {
        tracing::error!(chat = %self.key, error = %chain(&error), "the store did not keep an event");
        self.loaded = None;
        let error = Arc::new(error);
        for (taken, _) in taken {
            tell(Some(taken), Err(DeliverError::Store { source: Arc::clone(&error) }));
        }
        self.unkept.extend(events.into_iter().filter(|event| {
            !matches!(event, Event::Received(_) | Event::Settled { .. } | Event::Duplicate(_))
        }));
    }

    fn refuse(&mut self, events: VecDeque<(Event, Option<Taken>)>, error: &DeliverError) {
        for (event, taken) in events {
            match taken {
                Some(taken) => tell(Some(taken), Err(same(error))),
                None => self.unkept.push_back(event),
            }
        }
    }

    fn start(&mut self, effect: ChatEffect) {
        match effect {
            ChatEffect::CallModel { turn_id, request } => {
                let cancel = self.shared.stopping.child_token();
                self.model = Some((turn_id.clone(), cancel.clone()));
                effects::call_model(
                    &self.shared,
                    self.reporter(),
                    &self.key,
                    turn_id,
                    *request,
                    cancel,
                );
            }
            ChatEffect::Deliver(delivery) => self.outbox.send(delivery),
            ChatEffect::RunTool(run) => {
                let cancel = self.shared.stopping.child_token();
                self.runs.retain(|_, token| !token.is_cancelled());
                self.runs.insert(run.order.run_id.clone(), cancel.clone());
                effects::run_tool(&self.shared, self.reporter(), &self.key, *run, cancel);
            }
            ChatEffect::StopModel(turn_id) => {
                if let Some((_, cancel)) = self.model.take_if(|(of, _)| *of == turn_id) {
                    cancel.cancel();
                }
            }
            ChatEffect::StopRun(run_id) => {
                if let Some(cancel) = self.runs.remove(&run_id) {
                    cancel.cancel();
                }
            }
            ChatEffect::TurnEnded { turn_id, outcome } => {
                // Nobody may be listening.
                let _listeners =
                    self.shared.ended.send(Ended { chat: self.key.clone(), turn_id, outcome });
            }
        }
    }

    /// Tells the end of an effect back to the chat, even when it has fallen asleep meanwhile.
    fn reporter(&self) -> effects::Reporter {
        effects::Reporter::new(self.key.clone(), self.own.clone(), Arc::clone(&self.registry))
    }

    fn tell_waiters(&mut self) {
        if self.waiters.is_empty() || !self.orders.is_empty() || !self.unkept.is_empty() {
            return;
        }
        let doing = self.loaded.as_ref().map_or(Doing::Idle, |loaded| loaded.chat.doing());
        if doing != Doing::Busy {
            for waiter in self.waiters.drain(..) {
                // Whoever waited may have gone.
                let _gone = waiter.send(doing.clone());
            }
        }
    }
}

fn tell(taken: Option<Taken>, result: Result<Receipt, DeliverError>) {
    if let Some(taken) = taken {
        // Whoever sent it may have gone.
        let _gone = taken.send(result);
    }
}

/// The same error for each of several senders.
fn same(error: &DeliverError) -> DeliverError {
    match error {
        DeliverError::Store { source } => DeliverError::Store { source: Arc::clone(source) },
        other => DeliverError::Store {
            source: Arc::new(StoreError::Failed {
                doing: other.to_string(),
                source: chain(other).into(),
            }),
        },
    }
}

fn store_is_down() -> StoreError {
    StoreError::Failed {
        doing: "keep the message".into(),
        source: "the store fails; what came before is not kept yet".into(),
    }
}

/// An error with its causes, in one line.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text.push_str(": ");
        text.push_str(&cause.to_string());
        source = cause.source();
    }
    text
}

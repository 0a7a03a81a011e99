//! One awake chat: it takes events one after another, lets the core decide, keeps, and acts.
//!
//! | file | subject |
//! | --- | --- |
//! | `actor/keep.rs` | events into decisions, decisions into commits; a store that fails |
//! | `actor/doubt.rs` | a commit of which the store does not say whether it is kept |
//! | `actor/pending.rs` | what has begun and is kept a little later |
//! | `actor/resume.rs` | taking up what an earlier process left |
//! | `actor/start.rs` | starting what was decided |

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use manos_chat::{Chat, Doing, Event};
use manos_model::{ChatKey, DeliveryId, RunId, Stamp, TurnId};
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::registry::Registry;
use crate::runtime::{DeliverError, Receipt, Shared};

mod doubt;
mod keep;
mod pending;
mod resume;
mod start;

use doubt::Doubt;
use pending::Pending;

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
    /// Tell when nothing of the chat runs, waits to be kept or is on its way out.
    WhenQuiet(oneshot::Sender<()>),
    /// Tell when the chat does nothing or a person is asked.
    WhenSettled(oneshot::Sender<Doing>),
}

pub(crate) type Taken = oneshot::Sender<Result<Receipt, DeliverError>>;

/// An event that is to be kept.
struct Offered {
    event: Event,
    /// Whoever waits to hear that it is kept.
    taken: Option<Taken>,
    /// The stamp with which it was decided, when what it causes has begun: it is decided the same
    /// way again, and nothing begins twice.
    begun: Option<Stamp>,
    /// Whether its sender was told that it may not be kept.
    refused: bool,
}

impl Offered {
    /// Something that happened here, of which nobody waits to hear.
    fn happened(event: Event) -> Self {
        Self { event, taken: None, begun: None, refused: false }
    }
}

/// How long an idle chat stays in memory.
const IDLE_KEPT: Duration = Duration::from_secs(30);

/// The longest sleep before the clock is looked at again: it may have jumped.
const SLEEP_MAX: Duration = Duration::from_secs(30);

/// Events kept together in one commit.
const BATCH_MAX: usize = 16;

/// How long something that was begun waits for the next event of its chat that is kept, which takes
/// it along. Then it is handed to the store, where it may wait as long again for the commit of
/// another chat.
const PENDING_WAIT: Duration = Duration::from_millis(500);

/// How long to wait before something that happened is offered to a failing store again; the wait
/// doubles with each failure, up to [`RETRY_WAIT_MAX`].
const RETRY_WAIT: Duration = Duration::from_millis(500);

/// The longest wait before a failing store is tried again.
const RETRY_WAIT_MAX: Duration = Duration::from_secs(10);

pub(crate) struct Actor {
    key: ChatKey,
    shared: Arc<Shared>,
    registry: Arc<Registry>,
    own: mpsc::WeakSender<Order>,
    orders: mpsc::Receiver<Order>,
    /// An order that came while a commit waited for company, and ended the wait.
    early: Option<Order>,
    loaded: Option<Loaded>,
    resume: Resume,
    /// What was decided and begun, and is to be kept together with what comes next.
    pending: Pending,
    /// Events that happened and are not kept yet, since the store failed.
    unkept: VecDeque<Offered>,
    /// A commit that may be kept or not; the next look at the store tells.
    doubt: Option<Doubt>,
    /// When the store is tried again, and how long is waited after that.
    retry: Option<(Instant, Duration)>,
    settled: Vec<oneshot::Sender<Doing>>,
    quiet: Vec<oneshot::Sender<()>>,
    runs: HashMap<RunId, CancellationToken>,
    model: Option<(TurnId, CancellationToken)>,
    /// The output on its way, and what tells that it is not wanted any more. The next is sent when
    /// the end of this one is kept.
    sending: Option<(DeliveryId, CancellationToken)>,
}

/// The chat as it is in memory and in the store.
struct Loaded {
    chat: Chat,
    revision: u64,
    /// The small state as the store has it.
    active: String,
}

/// Whether an earlier process may have left work in the chat.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Resume {
    /// Not looked at yet.
    Unknown,
    /// There is work, and it was not taken up yet.
    Due,
    /// It is taken up as soon as the store answers.
    Asked,
    /// There is none, or it is taken up.
    Done,
}

impl Actor {
    pub(crate) fn new(
        key: ChatKey,
        shared: Arc<Shared>,
        registry: Arc<Registry>,
        own: mpsc::WeakSender<Order>,
        orders: mpsc::Receiver<Order>,
    ) -> Self {
        Self {
            key,
            shared,
            registry,
            own,
            orders,
            early: None,
            loaded: None,
            resume: Resume::Unknown,
            pending: Pending::default(),
            unkept: VecDeque::new(),
            doubt: None,
            retry: None,
            settled: Vec::new(),
            quiet: Vec::new(),
            runs: HashMap::new(),
            model: None,
            sending: None,
        }
    }

    pub(crate) async fn run(mut self) {
        loop {
            let sleep = self.sleep();
            let order = match self.early.take() {
                Some(order) => Ok(Some(order)),
                None => tokio::time::timeout(sleep, self.orders.recv()).await,
            };
            let rested = order.is_err() && sleep >= IDLE_KEPT;
            match order {
                Ok(Some(order)) => self.take(order).await,
                Ok(None) => return self.keep_pending().await,
                Err(_) => self.woke().await,
            }
            self.tell_waiters();
            if self.idle() && (rested || self.registry.crowded()) {
                self.keep_pending().await;
                if self.idle() && self.leave().await {
                    return;
                }
            }
        }
    }

    fn idle(&self) -> bool {
        let at_rest = self.loaded.as_ref().is_none_or(|loaded| !loaded.chat.awake());
        let nobody_waits = self.settled.is_empty() && self.quiet.is_empty();
        at_rest
            && nobody_waits
            && self.unkept.is_empty()
            && self.early.is_none()
            && self.doubt.is_none()
            && self.runs.is_empty()
            && self.sending.is_none()
            && self.resume != Resume::Asked
    }

    /// Leaves the memory. When an order came at the last moment, the chat stays.
    async fn leave(&mut self) -> bool {
        if !self.registry.leave(&self.key, &mut self.orders) {
            return false;
        }
        // Whoever had begun to send before the queue was closed may still put an order into it.
        while let Some(order) = self.orders.recv().await {
            self.registry.send(&self.key, order).await;
        }
        true
    }

    /// How long to sleep when no order comes.
    fn sleep(&self) -> Duration {
        if let Some((at, _)) = self.retry {
            return at.saturating_duration_since(Instant::now());
        }
        let pending = self.pending.since().map_or(IDLE_KEPT, |since| {
            (since + PENDING_WAIT).saturating_duration_since(Instant::now())
        });
        let deadline = self.loaded.as_ref().and_then(|loaded| loaded.chat.deadline());
        let rest = deadline.map_or(IDLE_KEPT, |deadline| {
            let left = deadline.duration_since(self.shared.parts.clock.now());
            Duration::try_from(left).unwrap_or(Duration::ZERO).min(SLEEP_MAX)
        });
        rest.min(pending)
    }

    /// Time has passed without an order.
    async fn woke(&mut self) {
        if self.retry.is_some() {
            self.keep(Vec::new()).await;
            return;
        }
        if self.pending.since().is_some_and(|since| since.elapsed() >= PENDING_WAIT) {
            self.keep_pending_later().await;
        }
        let now = self.shared.parts.clock.now();
        let deadline = self.loaded.as_ref().and_then(|loaded| loaded.chat.deadline());
        if deadline.is_some_and(|deadline| now >= deadline) {
            self.keep(vec![Offered::happened(Event::TimeUp)]).await;
        }
    }

    async fn take(&mut self, order: Order) {
        let mut batch = Vec::new();
        let mut next = Some(order);
        while let Some(order) = next.take() {
            match order {
                Order::Event { event, taken } => self.offer(*event, taken, &mut batch),
                Order::Wake if self.resume == Resume::Done => {}
                Order::Wake => self.resume = Resume::Asked,
                Order::WhenQuiet(waiter) => self.quiet.push(waiter),
                Order::WhenSettled(waiter) => {
                    if self.resume != Resume::Done {
                        self.resume = Resume::Asked;
                    }
                    self.settled.push(waiter);
                }
            }
            if batch.len() < BATCH_MAX {
                next = self.orders.try_recv().ok();
            }
        }
        self.keep(batch).await;
        if !self.quiet.is_empty() {
            self.keep_pending().await;
        }
    }

    /// Takes an event into the batch; nothing from outside once no new input is taken.
    fn offer(&self, event: Event, taken: Option<Taken>, batch: &mut Vec<Offered>) {
        match taken {
            Some(taken) if self.shared.closing.is_cancelled() => {
                tell(Some(taken), Err(DeliverError::Closing));
            }
            taken => batch.push(Offered { event, taken, begun: None, refused: false }),
        }
    }

    /// What the chat does. Outputs that another process has to send keep nobody waiting here.
    fn doing(&self) -> Doing {
        let Some(loaded) = &self.loaded else { return Doing::Idle };
        let others_send = loaded.chat.turn().is_none() && !self.serves();
        if others_send { Doing::Idle } else { loaded.chat.doing() }
    }

    fn serves(&self) -> bool {
        self.shared.parts.channel.serves(&self.key)
    }

    fn tell_waiters(&mut self) {
        let told = self.orders.is_empty() && self.early.is_none();
        let kept = told && self.unkept.is_empty() && self.doubt.is_none();
        if !kept || (self.settled.is_empty() && self.quiet.is_empty()) {
            return;
        }
        let doing = self.doing();
        let settled = doing != Doing::Busy;
        if settled {
            for waiter in self.settled.drain(..) {
                // Whoever waited may have gone.
                let _gone = waiter.send(doing.clone());
            }
        }
        let runs = !self.runs.is_empty() || self.sending.is_some();
        let left_over = matches!(self.resume, Resume::Asked | Resume::Due);
        let pending = self.pending.since().is_some();
        if !runs && !pending && (left_over || (settled && !self.has_outputs())) {
            for waiter in self.quiet.drain(..) {
                let _gone = waiter.send(());
            }
        }
    }

    /// Whether outputs wait that this process sends.
    fn has_outputs(&self) -> bool {
        self.serves() && self.loaded.as_ref().is_some_and(|loaded| !loaded.chat.outbox().is_empty())
    }
}

fn tell(taken: Option<Taken>, result: Result<Receipt, DeliverError>) {
    if let Some(taken) = taken {
        // Whoever sent it may have gone.
        let _gone = taken.send(result);
    }
}

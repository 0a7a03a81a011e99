//! The handle of a running agent: delivering, waiting, shutting down.

use std::fmt::Debug;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use manos_chat::{ChatError, ChatSpec, Doing, Event, Inbound, InboundBody};
use manos_engine::CallOutcome;
use manos_model::{AgentName, ChatKey, RunEnd, RunId, TurnId};
use manos_ports::{
    Channel, ChatQuery, Clock, Companion, Provider, Store, StoreError, ToolExecutor,
};
use tokio::sync::{broadcast, oneshot};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::Chance;
use crate::actor::Order;
use crate::late::LateRuns;
use crate::registry::Registry;
use crate::remembered::{self, Remembered};

/// What a runtime is made from.
#[derive(Debug)]
pub struct Parts {
    /// The agent with its rules.
    pub spec: Arc<ChatSpec>,
    /// Where everything is kept.
    pub store: Arc<dyn Store>,
    /// The model; none: rules only.
    pub provider: Option<Arc<dyn Provider>>,
    /// What runs approved calls.
    pub executor: Arc<dyn ToolExecutor>,
    /// Where people are.
    pub channel: Arc<dyn Channel>,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// The randomness.
    pub chance: Arc<dyn Chance>,
}

/// What all chats of a runtime share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) parts: Parts,
    pub(crate) ended: broadcast::Sender<Ended>,
    /// Tasks that must end before the process does.
    pub(crate) tasks: TaskTracker,
    /// Fires when no new input is taken.
    pub(crate) closing: CancellationToken,
    /// Fires when running effects must stop.
    pub(crate) stopping: CancellationToken,
    /// Whose run it was, for ends that come late.
    pub(crate) late: LateRuns,
    pub(crate) remembered: Remembered,
    /// Work that ends after the chats.
    companion: OnceLock<Arc<dyn Companion>>,
}

/// A turn that has ended.
#[derive(Debug, Clone)]
pub struct Ended {
    /// The chat.
    pub chat: ChatKey,
    /// The turn.
    pub turn_id: TurnId,
    /// What came of its single call, when code asked for one.
    pub outcome: Option<CallOutcome>,
}

/// What was taken is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Receipt {
    /// Turns that started with it.
    pub turns_started: Vec<TurnId>,
    /// Whether it had been taken before.
    pub duplicate: bool,
}

/// What is known of a call from outside that was asked for before.
#[derive(Debug, Clone, PartialEq)]
pub enum KnownOutcome {
    /// What came of it.
    Ended(CallOutcome),
    /// It was taken, and nobody can tell what came of it; or it still waits for a person.
    Unknown,
}

/// Why nothing can be told of a call from outside.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CallError {
    /// The store cannot be read.
    #[error("the store does not tell whether the call was made before")]
    Store {
        /// Why.
        #[from]
        source: StoreError,
    },
    /// What the store holds of it does not read back.
    #[error("what came of the call cannot be read from the store")]
    Unreadable {
        /// Why.
        #[from]
        source: serde_json::Error,
    },
}

/// Why something was not taken. Nothing of it is kept.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DeliverError {
    /// The runtime is shutting down.
    #[error("the runtime is shutting down and takes no new input")]
    Closing,
    /// The chat refuses it.
    #[error(transparent)]
    Refused(#[from] ChatError),
    /// What the store holds of the chat does not read back.
    #[error("the chat {chat} cannot be read from the store")]
    Unreadable {
        /// The chat.
        chat: ChatKey,
        /// Why.
        source: manos_chat::StateError,
    },
    /// The store did not keep it, or it fails and nobody can tell: a message with an id may be sent
    /// again in any case.
    #[error("the store did not keep the message")]
    Store {
        /// Why, shared with everything else that was not kept with it.
        #[from]
        source: Arc<StoreError>,
    },
}

/// A running agent. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Runtime {
    shared: Arc<Shared>,
    registry: Arc<Registry>,
}

/// Ends of turns that a slow listener may miss before it is told that it did.
const ENDED_KEPT: usize = 1024;

/// Chats read from the store at once when the runtime starts.
const RESUME_PAGE: usize = 500;

impl Runtime {
    /// Puts a runtime together. [`Runtime::resume`] takes up what an earlier process left.
    pub fn new(parts: Parts) -> Self {
        let (ended, _) = broadcast::channel(ENDED_KEPT);
        let shared = Arc::new(Shared {
            parts,
            ended,
            tasks: TaskTracker::new(),
            closing: CancellationToken::new(),
            stopping: CancellationToken::new(),
            late: LateRuns::default(),
            remembered: Remembered::default(),
            companion: OnceLock::new(),
        });
        let registry = Registry::new(Arc::clone(&shared));
        Self { shared, registry }
    }

    /// Lets work beside the chats end with them: [`Runtime::shutdown`] ends it last, when everything
    /// is kept. There is one; a second is refused.
    ///
    /// # Errors
    ///
    /// The second one, given back.
    pub fn accompany(&self, companion: Arc<dyn Companion>) -> Result<(), Arc<dyn Companion>> {
        self.shared.companion.set(companion)
    }

    /// Returns the agent.
    pub fn spec(&self) -> &Arc<ChatSpec> {
        &self.shared.parts.spec
    }

    /// Takes up every chat of the channel that an earlier process left with work: runs are
    /// settled, outputs sent, turns continued. Returns how many there were.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the chats cannot be read.
    pub async fn resume(&self) -> Result<usize, StoreError> {
        let mut after = None;
        let mut resumed = 0;
        loop {
            let query = ChatQuery { awake_only: true, after, limit: RESUME_PAGE };
            let page = self.shared.parts.store.chats(query).await?;
            let Some(last) = page.last() else { return Ok(resumed) };
            after = Some(last.chat.clone());
            for summary in page {
                if self.shared.parts.channel.serves(&summary.chat) {
                    self.registry.wake(&summary.chat).await;
                    resumed += 1;
                }
            }
        }
    }

    /// Takes something that came in. When this returns, it is kept.
    ///
    /// A message whose id was taken before is only noted, as long as the id is remembered
    /// ([`ChatSpec::message_ids_kept`]).
    ///
    /// # Errors
    ///
    /// [`DeliverError`]; nothing is kept then.
    pub async fn deliver(&self, chat: &ChatKey, inbound: Inbound) -> Result<Receipt, DeliverError> {
        if inbound.message_id.is_some() || matches!(inbound.body, InboundBody::Call { .. }) {
            remembered::forget_now_and_then(&self.shared);
        }
        self.event(chat, Event::Received(inbound)).await
    }

    /// Notes in the trail which file the agent runs from: `config.loaded`, in the chat of the agent
    /// itself (see [`agent_chat`]).
    ///
    /// # Errors
    ///
    /// [`DeliverError`] when it is not kept.
    pub async fn announce(&self, digest: &str) -> Result<Receipt, DeliverError> {
        let chat = agent_chat(&self.spec().agent.name);
        self.event(&chat, Event::ConfigLoaded { digest: digest.to_owned() }).await
    }

    /// Settles a run whose end is not known.
    ///
    /// # Errors
    ///
    /// [`DeliverError`]; nothing is kept then.
    pub async fn settle(
        &self,
        chat: &ChatKey,
        run_id: RunId,
        done: bool,
    ) -> Result<Receipt, DeliverError> {
        self.event(chat, Event::Settled { run_id, done }).await
    }

    async fn event(&self, chat: &ChatKey, event: Event) -> Result<Receipt, DeliverError> {
        if self.shared.closing.is_cancelled() {
            return Err(DeliverError::Closing);
        }
        let (sender, receiver) = oneshot::channel();
        self.registry
            .send(chat, Order::Event { event: Box::new(event), taken: Some(sender) })
            .await;
        receiver.await.unwrap_or(Err(DeliverError::Closing))
    }

    /// Takes the end of a run that came after its timeout: it settles what stood as unknown.
    pub fn late(&self, run_id: RunId, end: RunEnd) {
        let Some(chat) = self.shared.late.take(&run_id) else {
            tracing::warn!(%run_id, "a late end came for a run that nobody waits for");
            return;
        };
        let registry = Arc::clone(&self.registry);
        self.shared.tasks.spawn(async move {
            let event = Box::new(Event::ToolEnded { run_id, end, duration_ms: 0 });
            registry.send(&chat, Order::Event { event, taken: None }).await;
        });
    }

    /// Looks up what is known of a call from outside, by a name that its sender gave it; `None` when
    /// nobody asked for it yet. One that runs is waited for.
    ///
    /// # Errors
    ///
    /// [`CallError`] when it cannot be told.
    pub async fn known_call(&self, key: &str) -> Result<Option<KnownOutcome>, CallError> {
        let store = &self.shared.parts.store;
        let Some(mut row) = store.call(key).await? else { return Ok(None) };
        if row.outcome.is_none() {
            self.settled(&row.chat).await;
            row = store.call(key).await?.unwrap_or(row);
        }
        let outcome = row.outcome.as_deref().map(serde_json::from_str).transpose()?;
        Ok(Some(outcome.map_or(KnownOutcome::Unknown, KnownOutcome::Ended)))
    }

    /// Waits until the chat does nothing, or a person is asked.
    pub async fn settled(&self, chat: &ChatKey) -> Doing {
        let (sender, receiver) = oneshot::channel();
        self.registry.send(chat, Order::WhenSettled(sender)).await;
        receiver.await.unwrap_or(Doing::Idle)
    }

    /// Listens to the ends of turns.
    pub fn ended(&self) -> broadcast::Receiver<Ended> {
        self.shared.ended.subscribe()
    }

    /// Takes no new input, waits for what runs, at most for `grace`, then stops it.
    ///
    /// A turn that waits for its model is left to the next process when the grace is over.
    pub async fn shutdown(&self, grace: Duration) {
        self.shared.closing.cancel();
        self.shared.tasks.close();
        if tokio::time::timeout(grace, self.quiet()).await.is_err() {
            self.shared.stopping.cancel();
            let stopped = tokio::time::timeout(STOP_WAIT, self.shared.tasks.wait()).await;
            if stopped.is_err() {
                tracing::warn!("tools were still running when the process ended");
            }
            // What has ended is kept, and told where that can be done soon.
            if tokio::time::timeout(TELL_WAIT, self.quiet()).await.is_err() {
                tracing::warn!("the process ends before everything was told");
            }
        }
        if tokio::time::timeout(STOP_WAIT, self.registry.close()).await.is_err() {
            tracing::warn!("the store was still writing when the process ended");
        }
        if let Some(companion) = self.shared.companion.get() {
            companion.stop(grace).await;
        }
    }

    /// Waits until nothing of any chat runs, waits to be kept or is on its way out.
    async fn quiet(&self) {
        loop {
            for chat in self.registry.awake() {
                let (sender, receiver) = oneshot::channel();
                self.registry.send(&chat, Order::WhenQuiet(sender)).await;
                // A chat that has ended runs nothing.
                let _ended = receiver.await;
            }
            // A run that goes on without a turn may end, and tell its chat, after that was asked.
            if self.shared.tasks.is_empty() && self.registry.nothing_waits() {
                return;
            }
            self.shared.tasks.wait().await;
        }
    }

    /// Returns how many chats are in memory.
    pub fn awake_chats(&self) -> usize {
        self.registry.awake().len()
    }
}

/// How long chats may take at shutdown to keep and tell what has ended.
const TELL_WAIT: Duration = Duration::from_secs(2);

/// How long tools may take to stop when they are told to at shutdown.
const STOP_WAIT: Duration = Duration::from_secs(5);

/// The key under which facts about the agent itself are kept; nobody talks there.
pub fn agent_chat(agent: &AgentName) -> ChatKey {
    ChatKey::new(format!("agent:{agent}"))
}

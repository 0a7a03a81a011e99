//! The handle on everything that is told: beginning, looking, ending.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use manos_model::AgentName;
use manos_ports::{Clock, Companion, NoticeEndpoint, Store, StoreError};
use tokio::sync::{OnceCell, watch};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::post::{Endpoint, Post};
use crate::pump::Pump;

/// How long a process that ends waits for what is being told; the rest is told by the next one.
pub const NOTICES_GRACE: Duration = Duration::from_secs(2);

/// How long tries may take to stop when they are told to.
const STOP_WAIT: Duration = Duration::from_secs(2);

/// Draws 64 random bits, which spread the tries.
pub type Chance = Arc<dyn Fn() -> u64 + Send + Sync>;

/// What notices are made from.
pub struct NoticesParts {
    /// Whose trail is told.
    pub agent: AgentName,
    /// Where the trail and the deliveries are kept.
    pub store: Arc<dyn Store>,
    /// Who is told, each with an address of its own.
    pub endpoints: Vec<Endpoint>,
    /// How.
    pub post: Arc<dyn Post>,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// The randomness.
    pub chance: Chance,
}

impl fmt::Debug for NoticesParts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NoticesParts")
            .field("agent", &self.agent)
            .field("endpoints", &self.endpoints)
            .finish_non_exhaustive()
    }
}

/// What the tasks of all endpoints share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) parts: NoticesParts,
    /// Fires when nothing that waits is waited for any more.
    pub(crate) closing: CancellationToken,
    /// Fires when tries must stop.
    pub(crate) stopping: CancellationToken,
}

/// Tells the endpoints of one agent what its trail holds. Dropping it stops the telling.
#[derive(Debug)]
pub struct Notices {
    shared: Arc<Shared>,
    changed: watch::Sender<()>,
    begun: OnceCell<()>,
    tasks: TaskTracker,
}

impl Notices {
    /// Puts it together; nothing is told before [`Notices::begin`].
    pub fn new(parts: NoticesParts) -> Self {
        let (closing, stopping) = (CancellationToken::new(), CancellationToken::new());
        Self {
            shared: Arc::new(Shared { parts, closing, stopping }),
            changed: watch::Sender::new(()),
            begun: OnceCell::new(),
            tasks: TaskTracker::new(),
        }
    }

    /// Makes the endpoints known, once, and begins to tell what an earlier process left and what is
    /// kept from now on.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when it is not kept who is to be told; asking again tries again.
    pub async fn begin(&self) -> Result<(), StoreError> {
        let begin = || async {
            let NoticesParts { agent, store, endpoints, clock, .. } = &self.shared.parts;
            let known = endpoints.iter().map(|endpoint| NoticeEndpoint {
                id: endpoint.id.clone(),
                label: endpoint.label.clone(),
            });
            store.delivery_log().register(agent, known.collect(), clock.now()).await?;
            for endpoint in endpoints {
                let changed = self.changed.subscribe();
                let pump = Pump::new(endpoint.clone(), Arc::clone(&self.shared), changed);
                self.tasks.spawn(pump.run());
            }
            Ok(())
        };
        self.begun.get_or_try_init(begin).await.copied()
    }

    /// Lets every endpoint look at the trail and at what is due.
    pub fn look(&self) {
        self.changed.send_replace(());
    }
}

#[async_trait]
impl Companion for Notices {
    async fn stop(&self, grace: Duration) {
        self.shared.closing.cancel();
        self.tasks.close();
        if tokio::time::timeout(grace.min(NOTICES_GRACE), self.tasks.wait()).await.is_err() {
            tracing::info!("notices that are on their way are told again by the next process");
            self.shared.stopping.cancel();
            if tokio::time::timeout(STOP_WAIT, self.tasks.wait()).await.is_err() {
                tracing::warn!("notices were still being sent when the process ended");
            }
        }
    }
}

impl Drop for Notices {
    fn drop(&mut self) {
        self.shared.closing.cancel();
        self.shared.stopping.cancel();
    }
}

//! The task of one endpoint: reads on, sends what is due, keeps what came of it.

use std::sync::Arc;
use std::time::Duration;

use futures_util::{StreamExt as _, stream};
use manos_model::{CursorId, NoticeTrouble, Timestamp};
use manos_ports::{DeliveryRow, DeliveryState, DeliveryTry, NewDelivery, StoreError};
use manos_wire_tool::notice::{Next, Tried, next};
use tokio::sync::watch;

use crate::notices::Shared;
use crate::post::{Endpoint, Posted};
use crate::trail::{TRAIL_PAGE, Trail};

/// Deliveries that may wait for one endpoint. Beyond it the trail is not read on for it: what comes
/// after waits there, and nothing of it is lost.
pub const WAITING_MAX: usize = 1_000;

/// Deliveries whose notices are made and sent in one go.
pub const DUE_PAGE: usize = 32;

/// Tries at one endpoint at a time.
pub const POSTS_MAX: usize = 8;

/// How long a store that fails is left alone.
pub const STORE_WAIT: Duration = Duration::from_secs(5);

/// Events without anything to tell that may lie between the cursor that is kept and the place up to
/// which the trail was read; they are read again after a restart.
const CURSOR_LAG_MAX: u64 = 1_000;

/// The task, before it runs.
pub(crate) struct Pump {
    endpoint: Endpoint,
    shared: Arc<Shared>,
    trail: Trail,
    changed: watch::Receiver<()>,
    /// Up to where the trail was read.
    read_to: CursorId,
}

/// What a round came to.
enum Round {
    /// There may be more to do at once.
    More,
    /// Nothing is left to do before this instant, or before something happens.
    Idle(Option<Timestamp>),
}

impl Pump {
    pub(crate) fn new(
        endpoint: Endpoint,
        shared: Arc<Shared>,
        changed: watch::Receiver<()>,
    ) -> Self {
        let trail = Trail::new(Arc::clone(&shared.parts.store));
        Self { endpoint, shared, trail, changed, read_to: 0 }
    }

    /// Goes on until there is nothing left to do and it is told to end, or until it is stopped.
    pub(crate) async fn run(mut self) {
        while !self.shared.stopping.is_cancelled() {
            // Before the look, so that what comes meanwhile is looked at in the next round.
            self.changed.mark_unchanged();
            let wait = match self.round().await {
                Ok(Round::More) => continue,
                Ok(Round::Idle(next_at)) => next_at.map(|at| self.until(at)),
                Err(error) => {
                    tracing::warn!(endpoint = self.endpoint.label, %error, "notices wait: the store fails");
                    Some(STORE_WAIT)
                }
            };
            if self.shared.closing.is_cancelled() {
                return;
            }
            self.rest(wait).await;
        }
    }

    fn until(&self, at: Timestamp) -> Duration {
        let left = at.duration_since(self.shared.parts.clock.now());
        Duration::try_from(left).unwrap_or_default()
    }

    async fn rest(&mut self, wait: Option<Duration>) {
        let timer = async {
            match wait {
                Some(wait) => tokio::time::sleep(wait).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = self.shared.closing.cancelled() => {}
            // An error says that the handle is gone, and then it is closing.
            _changed = self.changed.changed() => {}
            () = timer => {}
        }
    }

    async fn round(&mut self) -> Result<Round, StoreError> {
        let shared = Arc::clone(&self.shared);
        let log = shared.parts.store.delivery_log();
        let Some(stands) = log.endpoint(&self.endpoint.id).await? else {
            return Ok(Round::Idle(None));
        };
        let room = WAITING_MAX.saturating_sub(stands.waiting);
        let has_read = room > 0 && self.read_on(stands.cursor, room).await?;
        let now = shared.parts.clock.now();
        let due = log.due(&self.endpoint.id, now, DUE_PAGE).await?;
        if due.is_empty() {
            return Ok(if has_read { Round::More } else { Round::Idle(stands.next_at) });
        }
        self.send(due).await?;
        Ok(Round::More)
    }

    /// Reads a page of the trail and takes up what the endpoint wants of it; says whether there was
    /// anything to read.
    async fn read_on(&mut self, cursor: CursorId, room: usize) -> Result<bool, StoreError> {
        self.read_to = self.read_to.max(cursor);
        // A fact is told in two ways at most.
        let page = self.trail.after(self.read_to, room.div_ceil(2).min(TRAIL_PAGE)).await?;
        let Some((read_to, page)) = page else { return Ok(false) };
        let agent = self.shared.parts.agent.as_str();
        let ours = page.iter().filter(|fact| fact.text("agent") == agent);
        let mut wanted = Vec::new();
        for fact in ours {
            wanted.extend(self.endpoint.wanted.of(fact).into_iter().map(|kind| NewDelivery {
                event_id: fact.event_id(&kind),
                kind,
                audit_id: fact.id(),
            }));
        }
        if !wanted.is_empty() || read_to - cursor > CURSOR_LAG_MAX {
            let parts = &self.shared.parts;
            let log = parts.store.delivery_log();
            log.take_up(&self.endpoint.id, read_to, wanted, parts.clock.now()).await?;
        }
        self.read_to = read_to;
        Ok(true)
    }

    /// Tries what is due, and keeps what each try came to as soon as it has ended.
    async fn send(&mut self, due: Vec<DeliveryRow>) -> Result<(), StoreError> {
        let mut bodies = Vec::with_capacity(due.len());
        for row in due {
            let body = self.trail.body(row.audit_id, &row.kind).await?;
            bodies.push((row, body));
        }
        let tries = stream::iter(bodies).map(|(row, body)| self.try_once(row, body));
        let mut ended = std::pin::pin!(tries.buffer_unordered(POSTS_MAX).ready_chunks(DUE_PAGE));
        let log = self.shared.parts.store.delivery_log();
        while let Some(tries) = ended.next().await {
            let tries: Vec<DeliveryTry> = tries.into_iter().flatten().collect();
            if !tries.is_empty() {
                log.tried(&self.endpoint.id, tries).await?;
            }
        }
        Ok(())
    }

    /// Sends a notice once; `None` when it was stopped before it ended.
    async fn try_once(&self, row: DeliveryRow, body: Option<String>) -> Option<DeliveryTry> {
        let parts = &self.shared.parts;
        let posted = match body {
            Some(body) => tokio::select! {
                biased;
                () = self.shared.stopping.cancelled() => return None,
                posted = parts.post.post(&self.endpoint, body, parts.clock.now()) => posted,
            },
            // The trail no longer holds what it is about.
            None => Posted::of_trouble(NoticeTrouble::Other),
        };
        let at = parts.clock.now();
        let state = match posted.trouble {
            None => DeliveryState::Delivered,
            Some(_) => self.after_failure(&row, at),
        };
        let Posted { trouble, http_status } = posted;
        Some(DeliveryTry { event_id: row.event_id, at, state, trouble, http_status })
    }

    fn after_failure(&self, row: &DeliveryRow, at: Timestamp) -> DeliveryState {
        let first_at = row.first_at.unwrap_or(at);
        let tried = Tried { attempts: row.attempts.saturating_add(1), first_at, at };
        match next(tried, (self.shared.parts.chance)()) {
            Next::At(at) => DeliveryState::Waiting(at),
            Next::GiveUp => {
                let (endpoint, kind) = (self.endpoint.label.as_str(), row.kind.as_str());
                tracing::warn!(endpoint, kind, "a notice was tried for a day and is given up");
                DeliveryState::Failed
            }
        }
    }
}

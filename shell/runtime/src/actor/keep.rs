//! Events into decisions, decisions into commits. Nothing that does harm when it is made twice
//! starts, and nobody is told, before the store has kept it.

use std::collections::VecDeque;
use std::sync::Arc;

use manos_chat::{Chat, ChatEffect, Event, Keep};
use manos_model::Stamp;
use manos_ports::{Commit, Committed, Store, StoreError, StoredChat};
use tokio::sync::mpsc;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::doubt::Doubt;
use super::{Actor, Loaded, Offered, Order, RETRY_WAIT, RETRY_WAIT_MAX, Resume, tell};
use crate::runtime::{DeliverError, Receipt};

/// What one commit brings about.
#[derive(Default)]
pub(super) struct Decided {
    effects: Vec<ChatEffect>,
    pub(super) events: Vec<Kept>,
    keep: Option<Keep>,
}

/// An event of a commit, and what its sender is told.
pub(super) struct Kept {
    pub(super) offered: Offered,
    stamp: Stamp,
    receipt: Receipt,
}

/// The store failed; whatever was left over is refused, or offered again later.
pub(super) struct Failed(pub(super) Arc<StoreError>);

/// Whether a commit may wait for one of another chat.
#[derive(Clone, Copy)]
enum Urgency {
    Now,
    WithCompany,
}

/// Keeps a commit with that of another chat, but lets no order for this chat wait.
async fn with_company(
    store: &dyn Store,
    commit: Commit,
    orders: &mut mpsc::Receiver<Order>,
    early: &mut Option<Order>,
) -> Result<Committed, StoreError> {
    let hurried = CancellationToken::new();
    let mut kept = store.commit_later(commit, &hurried);
    tokio::select! {
        biased;
        kept = &mut kept => kept,
        order = orders.recv() => {
            *early = order;
            hurried.cancel();
            kept.await
        }
    }
}

impl Actor {
    /// Decides, keeps, acts; in as few commits as the events allow. What happened before is kept
    /// first.
    pub(super) async fn keep(&mut self, batch: Vec<Offered>) {
        let loaded = self.load().await;
        let mut events = std::mem::take(&mut self.unkept);
        events.extend(batch);
        if let Err(error) = loaded {
            self.not_loaded(events, &error);
            return;
        }
        self.add_resumed(&mut events).await;
        while !events.is_empty() {
            if let Err(error) = self.load().await {
                self.not_loaded(events, &error);
                return;
            }
            if let Err(Failed(error)) = self.keep_some(&mut events).await {
                self.refuse(events, &DeliverError::Store { source: error });
                self.retry_later();
                return;
            }
        }
        self.retry = None;
        self.send_next();
    }

    pub(super) async fn load(&mut self) -> Result<(), DeliverError> {
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
        // Only the first look can find what an earlier process left.
        if !loaded.chat.awake() && self.resume != Resume::Done {
            self.resume = Resume::Done;
        } else if self.resume == Resume::Unknown {
            self.resume = Resume::Due;
        }
        let revision = loaded.revision;
        self.loaded = Some(loaded);
        self.settle_doubt(revision);
        Ok(())
    }

    fn unreadable(&self, source: manos_chat::StateError) -> DeliverError {
        DeliverError::Unreadable { chat: self.key.clone(), source }
    }

    fn not_loaded(&mut self, events: VecDeque<Offered>, error: &DeliverError) {
        tracing::error!(chat = %self.key, error = %chain(error), "the chat cannot be read");
        if matches!(error, DeliverError::Unreadable { .. }) {
            // Time does not mend it.
            self.resume = Resume::Unknown;
        }
        self.refuse(events, error);
        self.retry_later();
    }

    /// Keeps as many of the events as fit one commit.
    async fn keep_some(&mut self, events: &mut VecDeque<Offered>) -> Result<(), Failed> {
        let mut decided = Decided::default();
        let now = self.shared.parts.clock.now();
        while let Some(mut offered) = events.pop_front() {
            let received = matches!(offered.event, Event::Received(_));
            if received && self.pending.batch.has_message() {
                events.push_front(offered);
                break;
            }
            offered.event = self.unless_seen(offered.event).await;
            let new_stamp = || Stamp { at: now, seed: self.shared.parts.chance.draw() };
            let stamp = offered.begun.unwrap_or_else(new_stamp);
            self.decide(offered, stamp, &mut decided);
        }
        let room = self.pending.has_room(decided.events.len());
        if decided.keep == Some(Keep::Later) && room && !self.shared.closing.is_cancelled() {
            self.begin(decided);
            return Ok(());
        }
        self.commit(decided, events, Urgency::Now).await
    }

    /// Lets the chat decide, and adds what it decided to what is to be kept.
    fn decide(&mut self, offered: Offered, stamp: Stamp, decided: &mut Decided) {
        let Some(loaded) = &mut self.loaded else { return };
        let spec = &self.shared.parts.spec;
        let event = &offered.event;
        let mut decision = match loaded.chat.apply(spec, event, stamp) {
            Ok(decision) => decision,
            Err(refusal) => return tell(offered.taken, Err(refusal.into())),
        };
        let receipt = Receipt {
            turns_started: decision.turns_started.clone(),
            duplicate: matches!(event, Event::Duplicate(_)),
        };
        if let Err(error) = self.pending.batch.add(&self.key, spec, event, stamp, &mut decision) {
            tracing::error!(chat = %self.key, %error, "an event does not serialise");
        }
        if offered.begun.is_none() {
            decided.effects.append(&mut decision.effects);
        }
        // What has begun is here because a commit failed: it does not wait once more.
        let nobody_waits = offered.taken.is_none() && offered.begun.is_none();
        let waits = decision.keep == Keep::Later && nobody_waits;
        if !waits {
            decided.keep = Some(Keep::First);
        }
        decided.keep.get_or_insert(Keep::Later);
        decided.events.push(Kept { offered, stamp, receipt });
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

    /// Keeps what has begun and waits to be kept.
    pub(super) async fn keep_pending(&mut self) {
        if self.pending.since().is_none() {
            return;
        }
        self.keep_what_waits(Urgency::Now).await;
    }

    /// The same, with the next commit of any chat, or as soon as an order comes for this one.
    pub(super) async fn keep_pending_later(&mut self) {
        self.keep_what_waits(Urgency::WithCompany).await;
    }

    async fn keep_what_waits(&mut self, urgency: Urgency) {
        let mut left = VecDeque::new();
        if let Err(Failed(error)) = self.commit(Decided::default(), &mut left, urgency).await {
            self.refuse(left, &DeliverError::Store { source: error });
            self.retry_later();
        }
    }

    async fn commit(
        &mut self,
        decided: Decided,
        left: &mut VecDeque<Offered>,
        urgency: Urgency,
    ) -> Result<(), Failed> {
        if decided.events.is_empty() && self.pending.since().is_none() {
            return Ok(());
        }
        let now = self.shared.parts.clock.now();
        let Some(loaded) = &mut self.loaded else { return Ok(()) };
        let mut pending = std::mem::take(&mut self.pending);
        let batch = std::mem::take(&mut pending.batch);
        let commit = match batch.commit(&mut loaded.chat, loaded.revision, now, &loaded.active) {
            Ok(commit) => commit,
            Err(error) => {
                tracing::error!(chat = %self.key, %error, "a chat does not serialise");
                self.loaded = None;
                return Ok(());
            }
        };
        let active = commit.active.clone();
        let store = self.shared.parts.store.as_ref();
        let kept = match urgency {
            Urgency::Now => store.commit(commit).await,
            Urgency::WithCompany => {
                with_company(store, commit, &mut self.orders, &mut self.early).await
            }
        };
        match kept {
            Ok(committed) => {
                loaded.revision = committed.revision;
                loaded.active = active;
                self.kept(decided);
                Ok(())
            }
            Err(error) => {
                // The chat in memory has decided what may not be kept: it is read again.
                let revision = loaded.revision;
                self.loaded = None;
                let begun = pending.into_offered().collect();
                let surely_not = !matches!(error, StoreError::Failed { .. });
                let doubt = Doubt { revision, begun, decided, error: Arc::new(error) };
                if surely_not {
                    self.not_kept(doubt, left)
                } else {
                    Box::pin(self.in_doubt(doubt, left)).await
                }
            }
        }
    }

    pub(super) fn kept(&mut self, decided: Decided) {
        for Kept { offered: Offered { event, taken, begun, .. }, receipt, .. } in decided.events {
            if begun.is_none() {
                self.ended(&event);
            }
            tell(taken, Ok(receipt));
        }
        for effect in decided.effects {
            self.start(effect);
        }
    }

    /// Begins what may begin before it is kept.
    fn begin(&mut self, decided: Decided) {
        for Kept { offered, stamp, .. } in decided.events {
            self.ended(&offered.event);
            self.pending.begun(offered.event, stamp);
        }
        for effect in decided.effects {
            self.start(effect);
        }
    }

    /// What came from outside is refused; what has happened is offered again.
    fn not_kept(&mut self, doubt: Doubt, left: &mut VecDeque<Offered>) -> Result<(), Failed> {
        let error = Arc::clone(&doubt.error);
        let mut events = doubt.into_offered();
        let has_message = |offered: &Offered| matches!(&offered.event, Event::Received(inbound) if inbound.message_id.is_some());
        if matches!(*error, StoreError::Duplicate) && events.iter().any(has_message) {
            for offered in events.into_iter().rev() {
                left.push_front(Offered { event: as_duplicate(offered.event), ..offered });
            }
            return Ok(());
        }
        tracing::error!(chat = %self.key, error = %chain(error.as_ref()), "the store did not keep an event");
        events.append(left);
        self.refuse(events, &DeliverError::Store { source: Arc::clone(&error) });
        Err(Failed(error))
    }

    pub(super) fn refuse(&mut self, events: VecDeque<Offered>, error: &DeliverError) {
        for offered in events {
            match (offered.taken, offered.event) {
                (Some(taken), _) => tell(Some(taken), Err(same(error))),
                // The tools are asked anew.
                (None, Event::Resumed { .. }) => {}
                (taken, event) => {
                    let (begun, refused) = (offered.begun, offered.refused);
                    self.unkept.push_back(Offered { event, taken, begun, refused });
                }
            }
        }
    }

    /// Sets the time at which the store is tried again, when something waits for it.
    fn retry_later(&mut self) {
        if self.unkept.is_empty() && self.doubt.is_none() && self.resume != Resume::Asked {
            self.retry = None;
            return;
        }
        let wait = self.retry.map_or(RETRY_WAIT, |(_, wait)| wait);
        self.retry = Some((Instant::now() + wait, (wait * 2).min(RETRY_WAIT_MAX)));
    }
}

/// The store knows the message although it did not say so when it was asked.
fn as_duplicate(event: Event) -> Event {
    match event {
        Event::Received(inbound) => match inbound.message_id {
            Some(message_id) => Event::Duplicate(message_id),
            None => Event::Received(inbound),
        },
        other => other,
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

/// An error with its causes, in one line.
pub(super) fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text.push_str(": ");
        text.push_str(&cause.to_string());
        source = cause.source();
    }
    text
}

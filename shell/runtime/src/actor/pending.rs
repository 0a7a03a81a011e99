//! What has begun and is kept a little later.
//!
//! A commit costs a turn more than everything else in it. Events that a crash may lose without harm
//! ([`manos_chat::Keep::Later`]) are decided, what they cause begins, and they go into the store with
//! the next event that must be there first. None waits longer than [`super::PENDING_WAIT`].

use manos_model::Stamp;
use tokio::time::Instant;

use super::Offered;
use crate::commit::Batch;
use manos_chat::Event;

/// Events that may wait; with one more they are kept.
const PENDING_MAX: usize = 16;

/// What was decided and begun, and is not in the store.
#[derive(Default)]
pub(super) struct Pending {
    /// What is to be kept.
    pub(super) batch: Batch,
    /// The events of it with their stamps, should the store fail.
    events: Vec<(Event, Stamp)>,
    since: Option<Instant>,
}

impl Pending {
    /// Whether so many more may wait too.
    pub(super) fn has_room(&self, events: usize) -> bool {
        self.events.len() + events <= PENDING_MAX
    }

    /// Adds an event that is in the batch and whose effects begin now.
    pub(super) fn begun(&mut self, event: Event, stamp: Stamp) {
        self.events.push((event, stamp));
        self.since.get_or_insert_with(Instant::now);
    }

    /// Returns since when the oldest waits.
    pub(super) fn since(&self) -> Option<Instant> {
        self.since
    }

    /// The events, to be decided once more in the same way.
    pub(super) fn into_offered(self) -> impl Iterator<Item = Offered> {
        let offered =
            |(event, stamp)| Offered { event, taken: None, begun: Some(stamp), refused: false };
        self.events.into_iter().map(offered)
    }
}

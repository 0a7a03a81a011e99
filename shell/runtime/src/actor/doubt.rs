//! A commit of which the store does not say whether it is kept.
//!
//! A disk, or a connection, can fail after a commit was written and before anybody heard of it. The
//! store is the only one who knows, so it is looked at again: when the chat has the revision that
//! the commit would make, the commit is kept, and what it caused begins; otherwise it is offered
//! again. Deciding an event a second time that is kept already would leave what it caused undone.

use std::collections::VecDeque;
use std::sync::Arc;

use manos_ports::StoreError;

use super::keep::{Decided, Failed, chain};
use super::{Actor, Offered, tell};
use crate::runtime::DeliverError;

/// A commit that may be kept or not.
pub(super) struct Doubt {
    /// The revision that the chat had before.
    pub(super) revision: u64,
    /// What had begun before, to be decided once more in the same way.
    pub(super) begun: VecDeque<Offered>,
    /// What the commit brings about.
    pub(super) decided: Decided,
    /// What the store said.
    pub(super) error: Arc<StoreError>,
}

impl Doubt {
    /// What is offered again when it is not kept.
    pub(super) fn into_offered(self) -> VecDeque<Offered> {
        let mut events = self.begun;
        events.extend(self.decided.events.into_iter().map(|kept| kept.offered));
        events
    }
}

impl Actor {
    /// A commit may not have been kept: the store is looked at, at once or when it can be read.
    pub(super) async fn in_doubt(
        &mut self,
        doubt: Doubt,
        left: &mut VecDeque<Offered>,
    ) -> Result<(), Failed> {
        let (revision, error) = (doubt.revision, Arc::clone(&doubt.error));
        tracing::error!(chat = %self.key, error = %chain(error.as_ref()), "the store did not keep an event");
        self.doubt = Some(doubt);
        let known = self.load().await.is_ok();
        if self.loaded.as_ref().is_some_and(|loaded| loaded.revision > revision) {
            tracing::warn!(chat = %self.key, "the store has kept the event all the same");
            return Ok(());
        }
        if !known {
            self.tell_of_doubt();
        }
        self.refuse(std::mem::take(left), &DeliverError::Store { source: Arc::clone(&error) });
        Err(Failed(error))
    }

    /// Whoever waits hears that it is not known to be kept, and may send it again.
    fn tell_of_doubt(&mut self) {
        let Some(doubt) = &mut self.doubt else { return };
        for kept in &mut doubt.decided.events {
            if let Some(taken) = kept.offered.taken.take() {
                kept.offered.refused = true;
                tell(Some(taken), Err(DeliverError::Store { source: Arc::clone(&doubt.error) }));
            }
        }
    }

    /// The store has been read: now it is known.
    pub(super) fn settle_doubt(&mut self, revision: u64) {
        let Some(doubt) = self.doubt.take() else { return };
        if revision > doubt.revision {
            self.kept(doubt.decided);
            return;
        }
        let error = DeliverError::Store { source: Arc::clone(&doubt.error) };
        let later = std::mem::take(&mut self.unkept);
        let events = doubt.into_offered().into_iter().filter(|offered| !offered.refused);
        self.refuse(events.collect(), &error);
        self.unkept.extend(later);
    }
}

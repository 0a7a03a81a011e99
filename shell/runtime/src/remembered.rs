//! How long message ids and calls from outside are remembered, so that what comes again is known.

use std::sync::{Arc, Mutex, PoisonError};

use jiff::SignedDuration;
use manos_model::Timestamp;

use crate::runtime::Shared;

/// How often old ids are looked for.
const FORGET_EVERY: SignedDuration = SignedDuration::from_hours(24);

/// How long a call from outside is known by the names its sender gave it, at least; it is forgotten
/// up to [`FORGET_EVERY`] later.
pub const CALLS_KEPT: SignedDuration = SignedDuration::from_hours(24);

/// When old ids were last forgotten by this process.
#[derive(Debug, Default)]
pub(crate) struct Remembered(Mutex<Option<Timestamp>>);

impl Remembered {
    /// Whether it is time to forget; then it is not for a while.
    fn is_due(&self, now: Timestamp) -> bool {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let due = last.is_none_or(|last| now.duration_since(last).abs() >= FORGET_EVERY);
        if due {
            *last = Some(now);
        }
        due
    }
}

/// Forgets old message ids and calls now and then, beside everything else.
pub(crate) fn forget_now_and_then(shared: &Arc<Shared>) {
    let now = shared.parts.clock.now();
    if !shared.remembered.is_due(now) {
        return;
    }
    let Ok(before) = now.checked_sub(shared.parts.spec.message_ids_kept) else { return };
    let calls_before = now.checked_sub(CALLS_KEPT).unwrap_or(manos_model::Timestamp::MIN);
    let store = Arc::clone(&shared.parts.store);
    shared.tasks.spawn(async move {
        match store.forget_messages(before).await {
            Ok(forgotten) => tracing::debug!(forgotten, "old message ids are forgotten"),
            Err(error) => tracing::warn!(%error, "old message ids cannot be forgotten"),
        }
        if let Err(error) = store.forget_calls(calls_before).await {
            tracing::warn!(%error, "old calls from outside cannot be forgotten");
        }
    });
}

//! A clock that a test sets.

use std::sync::{Mutex, PoisonError};

use jiff::SignedDuration;
use manos_model::Timestamp;
use manos_ports::Clock;
use tokio::time::Instant;

/// Goes along with the timers of the runtime, also while they are paused, and jumps when told.
#[derive(Debug)]
pub struct FakeClock {
    started: Instant,
    at_start: Mutex<Timestamp>,
}

impl FakeClock {
    /// A clock that shows this instant now.
    pub fn new(now: Timestamp) -> Self {
        Self { started: Instant::now(), at_start: Mutex::new(now) }
    }

    /// Puts it forward, or back.
    ///
    /// # Panics
    ///
    /// When there is no such instant.
    pub fn jump(&self, by: SignedDuration) {
        let mut at_start = self.at_start.lock().unwrap_or_else(PoisonError::into_inner);
        *at_start += by;
    }
}

impl Clock for FakeClock {
    fn now(&self) -> Timestamp {
        *self.at_start.lock().unwrap_or_else(PoisonError::into_inner) + self.started.elapsed()
    }
}

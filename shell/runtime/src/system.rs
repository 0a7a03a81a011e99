//! The machine's clock and chance: the only place that asks for either.

use std::fmt::Debug;

use manos_model::{Seed, Timestamp};
use manos_ports::Clock;

/// The machine's clock, in whole milliseconds: no more is meant, and what is stored stays short.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "this is the clock that everything else takes")]
    fn now(&self) -> Timestamp {
        let now = Timestamp::now();
        Timestamp::from_millisecond(now.as_millisecond()).unwrap_or(now)
    }
}

/// Draws the random bits of events.
pub trait Chance: Debug + Send + Sync {
    /// Returns 128 random bits.
    fn draw(&self) -> Seed;
}

/// The machine's source of randomness.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemChance;

impl Chance for SystemChance {
    fn draw(&self) -> Seed {
        let mut bytes = [0; 16];
        #[expect(clippy::expect_used, reason = "without randomness no id can be unguessable")]
        getrandom::fill(&mut bytes).expect("the system has no randomness");
        Seed(u128::from_be_bytes(bytes))
    }
}

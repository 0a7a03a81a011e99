//! The machine's clock and chance: the only place that asks for either.

use std::cell::RefCell;
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

/// Bytes drawn from the system at once: a turn needs some, and each draw is a call of the kernel.
const DRAWN_BYTES: usize = 512;

/// What was drawn and is not used yet. Each byte is used once.
struct Drawn {
    bytes: [u8; DRAWN_BYTES],
    used: usize,
}

thread_local! {
    static DRAWN: RefCell<Drawn> =
        const { RefCell::new(Drawn { bytes: [0; DRAWN_BYTES], used: DRAWN_BYTES }) };
}

impl Drawn {
    fn take(&mut self) -> [u8; 16] {
        if self.used + 16 > DRAWN_BYTES {
            #[expect(clippy::expect_used, reason = "without randomness no id can be unguessable")]
            getrandom::fill(&mut self.bytes).expect("the system has no randomness");
            self.used = 0;
        }
        let mut taken = [0; 16];
        // Nothing that was given out stays in memory here.
        taken.swap_with_slice(&mut self.bytes[self.used..self.used + 16]);
        self.used += 16;
        taken
    }
}

impl Chance for SystemChance {
    fn draw(&self) -> Seed {
        Seed(u128::from_be_bytes(DRAWN.with_borrow_mut(Drawn::take)))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn no_draw_is_like_another_on_whatever_thread() {
        let draw = || (0..200).map(|_| SystemChance.draw().0).collect::<Vec<_>>();
        let other = std::thread::spawn(draw).join().unwrap();
        let drawn: BTreeSet<u128> = draw().into_iter().chain(other).collect();
        assert_eq!(drawn.len(), 400);
        assert!(!drawn.contains(&0));
    }
}

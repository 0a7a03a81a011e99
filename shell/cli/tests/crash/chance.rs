//! When the next process is killed.

use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::time::Duration;

use crate::talk::Cut;

/// A small generator whose seed is printed, so that a run can be repeated.
pub(crate) struct Chance(u64);

impl Chance {
    pub(crate) fn from_environment() -> Self {
        let seed = std::env::var("MANOS_SEED").map_or_else(
            |_| RandomState::new().build_hasher().finish(),
            |text| text.parse().unwrap(),
        );
        println!("MANOS_SEED={seed}");
        // A generator of this kind stays at 0 for ever.
        Self(seed | 1)
    }

    /// A number below the bound (xorshift64*).
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) % bound.max(1)
    }

    fn up_to(&mut self, most: Duration) -> Duration {
        Duration::from_micros(self.below(u64::try_from(most.as_micros()).unwrap()))
    }

    /// Half of the kills come at any time of an undisturbed run, half soon after one of the next
    /// outputs, where most of what can go wrong happens.
    pub(crate) fn cut(&mut self, whole: Duration) -> Cut {
        if self.below(2) == 0 {
            return Cut::After(self.up_to(whole));
        }
        let outputs = usize::try_from(self.below(6)).unwrap() + 1;
        Cut::AfterOutputs(outputs, self.up_to(Duration::from_millis(20)))
    }
}

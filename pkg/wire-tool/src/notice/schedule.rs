//! When a try that failed is made again.

use std::time::Duration;

use manos_model::Timestamp;

/// The longest wait before the second try; each further one may be twice as long.
pub const WAIT_FIRST: Duration = Duration::from_secs(5);

/// The longest wait between two tries.
pub const WAIT_MAX: Duration = Duration::from_hours(1);

/// How long after its first try a notice is still tried. The last try is made then; when it fails
/// too, the notice is given up.
pub const GIVE_UP_AFTER: Duration = Duration::from_hours(24);

/// A try that failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tried {
    /// Which one, counted from 1.
    pub attempts: u32,
    /// When the first was made.
    pub first_at: Timestamp,
    /// When this one ended.
    pub at: Timestamp,
}

/// What is done after a try that failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// It is tried again then.
    At(Timestamp),
    /// It was tried long enough.
    GiveUp,
}

/// Decides what comes after a try that failed. `chance` is 64 random bits: the wait is between half
/// and all of what the number of tries allows, so that endpoints that come back are not run over.
///
/// A process that slept for days still makes one try before it gives up.
///
/// ```
/// use manos_model::Timestamp;
/// use manos_wire_tool::notice::{Next, Tried, WAIT_FIRST, next};
/// let now = Timestamp::UNIX_EPOCH;
/// let tried = Tried { attempts: 1, first_at: now, at: now };
/// assert_eq!(next(tried, u64::MAX), Next::At(now + WAIT_FIRST));
/// assert_eq!(next(tried, 0), Next::At(now + WAIT_FIRST / 2));
/// ```
pub fn next(tried: Tried, chance: u64) -> Next {
    let last_at = tried.first_at.checked_add(GIVE_UP_AFTER).unwrap_or(Timestamp::MAX);
    if tried.at >= last_at {
        return Next::GiveUp;
    }
    let doublings = tried.attempts.saturating_sub(1).min(16);
    let whole = WAIT_FIRST.saturating_mul(1 << doublings).min(WAIT_MAX);
    let half = whole / 2;
    let wait = half + part(whole.saturating_sub(half), chance);
    let at = tried.at.checked_add(wait).unwrap_or(Timestamp::MAX);
    Next::At(at.min(last_at))
}

/// The share of a wait that chance gives, in whole milliseconds as all that is stored: nothing for
/// 0, all of it for the greatest number.
fn part(whole: Duration, chance: u64) -> Duration {
    let milliseconds = whole.as_millis() * u128::from(chance) / u128::from(u64::MAX);
    // No more than `whole`, which is an hour at most.
    Duration::from_millis(u64::try_from(milliseconds).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const START: Timestamp = Timestamp::UNIX_EPOCH;

    fn after(seconds: i64) -> Timestamp {
        Timestamp::from_second(seconds).unwrap()
    }

    #[test]
    fn waits_double_up_to_an_hour_and_end_after_a_day() {
        let cases = [
            ("the first wait", 1, 0, Next::At(after(5))),
            ("twice as long", 2, 5, Next::At(after(15))),
            ("and again", 3, 15, Next::At(after(35))),
            ("never more than an hour", 11, 10_000, Next::At(after(13_600))),
            ("however often it was tried", 4_000_000, 10_000, Next::At(after(13_600))),
            ("the last try is at the end of the day", 30, 85_000, Next::At(after(86_400))),
            ("after that none", 31, 86_400, Next::GiveUp),
            ("nor much later", 2, 900_000, Next::GiveUp),
        ];
        for (why, attempts, at, expected) in cases {
            let tried = Tried { attempts, first_at: START, at: after(at) };
            assert_eq!(next(tried, u64::MAX), expected, "{why}");
        }
    }

    #[test]
    fn an_endpoint_that_stays_dead_is_tried_some_forty_times() {
        for (chance, expected) in [(0, 58), (u64::MAX / 2, 42), (u64::MAX, 34)] {
            let (mut attempts, mut at) = (1, START);
            while let Next::At(then) = next(Tried { attempts, first_at: START, at }, chance) {
                (attempts, at) = (attempts + 1, then);
            }
            assert_eq!((attempts, at), (expected, after(86_400)), "chance {chance}");
        }
    }

    proptest! {
        #[test]
        fn a_wait_is_between_half_and_all(attempts in 1..12_u32, chance in any::<u64>()) {
            let tried = Tried { attempts, first_at: START, at: START };
            let Next::At(at) = next(tried, chance) else { panic!("given up at once") };
            let (Next::At(least), Next::At(most)) = (next(tried, 0), next(tried, u64::MAX)) else {
                panic!("given up at once")
            };
            prop_assert!(least <= at && at <= most);
            prop_assert_eq!(
                (most.as_nanosecond() + 1) / 2, (least.as_nanosecond() * 2 + 1) / 2
            );
        }
    }
}

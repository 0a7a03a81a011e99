//! Values of our types as SQLite columns, and back.

use manos_model::Timestamp;
use manos_ports::{RunState, StoreError};

use super::place::Place;

/// A count as SQLite's signed number. Nothing here counts beyond 2^63.
pub(crate) fn whole(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// A limit as SQLite's signed number.
pub(crate) fn limit(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}

/// An instant in nanoseconds since 1970. What lies outside the years 1677 to 2262 is kept as the
/// nearest instant inside.
pub(crate) fn instant(at: Timestamp) -> i64 {
    let nanoseconds = at.as_nanosecond();
    i64::try_from(nanoseconds).unwrap_or(if nanoseconds < 0 { i64::MIN } else { i64::MAX })
}

/// The instant that many nanoseconds after 1970.
pub(crate) fn instant_from(nanoseconds: i64, place: &Place) -> Result<Timestamp, StoreError> {
    Timestamp::from_nanosecond(nanoseconds.into())
        .map_err(|_| place.corrupt(format!("{nanoseconds} as an instant")))
}

/// The name of a state in the ledger.
pub(crate) fn state_name(state: RunState) -> &'static str {
    match state {
        RunState::Done => "done",
        RunState::NotDone => "not_done",
        RunState::Unknown => "unknown",
    }
}

/// The state of this name.
pub(crate) fn state_from(name: &str, place: &Place) -> Result<RunState, StoreError> {
    [RunState::Done, RunState::NotDone, RunState::Unknown]
        .into_iter()
        .find(|state| state_name(*state) == name)
        .ok_or_else(|| place.corrupt(format!("{name:?} as the state of a run")))
}

//! The time, as an input.

use std::fmt::Debug;

use manos_model::Timestamp;

/// Tells the time. One for the machine, one for tests.
pub trait Clock: Debug + Send + Sync {
    /// Returns the present instant.
    fn now(&self) -> Timestamp;
}

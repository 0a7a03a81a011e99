//! Who can do something about an error.

use std::time::Duration;

/// Who can do something about an error; retry, HTTP status and exit code follow from this alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// Our own mistake.
    Bug,
    /// What was asked for cannot be done as it was asked.
    Caller,
    /// Somebody stopped it.
    Cancelled,
    /// The configuration, a key or a file.
    Config,
    /// Not allowed.
    Denied,
    /// Time may mend it.
    Unavailable {
        /// How long the other side asked to wait.
        retry_after: Option<Duration>,
    },
}

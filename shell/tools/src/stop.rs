//! Why a run is stopped before its end, and what is said then.

use std::time::Duration;

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use manos_model::Failure;

/// Why we stop a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stop {
    /// The token fired.
    Cancelled,
    /// The time is up.
    TimedOut {
        /// The limit.
        after: Duration,
    },
}

impl Stop {
    /// What is said when the run was undone.
    pub(crate) fn undone(self) -> Failure {
        match self {
            Self::Cancelled => {
                Failure::Failed { message: "it was stopped; nothing was done".to_owned() }
            }
            Self::TimedOut { after } => timeout(after),
        }
    }

    /// What is said when the run may have been done.
    pub(crate) fn unclear(self) -> Failure {
        match self {
            Self::Cancelled => Failure::Interrupted,
            Self::TimedOut { after } => timeout(after),
        }
    }
}

fn timeout(after: Duration) -> Failure {
    Failure::Timeout { after_ms: u64::try_from(after.as_millis()).unwrap_or(u64::MAX) }
}

/// Waits until the token fires or the time, counted from `started`, is up.
pub(crate) async fn stopped(
    cancel: &CancellationToken,
    started: Instant,
    timeout: Option<Duration>,
) -> Stop {
    let time_is_up = async {
        match timeout {
            Some(after) => {
                tokio::time::sleep_until(started + after).await;
                Stop::TimedOut { after }
            }
            None => std::future::pending().await,
        }
    };
    tokio::select! {
        () = cancel.cancelled() => Stop::Cancelled,
        stop = time_is_up => stop,
    }
}

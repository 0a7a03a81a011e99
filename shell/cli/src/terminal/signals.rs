//! The signals that ask a process to end, and ending in order.

use std::process::ExitCode;
use std::time::Duration;

use manos::runtime::Runtime;
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::failure::Failure;

/// The signals that ask a process to end.
pub(crate) struct Signals {
    interrupt: Signal,
    terminate: Signal,
    hang_up: Signal,
}

/// One of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asked {
    /// Ctrl-C, or the signal that it sends.
    Interrupt,
    /// The system, or whoever looks after processes.
    Terminate,
    /// The terminal has gone.
    HangUp,
}

impl Asked {
    /// The exit code that shells know the signal by.
    pub(crate) fn exit_code(self) -> ExitCode {
        ExitCode::from(match self {
            Self::HangUp => 129,
            Self::Interrupt => 130,
            Self::Terminate => 143,
        })
    }
}

impl Signals {
    /// Takes the signals from the system from now on.
    pub(crate) fn listen() -> Result<Self, Failure> {
        let listen = |kind| {
            signal(kind)
                .map_err(|error| Failure::failed(format!("signals cannot be listened to: {error}")))
        };
        Ok(Self {
            interrupt: listen(SignalKind::interrupt())?,
            terminate: listen(SignalKind::terminate())?,
            hang_up: listen(SignalKind::hangup())?,
        })
    }

    /// Waits for one. Cancel safe.
    pub(crate) async fn next(&mut self) -> Asked {
        tokio::select! {
            _ = self.interrupt.recv() => Asked::Interrupt,
            _ = self.terminate.recv() => Asked::Terminate,
            _ = self.hang_up.recv() => Asked::HangUp,
        }
    }
}

/// Shuts down: what runs has `grace` to end; another signal stops it at once.
pub(crate) async fn shut_down(runtime: &Runtime, grace: Duration, signals: &mut Signals) {
    tokio::select! {
        () = runtime.shutdown(grace) => {}
        // Somebody is in a hurry.
        _ = signals.next() => runtime.shutdown(Duration::ZERO).await,
    }
}

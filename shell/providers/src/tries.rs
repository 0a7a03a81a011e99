//! Trying again: the loop around one call, the model timeout, and cancelling.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use manos_model::{ModelFailure, ModelFailureKind, ModelReply};
use manos_wire_llm::{RetryPolicy, Trouble};

/// How one try ended without a reply.
#[derive(Debug)]
pub(crate) struct Failed {
    pub(crate) failure: ModelFailure,
    pub(crate) trouble: Trouble,
    /// How long the server asks to wait.
    pub(crate) asked: Option<Duration>,
}

/// Makes tries until one brings a reply, nothing more can help, the time is up, or the token fires.
///
/// Each try is told how much time is left.
pub(crate) async fn until_reply<F>(
    policy: RetryPolicy,
    timeout: Duration,
    cancel: &CancellationToken,
    mut once: impl FnMut(Duration) -> F,
) -> Result<ModelReply, ModelFailure>
where
    F: Future<Output = Result<ModelReply, Failed>>,
{
    let started = Instant::now();
    // Why nobody was reached so far: that says more than that the time is up.
    let unreached: Mutex<Option<(Failed, u32)>> = Mutex::default();
    let work = async {
        let mut tries = 0;
        loop {
            tries += 1;
            let left = timeout.saturating_sub(started.elapsed());
            let failed = match once(left).await {
                Ok(reply) => return Ok(reply),
                Err(failed) => failed,
            };
            let left = timeout.saturating_sub(started.elapsed());
            let wait = policy.next(tries, failed.trouble, failed.asked, left, chance());
            let Some(wait) = wait else { return Err(told(failed, tries)) };
            let reason = failed.failure.message.clone();
            let is_unreached = failed.trouble == Trouble::Connection;
            *unreached.lock().unwrap_or_else(PoisonError::into_inner) =
                is_unreached.then_some((failed, tries));
            tracing::info!(
                tries,
                wait_ms = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX),
                reason,
                "the model call is made again"
            );
            tokio::time::sleep(wait).await;
        }
    };
    tokio::select! {
        biased;
        () = cancel.cancelled() => Err(cancelled()),
        outcome = tokio::time::timeout(timeout, work) => outcome.unwrap_or_else(|_| {
            let unreached = unreached.lock().unwrap_or_else(PoisonError::into_inner).take();
            Err(unreached.map_or_else(|| timed_out(timeout), |(failed, tries)| told(failed, tries)))
        }),
    }
}

/// Returns the failure of a call that somebody stopped.
pub(crate) fn cancelled() -> ModelFailure {
    let message = "the model call was stopped".to_owned();
    ModelFailure { kind: ModelFailureKind::Cancelled, message }
}

fn timed_out(timeout: Duration) -> ModelFailure {
    let message = format!(
        "the model did not answer within {timeout:?}: try later, raise model.timeout or use a faster model"
    );
    ModelFailure { kind: ModelFailureKind::Timeout, message }
}

fn told(failed: Failed, tries: u32) -> ModelFailure {
    let Failed { mut failure, asked, .. } = failed;
    if tries > 1 {
        failure.message = format!("{} (after {tries} tries)", failure.message);
    }
    if let (ModelFailureKind::Unavailable, Some(asked)) = (failure.kind, asked) {
        failure.message =
            format!("{} (it asks to wait {} s)", failure.message, asked.as_secs_f32().ceil());
    }
    failure
}

/// A number from 0 to 1,000 that spreads callers out; without chance they stay together.
fn chance() -> u16 {
    let mut bytes = [0_u8; 2];
    getrandom::fill(&mut bytes).unwrap_or_default();
    u16::from_le_bytes(bytes) % 1001
}

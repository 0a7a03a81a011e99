//! A model that says what the test says.

use std::fmt;

use async_trait::async_trait;
use manos_model::{ModelFailure, ModelFailureKind, ModelReply, ModelRequest};
use manos_ports::{Deltas, Provider};
use tokio_util::sync::CancellationToken;

use super::{Gate, Seen};

type Answer = dyn Fn(&ModelRequest) -> Result<ModelReply, ModelFailure> + Send + Sync;

/// A provider led by a closure.
pub struct FakeProvider {
    answer: Box<Answer>,
    /// The requests so far.
    pub requests: Seen<ModelRequest>,
    /// The calls that were stopped, by their step.
    pub stopped: Seen<u32>,
    /// Replies wait while it is shut.
    pub gate: Gate,
}

impl fmt::Debug for FakeProvider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FakeProvider").field("requests", &self.requests).finish_non_exhaustive()
    }
}

impl FakeProvider {
    /// Answers each request with what the closure says.
    pub fn new(
        answer: impl Fn(&ModelRequest) -> Result<ModelReply, ModelFailure> + Send + Sync + 'static,
    ) -> Self {
        Self {
            answer: Box::new(answer),
            requests: Seen::default(),
            stopped: Seen::default(),
            gate: Gate::default(),
        }
    }
}

#[async_trait]
impl Provider for FakeProvider {
    async fn reply(
        &self,
        request: ModelRequest,
        _deltas: &dyn Deltas,
        cancel: &CancellationToken,
    ) -> Result<ModelReply, ModelFailure> {
        self.requests.push(request.clone());
        tokio::select! {
            biased;
            () = cancel.cancelled() => {
                self.stopped.push(request.step);
                Err(ModelFailure { kind: ModelFailureKind::Cancelled, message: "stopped".into() })
            }
            () = self.gate.pass() => (self.answer)(&request),
        }
    }
}

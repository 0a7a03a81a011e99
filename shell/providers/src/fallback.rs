//! Several models in order: when one does not answer, the next one is asked.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use manos_model::{ModelFailure, ModelFailureKind, ModelReply, ModelRequest, Unanswered};
use manos_ports::{Deltas, Provider};

/// How long a model that did not answer is asked last. Without this a dead one would cost each turn
/// its whole timeout.
pub const DOWN_FOR: Duration = Duration::from_mins(1);

/// One of the models.
#[derive(Clone)]
pub struct Candidate {
    /// Its provider's name, for the trail.
    pub provider_name: String,
    /// Its name at the provider, for the trail.
    pub model: String,
    /// Who asks it.
    pub provider: Arc<dyn Provider>,
}

impl fmt::Debug for Candidate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Candidate")
            .field("provider_name", &self.provider_name)
            .field("model", &self.model)
            .finish_non_exhaustive()
    }
}

/// Asks several models in order, until one answers.
///
/// The next one is asked only when a model is down, refuses the key or the account, is not known to
/// its server, or takes less than this chat, and only while the person has seen nothing of a reply.
/// A model that did not answer is asked last for [`DOWN_FOR`]. What one provider wants back within a
/// turn stays away from the others, as each dialect takes its own items alone.
#[derive(Debug)]
pub struct Fallback {
    members: Vec<Member>,
    down_for: Duration,
}

#[derive(Debug)]
struct Member {
    candidate: Candidate,
    down: Mutex<Option<Down>>,
}

/// Since when a model has not answered, and why.
#[derive(Debug, Clone)]
struct Down {
    since: Instant,
    reason: String,
}

impl Fallback {
    /// Takes the models in the order in which they are asked.
    pub fn new(candidates: Vec<Candidate>) -> Self {
        let member = |candidate| Member { candidate, down: Mutex::default() };
        Self { members: candidates.into_iter().map(member).collect(), down_for: DOWN_FOR }
    }

    /// Asks a model that did not answer last for this long, in place of [`DOWN_FOR`].
    #[must_use]
    pub fn with_down_for(mut self, down_for: Duration) -> Self {
        self.down_for = down_for;
        self
    }
}

impl Member {
    /// Returns why the model is to be asked last, while it is.
    fn down(&self, down_for: Duration) -> Option<Down> {
        let down = self.down.lock().unwrap_or_else(PoisonError::into_inner);
        down.clone().filter(|down| down.since.elapsed() < down_for)
    }

    fn mark(&self, down: Option<Down>) {
        *self.down.lock().unwrap_or_else(PoisonError::into_inner) = down;
    }

    fn unanswered(&self, reason: String) -> Unanswered {
        Unanswered {
            provider: self.candidate.provider_name.clone(),
            model: self.candidate.model.clone(),
            reason,
        }
    }
}

#[async_trait]
impl Provider for Fallback {
    async fn reply(
        &self,
        request: ModelRequest,
        deltas: &dyn Deltas,
        cancel: &CancellationToken,
    ) -> Result<ModelReply, ModelFailure> {
        let mut unanswered = Vec::new();
        let mut failures: Vec<ModelFailure> = Vec::new();
        let (mut order, mut last) = (Vec::new(), Vec::new());
        for member in &self.members {
            match member.down(self.down_for) {
                None => order.push(member),
                Some(down) => {
                    let ago = down.since.elapsed().as_secs();
                    let reason = format!("it did not answer {ago} s ago: {}", down.reason);
                    unanswered.push(member.unanswered(reason));
                    last.push(member);
                }
            }
        }
        order.extend(last);
        for member in order {
            let watched = Watched { inner: deltas, said: AtomicBool::new(false) };
            match member.candidate.provider.reply(request.clone(), &watched, cancel).await {
                Ok(mut reply) => {
                    member.mark(None);
                    if let Some(origin) = &mut reply.origin {
                        // A model that was asked last and answers is not one that did not.
                        let own = |other: &Unanswered| {
                            other.provider == origin.provider && other.model == origin.model
                        };
                        unanswered.retain(|other| !own(other));
                        origin.instead_of = unanswered;
                    }
                    return Ok(reply);
                }
                Err(failure) => {
                    if watched.said.load(Ordering::Relaxed) || !is_worth_another(failure.kind) {
                        return Err(failure);
                    }
                    tracing::warn!(
                        provider = member.candidate.provider_name,
                        model = member.candidate.model,
                        reason = failure.message,
                        "the model does not answer"
                    );
                    // One that only takes less than this chat is well.
                    if failure.kind != ModelFailureKind::TooLong {
                        let (since, reason) = (Instant::now(), failure.message.clone());
                        member.mark(Some(Down { since, reason }));
                    }
                    unanswered.push(member.unanswered(failure.message.clone()));
                    failures.push(failure);
                }
            }
        }
        Err(of_all(failures))
    }
}

/// Whether another model may do better.
fn is_worth_another(kind: ModelFailureKind) -> bool {
    match kind {
        ModelFailureKind::Config
        | ModelFailureKind::Timeout
        | ModelFailureKind::TooLong
        | ModelFailureKind::Unavailable => true,
        ModelFailureKind::BadReply
        | ModelFailureKind::Cancelled
        | ModelFailureKind::RefusedCall => false,
    }
}

/// One failure for those of all models: too long when one of them would take a shorter chat, else
/// what the first one said.
fn of_all(failures: Vec<ModelFailure>) -> ModelFailure {
    let too_long = failures.iter().any(|failure| failure.kind == ModelFailureKind::TooLong);
    let count = failures.len();
    let Some(mut first) = failures.into_iter().next() else {
        let message = "there is no model to ask".to_owned();
        return ModelFailure { kind: ModelFailureKind::Config, message };
    };
    if too_long {
        first.kind = ModelFailureKind::TooLong;
    }
    if count > 1 {
        first.message =
            format!("{}; the other models did not answer either ({count} in all)", first.message);
    }
    first
}

/// Notices whether anything was said.
struct Watched<'a> {
    inner: &'a dyn Deltas,
    said: AtomicBool,
}

impl Deltas for Watched<'_> {
    fn text(&self, piece: &str) {
        self.said.store(true, Ordering::Relaxed);
        self.inner.text(piece);
    }
}

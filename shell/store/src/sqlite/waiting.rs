//! Commits that may wait for company: they lie here until the writer is awake for another one.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use manos_ports::{Commit, Committed};

use super::writer::Answer;

/// How long a commit waits for company; then it is kept alone.
pub(super) const LATER_WAIT: Duration = Duration::from_millis(500);

/// Commits that may wait; one more is kept at once, and takes them along.
const WAITING_MAX: usize = 256;

/// Commits, and where each is answered.
type Commits = (Vec<Box<Commit>>, Vec<Answer<Committed>>);

/// What waits, in the order in which it came.
#[derive(Debug, Default)]
pub(super) struct Waiting(Mutex<Commits>);

impl Waiting {
    /// Adds a commit; gives it back when too many wait.
    pub(super) fn add(
        &self,
        commit: Box<Commit>,
        answer: Answer<Committed>,
    ) -> Result<(), Box<Commit>> {
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (commits, answers) = &mut *waiting;
        if commits.len() >= WAITING_MAX {
            return Err(commit);
        }
        commits.push(commit);
        answers.push(answer);
        Ok(())
    }

    /// Takes all of them.
    pub(super) fn take(&self) -> Commits {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

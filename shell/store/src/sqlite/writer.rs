//! The one thread that writes. It takes everything that waits into one transaction.
//!
//! Commits are made as soon as the thread is free, never on a timer: while one transaction is being
//! synced to disk the next group gathers by itself. Commits that may wait (`waiting`) do not wake the
//! thread; it takes them along.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::JoinHandle;

use rusqlite::{Connection, TransactionBehavior};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use manos_model::Timestamp;
use manos_ports::{Commit, Committed, StoreError};

use super::calls;
use super::checkpoint::{self, Checkpointer, Due, Schedule};
use super::counters::Counters;
use super::lock::StoreLock;
use super::place::Place;
use super::waiting::{LATER_WAIT, Waiting};
use super::write::{self, Counting};

/// What the thread is asked to do, and where it answers.
enum Request {
    Commit(Box<Commit>, Answer<Committed>),
    Forget(Old, Timestamp, Answer<u64>),
    Beside(Beside),
    /// Keep what waits for company.
    Waiting,
}

/// A change beside the commits; it is told the newest audit id, and answers by itself.
type Beside = Box<dyn FnOnce(&mut Connection, u64) + Send>;

/// What is forgotten by its age.
#[derive(Debug, Clone, Copy)]
enum Old {
    Calls,
    Messages,
}

pub(super) type Answer<T> = oneshot::Sender<Result<T, StoreError>>;
type Verdict = Result<Committed, StoreError>;

/// The handle on the thread. Dropping it lets what waits be written, then joins the thread, which
/// closes the file and gives the lock back.
#[derive(Debug)]
pub(crate) struct Writer {
    place: Place,
    requests: Option<mpsc::Sender<Request>>,
    waiting: Arc<Waiting>,
    thread: Option<JoinHandle<()>>,
}

impl Writer {
    /// Starts the thread on an open file.
    pub(crate) fn start(
        place: &Place,
        mut connection: Connection,
        lock: StoreLock,
        queue_max: usize,
        group_max: usize,
        counters: Arc<Counters>,
    ) -> Result<Self, StoreError> {
        let counting = Counting::read(&connection)
            .map_err(|error| place.failed("could not be read", error))?;
        let log_pages = Arc::new(AtomicU32::new(0));
        let told = Arc::clone(&log_pages);
        // The hook takes the place of SQLite's own checkpoints, which run inside a commit.
        let hooked = connection.wal_hook(Some(move |_: &mut rusqlite::hooks::Wal, pages| {
            told.store(u32::try_from(pages).unwrap_or(0), Ordering::Relaxed);
            Ok(())
        }));
        hooked.map_err(|error| place.failed("could not be opened for writing", error))?;
        let waiting = Arc::<Waiting>::default();
        let thread = WriterThread {
            waiting: Arc::clone(&waiting),
            checkpointer: Checkpointer::new(place, Arc::clone(&counters)),
            connection,
            counting,
            counters,
            group_max: group_max.max(1),
            log_pages,
            place: place.clone(),
            schedule: Schedule::default(),
            _lock: lock,
        };
        let (requests, asked) = mpsc::channel(queue_max.max(1));
        let thread = std::thread::Builder::new()
            .name("manos-store-writer".to_owned())
            .spawn(move || thread.run(asked))
            .map_err(|error| place.io_failed("could not start its writer", error))?;
        Ok(Self { place: place.clone(), requests: Some(requests), waiting, thread: Some(thread) })
    }

    /// Keeps a commit.
    pub(crate) async fn commit(&self, commit: Commit) -> Verdict {
        self.ask(|answer| Request::Commit(Box::new(commit), answer)).await
    }

    /// Keeps a commit with the next one, or alone once it is hurried or has waited long enough.
    pub(crate) async fn commit_later(
        &self,
        commit: Commit,
        hurried: &CancellationToken,
    ) -> Verdict {
        let (answer, mut answered) = oneshot::channel();
        if let Err(commit) = self.waiting.add(Box::new(commit), answer) {
            return self.commit(*commit).await;
        }
        let alone = tokio::select! {
            biased;
            verdict = &mut answered => return verdict.unwrap_or_else(|_| Err(self.gone())),
            () = hurried.cancelled() => Request::Waiting,
            () = tokio::time::sleep(LATER_WAIT) => Request::Waiting,
        };
        let requests = self.requests.as_ref().ok_or_else(|| self.gone())?;
        requests.send(alone).await.map_err(|_| self.gone())?;
        answered.await.map_err(|_| self.gone())?
    }

    /// Forgets some message ids, at most [`write::FORGOTTEN_MAX`].
    pub(crate) async fn forget_messages(&self, before: Timestamp) -> Result<u64, StoreError> {
        self.ask(|answer| Request::Forget(Old::Messages, before, answer)).await
    }

    /// Forgets some calls from outside, at most [`calls::FORGOTTEN_MAX`].
    pub(crate) async fn forget_calls(&self, before: Timestamp) -> Result<u64, StoreError> {
        self.ask(|answer| Request::Forget(Old::Calls, before, answer)).await
    }

    /// Changes what stands beside the commits, in a transaction of its own.
    pub(crate) async fn beside<T: Send + 'static>(
        &self,
        change: impl FnOnce(&rusqlite::Transaction<'_>, u64) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        let place = self.place.clone();
        self.ask(move |answer| {
            Request::Beside(Box::new(move |connection, audit_last| {
                let changed = in_transaction(connection, |write| change(write, audit_last));
                tell(answer, changed.map_err(|error| place.failed("could not be written", error)));
            }))
        })
        .await
    }

    async fn ask<T>(&self, request: impl FnOnce(Answer<T>) -> Request) -> Result<T, StoreError> {
        let (answer, answered) = oneshot::channel();
        let requests = self.requests.as_ref().ok_or_else(|| self.gone())?;
        requests.send(request(answer)).await.map_err(|_| self.gone())?;
        answered.await.map_err(|_| self.gone())?
    }

    fn gone(&self) -> StoreError {
        let source = "its writer has stopped".into();
        StoreError::Failed { doing: format!("{} could not be written", self.place), source }
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.requests = None;
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::error!(store = %self.place, "the writer of the store panicked");
        }
    }
}

/// What the thread owns. The fields are dropped in this order: the lock is given back last.
struct WriterThread {
    checkpointer: Checkpointer,
    connection: Connection,
    counting: Counting,
    counters: Arc<Counters>,
    group_max: usize,
    log_pages: Arc<AtomicU32>,
    place: Place,
    schedule: Schedule,
    waiting: Arc<Waiting>,
    _lock: StoreLock,
}

impl WriterThread {
    fn run(mut self, mut asked: mpsc::Receiver<Request>) {
        let mut requests = Vec::new();
        loop {
            let open = asked.blocking_recv_many(&mut requests, self.group_max) > 0;
            // What waited came first: a chat's next commit may be among the requests.
            let (mut commits, mut answers) = self.waiting.take();
            let mut forgets = Vec::new();
            let mut besides = Vec::new();
            for request in requests.drain(..) {
                match request {
                    Request::Commit(commit, answer) => {
                        commits.push(commit);
                        answers.push(answer);
                    }
                    Request::Forget(old, before, answer) => forgets.push((old, before, answer)),
                    Request::Beside(change) => besides.push(change),
                    Request::Waiting => {}
                }
            }
            for (verdict, answer) in self.keep(&commits).into_iter().zip(answers) {
                tell(answer, verdict);
            }
            for (old, before, answer) in forgets {
                let forgotten = match old {
                    Old::Calls => calls::forget(&self.connection, before),
                    Old::Messages => write::forget_messages(&self.connection, before),
                };
                let failed = |error| self.place.failed("could not be written", error);
                tell(answer, forgotten.map_err(failed));
            }
            for change in besides {
                change(&mut self.connection, self.counting.audit_last());
            }
            if !open {
                return;
            }
            self.shorten_log();
        }
    }

    /// Keeps a group. When it fails as a whole, each is tried alone, so that one commit for which
    /// there is no room does not take the others with it.
    fn keep(&mut self, commits: &[Box<Commit>]) -> Vec<Verdict> {
        if commits.is_empty() {
            return Vec::new();
        }
        match self.keep_together(commits) {
            Ok(verdicts) => verdicts,
            Err(error) => match commits {
                [_] => vec![Err(self.place.failed("could not keep a commit", error))],
                _ => commits.iter().flat_map(|one| self.keep(std::slice::from_ref(one))).collect(),
            },
        }
    }

    /// Keeps a group in one transaction, or nothing of it.
    fn keep_together(&mut self, commits: &[Box<Commit>]) -> rusqlite::Result<Vec<Verdict>> {
        let mut counting = self.counting;
        let behavior = TransactionBehavior::Immediate;
        // Dropped without a commit, a transaction is rolled back.
        let transaction = self.connection.transaction_with_behavior(behavior)?;
        let verdicts = commits
            .iter()
            .map(|commit| write::commit(&transaction, &mut counting, commit))
            .collect::<rusqlite::Result<Vec<_>>>()?;
        transaction.commit()?;
        self.counting = counting;
        self.counters.count_transaction(&verdicts);
        Ok(verdicts)
    }

    /// Sees to it that the write-ahead log is copied into the file, outside of commits as long as
    /// that keeps up.
    fn shorten_log(&mut self) {
        match self.schedule.due(self.log_pages.load(Ordering::Relaxed)) {
            Due::Nothing => {}
            Due::Beside => self.checkpointer.wake(),
            Due::Now => {
                self.counters.count_checkpoint();
                if let Err(error) = checkpoint::run(&self.connection) {
                    tracing::warn!(store = %self.place, %error, "the log could not be shortened");
                }
            }
        }
    }
}

fn in_transaction<T>(
    connection: &mut Connection,
    change: impl FnOnce(&rusqlite::Transaction<'_>) -> rusqlite::Result<T>,
) -> rusqlite::Result<T> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let changed = change(&transaction)?;
    transaction.commit()?;
    Ok(changed)
}

/// Answers; whoever asked may have gone, which changes nothing.
fn tell<T>(answer: Answer<T>, result: Result<T, StoreError>) {
    drop(answer.send(result));
}

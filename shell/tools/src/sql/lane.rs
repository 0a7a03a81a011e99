//! Threads that own database connections and work off a bounded queue.
//!
//! SQLite blocks, so its work never runs on a thread of the async runtime. Whoever waits can stop
//! the work: while it is queued it is dropped, while it runs it is interrupted, and once it has
//! begun to commit it is left to its end.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use std::time::{Duration, Instant};

use rusqlite::{Connection, InterruptHandle};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

use crate::stop::Stop;

/// How many calls may wait for or use one lane; the next waits, within its own timeout.
const QUEUE_MAX: usize = 256;

/// How often stopped work is interrupted again: an interrupt between two statements is lost.
const INTERRUPT_EVERY: Duration = Duration::from_millis(20);

/// How long stopped work may take to end before its end is called unknown.
const STOP_GRACE: Duration = Duration::from_secs(2);

/// How long a lock of another process is waited for when the call has no timeout.
const BUSY_WAIT_MAX: Duration = Duration::from_mins(1);

/// How long to wait before a locked database is tried again.
const BUSY_RETRY: Duration = Duration::from_millis(2);

/// How many prepared statements a connection keeps.
const STATEMENTS_KEPT_MAX: usize = 128;

/// What became of work given to a lane.
#[derive(Debug)]
pub(super) enum LaneEnd<T> {
    /// It ran to its end; the stop says that it was asked to end sooner.
    Ended(T, Option<Stop>),
    /// It had not started when it was stopped, and never will.
    NotStarted(Stop),
    /// It was stopped and did not end in time.
    StillRunning(Stop),
    /// Our own code panicked in it, or the threads are gone.
    Lost,
}

/// What the waiting side and the working side share about one piece of work.
#[derive(Debug)]
pub(super) struct Ticket {
    stop: AtomicBool,
    phase: Mutex<Phase>,
}

enum Phase {
    Waiting,
    Running(InterruptHandle),
    /// It may not be interrupted: it commits, rolls back, or has ended.
    Sealed,
    /// It was taken out of the queue.
    Dropped,
}

impl std::fmt::Debug for Phase {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Waiting => "Waiting",
            Self::Running(_) => "Running",
            Self::Sealed => "Sealed",
            Self::Dropped => "Dropped",
        })
    }
}

impl Ticket {
    fn new() -> Self {
        Self { stop: AtomicBool::new(false), phase: Mutex::new(Phase::Waiting) }
    }

    fn phase(&self) -> MutexGuard<'_, Phase> {
        self.phase.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether somebody wants the work to end.
    pub(super) fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Acquire)
    }

    /// Ends the time in which the work can be interrupted; `false` when it has been stopped.
    pub(super) fn seal(&self) -> bool {
        *self.phase() = Phase::Sealed;
        !self.is_stopped()
    }

    fn begin(&self, handle: InterruptHandle) -> bool {
        let mut phase = self.phase();
        if matches!(*phase, Phase::Dropped) {
            return false;
        }
        *phase = Phase::Running(handle);
        true
    }

    /// Asks the work to end; `false` when it had not begun and never will.
    fn ask_to_end(&self) -> bool {
        self.stop.store(true, Ordering::Release);
        let mut phase = self.phase();
        match &*phase {
            Phase::Waiting | Phase::Dropped => {
                *phase = Phase::Dropped;
                return false;
            }
            Phase::Running(handle) => handle.interrupt(),
            Phase::Sealed => {}
        }
        true
    }
}

/// Stops the work when nobody waits for it any more.
struct StopOnDrop(Arc<Ticket>);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.ask_to_end();
    }
}

type Work = Box<dyn FnOnce(&mut Connection, &Ticket) + Send>;

struct Job {
    ticket: Arc<Ticket>,
    work: Work,
    _place: OwnedSemaphorePermit,
}

/// One queue and the threads that serve it.
#[derive(Debug)]
pub(super) struct Lane {
    jobs: mpsc::Sender<Job>,
    places: Arc<Semaphore>,
}

impl Lane {
    /// Starts a thread for each connection.
    pub(super) fn new(name: &str, connections: Vec<Connection>) -> std::io::Result<Self> {
        let (jobs, queue) = mpsc::channel::<Job>();
        let queue = Arc::new(Mutex::new(queue));
        for connection in connections {
            let queue = Arc::clone(&queue);
            std::thread::Builder::new()
                .name(format!("manos-db-{name}"))
                .spawn(move || serve(connection, &queue))?;
        }
        Ok(Self { jobs, places: Arc::new(Semaphore::new(QUEUE_MAX)) })
    }

    /// Does the work on one of the threads; `stop` ends the wait and then the work.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future stops the work.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        stop: impl Future<Output = Stop>,
        work: impl FnOnce(&mut Connection, &Ticket) -> T + Send + 'static,
    ) -> LaneEnd<T> {
        let mut stop = std::pin::pin!(stop);
        let place = tokio::select! {
            biased;
            place = Arc::clone(&self.places).acquire_owned() => place,
            stop = &mut stop => return LaneEnd::NotStarted(stop),
        };
        let Ok(place) = place else {
            return LaneEnd::Lost;
        };
        let ticket = Arc::new(Ticket::new());
        let _guard = StopOnDrop(Arc::clone(&ticket));
        let (reply, mut replied) = oneshot::channel();
        let work = Box::new(move |connection: &mut Connection, ticket: &Ticket| {
            // Nobody may be waiting any more.
            drop(reply.send(work(connection, ticket)));
        });
        if self.jobs.send(Job { ticket: Arc::clone(&ticket), work, _place: place }).is_err() {
            return LaneEnd::Lost;
        }
        let stop = tokio::select! {
            biased;
            end = &mut replied => return end.map_or(LaneEnd::Lost, |end| LaneEnd::Ended(end, None)),
            stop = &mut stop => stop,
        };
        let asked_at = tokio::time::Instant::now();
        while asked_at.elapsed() < STOP_GRACE {
            if !ticket.ask_to_end() {
                return LaneEnd::NotStarted(stop);
            }
            match tokio::time::timeout(INTERRUPT_EVERY, &mut replied).await {
                Ok(Ok(end)) => return LaneEnd::Ended(end, Some(stop)),
                Ok(Err(_)) => return LaneEnd::Lost,
                Err(_) => {}
            }
        }
        LaneEnd::StillRunning(stop)
    }
}

fn serve(mut connection: Connection, queue: &Mutex<mpsc::Receiver<Job>>) {
    connection.set_prepared_statement_cache_capacity(STATEMENTS_KEPT_MAX);
    let current: Arc<Mutex<Option<Arc<Ticket>>>> = Arc::default();
    if let Err(error) = wait_when_busy(&mut connection, Arc::clone(&current)) {
        tracing::warn!(%error, "a database connection cannot wait for locks");
    }
    loop {
        let job = queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(Job { ticket, work, _place }) = job else {
            return;
        };
        if !ticket.begin(connection.get_interrupt_handle()) {
            continue;
        }
        *current.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&ticket));
        let done = catch_unwind(AssertUnwindSafe(|| work(&mut connection, &ticket)));
        ticket.seal();
        if done.is_err() {
            tracing::error!("the work on a database panicked");
        }
        if !connection.is_autocommit()
            && let Err(error) = connection.execute_batch("rollback")
        {
            tracing::error!(%error, "a transaction could not be rolled back");
        }
    }
}

/// Makes the connection wait for the locks of others until the work is stopped.
fn wait_when_busy(
    connection: &mut Connection,
    current: Arc<Mutex<Option<Arc<Ticket>>>>,
) -> rusqlite::Result<()> {
    let mut since = Instant::now();
    connection.busy_handler(Some(move |tries: i32| {
        if tries == 0 {
            since = Instant::now();
        }
        let stopped = current
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .as_ref()
            .is_some_and(|ticket| ticket.is_stopped());
        if stopped || since.elapsed() > BUSY_WAIT_MAX {
            return false;
        }
        // This thread is ours alone; a wake-up too early does no harm.
        std::thread::park_timeout(BUSY_RETRY);
        true
    }))
}

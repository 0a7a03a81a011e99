//! The store in one SQLite file.
//!
//! One thread writes (`writer`), two read (`reader`), one copies the write-ahead log into the file
//! when that is long (`checkpoint`). How rows are made is in `write`, how they are read back in
//! `read` and `trail`, the tables in `schema.sql`; calls from outside have `calls` to themselves, and
//! who was told what is in `deliveries`. One process at a time writes (`lock`).

use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use tokio_util::sync::CancellationToken;

use manos_model::{ChatKey, MessageId, Timestamp, TurnId};
use manos_ports::{
    AuditQuery, AuditRow, CallRow, ChatQuery, ChatSummary, Commit, Committed, DeliveryLog,
    LoggedCommit, RunRow, RunsQuery, Store, StoreError, StoredChat,
};

mod calls;
mod checkpoint;
mod column;
mod counters;
mod deliveries;
mod lock;
mod open;
mod place;
mod read;
mod reader;
mod trail;
mod waiting;
mod write;
mod writer;

pub use counters::StoreCounters;

use counters::Counters;
use lock::StoreLock;
use place::Place;
use reader::Reader;
use writer::Writer;

/// How a store is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SqliteOptions {
    /// Commits that may wait for the writer; beyond it whoever commits waits.
    pub queue_max: usize,
    /// Commits in one transaction; what is beyond it goes into the next.
    pub group_max: usize,
    /// Pages of 4 KiB the file may have; a commit beyond it fails as on a full disk. `None`: as
    /// many as SQLite takes.
    pub pages_max: Option<u32>,
}

impl Default for SqliteOptions {
    fn default() -> Self {
        Self { queue_max: 1_024, group_max: 256, pages_max: None }
    }
}

/// Keeps everything in one SQLite file.
///
/// A commit is acknowledged after it was synced to disk. Commits that wait together share one
/// transaction and one sync; each is kept or refused by itself. A process that dies at any point
/// leaves a file that opens again with every acknowledged commit in it.
///
/// Beside the file lie its write-ahead log (`-wal`, `-shm`) while it is open, and `.lock`, which
/// stays. Dropping the store writes what waits, closes the file and blocks until that is done.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// use manos_ports::{ChatQuery, Store as _, StoreError};
/// use manos_store::{SqliteOptions, SqliteStore};
///
/// let folder = tempfile::tempdir().unwrap();
/// let path = folder.path().join("espiga.db");
/// let store = SqliteStore::open(&path, SqliteOptions::default()).unwrap();
/// assert!(store.load(&"terminal:local".into()).await.unwrap().is_none());
///
/// let second = SqliteStore::open(&path, SqliteOptions::default());
/// assert!(matches!(second, Err(StoreError::Held { pid, .. }) if pid == std::process::id()));
///
/// let reader = SqliteStore::open_read(&path).unwrap();
/// assert!(reader.chats(ChatQuery { limit: 10, ..ChatQuery::default() }).await.unwrap().is_empty());
/// # });
/// ```
#[derive(Debug)]
pub struct SqliteStore {
    place: Place,
    counters: Arc<Counters>,
    // Dropped in this order: the writer closes the file last and empties its log.
    quick: Reader,
    patient: Reader,
    writer: Option<Writer>,
}

impl SqliteStore {
    /// Opens the store for this process alone, and makes the file (readable by its owner only) when
    /// there is none.
    ///
    /// # Errors
    ///
    /// [`StoreError::Held`] while another handle has it, in this process or another;
    /// [`StoreError::Newer`] for a file of a newer program, which is left as it is;
    /// [`StoreError::Corrupt`] for a file that is no store; [`StoreError::Failed`] when it cannot
    /// be created, read or written.
    pub fn open(path: impl AsRef<Path>, options: SqliteOptions) -> Result<Self, StoreError> {
        let place = Place::new(path.as_ref());
        let lock = StoreLock::take(&place)?;
        let connection = open::writer(&place, options.pages_max)?;
        let counters = Arc::new(Counters::default());
        let SqliteOptions { queue_max, group_max, .. } = options;
        let counted = Arc::clone(&counters);
        let writer = Writer::start(&place, connection, lock, queue_max, group_max, counted)?;
        Ok(Self {
            quick: Reader::start(&place, "manos-store-quick", None)?,
            patient: Reader::start(&place, "manos-store-read", None)?,
            writer: Some(writer),
            counters,
            place,
        })
    }

    /// Opens the store to look at it, also while another process writes to it. Whatever would
    /// change it fails.
    ///
    /// # Errors
    ///
    /// [`StoreError::Failed`] when there is no store or it cannot be read; [`StoreError::Newer`] and
    /// [`StoreError::Corrupt`] as in [`SqliteStore::open`].
    pub fn open_read(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        let place = Place::new(path.as_ref());
        let connection = open::reader(&place)?;
        Ok(Self {
            quick: Reader::start(&place, "manos-store-quick", Some(connection))?,
            patient: Reader::start(&place, "manos-store-read", None)?,
            writer: None,
            counters: Arc::default(),
            place,
        })
    }

    /// Returns what the store has done since it was opened.
    pub fn counters(&self) -> StoreCounters {
        self.counters.read()
    }

    fn writer(&self) -> Result<&Writer, StoreError> {
        self.writer.as_ref().ok_or_else(|| StoreError::Failed {
            doing: format!("{} could not be written", self.place),
            source: "it was opened to be read".into(),
        })
    }
}

#[async_trait]
impl Store for SqliteStore {
    /// Keeps one decision.
    ///
    /// # Cancel safety
    ///
    /// A commit whose future is dropped after it was queued is kept all the same.
    async fn commit(&self, commit: Commit) -> Result<Committed, StoreError> {
        self.writer()?.commit(commit).await
    }

    /// Keeps one decision with the next commit of anybody.
    ///
    /// # Cancel safety
    ///
    /// A commit whose future is dropped is kept with the next one, or when the store is closed.
    async fn commit_later(
        &self,
        commit: Commit,
        hurried: &CancellationToken,
    ) -> Result<Committed, StoreError> {
        self.writer()?.commit_later(commit, hurried).await
    }

    async fn load(&self, chat: &ChatKey) -> Result<Option<StoredChat>, StoreError> {
        let chat = chat.clone();
        self.quick.read(move |connection, place| read::load(connection, place, &chat)).await
    }

    async fn seen(&self, chat: &ChatKey, message: &MessageId) -> Result<bool, StoreError> {
        let (chat, message) = (chat.clone(), message.clone());
        self.quick
            .read(move |connection, place| read::seen(connection, place, &chat, &message))
            .await
    }

    async fn chats(&self, query: ChatQuery) -> Result<Vec<ChatSummary>, StoreError> {
        self.patient.read(move |connection, place| read::chats(connection, place, &query)).await
    }

    async fn audit(&self, query: AuditQuery) -> Result<Vec<AuditRow>, StoreError> {
        self.patient.read(move |connection, place| trail::audit(connection, place, &query)).await
    }

    async fn call(&self, key: &str) -> Result<Option<CallRow>, StoreError> {
        let key = key.to_owned();
        self.quick.read(move |connection, place| calls::read(connection, place, &key)).await
    }

    async fn runs(&self, query: RunsQuery) -> Result<Vec<RunRow>, StoreError> {
        self.patient.read(move |connection, place| read::runs(connection, place, &query)).await
    }

    async fn turn_log(
        &self,
        turn: &TurnId,
    ) -> Result<Option<(ChatKey, Vec<LoggedCommit>)>, StoreError> {
        let turn = turn.clone();
        self.patient.read(move |connection, place| trail::turn_log(connection, place, &turn)).await
    }

    async fn forget_messages(&self, before: Timestamp) -> Result<u64, StoreError> {
        let writer = self.writer()?;
        let mut forgotten = 0;
        loop {
            // A step at a time, so that commits take their turn in between.
            let some = writer.forget_messages(before).await?;
            forgotten += some;
            if some < write::FORGOTTEN_MAX {
                return Ok(forgotten);
            }
        }
    }

    async fn forget_calls(&self, before: Timestamp) -> Result<u64, StoreError> {
        let writer = self.writer()?;
        let mut forgotten = 0;
        loop {
            let some = writer.forget_calls(before).await?;
            forgotten += some;
            if some < calls::FORGOTTEN_MAX {
                return Ok(forgotten);
            }
        }
    }

    fn delivery_log(&self) -> &dyn DeliveryLog {
        self
    }
}

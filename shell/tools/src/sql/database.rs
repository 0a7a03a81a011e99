//! Databases of tools: opening them, and making a new one.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags, TransactionBehavior};

use manos_model::Fault;
use manos_wire_tool::sql::{SqlError, statements};

use super::lane::Lane;

/// How many connections read one database side by side.
const READERS: usize = 2;

/// How long opening waits for another process that makes the same database.
const OPEN_WAIT_MAX: Duration = Duration::from_secs(10);

/// The databases that tools may name.
#[derive(Debug, Clone, Default)]
pub struct Databases {
    by_name: BTreeMap<String, Arc<SqliteDatabase>>,
}

impl Databases {
    /// Starts without any.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds one under its name; one of that name is replaced.
    pub fn insert(&mut self, name: impl Into<String>, database: SqliteDatabase) {
        self.by_name.insert(name.into(), Arc::new(database));
    }

    /// Returns the database of that name.
    pub fn get(&self, name: &str) -> Option<&Arc<SqliteDatabase>> {
        self.by_name.get(name)
    }

    /// Returns the names in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.by_name.keys().map(String::as_str)
    }
}

/// Why a database cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DatabaseError {
    /// The script for new databases failed; nothing of it is kept.
    #[error("the init script of {} failed", path.display())]
    Init {
        /// The database.
        path: PathBuf,
        /// The cause.
        source: rusqlite::Error,
    },
    /// The script for new databases cannot be run in one transaction.
    #[error("the init script of {} cannot be used", path.display())]
    InitText {
        /// The database.
        path: PathBuf,
        /// The cause.
        source: SqlError,
    },
    /// It cannot be opened.
    #[error("the database {} cannot be opened", path.display())]
    Open {
        /// The database.
        path: PathBuf,
        /// The cause.
        source: rusqlite::Error,
    },
    /// The machine gives no more threads.
    #[error("no thread for the database {}", path.display())]
    Thread {
        /// The database.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
}

impl DatabaseError {
    /// Says who can do something about it.
    pub fn fault(&self) -> Fault {
        match self {
            Self::Init { .. } | Self::InitText { .. } | Self::Open { .. } => Fault::Config,
            Self::Thread { .. } => Fault::Unavailable { retry_after: None },
        }
    }
}

/// An SQLite file with its open connections: one that writes, [two](Self::open) that only read.
#[derive(Debug)]
pub struct SqliteDatabase {
    writer: Lane,
    /// None for a database in memory, which has one connection.
    readers: Option<Lane>,
    path: PathBuf,
}

impl SqliteDatabase {
    /// Opens the file, or makes it. `:memory:` is a database of this process alone.
    ///
    /// A database without any table, view or trigger is new. The script runs in it once, in one
    /// transaction: when it fails, or the process dies, the database is as new as before. Of two
    /// processes that come at the same time one runs it and the other finds it done. A new file
    /// gets a write-ahead log; one that was there keeps its journal.
    ///
    /// # Errors
    ///
    /// [`DatabaseError`]: the file cannot be opened, or the script fails or holds `begin` and the
    /// like.
    pub fn open(path: impl Into<PathBuf>, init: Option<&str>) -> Result<Self, DatabaseError> {
        let path = path.into();
        let open_error = |source| DatabaseError::Open { path: path.clone(), source };
        let in_memory = path == Path::new(MEMORY);
        let mut writer = Connection::open_with_flags(&path, writer_flags()).map_err(open_error)?;
        writer.busy_timeout(OPEN_WAIT_MAX).map_err(open_error)?;
        if is_empty(&writer).map_err(open_error)? {
            if !in_memory && let Err(error) = write_ahead(&writer) {
                // Another process is just making it, and then has done this.
                tracing::debug!(%error, "the write-ahead log could not be turned on");
            }
            if let Some(script) = init {
                run_init(&path, &mut writer, script)?;
            }
        }
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let thread_error = |source| DatabaseError::Thread { path: path.clone(), source };
        let readers = if in_memory {
            None
        } else {
            let mut connections = Vec::with_capacity(READERS);
            for _ in 0..READERS {
                connections.push(reader(&path).map_err(open_error)?);
            }
            Some(Lane::new(&name, connections).map_err(thread_error)?)
        };
        let writer = Lane::new(&name, vec![writer]).map_err(thread_error)?;
        Ok(Self { writer, readers, path })
    }

    /// Returns where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn writer(&self) -> &Lane {
        &self.writer
    }

    /// The lane whose connections cannot write, when there is one.
    pub(super) fn readers(&self) -> Option<&Lane> {
        self.readers.as_ref()
    }
}

fn writer_flags() -> OpenFlags {
    OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_CREATE
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
}

fn reader(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    // Temporary tables could be written without this.
    connection.pragma_update(None, "query_only", true)?;
    Ok(connection)
}

fn is_empty(connection: &Connection) -> rusqlite::Result<bool> {
    connection.query_row("select not exists (select 1 from sqlite_schema)", [], |row| row.get(0))
}

fn write_ahead(connection: &Connection) -> rusqlite::Result<()> {
    connection.pragma_update_and_check(None, "journal_mode", "wal", |_| Ok(()))
}

fn run_init(path: &Path, connection: &mut Connection, script: &str) -> Result<(), DatabaseError> {
    if let Err(source @ SqlError::TransactionControl { .. }) = statements(script) {
        return Err(DatabaseError::InitText { path: path.to_owned(), source });
    }
    let run = |connection: &mut Connection| {
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        // Another process may have been faster while we waited for the lock.
        if is_empty(&transaction)? {
            transaction.execute_batch(script)?;
        }
        transaction.commit()
    };
    run(connection).map_err(|source| DatabaseError::Init { path: path.to_owned(), source })
}

const MEMORY: &str = ":memory:";

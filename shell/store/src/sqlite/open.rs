//! Opening the file: what it is, whether this program may use it, and how it is set up.

use std::fs::OpenOptions;
use std::io;
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, TransactionBehavior};

use manos_ports::StoreError;

use super::calls;
use super::place::Place;

/// The version of tables and stored texts. A file with a greater one is refused and left as it is.
///
/// | format | what it changed |
/// | --- | --- |
/// | 1 | the first |
/// | 2 | no index of audit ids, since they grow with the rows |
pub(crate) const FORMAT: u32 = 2;

/// Marks the file as ours: `MANO`.
const APPLICATION_ID: i32 = 0x4d41_4e4f;

/// Chats are nobody else's business.
#[cfg(unix)]
pub(crate) const FILE_MODE: u32 = 0o600;

/// How long to wait for another handle: a checkpoint, or somebody who looks with other tools.
const BUSY_WAIT_MAX: Duration = Duration::from_secs(5);

/// Pages each connection keeps in memory, in KiB.
const WRITER_CACHE_KIB: i64 = 8 * 1024;
const READER_CACHE_KIB: i64 = 1024;

/// Room for every statement of this package.
const STATEMENTS_MAX: usize = 32;

const SCHEMA: &str = include_str!("schema.sql");

/// From each format to the next, beginning with the first. Whoever only reads gets along with all.
const MIGRATIONS: [&str; FORMAT as usize - 1] = ["DROP INDEX log_audit"];

/// What lies at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Found {
    /// No file, or one in which nothing was ever kept.
    Nothing,
    /// A file that must be opened for writing before it can be looked at: its making was cut short.
    Unfinished,
    /// A store that this program knows.
    Store,
}

/// Opens the file for writing, and makes it when there is none. The caller holds the lock.
pub(crate) fn writer(place: &Place, pages_max: Option<u32>) -> Result<Connection, StoreError> {
    let found = look(place)?;
    if found == Found::Nothing {
        create_file(place).map_err(|error| place.io_failed("could not be created", error))?;
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let opened = Connection::open_with_flags(place.file(), flags);
    let mut connection = opened.map_err(|error| place.failed("could not be opened", error))?;
    // Looked at again: what an unfinished file or a log holds is known only now.
    check(&connection, place)?;
    // SQLite silently makes do with a handle that only reads.
    if connection.is_readonly("main").map_err(|error| place.failed("could not be read", error))? {
        let source = io::Error::new(io::ErrorKind::PermissionDenied, "the file is read-only");
        return Err(place.io_failed("could not be opened for writing", source));
    }
    set_up_writer(&mut connection, pages_max)
        .map_err(|error| place.failed("could not be opened for writing", error))?;
    Ok(connection)
}

/// Opens the file a second time beside the writer, to copy its log into it.
pub(crate) fn checkpointer(place: &Place) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(place.file(), flags)?;
    connection.busy_timeout(BUSY_WAIT_MAX)?;
    connection.pragma_update(None, "synchronous", "full")?;
    Ok(connection)
}

/// Opens the file for reading. Nobody needs the lock for that.
pub(crate) fn reader(place: &Place) -> Result<Connection, StoreError> {
    match look(place)? {
        Found::Store => {}
        Found::Nothing | Found::Unfinished => {
            let missing = io::Error::new(io::ErrorKind::NotFound, "nothing was kept there yet");
            return Err(place.io_failed("is not a store", missing));
        }
    }
    let live = open_to_read(place, false).and_then(|connection| {
        // The first look at the tables is what opens the write-ahead log.
        connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))?;
        Ok(connection)
    });
    let connection = match live {
        // In a folder that cannot be written, and with no log to read, the file is all there is.
        Err(_) if !place.beside("-wal").exists() => open_to_read(place, true),
        other => other,
    };
    connection.map_err(|error| place.failed("could not be opened", error))
}

/// Looks at the file without changing it or anything beside it.
fn look(place: &Place) -> Result<Found, StoreError> {
    match std::fs::metadata(place.file()) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Found::Nothing),
        Err(error) => return Err(place.io_failed("could not be opened", error)),
        Ok(file) if file.is_dir() => return Err(place.corrupt("a folder, not a file")),
        Ok(file) if file.len() == 0 => return Ok(Found::Nothing),
        Ok(_) => {}
    }
    // Only the making of a file uses a rollback journal.
    if place.beside("-journal").exists() {
        return Ok(Found::Unfinished);
    }
    // Without a write-ahead log nobody has the file open, so it can be read as it lies; opened in
    // the common way, SQLite would create the log. With one, it is there already.
    let frozen = !place.beside("-wal").exists();
    let connection =
        open_to_read(place, frozen).map_err(|error| place.failed("could not be opened", error))?;
    check(&connection, place)
}

fn open_to_read(place: &Place, frozen: bool) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = if frozen {
        Connection::open_with_flags(place.frozen_uri(), flags | OpenFlags::SQLITE_OPEN_URI)?
    } else {
        Connection::open_with_flags(place.file(), flags)?
    };
    // A reader that closes last must not move the log into a file it was only to look at.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    connection.busy_timeout(BUSY_WAIT_MAX)?;
    connection.pragma_update(None, "cache_size", -READER_CACHE_KIB)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS_MAX);
    Ok(connection)
}

/// Tells whether the tables are ones that this program knows.
fn check(connection: &Connection, place: &Place) -> Result<Found, StoreError> {
    let number = |name: &str| {
        connection
            .pragma_query_value(None, name, |row| row.get::<_, i32>(0))
            .map_err(|error| place.failed("could not be read", error))
    };
    if number("application_id")? != APPLICATION_ID {
        let tables = connection
            .query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get::<_, i64>(0))
            .map_err(|error| place.failed("could not be read", error))?;
        return match tables {
            0 => Ok(Found::Nothing),
            _ => Err(place.corrupt("tables of another program")),
        };
    }
    match u32::try_from(number("user_version")?) {
        Ok(1..=FORMAT) => Ok(Found::Store),
        Ok(found) if found > FORMAT => {
            Err(StoreError::Newer { place: place.to_string(), found, known: FORMAT })
        }
        _ => Err(place.corrupt("a format that never was")),
    }
}

/// Makes an empty file that only its owner reads; SQLite gives its other files the same mode.
fn create_file(place: &Place) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(FILE_MODE);
    }
    options.open(place.file()).map(drop)
}

/// Brings the tables of an earlier format to this one, inside the caller's transaction.
fn migrate(connection: &Connection) -> rusqlite::Result<()> {
    let found = connection.pragma_query_value(None, "user_version", |row| row.get::<_, u32>(0))?;
    let known = usize::try_from(found).unwrap_or(usize::MAX);
    for step in MIGRATIONS.iter().skip(known.saturating_sub(1)) {
        connection.execute_batch(step)?;
    }
    if found < FORMAT {
        connection.pragma_update(None, "user_version", FORMAT)?;
    }
    Ok(())
}

fn set_up_writer(connection: &mut Connection, pages_max: Option<u32>) -> rusqlite::Result<()> {
    connection.busy_timeout(BUSY_WAIT_MAX)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS_MAX);
    connection.pragma_update(None, "cache_size", -WRITER_CACHE_KIB)?;
    if let Some(pages) = pages_max {
        connection.pragma_update_and_check(None, "max_page_count", pages, |_| Ok(()))?;
    }
    // Tables and version come in one transaction of the old kind, so that the file itself says its
    // version before there ever is a write-ahead log.
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let empty = "SELECT count(*) = 0 FROM sqlite_schema";
    if transaction.query_row(empty, [], |row| row.get(0))? {
        transaction.execute_batch(SCHEMA)?;
        transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
        transaction.pragma_update(None, "user_version", FORMAT)?;
    } else {
        migrate(&transaction)?;
    }
    transaction.execute_batch(calls::TABLE)?;
    transaction.commit()?;
    connection.pragma_update_and_check(None, "journal_mode", "wal", |_| Ok(()))?;
    // One fsync for each transaction: what was acknowledged survives a power cut.
    connection.pragma_update(None, "synchronous", "full")
}

//! Calls from outside by the names their senders gave them, in a table of their own.
//!
//! The table came after the first files. A program that does not know it leaves it alone, so it
//! raises no format: it is made whenever the file is opened for writing.

use rusqlite::{Connection, OptionalExtension as _, params};

use manos_model::{ChatKey, Timestamp};
use manos_ports::{CallRow, StoreError};

use super::column::{instant, instant_from, whole};
use super::place::Place;
use super::read::UNREADABLE;

/// Calls forgotten in one transaction, so that commits need not wait for a long one.
pub(crate) const FORGOTTEN_MAX: u64 = 1_000;

/// The table, where it is not there yet.
pub(crate) const TABLE: &str = include_str!("calls.sql");

/// Writes the calls of a commit; a known key is replaced.
pub(crate) fn keep(
    connection: &Connection,
    chat_id: i64,
    calls: &[CallRow],
) -> rusqlite::Result<()> {
    for call in calls {
        connection
            .prepare_cached(
                "INSERT INTO calls (key, chat_id, at_ns, outcome) VALUES (?1, ?2, ?3, ?4) \
                 ON CONFLICT (key) DO UPDATE SET chat_id = excluded.chat_id, \
                 at_ns = excluded.at_ns, outcome = excluded.outcome",
            )?
            .execute(params![call.key, chat_id, instant(call.at), call.outcome])?;
    }
    Ok(())
}

/// Looks a call up.
pub(crate) fn read(
    connection: &Connection,
    place: &Place,
    key: &str,
) -> Result<Option<CallRow>, StoreError> {
    let read = || {
        connection
            .prepare_cached(
                "SELECT chats.key, at_ns, outcome FROM calls \
                 JOIN chats ON chats.id = chat_id WHERE calls.key = ?1",
            )?
            .query_row([key], |row| Ok((row.get::<_, String>(0)?, row.get(1)?, row.get(2)?)))
            .optional()
    };
    let found = read().map_err(|error| place.failed(UNREADABLE, error))?;
    let Some((chat, at, outcome)) = found else { return Ok(None) };
    let at = instant_from(at, place)?;
    Ok(Some(CallRow { key: key.to_owned(), chat: ChatKey::new(chat), at, outcome }))
}

/// Forgets at most [`FORGOTTEN_MAX`] calls and returns how many.
pub(crate) fn forget(connection: &Connection, before: Timestamp) -> rusqlite::Result<u64> {
    let forgotten = connection
        .prepare_cached(
            "DELETE FROM calls WHERE key IN \
             (SELECT key FROM calls WHERE at_ns < ?1 ORDER BY at_ns LIMIT ?2)",
        )?
        .execute(params![instant(before), whole(FORGOTTEN_MAX)])?;
    Ok(forgotten as u64)
}

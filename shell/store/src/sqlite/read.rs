//! Chats, message ids and ledger rows, read back.

use rusqlite::{Connection, OptionalExtension as _, Row, params};

use manos_model::{ChatKey, MessageId, RunId};
use manos_ports::{ChatQuery, ChatSummary, RunRow, RunsQuery, StoreError, StoredChat};

use super::column::{instant_from, limit, state_from};
use super::place::Place;

/// What could not be done, when a query fails.
pub(crate) const UNREADABLE: &str = "could not be read";

/// Reads a chat, in one statement and so at one instant.
pub(crate) fn load(
    connection: &Connection,
    place: &Place,
    chat: &ChatKey,
) -> Result<Option<StoredChat>, StoreError> {
    let read = || {
        connection
            .prepare_cached(
                "SELECT chats.revision, active, memory FROM chats \
                 LEFT JOIN log ON log.id = memory_log WHERE key = ?1",
            )?
            .query_row([chat.as_str()], |row| {
                Ok(StoredChat { revision: row.get(0)?, active: row.get(1)?, memory: row.get(2)? })
            })
            .optional()
    };
    read().map_err(|error| place.failed(UNREADABLE, error))
}

/// Whether the chat has taken the message.
pub(crate) fn seen(
    connection: &Connection,
    place: &Place,
    chat: &ChatKey,
    message: &MessageId,
) -> Result<bool, StoreError> {
    let read = || {
        connection
            .prepare_cached(
                "SELECT 1 FROM chats JOIN inbox ON chat_id = id WHERE key = ?1 AND message_id = ?2",
            )?
            .exists(params![chat.as_str(), message.as_str()])
    };
    read().map_err(|error| place.failed(UNREADABLE, error))
}

/// Lists chats by key.
pub(crate) fn chats(
    connection: &Connection,
    place: &Place,
    query: &ChatQuery,
) -> Result<Vec<ChatSummary>, StoreError> {
    // Spelled out, so that each way uses its index.
    let awake = if query.awake_only { "awake = 1 AND" } else { "" };
    let later = if query.after.is_some() { "key > ?1" } else { "key >= ?1" };
    let sql = format!(
        "SELECT key, revision, awake, last_at_ns FROM chats WHERE {awake} {later} \
         ORDER BY key LIMIT ?2"
    );
    let after = query.after.as_ref().map_or("", ChatKey::as_str);
    let read = || {
        connection
            .prepare_cached(&sql)?
            .query_map(params![after, limit(query.limit)], |row| {
                Ok((row.get::<_, String>(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
            })?
            .collect::<rusqlite::Result<Vec<_>>>()
    };
    let rows = read().map_err(|error| place.failed(UNREADABLE, error))?;
    rows.into_iter()
        .map(|(key, revision, awake, last_at)| {
            let last_at = instant_from(last_at, place)?;
            Ok(ChatSummary { chat: ChatKey::new(key), revision, awake, last_at })
        })
        .collect()
}

/// Lists ledger rows, the one that came last first.
pub(crate) fn runs(
    connection: &Connection,
    place: &Place,
    query: &RunsQuery,
) -> Result<Vec<RunRow>, StoreError> {
    let unknown = if query.unknown_only { "state = 'unknown'" } else { "1" };
    let this = if query.run_id.is_some() { "run_id = ?1" } else { "?1 IS NULL" };
    let sql = format!(
        "SELECT run_id, key, state, at_ns, json FROM runs JOIN chats ON chats.id = chat_id \
         WHERE {unknown} AND {this} ORDER BY runs.id DESC LIMIT ?2"
    );
    let run_id = query.run_id.as_ref().map(RunId::as_str);
    let read = || {
        connection
            .prepare_cached(&sql)?
            .query_map(params![run_id, limit(query.limit)], run_columns)?
            .collect::<rusqlite::Result<Vec<_>>>()
    };
    let rows = read().map_err(|error| place.failed(UNREADABLE, error))?;
    rows.into_iter().map(|columns| run_row(columns, place)).collect()
}

type RunColumns = (String, String, String, i64, String);

fn run_columns(row: &Row<'_>) -> rusqlite::Result<RunColumns> {
    Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?))
}

fn run_row(
    (run_id, chat, state, at, json): RunColumns,
    place: &Place,
) -> Result<RunRow, StoreError> {
    Ok(RunRow {
        run_id: RunId::new(run_id),
        chat: ChatKey::new(chat),
        state: state_from(&state, place)?,
        at: instant_from(at, place)?,
        json,
    })
}

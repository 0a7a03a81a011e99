//! The table in which a writing tool leaves what it did, in the same transaction.

use rusqlite::{Connection, OptionalExtension as _, params};
use serde_json::Value;

/// The table in the tool's own database that settles runs after a crash.
pub const JOURNAL_TABLE: &str = "manos_runs";

/// Makes the table when it is missing; within the call's transaction.
pub(super) fn prepare(connection: &Connection) -> rusqlite::Result<()> {
    connection
        .prepare_cached(
            "create table if not exists manos_runs \
             (run_id text primary key, tool text not null, result text not null, at text not null)",
        )?
        .execute([])
        .map(drop)
}

/// Returns the result of a run that is written down.
pub(super) fn find(connection: &Connection, run_id: &str) -> rusqlite::Result<Option<Value>> {
    let text: Option<String> = connection
        .prepare_cached("select result from manos_runs where run_id = ?1")?
        .query_row([run_id], |row| row.get(0))
        .optional()?;
    // A row somebody has spoiled by hand still says that the run was done.
    Ok(text.map(|text| serde_json::from_str(&text).unwrap_or(Value::String(text))))
}

/// Whether the table is there; a database without it has never seen a run.
pub(super) fn exists(connection: &Connection) -> rusqlite::Result<bool> {
    connection
        .prepare_cached("select exists (select 1 from sqlite_schema where name = ?1)")?
        .query_row([JOURNAL_TABLE], |row| row.get(0))
}

/// Writes a run down.
pub(super) fn write(
    connection: &Connection,
    run_id: &str,
    tool: &str,
    result: &Value,
    at: &str,
) -> rusqlite::Result<()> {
    connection
        .prepare_cached(
            "insert into manos_runs (run_id, tool, result, at) values (?1, ?2, ?3, ?4)",
        )?
        .execute(params![run_id, tool, result.to_string(), at])
        .map(drop)
}

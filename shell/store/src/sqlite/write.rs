//! One commit as statements. Runs inside a transaction that the writer opens and ends.
//!
//! Everything that can refuse a commit is looked at before anything is written, so that a refused
//! one leaves nothing to take back and its neighbours in the transaction go on.

use rusqlite::{Connection, OptionalExtension as _, params};

use manos_model::{Timestamp, TurnId};
use manos_ports::{AuditLine, Commit, Committed, StoreError};

use super::calls;
use super::column::{instant, state_name, whole};
use crate::lines;

/// Message ids forgotten in one transaction, so that commits need not wait for a long one.
pub(crate) const FORGOTTEN_MAX: u64 = 1_000;

/// The numbers that the next commit takes. One writer, so they can be counted in memory.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Counting {
    log_next: i64,
    audit_next: u64,
}

impl Counting {
    /// Reads how far the file has come.
    pub(crate) fn read(connection: &Connection) -> rusqlite::Result<Self> {
        let log_last: Option<i64> =
            connection.query_row("SELECT max(id) FROM log", [], |row| row.get(0))?;
        let audit_next = connection.query_row(
            "SELECT audit_first + audit_count FROM log WHERE audit_first IS NOT NULL \
             ORDER BY id DESC LIMIT 1",
            [],
            |row| row.get(0),
        );
        Ok(Self {
            log_next: log_last.unwrap_or(0) + 1,
            audit_next: audit_next.optional()?.unwrap_or(1),
        })
    }

    /// Returns the id of the newest audit event; 0 before the first.
    pub(crate) fn audit_last(self) -> u64 {
        self.audit_next.saturating_sub(1)
    }
}

/// The chat as it was before the commit.
struct Before {
    id: i64,
    revision: u64,
    awake: bool,
    memory_log: Option<i64>,
}

/// Writes one commit, or says why it is refused. An `Err` of the outer kind means that the whole
/// transaction must be rolled back.
pub(crate) fn commit(
    connection: &Connection,
    counting: &mut Counting,
    commit: &Commit,
) -> rusqlite::Result<Result<Committed, StoreError>> {
    let before = chat_before(connection, commit)?;
    let found = before.as_ref().map_or(0, |before| before.revision);
    if found != commit.revision {
        return Ok(Err(StoreError::Conflict { expected: commit.revision, found }));
    }
    if let Some(before) = &before
        && !take_message(connection, before.id, commit)?
    {
        return Ok(Err(StoreError::Duplicate));
    }
    let revision = found + 1;
    let log_id = counting.log_next;
    let memory_before = before.as_ref().and_then(|before| before.memory_log);
    let memory_log = if commit.memory.is_some() { Some(log_id) } else { memory_before };
    let chat_id = if let Some(before) = before {
        change_chat(connection, &before, revision, memory_log, commit)?;
        before.id
    } else {
        let id = make_chat(connection, revision, memory_log, commit)?;
        take_message(connection, id, commit)?;
        id
    };
    let log = LogRow { id: log_id, chat_id, revision, memory_before };
    let audit_last = log.insert(connection, counting.audit_next, commit)?;
    for turn in &commit.turns_started {
        connection
            .prepare_cached(
                "INSERT INTO turns (turn_id, log_id) VALUES (?1, ?2) ON CONFLICT DO NOTHING",
            )?
            .execute(params![turn.as_str(), log_id])?;
    }
    keep_runs(connection, chat_id, commit)?;
    calls::keep(connection, chat_id, &commit.calls)?;
    counting.log_next += 1;
    if let Some(last) = audit_last {
        counting.audit_next = last + 1;
    }
    Ok(Ok(Committed { revision, audit_last }))
}

/// Forgets at most [`FORGOTTEN_MAX`] message ids and returns how many.
pub(crate) fn forget_messages(connection: &Connection, before: Timestamp) -> rusqlite::Result<u64> {
    let forgotten = connection
        .prepare_cached(
            "DELETE FROM inbox WHERE (chat_id, message_id) IN \
             (SELECT chat_id, message_id FROM inbox WHERE at_ns < ?1 ORDER BY at_ns LIMIT ?2)",
        )?
        .execute(params![instant(before), whole(FORGOTTEN_MAX)])?;
    Ok(forgotten as u64)
}

fn chat_before(connection: &Connection, commit: &Commit) -> rusqlite::Result<Option<Before>> {
    connection
        .prepare_cached("SELECT id, revision, awake, memory_log FROM chats WHERE key = ?1")?
        .query_row([commit.chat.as_str()], |row| {
            Ok(Before {
                id: row.get(0)?,
                revision: row.get(1)?,
                awake: row.get(2)?,
                memory_log: row.get(3)?,
            })
        })
        .optional()
}

/// Whether the message is new to the chat; a commit without one always is.
fn take_message(connection: &Connection, chat_id: i64, commit: &Commit) -> rusqlite::Result<bool> {
    let Some(message) = &commit.message_id else { return Ok(true) };
    let taken = connection
        .prepare_cached(
            "INSERT INTO inbox (chat_id, message_id, at_ns) VALUES (?1, ?2, ?3) \
             ON CONFLICT DO NOTHING",
        )?
        .execute(params![chat_id, message.as_str(), instant(commit.at)])?;
    Ok(taken > 0)
}

fn make_chat(
    connection: &Connection,
    revision: u64,
    memory_log: Option<i64>,
    commit: &Commit,
) -> rusqlite::Result<i64> {
    connection
        .prepare_cached(
            "INSERT INTO chats (key, revision, awake, last_at_ns, memory_log, active) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        )?
        .insert(params![
            commit.chat.as_str(),
            whole(revision),
            commit.awake,
            instant(commit.at),
            memory_log,
            commit.active,
        ])
}

fn change_chat(
    connection: &Connection,
    before: &Before,
    revision: u64,
    memory_log: Option<i64>,
    commit: &Commit,
) -> rusqlite::Result<()> {
    connection
        .prepare_cached(
            "UPDATE chats SET revision = ?2, last_at_ns = ?3, memory_log = ?4, active = ?5 \
             WHERE id = ?1",
        )?
        .execute(params![
            before.id,
            whole(revision),
            instant(commit.at),
            memory_log,
            commit.active
        ])?;
    // Apart, since naming the column makes SQLite touch the index of awake chats.
    if before.awake != commit.awake {
        connection
            .prepare_cached("UPDATE chats SET awake = ?2 WHERE id = ?1")?
            .execute(params![before.id, commit.awake])?;
    }
    Ok(())
}

/// What a row of the log has besides the commit itself.
struct LogRow {
    id: i64,
    chat_id: i64,
    revision: u64,
    memory_before: Option<i64>,
}

impl LogRow {
    /// Returns the last audit id that the row uses.
    fn insert(
        &self,
        connection: &Connection,
        audit_first: u64,
        commit: &Commit,
    ) -> rusqlite::Result<Option<u64>> {
        let count = commit.audit.len() as u64;
        let has_audit = count > 0;
        let audit_turns = if has_audit { Some(turns_of(&commit.audit)?) } else { None };
        let audit = lines::joined(commit.audit.iter().map(|line| line.json.as_str()));
        connection
            .prepare_cached(
                "INSERT INTO log (id, chat_id, revision, at_ns, audit_first, audit_count, \
                 audit_turns, memory_before, events, audit, active_before, memory) \
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
            )?
            .execute(params![
                self.id,
                self.chat_id,
                whole(self.revision),
                instant(commit.at),
                has_audit.then(|| whole(audit_first)),
                whole(count),
                audit_turns,
                self.memory_before.filter(|_| !commit.turns_started.is_empty()),
                lines::joined(commit.events.iter().map(String::as_str)),
                has_audit.then_some(audit),
                commit.active_before,
                commit.memory,
            ])?;
        Ok(has_audit.then(|| audit_first + count - 1))
    }
}

/// The turns of the lines, run by run: `[["t1",5],[null,1]]`.
fn turns_of(audit: &[AuditLine]) -> rusqlite::Result<String> {
    let runs = audit.chunk_by(|one, next| one.turn_id == next.turn_id);
    let runs: Vec<(Option<&str>, usize)> = runs
        .map(|run| {
            (run.first().and_then(|line| line.turn_id.as_ref()).map(TurnId::as_str), run.len())
        })
        .collect();
    serde_json::to_string(&runs)
        .map_err(|error| rusqlite::Error::ToSqlConversionFailure(Box::new(error)))
}

fn keep_runs(connection: &Connection, chat_id: i64, commit: &Commit) -> rusqlite::Result<()> {
    for run in &commit.runs {
        connection
            .prepare_cached(
                "INSERT INTO runs (run_id, chat_id, state, at_ns, json) \
                 VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT (run_id) DO UPDATE SET \
                 state = excluded.state, at_ns = excluded.at_ns, json = excluded.json",
            )?
            .execute(params![
                run.run_id.as_str(),
                chat_id,
                state_name(run.state),
                instant(run.at),
                run.json,
            ])?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use manos_ports::RunState;

    use super::*;

    #[test]
    fn turns_are_kept_run_by_run() {
        let line = |turn: Option<&str>| AuditLine {
            turn_id: turn.map(TurnId::new),
            json: "{}".to_owned(),
        };
        let audit = [line(Some("a")), line(Some("a")), line(None), line(Some("a"))];
        assert_eq!(turns_of(&audit).unwrap(), r#"[["a",2],[null,1],["a",1]]"#);
    }

    #[test]
    fn states_have_names_of_their_own() {
        let names = [RunState::Done, RunState::NotDone, RunState::Unknown].map(state_name);
        assert_eq!(names, ["done", "not_done", "unknown"]);
    }
}

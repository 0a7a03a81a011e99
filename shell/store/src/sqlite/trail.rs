//! The audit trail and the commits of a turn, read back from the log.

use rusqlite::types::ToSql;
use rusqlite::{Connection, OptionalExtension as _, Row, params};

use manos_model::{ChatKey, TurnId};
use manos_ports::{AuditQuery, AuditRow, LoggedCommit, StoreError};

use super::column::whole;
use super::place::Place;
use super::read::UNREADABLE;
use crate::lines;

/// Reads audit events in order. A turn's begin where it starts.
pub(crate) fn audit(
    connection: &Connection,
    place: &Place,
    query: &AuditQuery,
) -> Result<Vec<AuditRow>, StoreError> {
    let failed = |error| place.failed(UNREADABLE, error);
    let Some(from) = first_row(connection, query).map_err(failed)? else { return Ok(Vec::new()) };
    let sql = format!(
        "SELECT audit_first, audit_turns, audit FROM log WHERE id >= ?1 {} \
         AND audit_first IS NOT NULL ORDER BY id",
        if from.chat_id.is_some() { "AND chat_id = ?2" } else { "AND ?2 IS NULL" },
    );
    let mut statement = connection.prepare_cached(&sql).map_err(failed)?;
    let mut rows = statement.query(params![from.log_id, from.chat_id]).map_err(failed)?;
    let mut found = Vec::new();
    while found.len() < query.limit
        && let Some(row) = rows.next().map_err(failed)?
    {
        let line = AuditColumns::read(row, 0).map_err(failed)?;
        for (id, turn, json) in line.events(place)? {
            let wanted = query.turn.as_ref().is_none_or(|of| turn.as_deref() == Some(of.as_str()));
            if id > query.after && wanted && found.len() < query.limit {
                found.push(AuditRow { id, json });
            }
        }
    }
    Ok(found)
}

/// Reads the commits of a turn's chat from the one that starts the turn to the last that tells of it.
pub(crate) fn turn_log(
    connection: &Connection,
    place: &Place,
    turn: &TurnId,
) -> Result<Option<(ChatKey, Vec<LoggedCommit>)>, StoreError> {
    let failed = |error| place.failed(UNREADABLE, error);
    let Some(start) = turn_start(connection, turn).map_err(failed)? else { return Ok(None) };
    let last = last_row(connection, place, &start, turn)?;
    let mut statement = connection
        .prepare_cached(
            "SELECT log.audit_first, log.audit_turns, log.audit, log.revision, log.events, \
             log.active_before, earlier.memory FROM log \
             LEFT JOIN log AS earlier ON earlier.id = log.memory_before \
             WHERE log.chat_id = ?1 AND log.id BETWEEN ?2 AND ?3 ORDER BY log.id",
        )
        .map_err(failed)?;
    let mut rows = statement.query(params![start.chat_id, start.log_id, last]).map_err(failed)?;
    let mut commits = Vec::new();
    while let Some(row) = rows.next().map_err(failed)? {
        commits.push(logged_commit(row, place)?);
    }
    Ok(Some((start.chat, commits)))
}

/// Where to begin reading, and in which chat.
struct From {
    log_id: i64,
    chat_id: Option<i64>,
}

/// Finds the first row that can hold what is asked for; `None` when nothing can.
fn first_row(connection: &Connection, query: &AuditQuery) -> rusqlite::Result<Option<From>> {
    let mut from = From { log_id: row_after(connection, query.after)?, chat_id: None };
    if let Some(chat) = &query.chat {
        let sql = "SELECT id FROM chats WHERE key = ?1";
        let id = connection.prepare_cached(sql)?.query_row([chat.as_str()], |row| row.get(0));
        let Some(id) = id.optional()? else { return Ok(None) };
        from.chat_id = Some(id);
    }
    if let Some(turn) = &query.turn {
        let Some(start) = turn_start(connection, turn)? else { return Ok(None) };
        if from.chat_id.is_some_and(|id| id != start.chat_id) {
            return Ok(None);
        }
        from = From { log_id: from.log_id.max(start.log_id), chat_id: Some(start.chat_id) };
    }
    Ok(Some(from))
}

/// The row that holds this audit id or comes right before the next one. Audit ids grow with the
/// rows, so it is found by halving, and no commit pays for an index of them.
fn row_after(connection: &Connection, after: u64) -> rusqlite::Result<i64> {
    let last = "SELECT coalesce(max(id), 0) FROM log";
    let last: i64 = connection.prepare_cached(last)?.query_row([], |row| row.get(0))?;
    let mut statement = connection.prepare_cached(
        "SELECT id, audit_first FROM log WHERE id >= ?1 AND audit_first IS NOT NULL \
         ORDER BY id LIMIT 1",
    )?;
    // Rows up to `low` begin at or before the id; those from `high` on begin after it.
    let (mut low, mut high) = (0, last.saturating_add(1));
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        let columns = |row: &Row<'_>| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?));
        match statement.query_row([middle], columns).optional()? {
            Some((row, first)) if row < high && first <= whole(after) => low = row,
            _ => high = middle,
        }
    }
    Ok(low)
}

/// Where a turn starts.
struct TurnStart {
    log_id: i64,
    chat_id: i64,
    chat: ChatKey,
}

fn turn_start(connection: &Connection, turn: &TurnId) -> rusqlite::Result<Option<TurnStart>> {
    connection
        .prepare_cached(
            "SELECT log.id, chats.id, chats.key FROM turns JOIN log ON log.id = log_id \
             JOIN chats ON chats.id = chat_id WHERE turn_id = ?1",
        )?
        .query_row([turn.as_str()], |row| {
            let chat: String = row.get(2)?;
            Ok(TurnStart { log_id: row.get(0)?, chat_id: row.get(1)?, chat: ChatKey::new(chat) })
        })
        .optional()
}

/// The last row of the chat in which an audit event tells of the turn. Only small columns are read.
fn last_row(
    connection: &Connection,
    place: &Place,
    start: &TurnStart,
    turn: &TurnId,
) -> Result<i64, StoreError> {
    let failed = |error| place.failed(UNREADABLE, error);
    let mut statement = connection
        .prepare_cached(
            "SELECT id, audit_turns FROM log WHERE chat_id = ?1 AND id >= ?2 \
             AND audit_first IS NOT NULL ORDER BY id DESC",
        )
        .map_err(failed)?;
    let params: [&dyn ToSql; 2] = [&start.chat_id, &start.log_id];
    let mut rows = statement.query(params).map_err(failed)?;
    while let Some(row) = rows.next().map_err(failed)? {
        let turns: String = row.get(1).map_err(failed)?;
        if turn_runs(&turns, place)?.iter().any(|(of, _)| of.as_deref() == Some(turn.as_str())) {
            return row.get(0).map_err(failed);
        }
    }
    Ok(start.log_id)
}

fn logged_commit(row: &Row<'_>, place: &Place) -> Result<LoggedCommit, StoreError> {
    let failed = |error| place.failed(UNREADABLE, error);
    let audit = match row.get::<_, Option<u64>>(0).map_err(failed)? {
        Some(_) => AuditColumns::read(row, 0).map_err(failed)?.events(place)?,
        None => Vec::new(),
    };
    let revision = row.get(3).map_err(failed)?;
    let events: String = row.get(4).map_err(failed)?;
    let events = lines::parted(&events)
        .map_err(|_| place.corrupt(format!("the events of revision {revision} of a chat")))?;
    Ok(LoggedCommit {
        revision,
        events: events.into_iter().map(str::to_owned).collect(),
        active_before: row.get(5).map_err(failed)?,
        memory_before: row.get(6).map_err(failed)?,
        audit: audit.into_iter().map(|(_, _, json)| json).collect(),
    })
}

/// The columns of a row that hold its audit events.
struct AuditColumns {
    first: u64,
    turns: String,
    events: String,
}

impl AuditColumns {
    fn read(row: &Row<'_>, at: usize) -> rusqlite::Result<Self> {
        Ok(Self { first: row.get(at)?, turns: row.get(at + 1)?, events: row.get(at + 2)? })
    }

    /// Returns id, turn and text of each event.
    fn events(&self, place: &Place) -> Result<Vec<(u64, Option<String>, String)>, StoreError> {
        let corrupt = || place.corrupt(format!("audit event {} or one after it", self.first));
        let texts = lines::parted(&self.events).map_err(|_| corrupt())?;
        let runs = turn_runs(&self.turns, place)?;
        if runs.iter().map(|(_, count)| count).sum::<usize>() != texts.len() {
            return Err(corrupt());
        }
        let turns = runs.into_iter().flat_map(|(turn, count)| std::iter::repeat_n(turn, count));
        let numbered = (self.first..).zip(turns).zip(texts);
        numbered
            .map(|((id, turn), text)| Ok((id, turn, lines::with_id(id, text).ok_or_else(corrupt)?)))
            .collect()
    }
}

fn turn_runs(text: &str, place: &Place) -> Result<Vec<(Option<String>, usize)>, StoreError> {
    serde_json::from_str(text).map_err(|_| place.corrupt("the turns of some audit events"))
}

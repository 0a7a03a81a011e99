//! Endpoints and deliveries, read back.

use rusqlite::{Connection, Row, params};

use manos_model::{AgentName, NoticeEndpointId, NoticeEventId, NoticeTrouble, Timestamp};
use manos_ports::{
    DeliveryQuery, DeliveryRow, DeliveryState, EndpointRow, EndpointStatus, StoreError,
};

use super::super::column::{instant, instant_from, limit};
use super::super::place::Place;
use super::super::read::UNREADABLE;

/// What a delivery is read from, in the order in which [`Columns`] takes it.
const COLUMNS: &str = "endpoint, event_id, kind, audit_id, state, attempts, first_at_ns, at_ns, \
                       next_at_ns, trouble, http_status";

/// Whether anybody was ever to be told.
fn has_tables(connection: &Connection) -> rusqlite::Result<bool> {
    connection
        .prepare_cached("SELECT 1 FROM sqlite_schema WHERE name = 'notice_deliveries_over'")?
        .exists([])
}

/// Lists endpoints by agent and id, or this one.
pub(super) fn endpoints(
    connection: &Connection,
    place: &Place,
    only: Option<&NoticeEndpointId>,
) -> Result<Vec<EndpointRow>, StoreError> {
    let read = || {
        if !has_tables(connection)? {
            return Ok(Vec::new());
        }
        connection
            .prepare_cached(
                "SELECT id, agent, label, status, cursor, \
                 (SELECT count(*) FROM notice_deliveries \
                 WHERE endpoint = notice_endpoints.id AND next_at_ns IS NOT NULL), \
                 (SELECT min(next_at_ns) FROM notice_deliveries \
                 WHERE endpoint = notice_endpoints.id AND next_at_ns IS NOT NULL) \
                 FROM notice_endpoints WHERE ?1 IS NULL OR id = ?1 ORDER BY agent, id",
            )?
            .query_map([only.map(NoticeEndpointId::as_str)], |row| endpoint(row, place))?
            .collect::<rusqlite::Result<Vec<_>>>()
    };
    read().map_err(|error| place.failed(UNREADABLE, error))?.into_iter().collect()
}

fn endpoint(row: &Row<'_>, place: &Place) -> rusqlite::Result<Result<EndpointRow, StoreError>> {
    let status: String = row.get(3)?;
    let next_at: Option<i64> = row.get(6)?;
    let status = match status.as_str() {
        "active" => EndpointStatus::Active,
        "failing" => EndpointStatus::Failing,
        other => return Ok(Err(place.corrupt(format!("{other:?} as the status of an endpoint")))),
    };
    let next_at = match next_at.map(|at| instant_from(at, place)).transpose() {
        Ok(next_at) => next_at,
        Err(error) => return Ok(Err(error)),
    };
    Ok(Ok(EndpointRow {
        id: NoticeEndpointId::new(row.get::<_, String>(0)?),
        agent: AgentName::new(row.get::<_, String>(1)?),
        label: row.get(2)?,
        status,
        cursor: row.get(4)?,
        waiting: row.get(5)?,
        next_at,
    }))
}

/// Lists what is due, for the longest time first.
pub(super) fn due(
    connection: &Connection,
    place: &Place,
    endpoint: &NoticeEndpointId,
    at: Timestamp,
    rows_max: usize,
) -> Result<Vec<DeliveryRow>, StoreError> {
    let sql = format!(
        "SELECT {COLUMNS} FROM notice_deliveries \
         WHERE endpoint = ?1 AND next_at_ns IS NOT NULL AND next_at_ns <= ?2 \
         ORDER BY next_at_ns, id LIMIT ?3"
    );
    let params = params![endpoint.as_str(), instant(at), limit(rows_max)];
    rows(connection, place, &sql, params)
}

/// Lists deliveries, the ones taken up last first.
pub(super) fn deliveries(
    connection: &Connection,
    place: &Place,
    query: &DeliveryQuery,
) -> Result<Vec<DeliveryRow>, StoreError> {
    let sql = format!(
        "SELECT {COLUMNS} FROM notice_deliveries WHERE ?1 IS NULL OR endpoint = ?1 \
         ORDER BY id DESC LIMIT ?2"
    );
    let endpoint = query.endpoint.as_ref().map(NoticeEndpointId::as_str);
    rows(connection, place, &sql, params![endpoint, limit(query.limit)])
}

fn rows(
    connection: &Connection,
    place: &Place,
    sql: &str,
    params: &[&dyn rusqlite::ToSql],
) -> Result<Vec<DeliveryRow>, StoreError> {
    let read = || {
        if !has_tables(connection)? {
            return Ok(Vec::new());
        }
        connection
            .prepare_cached(sql)?
            .query_map(params, Columns::read)?
            .collect::<rusqlite::Result<Vec<_>>>()
    };
    let found = read().map_err(|error| place.failed(UNREADABLE, error))?;
    found.into_iter().map(|columns| columns.delivery(place)).collect()
}

/// A row as SQLite has it.
struct Columns {
    endpoint: String,
    event_id: String,
    kind: String,
    audit_id: u64,
    state: String,
    attempts: u32,
    first_at: Option<i64>,
    at: i64,
    next_at: Option<i64>,
    trouble: Option<String>,
    http_status: Option<u16>,
}

impl Columns {
    fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            endpoint: row.get(0)?,
            event_id: row.get(1)?,
            kind: row.get(2)?,
            audit_id: row.get(3)?,
            state: row.get(4)?,
            attempts: row.get(5)?,
            first_at: row.get(6)?,
            at: row.get(7)?,
            next_at: row.get(8)?,
            trouble: row.get(9)?,
            http_status: row.get(10)?,
        })
    }

    fn delivery(self, place: &Place) -> Result<DeliveryRow, StoreError> {
        let state = match (self.state.as_str(), self.next_at) {
            ("delivered", None) => DeliveryState::Delivered,
            ("failed", None) => DeliveryState::Failed,
            ("waiting", Some(at)) => DeliveryState::Waiting(instant_from(at, place)?),
            (other, _) => return Err(place.corrupt(format!("{other:?} as the state of a notice"))),
        };
        let trouble = self.trouble.map(|word| {
            NoticeTrouble::from_word(&word)
                .ok_or_else(|| place.corrupt(format!("{word:?} as the trouble with a notice")))
        });
        Ok(DeliveryRow {
            endpoint: NoticeEndpointId::new(self.endpoint),
            event_id: NoticeEventId::new(self.event_id),
            kind: self.kind,
            audit_id: self.audit_id,
            state,
            attempts: self.attempts,
            first_at: self.first_at.map(|at| instant_from(at, place)).transpose()?,
            at: instant_from(self.at, place)?,
            trouble: trouble.transpose()?,
            http_status: self.http_status,
        })
    }
}

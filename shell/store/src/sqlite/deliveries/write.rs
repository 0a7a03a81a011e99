//! Changes to the deliveries, each inside a transaction that the writer opens and ends.

use rusqlite::{Connection, params};

use manos_model::{AgentName, NoticeEndpointId, NoticeTrouble, Timestamp};
use manos_ports::{
    DELIVERIES_KEPT_MAX, DeliveryState, DeliveryTry, ENDPOINTS_KEPT_MAX, NewDelivery,
    NoticeEndpoint,
};

use super::super::column::{instant, limit, whole};

const TABLES: &str = include_str!("tables.sql");

/// Makes endpoints known; a new one begins after the newest audit event.
pub(super) fn register(
    connection: &Connection,
    agent: &AgentName,
    endpoints: &[NoticeEndpoint],
    audit_last: u64,
    at: Timestamp,
) -> rusqlite::Result<()> {
    connection.execute_batch(TABLES)?;
    for endpoint in endpoints {
        connection
            .prepare_cached(
                "INSERT INTO notice_endpoints (id, agent, label, status, cursor, seen_at_ns) \
                 VALUES (?1, ?2, ?3, 'active', ?4, ?5) ON CONFLICT (id) DO UPDATE SET \
                 label = excluded.label, seen_at_ns = excluded.seen_at_ns",
            )?
            .execute(params![
                endpoint.id.as_str(),
                agent.as_str(),
                endpoint.label,
                whole(audit_last),
                instant(at),
            ])?;
    }
    connection.execute(
        "DELETE FROM notice_endpoints WHERE id NOT IN \
         (SELECT id FROM notice_endpoints ORDER BY seen_at_ns DESC, id DESC LIMIT ?1)",
        [limit(ENDPOINTS_KEPT_MAX)],
    )?;
    connection.execute(
        "DELETE FROM notice_deliveries WHERE endpoint NOT IN (SELECT id FROM notice_endpoints)",
        [],
    )?;
    Ok(())
}

/// Takes deliveries up and moves the cursor.
pub(super) fn take_up(
    connection: &Connection,
    endpoint: &NoticeEndpointId,
    cursor: u64,
    deliveries: &[NewDelivery],
    at: Timestamp,
) -> rusqlite::Result<()> {
    let known = connection
        .prepare_cached("UPDATE notice_endpoints SET cursor = ?2 WHERE id = ?1")?
        .execute(params![endpoint.as_str(), whole(cursor)])?;
    if known == 0 {
        return Ok(());
    }
    for delivery in deliveries {
        connection
            .prepare_cached(
                "INSERT INTO notice_deliveries \
                 (endpoint, event_id, kind, audit_id, state, attempts, at_ns, next_at_ns) \
                 VALUES (?1, ?2, ?3, ?4, 'waiting', 0, ?5, ?5) ON CONFLICT DO NOTHING",
            )?
            .execute(params![
                endpoint.as_str(),
                delivery.event_id.as_str(),
                delivery.kind,
                whole(delivery.audit_id),
                instant(at),
            ])?;
    }
    Ok(())
}

/// Keeps what tries came to, and forgets what is over beyond what stays listed.
pub(super) fn tried(
    connection: &Connection,
    endpoint: &NoticeEndpointId,
    tries: &[DeliveryTry],
) -> rusqlite::Result<()> {
    for tried in tries {
        let (state, next_at, status) = match tried.state {
            DeliveryState::Delivered => ("delivered", None, Some("active")),
            DeliveryState::Failed => ("failed", None, Some("failing")),
            DeliveryState::Waiting(at) => ("waiting", Some(instant(at)), None),
        };
        let changed = connection
            .prepare_cached(
                "UPDATE notice_deliveries SET state = ?3, attempts = attempts + 1, \
                 first_at_ns = coalesce(first_at_ns, ?4), at_ns = ?4, next_at_ns = ?5, \
                 trouble = ?6, http_status = ?7 \
                 WHERE endpoint = ?1 AND event_id = ?2 AND next_at_ns IS NOT NULL",
            )?
            .execute(params![
                endpoint.as_str(),
                tried.event_id.as_str(),
                state,
                instant(tried.at),
                next_at,
                tried.trouble.map(NoticeTrouble::as_str),
                tried.http_status,
            ])?;
        if let Some(status) = status.filter(|_| changed > 0) {
            connection
                .prepare_cached(
                    "UPDATE notice_endpoints SET status = ?2 WHERE id = ?1 AND status <> ?2",
                )?
                .execute(params![endpoint.as_str(), status])?;
        }
    }
    connection
        .prepare_cached(
            "DELETE FROM notice_deliveries WHERE endpoint = ?1 AND next_at_ns IS NULL AND id <= \
             (SELECT id FROM notice_deliveries WHERE endpoint = ?1 AND next_at_ns IS NULL \
             ORDER BY id DESC LIMIT 1 OFFSET ?2)",
        )?
        .execute(params![endpoint.as_str(), limit(DELIVERIES_KEPT_MAX)])?;
    Ok(())
}

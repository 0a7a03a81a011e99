//! `manos deliveries`: who was told what, and what came of it.

use std::collections::BTreeMap;
use std::process::ExitCode;

use manos::model::{NoticeEndpointId, NoticeTrouble, Timestamp};
use manos::notice_addresses;
use manos::ports::{DeliveryQuery, DeliveryRow, DeliveryState, EndpointRow, EndpointStatus};
use serde_json::{Value, json};

use crate::agent_file::{self, Purpose};
use crate::args::DeliveriesArgs;
use crate::commands::{block_on, stored};
use crate::failure::Failure;
use crate::output;

/// Deliveries that are listed, newest first.
const ROWS_MAX: usize = 1_000;

/// The endpoints of the agent, by their ids.
type Endpoints = BTreeMap<NoticeEndpointId, Endpoint>;

/// An endpoint as it is listed.
struct Endpoint {
    address: String,
    status: &'static str,
    waiting: usize,
    next_at: Option<Timestamp>,
}

pub(crate) fn run(args: &DeliveriesArgs) -> Result<ExitCode, Failure> {
    let file = agent_file::load(&args.file, Purpose::Look)?;
    let named = notice_addresses(&file.agent, &file.secrets)?.into_iter();
    let named: BTreeMap<NoticeEndpointId, String> =
        named.map(|named| (named.id, named.address)).collect();
    let store = stored(&file)?;
    block_on(async move {
        let log = store.delivery_log();
        let known = log.endpoints().await?;
        let ours = known.into_iter().filter(|row| row.agent == file.agent.name);
        let endpoints: Endpoints =
            ours.map(|row| (row.id.clone(), endpoint(row, &named))).collect();
        let found = log.deliveries(DeliveryQuery { endpoint: None, limit: ROWS_MAX }).await?;
        let is_full = found.len() == ROWS_MAX;
        let rows = found.iter().filter_map(|row| Some((endpoints.get(&row.endpoint)?, row)));
        if args.json {
            for (endpoint, row) in rows {
                output::line(&as_json(endpoint, row).to_string());
            }
        } else if endpoints.is_empty() {
            output::note("nobody was to be told anything yet");
        } else {
            print_endpoints(&endpoints);
            output::line("");
            let head = ["ENDPOINT", "EVENT", "TYPE", "ATTEMPTS", "STATUS", "CATEGORY", "NEXT TRY"];
            let mut table = vec![head.map(str::to_owned)];
            table.extend(rows.map(|(endpoint, row)| as_cells(endpoint, row)));
            output::table(&table);
        }
        if is_full {
            output::note(&format!("only the newest {ROWS_MAX} deliveries are listed"));
        }
        Ok(ExitCode::SUCCESS)
    })
}

fn endpoint(row: EndpointRow, named: &BTreeMap<NoticeEndpointId, String>) -> Endpoint {
    let address = named.get(&row.id);
    let status = match row.status {
        // Nobody sends to what the file does not name.
        _ if address.is_none() => "disabled",
        EndpointStatus::Active => "active",
        EndpointStatus::Failing => "failing",
    };
    let address = address.cloned().unwrap_or(row.label);
    Endpoint { address, status, waiting: row.waiting, next_at: row.next_at }
}

fn print_endpoints(endpoints: &Endpoints) {
    let mut rows = vec![["ENDPOINT", "STATUS", "WAITING", "NEXT TRY"].map(str::to_owned)];
    rows.extend(endpoints.values().map(|endpoint| {
        let status = endpoint.status.to_owned();
        [endpoint.address.clone(), status, endpoint.waiting.to_string(), time(endpoint.next_at)]
    }));
    output::table(&rows);
}

fn as_cells(endpoint: &Endpoint, row: &DeliveryRow) -> [String; 7] {
    [
        endpoint.address.clone(),
        row.event_id.as_str().to_owned(),
        row.kind.clone(),
        row.attempts.to_string(),
        state(row).to_owned(),
        category(row).unwrap_or_default().to_owned(),
        time(next_try(row)),
    ]
}

fn as_json(endpoint: &Endpoint, row: &DeliveryRow) -> Value {
    json!({
        "endpoint": endpoint.address,
        "endpoint_status": endpoint.status,
        "event_id": row.event_id.as_str(),
        "type": row.kind,
        "audit_id": row.audit_id,
        "attempts": row.attempts,
        "status": state(row),
        "category": category(row),
        "http_status": row.http_status,
        "at": format!("{:.3}", row.at),
        "next_try": next_try(row).map(|at| format!("{at:.3}")),
    })
}

/// The word for how far a delivery is.
fn state(row: &DeliveryRow) -> &'static str {
    match row.state {
        DeliveryState::Delivered => "delivered",
        DeliveryState::Failed => "failed",
        DeliveryState::Waiting(_) if row.attempts == 0 => "waiting",
        DeliveryState::Waiting(_) => "retrying",
    }
}

fn category(row: &DeliveryRow) -> Option<&'static str> {
    row.trouble.map(NoticeTrouble::as_str)
}

fn next_try(row: &DeliveryRow) -> Option<Timestamp> {
    match row.state {
        DeliveryState::Waiting(at) => Some(at),
        DeliveryState::Delivered | DeliveryState::Failed => None,
    }
}

fn time(at: Option<Timestamp>) -> String {
    at.map(|at| format!("{at:.3}")).unwrap_or_default()
}

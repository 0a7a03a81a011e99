//! `manos audit`: the trail, as lines, as JSON, or one turn as a page.

use std::fmt::Write as _;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use manos::model::{ChatKey, TurnId};
use manos::open_store_to_read;
use manos::ports::{AuditQuery, AuditRow, Store};
use serde_json::Value;

use crate::agent_file::{self, Purpose};
use crate::args::AuditArgs;
use crate::commands::block_on;
use crate::failure::Failure;
use crate::output;

mod page;

/// Events read from the store at once.
const PAGE: usize = 500;

/// How often `--follow` looks for new events.
const LOOK_EVERY: Duration = Duration::from_millis(300);

pub(crate) fn run(args: &AuditArgs) -> Result<ExitCode, Failure> {
    let file = agent_file::load(&args.file, Purpose::Look)?;
    let store = open_store_to_read(&file.agent.store, &file.folder)?;
    block_on(async move {
        match &args.turn {
            Some(turn) if !args.json => print_turn(&store, turn).await?,
            _ => print_events(&store, args).await?,
        }
        Ok(ExitCode::SUCCESS)
    })
}

fn query(args: &AuditArgs) -> AuditQuery {
    AuditQuery {
        chat: args.chat.as_ref().map(ChatKey::new),
        turn: args.turn.as_ref().map(TurnId::new),
        after: 0,
        limit: PAGE,
    }
}

async fn print_events(store: &Arc<dyn Store>, args: &AuditArgs) -> Result<(), Failure> {
    let mut query = query(args);
    loop {
        let rows = store.audit(query.clone()).await?;
        for row in &rows {
            output::line(&if args.json { row.json.clone() } else { one_line(row) });
            query.after = row.id;
        }
        if rows.len() < PAGE {
            if !args.follow {
                return Ok(());
            }
            tokio::time::sleep(LOOK_EVERY).await;
        }
    }
}

async fn print_turn(store: &Arc<dyn Store>, turn: &str) -> Result<(), Failure> {
    let mut query = AuditQuery { chat: None, turn: Some(TurnId::new(turn)), after: 0, limit: PAGE };
    let mut events: Vec<Value> = Vec::new();
    loop {
        let rows = store.audit(query.clone()).await?;
        let Some(last) = rows.last() else { break };
        query.after = last.id;
        events.extend(rows.iter().filter_map(|row| serde_json::from_str(&row.json).ok()));
    }
    if events.is_empty() {
        return Err(Failure::failed(format!("there is no turn {turn}"))
            .hint("find turns in the trail: manos audit FILE"));
    }
    let message = message_of(store, &events).await?;
    output::line(&page::of_turn(&events, message.as_ref()));
    Ok(())
}

/// The message that started the turn: the newest one of the chat before the turn's first event.
async fn message_of(store: &Arc<dyn Store>, events: &[Value]) -> Result<Option<Value>, Failure> {
    let first = &events[0];
    let (Some(chat), Some(id)) = (first["chat_key"].as_str(), first["id"].as_u64()) else {
        return Ok(None);
    };
    let mut query =
        AuditQuery { chat: Some(ChatKey::new(chat)), turn: None, after: 0, limit: PAGE };
    let mut newest = None;
    loop {
        let rows = store.audit(query.clone()).await?;
        let Some(last) = rows.last() else { return Ok(newest) };
        query.after = last.id;
        for row in rows.iter().filter(|row| row.id < id) {
            let event: Value = serde_json::from_str(&row.json).unwrap_or_default();
            if event["type"] == "message.received" {
                newest = Some(event);
            }
        }
        if last.id >= id {
            return Ok(newest);
        }
    }
}

/// One event as a line for people; values are cut, since `--json` has them whole.
fn one_line(row: &AuditRow) -> String {
    let event: Value = serde_json::from_str(&row.json).unwrap_or_default();
    let text = |name: &str| event[name].as_str().unwrap_or_default().to_owned();
    let mut line = format!("{:>6}  {}  {:<18}", row.id, text("at"), text("type"));
    if let Some(tool) = event["tool"].as_str() {
        line.push_str("  ");
        line.push_str(tool);
    }
    for (key, value) in page::details(&event) {
        // Writing to a String cannot fail.
        let _ = write!(line, "  {key}={}", page::cut(&value));
    }
    let _ = write!(line, "  [{}", text("chat_key"));
    if let Some(turn) = event["turn_id"].as_str() {
        let _ = write!(line, " {turn}");
    }
    line.push(']');
    manos::text::safe_text(&line).into_owned()
}

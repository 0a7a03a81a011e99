//! `manos audit`: the trail, as lines, as JSON, or one turn as a page.

use std::fmt::Write as _;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use manos::model::{ChatKey, TurnId};
use manos::ports::{AuditQuery, AuditRow, Store};
use manos::text::safe_text;
use serde_json::Value;

use crate::agent_file::{self, Purpose};
use crate::args::AuditArgs;
use crate::commands::{block_on, stored};
use crate::failure::Failure;
use crate::output;

mod cost;
mod page;

use cost::Costs;

/// Events read from the store at once.
const PAGE: usize = 500;

/// What a line leaves out: ids and digests that only tie events together.
const NOT_IN_LINES: &[&str] = &["digest", "delivery_id"];

/// How often `--follow` looks for new events.
const LOOK_EVERY: Duration = Duration::from_millis(300);

pub(crate) fn run(args: &AuditArgs) -> Result<ExitCode, Failure> {
    let file = agent_file::load(&args.file, Purpose::Look)?;
    let store = stored(&file)?;
    block_on(async move {
        match (args.cost, &args.turn) {
            (Some(by), _) => print_costs(&store, args, Costs::new(by)).await?,
            (None, Some(turn)) if !args.json => print_turn(&store, turn).await?,
            (None, _) => print_events(&store, args).await?,
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
    let mut none_yet = !args.follow;
    loop {
        let rows = store.audit(query.clone()).await?;
        if rows.is_empty() && none_yet {
            output::note(&nothing(args));
        }
        none_yet = false;
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

async fn print_costs(
    store: &Arc<dyn Store>,
    args: &AuditArgs,
    mut costs: Costs,
) -> Result<(), Failure> {
    let mut query = query(args);
    loop {
        let rows = store.audit(query.clone()).await?;
        let Some(last) = rows.last() else { break };
        query.after = last.id;
        for row in &rows {
            costs.take(row);
        }
    }
    if costs.is_empty() {
        output::note("no model has replied yet");
    } else if args.json {
        for line in costs.lines() {
            output::line(&line);
        }
    } else {
        output::table(&costs.table());
    }
    Ok(())
}

fn nothing(args: &AuditArgs) -> String {
    match (&args.turn, &args.chat) {
        (Some(turn), _) => format!("there is nothing of turn {turn}"),
        (None, Some(chat)) => {
            format!("there is nothing of chat {chat}; list chats: manos chats FILE")
        }
        (None, None) => "nothing has happened yet".to_owned(),
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

/// One event as a line for people: values are cut and made safe, the layout stays. `--json` has
/// them whole.
fn one_line(row: &AuditRow) -> String {
    let event: Value = serde_json::from_str(&row.json).unwrap_or_default();
    let text = |name: &str| safe_text(event[name].as_str().unwrap_or_default()).into_owned();
    let mut line = format!("{:>6}  {}  {:<18}", row.id, page::time(&event), text("type"));
    if event["tool"].is_string() {
        line.push_str("  ");
        line.push_str(&text("tool"));
    }
    for (key, value) in page::details(&event) {
        if !NOT_IN_LINES.contains(&key.as_str()) {
            // Writing to a String cannot fail.
            let _ = write!(line, "  {}={}", safe_text(&key), safe_text(&page::cut(&value)));
        }
    }
    let _ = write!(line, "  [{}", text("chat_key"));
    if event["turn_id"].is_string() {
        let _ = write!(line, " {}", text("turn_id"));
    }
    line.push(']');
    line
}

//! The executor behind its port, with calls that the policy approved.

#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod crash;
mod http;
mod port;

use std::path::Path;
use std::time::Duration;

use manos_model::ToolName;
use manos_policy::{Asking, PreparedCall, RunOrder, Standing, ToolSpec, Verdict, decide};
use manos_ports::{RunContext, Settled, ToolExecutor as _};
use manos_schema::ToolSchema;
use manos_tools::{Databases, Executor, Runner, SqlSpec, SqliteDatabase};
use serde_json::{Value, json};

const SCHEMA: &str = "create table notes (id integer primary key, text text not null)";

/// A call of a tool that needs no yes.
fn order(tool: &str, run_id: &str, arguments: &Value) -> RunOrder {
    let spec = ToolSpec {
        name: ToolName::new(tool).unwrap(),
        schema: ToolSchema::compile(&json!({"type": "object"})).unwrap().into(),
        confirm: false,
        dedupe: None,
        read_only: false,
        idempotent: false,
        definition: String::new(),
    };
    let arguments = arguments.as_object().unwrap().clone();
    let call = PreparedCall::new("call-1".into(), &spec, arguments);
    match decide(call, &spec, &Standing::Fresh, &Asking::Possible) {
        Verdict::Allow(call) => RunOrder { call, run_id: run_id.into() },
        Verdict::Confirm(_) | Verdict::Deny(_) => unreachable!("the tool needs no yes"),
    }
}

async fn settled(executor: &Executor, order: &RunOrder) -> Settled {
    executor.settle(order.call.tool(), &order.run_id, &context()).await
}

fn context() -> RunContext {
    RunContext {
        agent: "agent".into(),
        chat: "terminal:ana".into(),
        user: "terminal:ana".into(),
        channel: "terminal".into(),
        locale: "es-CO".to_owned(),
        at: "2026-01-02T03:04:05Z".parse().unwrap(),
        turn_id: "turn-1".into(),
        step: None,
        timeout: Some(Duration::from_mins(1)),
        result_bytes_max: 65_536,
    }
}

/// An executor whose tool `write` runs this query.
fn executor(path: &Path, query: &str) -> Executor {
    let mut databases = Databases::new();
    databases.insert("shop", SqliteDatabase::open(path, Some(SCHEMA)).unwrap());
    let spec = SqlSpec {
        database: "shop".to_owned(),
        query: query.to_owned(),
        one_row: true,
        journal: true,
        read_only: false,
    };
    let name = ToolName::new("write").unwrap();
    Executor::builder().databases(databases).tool(name, Runner::Sql(spec)).build().unwrap()
}

//! `manos runs`: the ledger, and settling a run whose end is unknown.

use std::process::ExitCode;
use std::sync::Arc;

use manos::model::RunId;
use manos::ports::{RunRow, RunState, RunsQuery, Store};
use serde_json::Value;

use crate::agent_file::{self, LoadedFile, Purpose};
use crate::args::RunsArgs;
use crate::commands::{block_on, stored};
use crate::failure::Failure;
use crate::output;
use crate::terminal::{Nobody, SHUTDOWN_SOON, open_runtime};

/// Rows that are listed, newest first.
const ROWS_MAX: usize = 1_000;

pub(crate) fn run(args: &RunsArgs) -> Result<ExitCode, Failure> {
    let file = agent_file::load(&args.file, Purpose::Look)?;
    let Some([run, how]) = args.settle.as_deref() else {
        let store = stored(&file)?;
        return block_on(list(store, args.unknown));
    };
    let done = match how.as_str() {
        "done" => true,
        "not-done" => false,
        other => return Err(Failure::usage(format!("a run is done or not-done, not {other}"))),
    };
    block_on(settle(&file, run, done))
}

async fn list(store: Arc<dyn Store>, unknown_only: bool) -> Result<ExitCode, Failure> {
    let query = RunsQuery { unknown_only, run_id: None, limit: ROWS_MAX };
    let found = store.runs(query).await?;
    let mut rows =
        vec![["RUN", "AT", "STATE", "TOOL", "CHAT", "ARGUMENTS", "RESULT"].map(str::to_owned)];
    rows.extend(found.iter().map(row));
    output::table(&rows);
    if found.len() == ROWS_MAX {
        output::note(&format!("only the newest {ROWS_MAX} runs are listed"));
    }
    Ok(ExitCode::SUCCESS)
}

fn row(run: &RunRow) -> [String; 7] {
    let detail: Value = serde_json::from_str(&run.json).unwrap_or_default();
    let field = |name: &str| match &detail[name] {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    };
    [
        run.run_id.as_str().to_owned(),
        format!("{:.3}", run.at),
        state_word(run.state).to_owned(),
        field("tool"),
        run.chat.as_str().to_owned(),
        field("arguments"),
        field("result"),
    ]
}

fn state_word(state: RunState) -> &'static str {
    match state {
        RunState::Done => "done",
        RunState::NotDone => "not-done",
        RunState::Unknown => "unknown",
    }
}

async fn settle(file: &LoadedFile, run: &str, done: bool) -> Result<ExitCode, Failure> {
    let run_id = RunId::new(run);
    let reader = stored(file)?;
    let query = RunsQuery { unknown_only: false, run_id: Some(run_id.clone()), limit: 1 };
    let found = reader.runs(query).await?;
    drop(reader);
    let Some(row) = found.into_iter().next() else {
        return Err(Failure::failed(format!("there is no run {run}"))
            .hint("list them: manos runs FILE --unknown"));
    };
    if row.state != RunState::Unknown {
        let word = state_word(row.state);
        return Err(Failure::failed(format!("run {run} stands as {word} already"))
            .hint("only unknown runs are settled: manos runs FILE --unknown"));
    }
    let runtime = open_runtime(file, Arc::new(Nobody), None, None)?;
    let settled = runtime.settle(&row.chat, run_id, done).await;
    runtime.shutdown(SHUTDOWN_SOON).await;
    settled?;
    let word = if done { "done" } else { "not done" };
    output::line(&format!("run {run} of {} stands as {word}", row.chat));
    Ok(ExitCode::SUCCESS)
}

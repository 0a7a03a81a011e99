//! `manos tools`: the tools of an agent as a table, or exactly as a provider is sent them.

use std::process::ExitCode;

use manos::config::{AgentFile, RunnerFile, ToolFile};
use manos::declarations;
use manos::model::ToolName;

use crate::agent_file::{self, Purpose};
use crate::args::ToolsArgs;
use crate::failure::Failure;
use crate::output;

pub(crate) fn run(args: &ToolsArgs) -> Result<ExitCode, Failure> {
    let file = agent_file::load(&args.file, Purpose::Look)?;
    match &args.provider {
        None => table(&file.agent),
        Some(provider) => {
            let sent = declarations(&file.agent, provider).map_err(|error| Failure::of(&error))?;
            output::line(&sent.json);
            for change in &sent.changes {
                output::note(&format!("note: `{}`: {}", change.tool, change.what));
            }
            if !sent.changes.is_empty() {
                output::note(
                    "note: whatever is not shown is checked all the same when a call comes",
                );
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn table(agent: &AgentFile) {
    let allowed: Vec<&str> = agent.allowed().map(ToolName::as_str).collect();
    let mut rows = vec![["TOOL", "TITLE", "CLASS", "RUNS BY", "TIMEOUT"].map(str::to_owned)];
    for tool in &agent.tools {
        let mut class = class(tool);
        if !allowed.contains(&tool.name.as_str()) {
            class.push_str(", not allowed");
        }
        let timeout =
            tool.timeout.map_or_else(|| "none".to_owned(), |timeout| format!("{timeout:?}"));
        let runner = runner(&tool.runner).to_owned();
        rows.push([tool.name.as_str().to_owned(), tool.title.clone(), class, runner, timeout]);
    }
    output::table(&rows);
}

fn class(tool: &ToolFile) -> String {
    let mut words = vec![if tool.read_only { "read-only" } else { "effect" }];
    if tool.confirm == Some(true) {
        words.push("confirm");
    }
    if tool.dedupe.is_some() {
        words.push("dedupe");
    }
    if tool.idempotent {
        words.push("idempotent");
    }
    if tool.cancels {
        words.push("cancels");
    }
    words.join(", ")
}

fn runner(runner: &RunnerFile) -> &str {
    match runner {
        RunnerFile::Builtin(builtin) => &builtin.name,
        RunnerFile::Command(_) => "command",
        RunnerFile::Endpoint(_) => "endpoint",
        RunnerFile::Native => "native",
        RunnerFile::Sql(_) => "sql",
        RunnerFile::Webhook => "webhook",
    }
}

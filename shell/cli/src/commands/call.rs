//! `manos call`: one tool by the same path as a turn.

use std::process::ExitCode;
use std::sync::Arc;

use manos::chat::{Doing, Inbound, InboundBody};
use manos::engine::{CallOutcome, Confirmer, Surface, Tool};
use manos::model::{ChatKey, Failure as ToolFailure, UserId};
use manos::runtime::Runtime;

use crate::agent_file::{self, Purpose};
use crate::args::CallArgs;
use crate::commands::block_on;
use crate::failure::Failure;
use crate::output;
use crate::terminal::signals::{Signals, shut_down};
use crate::terminal::{Nobody, SHUTDOWN_SOON, begin, open_runtime};

pub(crate) fn run(args: &CallArgs) -> Result<ExitCode, Failure> {
    if let Err(error) = serde_json::from_str::<serde::de::IgnoredAny>(&args.args) {
        return Err(Failure::usage(format!("--args is not JSON: {error}"))
            .hint("quote it for your shell: --args '{\"key\": \"value\"}'"));
    }
    let file = agent_file::load(&args.file, Purpose::Run)?;
    let name = args.user.as_deref().unwrap_or("local");
    let chat = match &args.call_id {
        Some(call_id) => ChatKey::new(format!("call:{call_id}")),
        None => ChatKey::new(format!("terminal:{name}")),
    };
    let inbound = Inbound {
        message_id: None,
        user: UserId::new(format!("terminal:{name}")),
        surface: Surface { repeats: true, ..Surface::default() },
        body: InboundBody::Call {
            tool: args.tool.clone(),
            arguments: args.args.clone(),
            confirmer: if args.yes { Confirmer::CodeYes } else { Confirmer::Nobody },
            known_as: Vec::new(),
        },
    };
    block_on(async move {
        let runtime = open_runtime(&file, Arc::new(Nobody), None, None)?;
        let mut signals = Signals::listen()?;
        begin(&runtime, &file).await?;
        let called = tokio::select! {
            outcome = call(&runtime, &chat, inbound.clone()) => Ok(outcome),
            asked = signals.next() => Err(asked),
        };
        match called {
            Ok(outcome) => {
                shut_down(&runtime, SHUTDOWN_SOON, &mut signals).await;
                tell(&outcome?)
            }
            Err(asked) => {
                let stop = Inbound { body: InboundBody::Cancel, ..inbound };
                // A store that does not keep it keeps no end of the run either.
                let _stopped = runtime.deliver(&chat, stop).await;
                let grace = file.agent.limits.shutdown_grace;
                shut_down(&runtime, grace, &mut signals).await;
                output::failure(&stopped(&runtime, &args.tool));
                Ok(asked.exit_code())
            }
        }
    })
}

/// What is said when a signal came. What only reads was stopped; an effect went on to its end.
fn stopped(runtime: &Runtime, tool: &str) -> Failure {
    let failure = Failure::failed("the call was stopped before it ended");
    let changes = |tool: &Tool| !tool.spec.read_only;
    if runtime.spec().agent.tool(tool).is_some_and(changes) {
        failure.hint("it may have changed something; how it ended is listed: manos runs FILE")
    } else {
        failure
    }
}

async fn call(runtime: &Runtime, chat: &ChatKey, inbound: Inbound) -> Result<CallOutcome, Failure> {
    if let Doing::Waiting { deadline, .. } = runtime.settled(chat).await {
        return Err(Failure::failed(format!("{chat} is asked something until {deadline}")).hint(
            "answer it in manos chat, clear it with manos reset, or call for another --user",
        ));
    }
    let mut ended = runtime.ended();
    let receipt = runtime.deliver(chat, inbound).await?;
    let Some(turn_id) = receipt.turns_started.first() else {
        return Err(Failure::failed(format!("{chat} did not take the call: a turn is running")));
    };
    loop {
        let end =
            ended.recv().await.map_err(|_| Failure::failed("the call ended without an outcome"))?;
        if end.turn_id == *turn_id {
            return end
                .outcome
                .ok_or_else(|| Failure::failed("the call was stopped before it ended"));
        }
    }
}

fn tell(outcome: &CallOutcome) -> Result<ExitCode, Failure> {
    match outcome {
        CallOutcome::Done(value) => {
            output::line(&value.to_string());
            Ok(ExitCode::SUCCESS)
        }
        CallOutcome::Failed(failure) => {
            output::line(&failure.to_value().to_string());
            match failure {
                ToolFailure::NotAsked { .. } => Err(Failure::not_confirmed(
                    "this tool asks before it runs, and nobody was asked",
                )
                .hint("look at what it would do, then call it again with --yes")),
                ToolFailure::UnknownTool { .. } => {
                    Err(Failure::usage("there is no such tool").hint("list them: manos tools FILE"))
                }
                _ => Ok(ExitCode::FAILURE),
            }
        }
        CallOutcome::Replied(words) => {
            output::line(&serde_json::json!({"userReply": words}).to_string());
            Ok(ExitCode::from(3))
        }
    }
}

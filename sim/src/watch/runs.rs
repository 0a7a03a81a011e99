//! One action, one effect, or unknown; and what is told of it is true.

use std::collections::BTreeSet;

use manos_model::{
    ChatKey, ModelRequest, RunId, StepMessage, Timestamp, ToolCallId, ToolResult, canonical_object,
};
use manos_policy::{ApprovalRecord, PreparedCall, RunOrder};
use manos_ports::{RunRow, RunState};
use serde_json::Value;

use super::kept::{Kept, Line};
use super::questions::later;
use super::{Promise, Watch};
use crate::agent::DEDUPE_WINDOW;
use crate::world::Truth;

/// A run as the trail and the tools know it.
#[derive(Debug)]
pub(super) struct Run {
    pub(super) chat: ChatKey,
    turn: String,
    pub(super) tool: String,
    /// Whether the trail says how it ended, or that nobody can tell.
    pub(super) ended: bool,
    /// What the ledger says, and since when.
    pub(super) row: Option<(RunState, Timestamp)>,
    /// Tool and arguments, once a tool was asked; equal for equal calls.
    call: Option<String>,
    user: Option<String>,
}

/// A tool is asked to run.
pub(crate) struct StartedRun<'a> {
    /// In this chat.
    pub chat: &'a ChatKey,
    /// This.
    pub order: &'a RunOrder,
    /// Whether it runs already.
    pub alive: bool,
    /// What the clock shows.
    pub now: Timestamp,
}

impl Watch {
    pub(super) fn run_line(&mut self, kept: &Kept<'_>, line: &Line, truth: &Truth) {
        let Some(run_id) = &line.run_id else { return };
        let id: RunId = run_id.as_str().into();
        match line.kind.as_str() {
            "tool.started" => {
                let turn = line.turn_id.clone().unwrap_or_default();
                let user = self.chat(&kept.commit.chat).turns.get(&turn).map(|t| t.user.clone());
                let run = self.runs.entry(id).or_insert_with(|| Run {
                    chat: kept.commit.chat.clone(),
                    turn: turn.clone(),
                    tool: line.tool.clone().unwrap_or_default(),
                    ended: false,
                    row: None,
                    call: None,
                    user: None,
                });
                run.ended = false;
                run.turn = turn;
                run.user = user;
            }
            "tool.succeeded" => self.run_said(&id, line, truth, true),
            "tool.failed" | "tool.timed_out" => self.run_said(&id, line, truth, false),
            "tool.late" => {
                let done = line.settled.as_deref() == Some("done");
                let not_done = line.settled.as_deref() == Some("not_done");
                let acted = truth.acted.contains_key(&id);
                self.must(!(done && !acted || not_done && acted), Promise::Told, || {
                    format!("the trail settles a run wrongly: {line:?}")
                });
                self.run_ended(&id);
            }
            "tool.interrupted" | "run.unknown" | "tool.denied" => self.run_ended(&id),
            _ => {}
        }
    }

    fn run_said(&mut self, id: &RunId, line: &Line, truth: &Truth, done: bool) {
        let acted = truth.acted.contains_key(id);
        let not_done = line.outcome.as_deref() == Some("not_done");
        self.must(!(done && !acted || not_done && acted), Promise::Told, || {
            format!("the trail says otherwise of {id} than what happened: {}", line.kind)
        });
        self.run_ended(id);
    }

    /// An unknown run by the number in a step, and whether it was done.
    pub(crate) fn unknown_run(&self, which: u8, truth: &Truth) -> Option<(ChatKey, RunId, bool)> {
        let unknown: Vec<_> = self
            .runs
            .iter()
            .filter(|(_, run)| run.row.is_some_and(|(state, _)| state == RunState::Unknown))
            .collect();
        let (id, run) = unknown.get(usize::from(which) % unknown.len().max(1))?;
        Some((run.chat.clone(), (*id).clone(), truth.acted.contains_key(*id)))
    }

    fn run_ended(&mut self, id: &RunId) {
        if let Some(run) = self.runs.get_mut(id) {
            run.ended = true;
        }
    }

    pub(super) fn row(&mut self, row: &RunRow, truth: &Truth) {
        let acted = truth.acted.contains_key(&row.run_id);
        let lies = match row.state {
            RunState::Done => !acted,
            RunState::NotDone => acted,
            RunState::Unknown => false,
        };
        self.must(!lies, Promise::Told, || format!("the ledger says {:?} of a run", row.state));
        if let Some(run) = self.runs.get_mut(&row.run_id) {
            run.row = Some((row.state, row.at));
        }
    }

    /// A tool is asked to run.
    pub(crate) fn tool_started(&mut self, started: &StartedRun<'_>, truth: &Truth) {
        let StartedRun { chat, order, alive, now } = started;
        let spec = std::sync::Arc::clone(&self.spec);
        let (call, run_id) = (&order.call, &order.run_id);
        let Some(tool) = spec.agent.tool(call.tool().as_str()) else {
            return self.breaks(Promise::Yes, || format!("{} is no tool", call.tool()));
        };
        let digest =
            PreparedCall::new(call.id().clone(), &tool.spec, call.arguments().clone()).digest;
        self.must(digest == *call.digest(), Promise::Yes, || "another digest runs".to_owned());
        if tool.spec.confirm {
            self.was_approved(chat, order, *now);
        }
        self.must(!alive || tool.spec.repeatable(), Promise::Once, || {
            format!("{} runs beside itself", call.tool())
        });
        let again = truth.acted.contains_key(run_id) && !tool.spec.repeatable();
        self.must(!again, Promise::Once, || format!("{} starts after it was done", call.tool()));
        if tool.spec.read_only {
            return;
        }
        let kept = self.runs.get(run_id).is_some_and(|run| !run.ended);
        self.must(kept, Promise::KeptFirst, || format!("{} starts and is not kept", call.tool()));
        let same = format!("{} {}", call.tool(), canonical_object(call.arguments()));
        self.not_again(run_id, &same, tool.spec.dedupe.is_some(), tool.spec.repeatable(), *now);
        if let Some(run) = self.runs.get_mut(run_id) {
            run.call = Some(same);
        }
    }

    fn was_approved(&mut self, chat: &ChatKey, order: &RunOrder, now: Timestamp) {
        let call = &order.call;
        let ApprovalRecord::ByPerson { confirmation_id, digest, by, at } = call.approval() else {
            return self.breaks(Promise::Yes, || format!("{} runs unasked", call.tool()));
        };
        let Some(asked) = self.questions.get_mut(confirmation_id) else {
            return self.breaks(Promise::Yes, || "a run of no question".to_owned());
        };
        let approved = asked.approved.clone();
        let just_this = asked.digest == digest.as_str() && digest == call.digest();
        let here = asked.chat == *chat;
        let used = asked.used.replace(order.run_id.as_str().to_owned());
        let first = used.is_none_or(|used| used == order.run_id.as_str());
        let given = approved == Some((by.as_str().to_owned(), *at));
        self.must(given, Promise::Yes, || format!("a run without a yes: {approved:?}"));
        self.must(just_this && here, Promise::Yes, || "not what was asked about".to_owned());
        self.must(first, Promise::Once, || "one yes starts two runs".to_owned());
        self.must(now <= later(*at), Promise::Yes, || format!("a yes of {at} starts a run"));
    }

    /// An equal call that is done, or unknown, holds this one back as its tool says.
    fn not_again(
        &mut self,
        run_id: &RunId,
        same: &str,
        dedupe: bool,
        repeatable: bool,
        now: Timestamp,
    ) {
        let Some(this) = self.runs.get(run_id) else { return };
        let equal = self.runs.iter().filter(|(id, run)| {
            *id != run_id
                && run.chat == this.chat
                && run.user == this.user
                && run.call.as_deref() == Some(same)
        });
        let mut done = false;
        let mut unknown = false;
        for (_, run) in equal {
            let Some((state, at)) = run.row else { continue };
            let in_window = now.duration_since(at).unsigned_abs() <= DEDUPE_WINDOW;
            done |= state == RunState::Done && in_window && at <= now;
            unknown |= state == RunState::Unknown && run.turn == this.turn;
        }
        let cancelled = self.runs.values().any(|run| run.tool == "borrar" && run.row.is_some());
        let again = done && dedupe && !cancelled;
        self.must(!again, Promise::Dedupe, || format!("{same} is done again inside its window"));
        self.must(!unknown || repeatable, Promise::Once, || {
            format!("{same} is unknown in this turn, and runs again")
        });
    }

    /// A tool has done its work.
    pub(crate) fn tool_acted(&mut self, tool: &str, call: &ToolCallId, truth: &Truth) {
        let spec = self.spec.agent.tool(tool).map(|tool| &tool.spec);
        if spec.is_none_or(manos_policy::ToolSpec::repeatable) {
            return;
        }
        let runs = truth.runs_of.get(call);
        let times: u32 = runs.into_iter().flatten().filter_map(|run| truth.acted.get(run)).sum();
        self.must(times <= 1, Promise::Once, || format!("{tool} was done {times} times"));
    }

    /// A model is asked.
    pub(crate) fn model_called(
        &mut self,
        chat: Option<&ChatKey>,
        request: &ModelRequest,
        truth: &Truth,
    ) {
        if let Err(how) = acceptable(request) {
            self.breaks(Promise::Results, || how);
        }
        for message in request.messages.iter() {
            if let StepMessage::Result(result) = message {
                self.told(result, truth);
            }
        }
        if let Some(chat) = chat {
            self.nothing_forgotten(chat, request);
        }
        let most = self.spec.agent.limits.steps_max * 10;
        self.must(request.step <= most, Promise::Bounded, || format!("step {}", request.step));
    }

    /// What a model reads of a call is what happened.
    fn told(&mut self, result: &ToolResult, truth: &Truth) {
        let runs = truth.runs_of.get(&result.call_id);
        let acted = runs.into_iter().flatten().any(|run| truth.acted.contains_key(run));
        let executed = result.content.get("executed");
        let says_no = executed == Some(&Value::Bool(false))
            || result.content.get("error").and_then(Value::as_str) == Some("no hay");
        // Reading leaves nothing behind, however often it was begun.
        let changed = runs.into_iter().flatten().any(|run| {
            let known = self.runs.get(run).and_then(|run| self.spec.agent.tool(&run.tool));
            truth.acted.contains_key(run) && known.is_some_and(|tool| !tool.spec.read_only)
        });
        self.must(!(says_no && changed), Promise::Told, || {
            format!("the model reads {} of a call that was done", result.content)
        });
        self.must(result.failed || acted, Promise::Told, || {
            format!("the model reads {} of a call that was not done", result.content)
        });
    }
}

/// Each call has one result, right after its reply and in its order.
fn acceptable(request: &ModelRequest) -> Result<(), String> {
    let mut open: Vec<&str> = Vec::new();
    let mut seen = BTreeSet::new();
    if !matches!(request.messages.first(), Some(StepMessage::User(_))) {
        return Err("the first message is not the person's".to_owned());
    }
    for message in request.messages.iter() {
        match message {
            StepMessage::Result(result) => {
                if open.first().copied() != Some(result.call_id.as_str()) {
                    return Err(format!("a result of {} where {open:?} are due", result.call_id));
                }
                open.remove(0);
            }
            _ if !open.is_empty() => return Err(format!("calls without a result: {open:?}")),
            StepMessage::Assistant { calls, .. } => {
                open = calls.iter().map(|call| call.id.as_str()).collect();
                if calls.iter().any(|call| !seen.insert(call.id.as_str())) {
                    return Err("a call id comes twice".to_owned());
                }
                if calls.iter().any(|call| !call.arguments.is_object()) {
                    return Err("arguments are told back as no object".to_owned());
                }
            }
            StepMessage::Note(_) | StepMessage::User(_) => {}
        }
    }
    if open.is_empty() { Ok(()) } else { Err(format!("calls without a result: {open:?}")) }
}

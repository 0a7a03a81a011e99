//! What must hold of an audit trail, whatever the model said.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

/// A call: its turn and its id, which a model may use again in another turn.
type CallKey = (String, String);

/// The ends that a call can have.
const ENDS: [&str; 12] = [
    "confirm.cancelled",
    "confirm.expired",
    "confirm.rejected",
    "confirm.replied",
    "tool.denied",
    "tool.duplicate",
    "tool.failed",
    "tool.interrupted",
    "tool.invalid",
    "tool.succeeded",
    "tool.timed_out",
    "tool.unknown",
];

/// What a run can end in.
const ENDS_OF_A_RUN: [&str; 4] =
    ["tool.failed", "tool.interrupted", "tool.succeeded", "tool.timed_out"];

/// What the trail says of one call.
#[derive(Debug, Default)]
struct Call {
    tool: String,
    step: Option<u64>,
    requested: usize,
    approved: bool,
    started: usize,
    ends: Vec<String>,
}

/// One sentence for everything that must hold and does not. `asked` are the tools that no call may
/// run of without a yes.
pub(super) fn complaints(events: &[Value], asked: &[&str]) -> Vec<String> {
    let mut wrong = gaps(events);
    let mut calls: BTreeMap<CallKey, Call> = BTreeMap::new();
    for event in events.iter().filter(|event| !is_for_a_question(event)) {
        if let Some(key) = key(event) {
            let call = calls.entry(key).or_default();
            wrong.extend(follow(call, event, asked));
        }
        for (key, call) in made_in(event) {
            calls.entry(key).or_insert(call);
        }
    }
    let cut = Cut::of(events);
    for ((turn, id), call) in &calls {
        let name = format!("call {id} of {} in turn {turn}", call.tool);
        let may_be_left =
            cut.turns.contains(turn) || cut.steps.contains(&(turn.clone(), call.step));
        if call.requested > 1 {
            wrong.push(format!("{name} was requested {} times", call.requested));
        }
        if call.ends.is_empty() && !may_be_left {
            wrong.push(format!("{name} has no end"));
        } else if call.ends.len() > 1 {
            wrong.push(format!("{name} has the ends {}", call.ends.join(", ")));
        }
    }
    wrong.extend(open_turns(events));
    wrong
}

/// Takes one event of a call, and says what was wrong with it at that point.
fn follow(call: &mut Call, event: &Value, asked: &[&str]) -> Option<String> {
    let kind = kind(event);
    if let Some(tool) = event["tool"].as_str() {
        tool.clone_into(&mut call.tool);
    }
    let name = format!("call {} of {}", text(event, "call_id"), call.tool);
    match kind {
        "tool.requested" => {
            call.requested += 1;
            call.step = event["step"].as_u64();
        }
        "confirm.approved" => call.approved = true,
        "tool.started" => {
            call.started += 1;
            if call.requested == 0 {
                return Some(format!("{name} was started and never requested"));
            }
            if !call.ends.is_empty() {
                return Some(format!("{name} was started after {}", call.ends.join(", ")));
            }
            if asked.contains(&call.tool.as_str()) && !call.approved {
                return Some(format!("{name} was started without a yes"));
            }
            if call.started > 1 {
                return Some(format!("{name} was started twice"));
            }
        }
        end if ENDS.contains(&end) => {
            call.ends.push(end.to_owned());
            if ENDS_OF_A_RUN.contains(&end) && end == "tool.succeeded" && call.started == 0 {
                return Some(format!("{name} succeeded and was never started"));
            }
        }
        _ => {}
    }
    None
}

/// The numbers of a chat's events have no gap, and the ids of the store grow.
fn gaps(events: &[Value]) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut last: BTreeMap<&str, u64> = BTreeMap::new();
    let mut last_id = None;
    for event in events {
        let number = event["seq"].as_u64().unwrap_or_default();
        let before = last.insert(event["chat_key"].as_str().unwrap_or_default(), number);
        if number != before.unwrap_or_default() + 1 {
            wrong.push(format!("event {number} follows event {}", before.unwrap_or_default()));
        }
        let id = event["id"].as_u64();
        if id <= last_id {
            wrong.push(format!("id {id:?} follows id {last_id:?}"));
        }
        last_id = id;
    }
    wrong
}

/// Every turn that began ended, unless its question is still open at the end of the trail.
fn open_turns(events: &[Value]) -> Vec<String> {
    let mut open = BTreeSet::new();
    for event in events {
        let turn = text(event, "turn_id");
        match kind(event) {
            "turn.started" => {
                open.insert(turn);
            }
            "turn.finished" | "turn.cancelled" => {
                open.remove(&turn);
            }
            _ => {}
        }
    }
    open.difference(&waiting(events)).map(|turn| format!("turn {turn} never ended")).collect()
}

/// Where calls may be left without an end.
#[derive(Debug, Default)]
struct Cut {
    /// The last step allowed, and one that the token limit cut.
    steps: BTreeSet<(String, Option<u64>)>,
    /// Turns that were cancelled, ended in silence, or still wait for an answer.
    turns: BTreeSet<String>,
}

impl Cut {
    fn of(events: &[Value]) -> Self {
        let mut cut = Self { turns: waiting(events), ..Self::default() };
        for event in events {
            let turn = text(event, "turn_id");
            match kind(event) {
                "loop.max_steps" | "loop.truncated" => {
                    cut.steps.insert((turn, event["step"].as_u64()));
                }
                "confirm.cancelled" | "confirm.expired" | "turn.cancelled" => {
                    cut.turns.insert(turn);
                }
                _ => {}
            }
        }
        cut
    }
}

/// The turn whose question is still open at the end of the trail.
fn waiting(events: &[Value]) -> BTreeSet<String> {
    let last = events.iter().rev().find(|event| kind(event).starts_with("confirm."));
    let open = last.filter(|event| matches!(kind(event), "confirm.asked" | "confirm.shown"));
    open.map(|event| text(event, "turn_id")).into_iter().collect()
}

/// The calls that a reply of the model lists.
fn made_in(reply: &Value) -> Vec<(CallKey, Call)> {
    let calls = reply["calls"].as_array().into_iter().flatten();
    calls
        .map(|call| {
            let key = (text(reply, "turn_id"), text(call, "call_id"));
            let step = reply["step"].as_u64();
            (key, Call { tool: text(call, "tool"), step, ..Call::default() })
        })
        .collect()
}

/// A read-only run that only fills in a question is not the model's call.
fn is_for_a_question(event: &Value) -> bool {
    event["for"] == "confirm"
}

fn key(event: &Value) -> Option<CallKey> {
    Some((text(event, "turn_id"), event["call_id"].as_str()?.to_owned()))
}

/// The kind of an event, such as `tool.started`.
pub(super) fn kind(event: &Value) -> &str {
    event["type"].as_str().unwrap_or_default()
}

fn text(event: &Value, field: &str) -> String {
    event[field].as_str().unwrap_or_default().to_owned()
}

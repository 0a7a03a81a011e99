//! The system prompt: persona, notes, and the date as its last line.

use serde_json::Value;

use manos_model::ToolSet;
use manos_text::{DoneRun, Say};

use crate::ledger::seconds_between;
use crate::turn::Turn;
use crate::{EntryState, Step, SystemNote};

/// Runs older than this are not listed in the prompt.
const DONE_AGE_MAX_SECONDS: u64 = 24 * 3600;

/// Writes the system prompt of a model call. What stands before the last line is stable from turn
/// to turn, as long as nothing was done.
pub(crate) fn system(turn: &Turn, tools: &ToolSet, step: &Step<'_>) -> String {
    let agent = step.agent;
    let mut parts: Vec<String> = Vec::new();
    if !agent.persona.trim().is_empty() {
        parts.push(agent.persona.trim().to_owned());
    }
    parts.extend(confirm_note(turn, tools, step));
    parts.extend(done_note(turn, step));
    let at = step.now.to_zoned(agent.formats.time_zone().clone());
    parts.push(agent.texts.now_line(&at));
    parts.join("\n\n")
}

fn confirm_note(turn: &Turn, tools: &ToolSet, step: &Step<'_>) -> Option<String> {
    if !turn.can_ask() {
        return None;
    }
    let asking: Vec<&str> = tools
        .declarations
        .iter()
        .map(|tool| tool.name.as_str())
        .filter(|name| step.agent.tool(name).is_some_and(|tool| tool.spec.confirm))
        .collect();
    if asking.is_empty() {
        return None;
    }
    match &step.agent.confirm.note {
        SystemNote::Off => None,
        SystemNote::Ours => Some(step.agent.texts.say(&Say::ConfirmNote { tools: &asking })),
        SystemNote::Text(text) => Some(text.clone()),
    }
}

/// Lists what earlier turns did, or perhaps did, by tools with `confirm` or `dedupe`, newest first.
/// Fixed values are left out: no model sees them.
fn done_note(turn: &Turn, step: &Step<'_>) -> Option<String> {
    let zone = step.agent.formats.time_zone();
    let listed: Vec<_> = step
        .memory
        .ledger
        .entries()
        .iter()
        .rev()
        .filter(|entry| entry.state != EntryState::NotDone && entry.turn_id != turn.id)
        .filter(|entry| seconds_between(entry.at, step.now) <= DONE_AGE_MAX_SECONDS)
        .filter_map(|entry| {
            let tool = step.agent.tool(entry.tool.as_str())?;
            (tool.spec.confirm || tool.spec.dedupe.is_some()).then_some((entry, tool))
        })
        .take(DONE_RUNS_MAX)
        .map(|(entry, tool)| {
            let mut arguments = entry.arguments.clone();
            arguments.retain(|name, _| !tool.fixed.iter().any(|(fixed, _)| fixed == name));
            let done = entry.state == EntryState::Done;
            (
                entry.at.to_zoned(zone.clone()),
                entry.tool.as_str(),
                in_short(&Value::Object(arguments)),
                done.then(|| in_short(&entry.result)),
            )
        })
        .collect();
    let runs: Vec<DoneRun<'_>> = listed
        .iter()
        .map(|(at, tool, arguments, result)| DoneRun {
            at,
            tool,
            arguments,
            result: result.as_deref(),
        })
        .collect();
    step.agent.texts.done_note(&runs)
}

fn in_short(value: &Value) -> String {
    let text = value.to_string();
    let end = text.floor_char_boundary(DONE_PART_BYTES_MAX);
    if end < text.len() { format!("{}…", &text[..end]) } else { text }
}

/// Runs that the prompt lists.
const DONE_RUNS_MAX: usize = 10;

/// Of a listed run's arguments, and of its result, so many bytes are shown.
const DONE_PART_BYTES_MAX: usize = 512;

//! The system prompt: persona, notes, and the date as its last line.

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
    parts.extend(done_note(step));
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

/// Lists what was done, or perhaps done, by tools with `confirm` or `dedupe`, newest first.
fn done_note(step: &Step<'_>) -> Option<String> {
    let zone = step.agent.formats.time_zone();
    let listed: Vec<_> = step
        .memory
        .ledger
        .entries()
        .iter()
        .rev()
        .filter(|entry| entry.state != EntryState::NotDone)
        .filter(|entry| seconds_between(entry.at, step.now) <= DONE_AGE_MAX_SECONDS)
        .filter(|entry| {
            step.agent
                .tool(entry.tool.as_str())
                .is_some_and(|tool| tool.spec.confirm || tool.spec.dedupe.is_some())
        })
        .map(|entry| {
            let arguments = serde_json::to_string(&entry.arguments).unwrap_or_default();
            let result = (entry.state == EntryState::Done).then(|| entry.result.to_string());
            (entry.at.to_zoned(zone.clone()), entry.tool.as_str(), arguments, result)
        })
        .take(10)
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

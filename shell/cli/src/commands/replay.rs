//! `manos replay`: a stored turn played again from its events, without touching the world.

use std::process::ExitCode;
use std::sync::Arc;

use manos::chat::{Chat, ChatSpec, Stamped};
use manos::model::{ChatKey, TurnId};
use manos::ports::LoggedCommit;
use manos::{MASK, spec_of};
use serde_json::Value;

use crate::agent_file::{self, Purpose};
use crate::args::ReplayArgs;
use crate::commands::{block_on, stored};
use crate::failure::Failure;
use crate::output;

pub(crate) fn run(args: &ReplayArgs) -> Result<ExitCode, Failure> {
    let file = agent_file::load(&args.file, Purpose::Look)?;
    let spec = spec_of(&file.agent)?;
    let store = stored(&file)?;
    let turn = TurnId::new(&args.turn);
    let found = block_on(async move { Ok(store.turn_log(&turn).await?) })?;
    let Some((chat, commits)) = found else {
        return Err(Failure::failed(format!("there is no turn {}", args.turn))
            .hint("find turns in the trail: manos audit FILE"));
    };
    match play(&chat, &spec, &commits)? {
        Played::Same { events } => {
            output::line(&format!("the same effects: {events} audit events are equal"));
            Ok(ExitCode::SUCCESS)
        }
        Played::Different { stored, replayed } => {
            output::line("the first difference:");
            output::line(&format!("  stored:   {stored}"));
            output::line(&format!("  replayed: {replayed}"));
            Ok(ExitCode::FAILURE)
        }
    }
}

enum Played {
    Different { stored: String, replayed: String },
    Same { events: usize },
}

fn play(chat: &ChatKey, spec: &Arc<ChatSpec>, commits: &[LoggedCommit]) -> Result<Played, Failure> {
    let unreadable = |what: &str| Failure::failed(format!("the log of {chat} has no {what}"));
    let first = commits.first().ok_or_else(|| unreadable("events of this turn"))?;
    let before = first.active_before.as_deref().ok_or_else(|| unreadable("state before it"))?;
    let mut state = Chat::read(chat.clone(), before, first.memory_before.as_deref())
        .map_err(|error| Failure::of(&error))?;
    let mut equal = 0;
    for commit in commits {
        let mut replayed = Vec::new();
        for event in &commit.events {
            let stamped: Stamped =
                serde_json::from_str(event).map_err(|error| Failure::of(&error))?;
            let decision = state
                .apply(spec, &stamped.event, stamped.stamp)
                .map_err(|error| Failure::of(&error))?;
            for event in &decision.audit {
                replayed.push(serde_json::to_value(event).map_err(|error| Failure::of(&error))?);
            }
        }
        let stored: Vec<Value> = commit.audit.iter().map(|json| without_id(json)).collect();
        for at in 0..stored.len().max(replayed.len()) {
            let (stored, replayed) = (stored.get(at), replayed.get(at));
            let same =
                stored.zip(replayed).is_some_and(|(kept, now)| equal_but_for_masks(kept, now));
            if !same {
                let text = |value: Option<&Value>| {
                    value.map_or_else(|| "nothing".to_owned(), ToString::to_string)
                };
                return Ok(Played::Different { stored: text(stored), replayed: text(replayed) });
            }
            equal += 1;
        }
    }
    Ok(Played::Same { events: equal })
}

/// Whether the stored event is the replayed one; what is masked in it stands for any text.
fn equal_but_for_masks(stored: &Value, replayed: &Value) -> bool {
    match (stored, replayed) {
        (Value::String(stored), Value::String(replayed)) => fits(stored, replayed),
        (Value::Array(stored), Value::Array(replayed)) => {
            stored.len() == replayed.len()
                && stored.iter().zip(replayed).all(|(kept, now)| equal_but_for_masks(kept, now))
        }
        (Value::Object(stored), Value::Object(replayed)) => {
            stored.len() == replayed.len()
                && stored.iter().zip(replayed).all(|((kept_key, kept), (now_key, now))| {
                    fits(kept_key, now_key) && equal_but_for_masks(kept, now)
                })
        }
        (stored, replayed) => stored == replayed,
    }
}

fn fits(stored: &str, replayed: &str) -> bool {
    let mut parts = stored.split(MASK);
    let Some(mut rest) = replayed.strip_prefix(parts.next().unwrap_or_default()) else {
        return false;
    };
    let mut parts = parts.peekable();
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return rest.ends_with(part);
        }
        let Some((_, after)) = rest.split_once(part) else { return false };
        rest = after;
    }
    rest.is_empty()
}

/// The event as it was decided: its id came from the store.
fn without_id(json: &str) -> Value {
    let mut value: Value = serde_json::from_str(json).unwrap_or_default();
    if let Some(map) = value.as_object_mut() {
        map.shift_remove("id");
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mask_stands_for_any_text() {
        let cases = [
            ("a", "a", true),
            ("a", "ab", false),
            ("***", "anything", true),
            ("key ***.", "key k-1.", true),
            ("key ***.", "key k-1", false),
            ("*** and ***", "x and y", true),
            ("*** and ***", "x or y", false),
            ("x***x", "x", false),
        ];
        for (stored, replayed, expected) in cases {
            assert_eq!(fits(stored, replayed), expected, "{stored} {replayed}");
        }
    }
}

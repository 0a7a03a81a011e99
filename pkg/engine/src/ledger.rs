//! The chat's record of side effects done, or perhaps done.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use manos_model::{
    RunFact, RunId, Timestamp, ToolName, TurnId, UserId, canonical_json, canonical_object,
};
use manos_policy::{Digest, PreparedCall, Standing, ToolSpec};

/// What is known of a run in the ledger.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum EntryState {
    /// It was done.
    Done,
    /// It turned out not to have been done.
    NotDone,
    /// It may have been done.
    Unknown,
}

/// One run in the ledger.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LedgerEntry {
    /// The run.
    pub run_id: RunId,
    /// The turn that asked for it.
    pub turn_id: TurnId,
    /// The tool.
    pub tool: ToolName,
    /// The parsed arguments.
    pub arguments: Map<String, Value>,
    /// The digest that was approved.
    pub digest: Digest,
    /// Who asked.
    pub user: UserId,
    /// The result as the model saw it.
    pub result: Value,
    /// When it ended, or was given up.
    pub at: Timestamp,
    /// What is known.
    pub state: EntryState,
}

impl LedgerEntry {
    fn fact(&self, now: Timestamp) -> RunFact {
        RunFact { result: self.result.clone(), seconds_ago: seconds_between(self.at, now) }
    }
}

/// Whole seconds from one instant to a later one; 0 when the clock went back.
pub(crate) fn seconds_between(from: Timestamp, to: Timestamp) -> u64 {
    u64::try_from(to.as_second().saturating_sub(from.as_second())).unwrap_or(0)
}

/// The chat's record of side effects, oldest first.
///
/// It holds done and unknown runs of every tool that is not read-only, and of any tool with
/// `dedupe`. At most [`Ledger::ENTRIES_MAX`] are kept in the chat; the store keeps every row.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Ledger {
    entries: Vec<LedgerEntry>,
}

impl Ledger {
    /// Beyond this many the oldest are dropped from the chat, known ends before unknown ones.
    pub const ENTRIES_MAX: usize = 128;

    /// Returns the entries, oldest first.
    pub fn entries(&self) -> &[LedgerEntry] {
        &self.entries
    }

    /// Adds an entry, or replaces the one of the same run.
    pub fn record(&mut self, entry: LedgerEntry) {
        self.entries.retain(|held| held.run_id != entry.run_id);
        self.entries.push(entry);
        if self.entries.len() > Self::ENTRIES_MAX {
            let oldest_known =
                self.entries.iter().position(|held| held.state != EntryState::Unknown);
            self.entries.remove(oldest_known.unwrap_or(0));
        }
    }

    /// Settles an unknown run and returns its entry; `None` when no unknown run has this id.
    pub fn settle(
        &mut self,
        run_id: &RunId,
        state: EntryState,
        result: Option<Value>,
    ) -> Option<&LedgerEntry> {
        let entry = self
            .entries
            .iter_mut()
            .find(|held| held.run_id == *run_id && held.state == EntryState::Unknown)?;
        entry.state = state;
        if let Some(result) = result {
            entry.result = result;
        }
        Some(entry)
    }

    /// Says what is known of earlier runs that were equal to this call: the newest unknown one
    /// first, then the newest done one.
    pub fn standing(
        &self,
        call: &PreparedCall,
        spec: &ToolSpec,
        asker: &Asker<'_>,
        repeat_window: Duration,
    ) -> Standing {
        let mut done = Standing::Fresh;
        let wanted = intent(&call.arguments, None);
        let dedupe_key = spec.dedupe.as_ref().and_then(|dedupe| dedupe.key.as_deref());
        let wanted_key = intent(&call.arguments, dedupe_key);
        for entry in self.entries.iter().rev() {
            if entry.tool != call.tool || entry.user != *asker.user {
                continue;
            }
            let age = Duration::from_secs(seconds_between(entry.at, asker.now));
            let in_window = spec.dedupe.as_ref().is_some_and(|dedupe| age <= dedupe.window);
            let equal = intent(&entry.arguments, None) == wanted;
            let equal_key = if dedupe_key.is_none() {
                equal
            } else {
                intent(&entry.arguments, dedupe_key) == wanted_key
            };
            match entry.state {
                EntryState::Unknown if equal || (in_window && equal_key) => {
                    return Standing::Unknown {
                        previous: entry.fact(asker.now),
                        same_turn: entry.turn_id == *asker.turn,
                        in_window,
                    };
                }
                EntryState::Done if done == Standing::Fresh => {
                    if in_window && equal_key {
                        done = Standing::Deduped(entry.fact(asker.now));
                    } else if equal && age <= repeat_window {
                        done = Standing::Done(entry.fact(asker.now));
                    }
                }
                EntryState::Done | EntryState::NotDone | EntryState::Unknown => {}
            }
        }
        done
    }
}

/// Who asks, in which turn and when.
#[derive(Debug, Clone, Copy)]
pub struct Asker<'a> {
    /// The user.
    pub user: &'a UserId,
    /// The turn.
    pub turn: &'a TurnId,
    /// The time.
    pub now: Timestamp,
}

/// The arguments that say what is meant, in one spelling.
fn intent(arguments: &Map<String, Value>, key: Option<&[String]>) -> String {
    match key {
        None => canonical_object(arguments),
        Some(names) => {
            let named: Vec<String> = names
                .iter()
                .map(|name| arguments.get(name).map_or_else(|| "absent".to_owned(), canonical_json))
                .collect();
            named.join("\n")
        }
    }
}

#[cfg(test)]
mod tests {
    use manos_policy::Dedupe;
    use manos_schema::ToolSchema;
    use serde_json::json;

    use super::*;

    fn spec(dedupe: Option<Dedupe>) -> ToolSpec {
        ToolSpec {
            name: "pedir".to_owned().try_into().unwrap(),
            schema: ToolSchema::compile(&json!({"type": "object"})).unwrap(),
            confirm: true,
            dedupe,
            read_only: false,
            idempotent: false,
            definition: "v1".into(),
        }
    }

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn entry(run: &str, arguments: Value, second: i64, state: EntryState) -> LedgerEntry {
        let spec = spec(None);
        let call = PreparedCall::new("c".into(), &spec, arguments.as_object().unwrap().clone());
        LedgerEntry {
            run_id: run.into(),
            turn_id: "t1".into(),
            tool: call.tool,
            arguments: call.arguments,
            digest: call.digest,
            user: "u:1".into(),
            result: json!("ok"),
            at: at(second),
            state,
        }
    }

    fn word(standing: &Standing) -> String {
        match standing {
            Standing::Deduped(fact) => format!("deduped {}", fact.seconds_ago),
            Standing::Done(fact) => format!("done {}", fact.seconds_ago),
            Standing::Fresh => "fresh".into(),
            Standing::Unknown { same_turn, in_window, .. } => {
                format!("unknown same_turn={same_turn} in_window={in_window}")
            }
        }
    }

    #[test]
    fn equal_calls_are_found_by_value_user_and_window() {
        let keyed = Dedupe { window: Duration::from_mins(1), key: Some(vec!["a".into()]) };
        let done = || entry("r1", json!({"a": 1, "b": 2}), 0, EntryState::Done);
        let unknown = || entry("r2", json!({"a": 1, "b": 2}), 0, EntryState::Unknown);
        let not_done = || entry("r3", json!({"a": 1, "b": 2}), 0, EntryState::NotDone);
        let cases = [
            ("nothing", vec![], None, json!({"a": 1}), "u:1", 5, "fresh"),
            ("equal by value", vec![done()], None, json!({"b": 2.0, "a": 1}), "u:1", 5, "done 5"),
            ("other arguments", vec![done()], None, json!({"a": 1, "b": 3}), "u:1", 5, "fresh"),
            ("another user", vec![done()], None, json!({"a": 1, "b": 2}), "u:2", 5, "fresh"),
            ("long ago", vec![done()], None, json!({"a": 1, "b": 2}), "u:1", 3601, "fresh"),
            (
                "dedupe",
                vec![done()],
                Some(Dedupe::args()),
                json!({"a": 1, "b": 2}),
                "u:1",
                600,
                "deduped 600",
            ),
            (
                "past the window it only warns",
                vec![done()],
                Some(Dedupe::args()),
                json!({"a": 1, "b": 2}),
                "u:1",
                601,
                "done 601",
            ),
            (
                "by the named ones",
                vec![done()],
                Some(keyed.clone()),
                json!({"a": 1, "b": 9}),
                "u:1",
                5,
                "deduped 5",
            ),
            (
                "a failed run does not count",
                vec![not_done()],
                Some(Dedupe::args()),
                json!({"a": 1, "b": 2}),
                "u:1",
                5,
                "fresh",
            ),
            (
                "unknown beats done",
                vec![unknown(), done()],
                None,
                json!({"a": 1, "b": 2}),
                "u:1",
                5,
                "unknown same_turn=true in_window=false",
            ),
            (
                "a clock that went back",
                vec![done()],
                None,
                json!({"a": 1, "b": 2}),
                "u:1",
                -50,
                "done 0",
            ),
        ];
        for (why, entries, dedupe, arguments, user, now, expected) in cases {
            let mut ledger = Ledger::default();
            entries.into_iter().for_each(|entry| ledger.record(entry));
            let spec = spec(dedupe);
            let call = PreparedCall::new("c".into(), &spec, arguments.as_object().unwrap().clone());
            let asker = Asker { user: &user.into(), turn: &"t1".into(), now: at(now) };
            let standing = ledger.standing(&call, &spec, &asker, Duration::from_hours(1));
            assert_eq!(word(&standing), expected, "{why}");
        }
    }

    #[test]
    fn unknown_runs_outlive_known_ones_in_a_full_ledger() {
        let mut ledger = Ledger::default();
        ledger.record(entry("unknown", json!({}), 0, EntryState::Unknown));
        for number in 0..=Ledger::ENTRIES_MAX {
            ledger.record(entry(&format!("r{number}"), json!({}), 1, EntryState::Done));
        }
        assert_eq!(ledger.entries().len(), Ledger::ENTRIES_MAX);
        assert_eq!(ledger.entries()[0].run_id.as_str(), "unknown");
        assert!(ledger.settle(&"unknown".into(), EntryState::Done, Some(json!(1))).is_some());
        assert!(ledger.settle(&"unknown".into(), EntryState::NotDone, None).is_none());
    }
}

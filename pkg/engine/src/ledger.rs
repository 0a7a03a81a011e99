//! The chat's record of side effects done, or perhaps done.

use std::cell::LazyCell;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use manos_model::{
    RunFact, RunId, Timestamp, ToolName, TurnId, UserId, canonical_json, canonical_object,
    sha256_hex,
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
    /// The parsed arguments; what is write-only is masked.
    pub arguments: Map<String, Value>,
    /// The digest that was approved.
    pub digest: Digest,
    /// Equal for equal arguments, whatever is masked.
    pub intent: Intent,
    /// Who asked.
    pub user: UserId,
    /// The result as the model saw it.
    pub result: Value,
    /// When it ended, or was given up.
    pub at: Timestamp,
    /// What is known.
    pub state: EntryState,
}

/// Fingerprints of arguments: what a call means, without saying it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Intent {
    all: String,
    /// Of the arguments that the tool's `dedupe` names, when it names some.
    named: Option<String>,
}

impl Intent {
    /// Takes the fingerprints of a call's arguments.
    ///
    /// Without a tool (it is gone from the file) no argument counts more than another.
    pub fn of(arguments: &Map<String, Value>, spec: Option<&ToolSpec>) -> Self {
        let dedupe = spec.and_then(|spec| spec.dedupe.as_ref());
        let names = dedupe.and_then(|dedupe| dedupe.key.as_deref());
        Self {
            all: sha256_hex(&[canonical_object(arguments).as_bytes()]),
            named: names.map(|names| fingerprint(arguments, names)),
        }
    }

    /// Whether both mean the same by the arguments that count for `dedupe`.
    fn same_named(&self, other: &Self) -> bool {
        self.all == other.all || (self.named.is_some() && self.named == other.named)
    }
}

/// Of the named arguments, with their names, so that other names never give an equal one.
fn fingerprint(arguments: &Map<String, Value>, names: &[String]) -> String {
    let named: Vec<String> = names
        .iter()
        .map(|name| {
            let value = arguments.get(name).map_or_else(|| "absent".to_owned(), canonical_json);
            format!("{name}={value}")
        })
        .collect();
    let parts: Vec<&[u8]> = named.iter().map(String::as_bytes).collect();
    sha256_hex(&parts)
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

/// How long ago something was; nothing when the clock went back.
fn age(from: Timestamp, to: Timestamp) -> Duration {
    Duration::try_from(to.duration_since(from)).unwrap_or_default()
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
        // Most calls have no earlier run to be compared with.
        let wanted = LazyCell::new(|| Intent::of(&call.arguments, Some(spec)));
        for entry in self.entries.iter().rev() {
            if entry.tool != call.tool || entry.user != *asker.user {
                continue;
            }
            let age = age(entry.at, asker.now);
            let in_window = spec.dedupe.as_ref().is_some_and(|dedupe| age <= dedupe.window);
            let equal = entry.intent.all == wanted.all;
            let equal_key = entry.intent.same_named(&wanted);
            match entry.state {
                EntryState::Unknown if equal || (in_window && equal_key) => {
                    return Standing::Unknown {
                        previous: entry.fact(asker.now),
                        same_turn: entry.turn_id == *asker.turn,
                        in_window,
                    };
                }
                EntryState::Done if done == Standing::Fresh => {
                    let undone = asker.cancelled_at.is_some_and(|at| at > entry.at);
                    if in_window && equal_key && undone && spec.confirm {
                        // It may be what was cancelled: the person decides, and is warned.
                        done = Standing::Done(entry.fact(asker.now));
                    } else if in_window && equal_key {
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
    /// When a run of a tool that cancels was last done for the user in this chat.
    pub cancelled_at: Option<Timestamp>,
}

#[cfg(test)]
mod tests;

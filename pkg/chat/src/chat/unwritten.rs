//! What the stored memory does not have yet.
//!
//! The memory (history and ledger) of a long chat is long, and a turn adds little to it. So what is
//! new stands in the small state for some turns, and the memory is written whole when that has
//! grown. With what is new up to [`room`] bytes, a turn costs about the square root of the memory.

use manos_engine::{LedgerEntry, Memory};
use manos_model::HistoryEntry;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::Chat;

/// Up to so many bytes a memory is written whole at the end of each turn.
const SMALL_MEMORY_BYTES: usize = 8 * 1024;

/// Ledger entries that may stand in the small state however long they are, so that a turn of some
/// runs writes the memory once; more of them while there is room.
const RECORDED_ANYHOW: usize = 4;

/// Ledger entries that may stand in the small state; with one more the memory is written.
const RECORDED_MAX: usize = 32;

/// What one entry of the ledger has beside its arguments and its result, in bytes.
const ENTRY_BYTES: usize = 500;

/// What a value has beside its words, in bytes.
const VALUE_BYTES: usize = 8;

/// What one line of the history has beside its words, in bytes.
const LINE_BYTES: usize = 32;

/// What was said in a turn, and how many turns the history had after it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Said {
    entries: Vec<HistoryEntry>,
    turns_kept: usize,
}

impl Chat {
    /// Adds what was said in a turn, cut by whole turns; returns whether the memory is to be
    /// written.
    pub(super) fn add_said(&mut self, entries: Vec<HistoryEntry>, messages_max: usize) -> bool {
        let history = &mut self.memory.history;
        history.push_turn(entries.clone(), messages_max);
        let turns_kept = history.turns();
        self.active.unwritten.push(Said { entries, turns_kept });
        let memory = bytes_of(&self.memory);
        let said = self.active.unwritten.iter().flat_map(|said| &said.entries);
        let unwritten = lines_bytes(said) + entries_bytes(&self.active.recorded);
        memory <= SMALL_MEMORY_BYTES || unwritten > room(memory)
    }

    /// Keeps new ledger entries beside the turn; returns whether there is no room for them, so that
    /// the memory is to be written.
    pub(super) fn add_recorded(&mut self, entries: &[LedgerEntry]) -> bool {
        let recorded = &mut self.active.recorded;
        recorded.extend_from_slice(entries);
        match recorded.len() {
            0..=RECORDED_ANYHOW => false,
            count if count > RECORDED_MAX => true,
            _ => entries_bytes(recorded) > room(bytes_of(&self.memory)),
        }
    }

    /// Takes note that the memory is written as it is now, with everything in it.
    pub fn memory_is_written(&mut self) {
        self.active.recorded.clear();
        self.active.unwritten.clear();
    }

    /// Adds to a memory as it was written what has come since.
    pub(super) fn complete_memory(&mut self) {
        for entry in &self.active.recorded {
            self.memory.ledger.record(entry.clone());
        }
        for said in &self.active.unwritten {
            self.memory.history.push_turn(said.entries.clone(), usize::MAX);
            self.memory.history.keep_newest(said.turns_kept);
        }
    }
}

/// How many bytes may stand in the small state, which is written some times a turn, beside a memory
/// of so many.
fn room(memory_bytes: usize) -> usize {
    memory_bytes.saturating_mul(512).isqrt()
}

/// About how long the memory is as JSON.
fn bytes_of(memory: &Memory) -> usize {
    lines_bytes(memory.history.lines()) + entries_bytes(memory.ledger.entries())
}

fn entries_bytes(entries: &[LedgerEntry]) -> usize {
    let bytes = |entry: &LedgerEntry| {
        ENTRY_BYTES + members_bytes(&entry.arguments) + value_bytes(&entry.result)
    };
    entries.iter().map(bytes).sum()
}

fn members_bytes(members: &Map<String, Value>) -> usize {
    members.iter().map(|(name, value)| name.len() + value_bytes(value)).sum()
}

fn value_bytes(value: &Value) -> usize {
    VALUE_BYTES
        + match value {
            Value::Array(values) => values.iter().map(value_bytes).sum(),
            Value::Bool(_) | Value::Null | Value::Number(_) => 0,
            Value::Object(members) => members_bytes(members),
            Value::String(text) => text.len(),
        }
}

fn lines_bytes<'a>(lines: impl Iterator<Item = &'a HistoryEntry>) -> usize {
    lines.map(|line| line.text.len() + LINE_BYTES).sum()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_value_is_about_as_long_as_its_words() {
        let value = json!({"name": "x".repeat(100), "list": [1, 2, {"deep": "y".repeat(50)}]});
        let (about, exactly) = (value_bytes(&value), value.to_string().len());
        assert!(about.abs_diff(exactly) < 64, "{about} is not about {exactly}");
    }

    #[test]
    fn the_room_grows_with_the_square_root_of_the_memory() {
        let cases = [
            ("the smallest that is not written each turn", 8 * 1024, 2_048),
            ("four times as long", 32 * 1024, 4_096),
            ("a thousand messages", 128 * 1024, 8_192),
            ("no end", usize::MAX, 4_294_967_295),
        ];
        for (why, memory, expected) in cases {
            assert_eq!(room(memory), expected, "{why}");
        }
    }
}

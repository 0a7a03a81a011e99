//! What was said in earlier turns, as plain text, cut by whole turns.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use manos_model::{HistoryEntry, Role};

/// The words of earlier turns, oldest first.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct History {
    turns: Vec<Vec<HistoryEntry>>,
}

impl History {
    /// Adds what was said in a turn and drops the oldest turns until at most `messages_max`
    /// entries are left. A turn is dropped whole; the newest one stays, but for a bound of 0, with
    /// which nothing is remembered.
    pub fn push_turn(&mut self, entries: Vec<HistoryEntry>, messages_max: usize) {
        if messages_max == 0 {
            self.turns.clear();
            return;
        }
        if entries.is_empty() {
            return;
        }
        self.turns.push(entries);
        let mut total: usize = self.turns.iter().map(Vec::len).sum();
        let mut dropped = 0;
        while total > messages_max && dropped + 1 < self.turns.len() {
            total -= self.turns[dropped].len();
            dropped += 1;
        }
        self.turns.drain(..dropped);
    }

    /// Drops the older half of the turns, and returns how many that were. The newest one goes too
    /// when it is the only one.
    pub fn drop_older_half(&mut self) -> usize {
        let dropped = self.turns.len().div_ceil(2);
        self.turns.drain(..dropped);
        dropped
    }

    /// Drops the oldest turns until so many are left.
    pub fn keep_newest(&mut self, turns: usize) {
        self.turns.drain(..self.turns.len().saturating_sub(turns));
    }

    /// Returns how many turns there are.
    pub fn turns(&self) -> usize {
        self.turns.len()
    }

    /// Returns the entries one by one, oldest first.
    pub fn lines(&self) -> impl Iterator<Item = &HistoryEntry> {
        self.turns.iter().flatten()
    }

    /// Returns all entries, oldest first.
    pub fn entries(&self) -> Arc<Vec<HistoryEntry>> {
        Arc::new(self.lines().cloned().collect())
    }

    /// Whether nothing was said yet.
    pub fn is_empty(&self) -> bool {
        self.turns.is_empty()
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.turns.clear();
    }
}

/// What the person said.
pub fn user_said(text: impl Into<String>) -> HistoryEntry {
    HistoryEntry { role: Role::User, text: text.into() }
}

/// What the agent said.
pub fn agent_said(text: impl Into<String>) -> HistoryEntry {
    HistoryEntry { role: Role::Assistant, text: text.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn history_is_cut_by_whole_turns() {
        let mut history = History::default();
        history.push_turn(vec![user_said("a"), agent_said("b"), user_said("c")], 4);
        history.push_turn(vec![user_said("d"), agent_said("e")], 4);
        let texts: Vec<String> = history.entries().iter().map(|e| e.text.clone()).collect();
        assert_eq!(texts, ["d", "e"]);
        history.push_turn((0..9).map(|_| user_said("x")).collect(), 4);
        assert_eq!(history.entries().len(), 9, "the newest turn stays whole");
        history.push_turn(vec![user_said("y")], 40);
        history.push_turn(vec![user_said("z")], 40);
        assert_eq!((history.drop_older_half(), history.entries().len()), (2, 1));
        assert_eq!((history.drop_older_half(), history.drop_older_half()), (1, 0));
        history.push_turn(vec![user_said("f")], 0);
        assert!(history.is_empty(), "of nothing remembered the newest is no part");
    }
}

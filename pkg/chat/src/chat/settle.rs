//! Ends of runs that no turn waits for: late, of a turn that is gone, or said by a human.

use manos_engine::{EntryState, KnownEnd, LedgerEntry, Note, Running, TurnEvent, bounded_result};
use manos_model::{AuditKind, Failure, RunEnd, RunId};
use serde_json::{Value, json};

use super::apply::{Applying, ChatError};

impl Applying<'_> {
    pub(super) fn tool_ended(&mut self, run_id: &RunId, end: &RunEnd, duration_ms: u64) {
        let turn = self.chat.active.turn.as_ref();
        let of_turn =
            turn.is_some_and(|under_way| under_way.turn.runs().iter().any(|r| r.run_id == *run_id));
        if of_turn {
            let (run_id, end) = (run_id.clone(), end.clone());
            self.turn_event(None, TurnEvent::ToolEnded { run_id, end, duration_ms });
            return;
        }
        let before = self.chat.active.detached.len();
        self.chat.active.detached.retain(|run| run.run_id != *run_id);
        let was_detached = self.chat.active.detached.len() < before;
        match end {
            RunEnd::Done(value) => {
                self.settle_late(run_id, EntryState::Done, Some(value), Some(duration_ms));
            }
            RunEnd::NotDone(failure) => {
                let result = failure.to_value();
                self.settle_late(run_id, EntryState::NotDone, Some(&result), Some(duration_ms));
            }
            RunEnd::Unknown(failure) if was_detached => self.raise_unknown(run_id, Some(failure)),
            RunEnd::Unknown(_) => {}
        }
    }

    /// A new process asks what became of a run whose turn is gone.
    pub(super) fn resumed_detached(&mut self, run: &Running, known: &[(RunId, KnownEnd)]) {
        let end = known.iter().find(|(id, _)| *id == run.run_id).map(|(_, end)| end.clone());
        match end.unwrap_or(KnownEnd::Unknown) {
            KnownEnd::Done(value) => {
                self.settle_late(&run.run_id, EntryState::Done, Some(&value), None);
            }
            KnownEnd::NotDone => self.settle_late(&run.run_id, EntryState::NotDone, None, None),
            KnownEnd::Unknown => self.raise_unknown(&run.run_id, None),
        }
    }

    /// A result that came late settles the run that stood as unknown. One for a run whose end was
    /// known already changes nothing; the trail gets it.
    fn settle_late(
        &mut self,
        run_id: &RunId,
        state: EntryState,
        result: Option<&Value>,
        duration_ms: Option<u64>,
    ) {
        let agent = &self.spec.agent;
        let bound = |value: &Value| {
            bounded_result(value.clone(), agent.limits.result_bytes_max, &agent.texts)
        };
        let result = result.map(bound);
        let ledger = &mut self.chat.memory.ledger;
        if let Some(entry) = ledger.settle(run_id, state, result.clone()).cloned() {
            let note = entry_note(AuditKind::ToolLate, &entry).with("settled", word(state));
            self.note_late(note, &entry, result, duration_ms);
            self.out.memory_changed = true;
            self.out.runs.push(entry);
        } else if let Some(entry) = self.entry(run_id) {
            let note = entry_note(AuditKind::ToolLate, &entry).with("came_again", word(state));
            self.note_late(note, &entry, result, duration_ms);
        }
    }

    fn note_late(
        &mut self,
        mut note: Note,
        entry: &LedgerEntry,
        result: Option<Value>,
        duration_ms: Option<u64>,
    ) {
        let shown = self.spec.agent.tool(entry.tool.as_str()).is_some_and(|tool| !tool.redact);
        if let Some(result) = result.filter(|_| shown) {
            note = note.with("result", result);
        }
        if let Some(duration_ms) = duration_ms {
            note = note.lasted(duration_ms);
        }
        self.note(note);
    }

    /// The run ended and nobody can say how: a human should look, unless somebody has said it
    /// meanwhile.
    fn raise_unknown(&mut self, run_id: &RunId, failure: Option<&Failure>) {
        let Some(entry) = self.entry(run_id) else { return };
        if entry.state != EntryState::Unknown {
            return;
        }
        let mut note = entry_note(AuditKind::RunUnknown, &entry);
        if let Some(failure) = failure {
            note = note.with("failure", json!({"error": failure.code()}));
        }
        self.note(note);
    }

    fn entry(&self, run_id: &RunId) -> Option<LedgerEntry> {
        self.chat.memory.ledger.entries().iter().find(|entry| entry.run_id == *run_id).cloned()
    }

    /// A human says how an unknown run ended; what it brought stays unknown.
    pub(super) fn settled(&mut self, run_id: &RunId, done: bool) -> Result<(), ChatError> {
        let state = if done { EntryState::Done } else { EntryState::NotDone };
        let result = done.then_some(Value::Null);
        let Some(entry) = self.chat.memory.ledger.settle(run_id, state, result).cloned() else {
            return Err(ChatError::NoUnknownRun { run_id: run_id.clone() });
        };
        self.out.memory_changed = true;
        let note = entry_note(AuditKind::ToolLate, &entry);
        self.note(note.with("settled", word(state)).with("by", "operator"));
        self.out.runs.push(entry);
        Ok(())
    }
}

fn word(state: EntryState) -> &'static str {
    match state {
        EntryState::Done => "done",
        EntryState::NotDone => "not_done",
        EntryState::Unknown => "unknown",
    }
}

fn entry_note(kind: AuditKind, entry: &LedgerEntry) -> Note {
    Note::new(kind).turn(&entry.turn_id).tool(entry.tool.as_str()).run(&entry.run_id)
}

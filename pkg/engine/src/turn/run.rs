//! The end of a run: what the model, the ledger and the trail get.

use serde_json::Value;

use manos_model::{AuditKind, Failure, RunEnd, RunId};

use super::{Purpose, Running, Turn};
use crate::trail::Note;
use crate::{CallOutcome, EntryState, LedgerEntry, Step, Tool, bounded_result};

impl Turn {
    pub(super) fn tool_ended(
        &mut self,
        run_id: &RunId,
        end: RunEnd,
        duration_ms: u64,
        step: &mut Step<'_>,
    ) {
        let Some(at) = self.runs.iter().position(|run| run.run_id == *run_id) else { return };
        let run = self.runs.remove(at);
        let Some(tool) = step.agent.tool(run.call.tool.as_str()) else {
            self.run_came_to(&run, CallOutcome::Failed(Failure::Changed), step);
            return;
        };
        step.note(self.end_note(&run, &end, tool, step).lasted(duration_ms));
        if run.purpose != Purpose::Quote {
            record_end(self, &run, &end, tool, step);
        }
        let outcome = match end {
            RunEnd::Done(value) => CallOutcome::Done(value),
            RunEnd::NotDone(failure) | RunEnd::Unknown(failure) => CallOutcome::Failed(failure),
        };
        let does = tool.spec.confirm || !tool.spec.read_only;
        if does && matches!(outcome, CallOutcome::Done(_)) {
            self.untold.push(manos_text::safe_text(&tool.title).into_owned());
        }
        self.run_came_to(&run, outcome, step);
    }

    /// Hands the outcome of a run on to whatever it was for.
    pub(super) fn run_came_to(&mut self, run: &Running, outcome: CallOutcome, step: &mut Step<'_>) {
        match (&run.purpose, outcome) {
            (Purpose::Call(index), outcome) => {
                self.call_ended(*index, outcome, step);
                self.advance(step);
            }
            (Purpose::Quote, CallOutcome::Done(facts)) => self.facts_came(&facts, step),
            (Purpose::Quote, CallOutcome::Failed(failure)) => self.facts_failed(&failure, step),
            (Purpose::Quote, CallOutcome::Replied(_)) => {}
        }
    }

    fn end_note(&self, run: &Running, end: &RunEnd, tool: &Tool, step: &Step<'_>) -> Note {
        let timed_out = |failure: &Failure| matches!(failure, Failure::Timeout { .. });
        let kind = match end {
            RunEnd::Done(_) => AuditKind::ToolSucceeded,
            RunEnd::NotDone(failure) | RunEnd::Unknown(failure) if timed_out(failure) => {
                AuditKind::ToolTimedOut
            }
            RunEnd::NotDone(_) | RunEnd::Unknown(_) => AuditKind::ToolFailed,
        };
        let mut note = self.run_note(kind, run);
        if run.purpose == Purpose::Quote {
            note = note.with("for", "confirm");
        }
        let bytes_max = step.agent.limits.result_bytes_max;
        match end {
            RunEnd::Done(_) if tool.redact => note,
            RunEnd::Done(value) => note.with("result", bounded_result(value.clone(), bytes_max)),
            RunEnd::NotDone(failure) => {
                note.with("outcome", "not_done").with("failure", failure.to_value())
            }
            RunEnd::Unknown(failure) => {
                note.with("outcome", "unknown").with("failure", failure.to_value())
            }
        }
    }

    /// An audit event about a run.
    pub(super) fn run_note(&self, kind: AuditKind, run: &Running) -> Note {
        Note::new(kind)
            .turn(&self.id)
            .step(self.step)
            .tool(run.call.tool.as_str())
            .call(&run.call.id)
            .run(&run.run_id)
    }

    /// The ledger entry of a run of this turn.
    pub(super) fn entry(
        &self,
        run: &Running,
        state: EntryState,
        result: Value,
        step: &Step<'_>,
    ) -> LedgerEntry {
        LedgerEntry {
            run_id: run.run_id.clone(),
            turn_id: self.id.clone(),
            tool: run.call.tool.clone(),
            arguments: run.call.arguments.clone(),
            digest: run.call.digest.clone(),
            user: self.user.clone(),
            result,
            at: step.now,
            state,
        }
    }

    /// Records a run whose end is not known, and raises it: a human should look.
    pub(super) fn record_unknown(&self, run: &Running, result: Value, step: &mut Step<'_>) {
        let entry = self.entry(run, EntryState::Unknown, result, step);
        step.record(entry);
        step.note(self.run_note(AuditKind::RunUnknown, run));
    }
}

/// The ledger holds done and unknown runs of every tool that is not read-only, and of any tool
/// with `dedupe`.
fn record_end(turn: &Turn, run: &Running, end: &RunEnd, tool: &Tool, step: &mut Step<'_>) {
    let kept = !tool.spec.read_only || tool.spec.dedupe.is_some();
    if !kept {
        return;
    }
    let bytes_max = step.agent.limits.result_bytes_max;
    match end {
        RunEnd::Done(value) => {
            let result = bounded_result(value.clone(), bytes_max);
            let entry = turn.entry(run, EntryState::Done, result, step);
            step.record(entry);
        }
        RunEnd::Unknown(failure) if !tool.spec.read_only => {
            turn.record_unknown(run, failure.to_value(), step);
        }
        RunEnd::NotDone(failure) => {
            // An earlier run under this id may stand as unknown; now it is known.
            let settled = step
                .memory
                .ledger
                .settle(&run.run_id, EntryState::NotDone, Some(failure.to_value()))
                .cloned();
            if let Some(entry) = settled {
                step.record(entry);
            }
        }
        RunEnd::Unknown(_) => {}
    }
}

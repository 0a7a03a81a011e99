//! The end of a run: what the model, the ledger and the trail get.

use serde_json::{Map, Value, json};

use manos_model::{AuditKind, Failure, RunEnd, RunId};

use super::call::shown_failure;
use super::{Purpose, Running, Turn};
use crate::trail::Note;
use crate::{CallOutcome, EntryState, Intent, LedgerEntry, Step, Tool, bounded_result};

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
        self.run_ended(&run, &end, duration_ms, step);
        let outcome = match end {
            RunEnd::Done(value) => CallOutcome::Done(value),
            RunEnd::NotDone(failure) | RunEnd::Unknown(failure) => CallOutcome::Failed(failure),
        };
        self.run_came_to(&run, outcome, step);
    }

    /// Writes the end of a run into trail and ledger, and remembers what is to be told.
    pub(super) fn run_ended(
        &mut self,
        run: &Running,
        end: &RunEnd,
        duration_ms: u64,
        step: &mut Step<'_>,
    ) {
        let tool = step.agent.tool(run.call.tool.as_str());
        step.note(self.end_note(run, end, tool, step).lasted(duration_ms));
        if run.purpose == Purpose::Quote {
            return;
        }
        self.record_end(run, end, step);
        if let (Some(tool), RunEnd::Done(_)) = (tool, end)
            && (tool.spec.confirm || !tool.spec.read_only)
        {
            self.untold.push(manos_text::safe_text(&tool.title).into_owned());
        }
    }

    /// Hands the outcome of a run on to whatever it was for.
    pub(super) fn run_came_to(&mut self, run: &Running, outcome: CallOutcome, step: &mut Step<'_>) {
        match (&run.purpose, outcome) {
            (Purpose::Call(index), outcome) => self.call_ended(*index, outcome, step),
            (Purpose::Quote, CallOutcome::Done(facts)) => self.facts_came(&facts, step),
            (Purpose::Quote, CallOutcome::Failed(failure)) => self.facts_failed(&failure, step),
            (Purpose::Quote, CallOutcome::Replied(_)) => {}
        }
        self.advance(step);
    }

    fn end_note(&self, run: &Running, end: &RunEnd, tool: Option<&Tool>, step: &Step<'_>) -> Note {
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
        // A tool that is gone cannot say whether its results may be shown.
        let shown = |failure: &Failure| match tool {
            Some(tool) => shown_failure(failure, tool),
            None => json!({"error": failure.code()}),
        };
        match end {
            RunEnd::Done(value) if tool.is_some_and(|tool| !tool.redact) => {
                note.with("result", bounded_result(value.clone(), bytes_max, &step.agent.texts))
            }
            RunEnd::Done(_) => note,
            RunEnd::NotDone(failure) => {
                note.with("outcome", "not_done").with("failure", shown(failure))
            }
            RunEnd::Unknown(failure) => {
                note.with("outcome", "unknown").with("failure", shown(failure))
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
        let tool = step.agent.tool(run.call.tool.as_str());
        let arguments = match tool {
            Some(tool) => tool.spec.schema.mask_object(&run.call.arguments).into_owned(),
            None => Map::new(),
        };
        LedgerEntry {
            run_id: run.run_id.clone(),
            turn_id: self.id.clone(),
            tool: run.call.tool.clone(),
            arguments,
            digest: run.call.digest.clone(),
            intent: Intent::of(&run.call.arguments, tool.map(|tool| &tool.spec)),
            user: self.user.clone(),
            result: bounded_result(result, step.agent.limits.result_bytes_max, &step.agent.texts),
            at: step.now,
            state,
        }
    }

    /// Records a run whose end is not known. One that may have changed something is raised: a
    /// human should look.
    pub(super) fn record_unknown(&self, run: &Running, result: Value, step: &mut Step<'_>) {
        if kept(run, step) {
            let entry = self.entry(run, EntryState::Unknown, result, step);
            step.record(entry);
        }
        if changes(run, step) {
            step.note(self.run_note(AuditKind::RunUnknown, run));
        }
    }

    fn record_end(&self, run: &Running, end: &RunEnd, step: &mut Step<'_>) {
        match end {
            RunEnd::Done(value) if kept(run, step) => {
                let entry = self.entry(run, EntryState::Done, value.clone(), step);
                step.record(entry);
            }
            RunEnd::Done(_) => {}
            RunEnd::Unknown(failure) => self.record_unknown(run, failure.to_value(), step),
            RunEnd::NotDone(failure) => Self::settle_not_done(run, Some(failure), step),
        }
    }

    /// An earlier try under this id may stand as unknown; now it is known.
    pub(super) fn settle_not_done(run: &Running, failure: Option<&Failure>, step: &mut Step<'_>) {
        let result = failure.map(Failure::to_value);
        let ledger = &mut step.memory.ledger;
        if let Some(entry) = ledger.settle(&run.run_id, EntryState::NotDone, result).cloned() {
            step.record(entry);
        }
    }
}

/// Whether a run may change something. One whose tool is gone may have.
pub(super) fn changes(run: &Running, step: &Step<'_>) -> bool {
    let tool = step.agent.tool(run.call.tool.as_str());
    run.purpose != Purpose::Quote && tool.is_none_or(|tool| !tool.spec.read_only)
}

/// The ledger holds done and unknown runs of every tool that is not read-only, and of any tool
/// with `dedupe`.
fn kept(run: &Running, step: &Step<'_>) -> bool {
    let tool = step.agent.tool(run.call.tool.as_str());
    let deduped = tool.is_some_and(|tool| tool.spec.dedupe.is_some());
    changes(run, step) || (deduped && run.purpose != Purpose::Quote)
}

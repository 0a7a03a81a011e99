//! Cancelling a turn, and taking one up that another process left.

use manos_model::{AuditKind, Failure, RunEnd, RunId};
use manos_policy::{RunOrder, reapprove};
use manos_text::{Choice, Say};

use super::ask::millis_between;
use super::launch::approval_is_stale;
use super::run::changes;
use super::{Running, Stage, Turn};
use crate::trail::Note;
use crate::{CallOutcome, CancelReason, Effect, EntryState, KnownEnd, Step, Tool, TurnEnd};

impl Turn {
    /// Ends the turn without an answer. Runs that change nothing are stopped; others go on to their
    /// end, stand in the ledger as unknown until then, and are not answered.
    pub(super) fn withdraw(&mut self, reason: CancelReason, step: &mut Step<'_>) {
        if self.stage == Stage::Ended {
            return;
        }
        if let Stage::Answer { asking, confirmation } = &self.stage {
            let (index, confirmation) = (asking.index, confirmation.as_ref().clone());
            step.note(
                self.confirm_note(AuditKind::ConfirmCancelled, &confirmation, index)
                    .with("by", reason.word()),
            );
            self.close_question(&confirmation, Choice::Cancelled, step);
        }
        for run in std::mem::take(&mut self.runs) {
            if changes(&run, step) {
                let result = Failure::Interrupted.to_value();
                let entry = self.entry(&run, EntryState::Unknown, result, step);
                step.record(entry);
                step.caused.detached.push(run);
            } else {
                step.cause(Effect::StopRun(run.run_id));
            }
        }
        step.note(
            Note::new(AuditKind::TurnCancelled)
                .turn(&self.id)
                .step(self.step)
                .with("reason", reason.word()),
        );
        self.finish(TurnEnd::Cancelled(reason), step);
    }

    /// Takes the turn up in a new process.
    pub(super) fn resume(&mut self, known: &[(RunId, KnownEnd)], step: &mut Step<'_>) {
        match &self.stage {
            Stage::Answer { .. } => return self.time_up(step),
            Stage::Ended => return,
            Stage::Calls | Stage::Model | Stage::Quote(_) => {}
        }
        if self.too_old(step) {
            self.give_up(known, step);
            return;
        }
        if self.stage == Stage::Model {
            // The reply never came to us: the call is simply made again, as the same step.
            self.step -= 1;
            self.call_model(step);
            return;
        }
        // The others stay in their place meanwhile, so that nothing is started twice.
        let run_ids: Vec<RunId> = self.runs.iter().map(|run| run.run_id.clone()).collect();
        for run_id in run_ids {
            let Some(at) = self.runs.iter().position(|run| run.run_id == run_id) else { continue };
            let run = self.runs.remove(at);
            self.take_up(run, known, step);
        }
        self.advance(step);
    }

    fn too_old(&self, step: &Step<'_>) -> bool {
        let age = millis_between(self.started_at, step.now).saturating_sub(self.waited_ms);
        u128::from(age) > step.agent.limits.turn_age_max.as_millis()
    }

    /// A turn too old to go on: its runs are settled, the person gets an apology.
    fn give_up(&mut self, known: &[(RunId, KnownEnd)], step: &mut Step<'_>) {
        for run in std::mem::take(&mut self.runs) {
            match known_end(&run, known) {
                KnownEnd::Done(value) => self.was_done(&run, &RunEnd::of_result(value), step),
                KnownEnd::NotDone => self.was_not_done(&run, step),
                KnownEnd::Unknown => self.interrupted(&run, step),
            }
        }
        step.note(
            Note::new(AuditKind::LoopError)
                .turn(&self.id)
                .step(self.step)
                .with("reason", "the turn was found unfinished and is too old to go on"),
        );
        let text = step.agent.texts.say(&Say::TurnTooOld);
        self.answer_ourselves(text, step);
    }

    /// Settles one run that was under way, or makes it again where that is safe.
    fn take_up(&mut self, run: Running, known: &[(RunId, KnownEnd)], step: &mut Step<'_>) {
        let tool = step.agent.tool(run.call.tool.as_str());
        match known_end(&run, known) {
            KnownEnd::Done(value) => {
                let end = RunEnd::of_result(value);
                self.was_done(&run, &end, step);
                let outcome = match end {
                    RunEnd::Done(value) => CallOutcome::Done(value),
                    RunEnd::NotDone(failure) | RunEnd::Unknown(failure) => {
                        CallOutcome::Failed(failure)
                    }
                };
                self.run_came_to(&run, outcome, step);
            }
            KnownEnd::NotDone => self.run_again(run, tool, true, step),
            KnownEnd::Unknown if tool.is_some_and(|tool| tool.spec.repeatable()) => {
                self.run_again(run, tool, false, step);
            }
            KnownEnd::Unknown => self.unknown_for_good(&run, step),
        }
    }

    /// Nobody can tell how the run ended, and it is not made again.
    fn unknown_for_good(&mut self, run: &Running, step: &mut Step<'_>) {
        self.interrupted(run, step);
        self.run_came_to(run, CallOutcome::Failed(Failure::Interrupted), step);
    }

    /// The tool's own journal says how the run ended.
    fn was_done(&mut self, run: &Running, end: &RunEnd, step: &mut Step<'_>) {
        step.note(self.run_note(AuditKind::ToolLate, run).with("settled", "done"));
        self.run_ended(run, end, millis_between(run.started_at, step.now), step);
    }

    /// The tool's own journal says that the run did nothing, and it is not made again.
    fn was_not_done(&self, run: &Running, step: &mut Step<'_>) {
        step.note(self.run_note(AuditKind::ToolLate, run).with("settled", "not_done"));
        Self::settle_not_done(run, None, step);
    }

    /// Starts a run again under its id, when its approval is still fresh and about the same tool.
    /// One that is not made again may have been done all the same, unless the tool says otherwise.
    fn run_again(
        &mut self,
        run: Running,
        tool: Option<&Tool>,
        not_done: bool,
        step: &mut Step<'_>,
    ) {
        let stale = approval_is_stale(&run.approval, step.agent, step.chat, step.now);
        let approved = tool.and_then(|tool| {
            let call = reapprove(run.call.clone(), run.approval.clone(), &tool.spec).ok()?;
            Some((tool, call))
        });
        match approved {
            Some((tool, call)) if !stale => {
                let order = RunOrder { call, run_id: run.run_id };
                self.launch(order, run.purpose, tool, step);
            }
            Some(_) | None if !not_done && changes(&run, step) => {
                self.unknown_for_good(&run, step);
            }
            Some((tool, _)) => {
                self.was_not_done(&run, step);
                self.approval_expired(tool, step);
            }
            None => self.changed(&run, step),
        }
    }

    /// The tool is not the one that was approved: the run is not made again.
    fn changed(&mut self, run: &Running, step: &mut Step<'_>) {
        let note = self.run_note(AuditKind::ToolDenied, run);
        step.note(note.with("failure", Failure::Changed.to_value()));
        self.run_came_to(run, CallOutcome::Failed(Failure::Changed), step);
    }

    fn interrupted(&self, run: &Running, step: &mut Step<'_>) {
        let note = self.run_note(AuditKind::ToolInterrupted, run);
        step.note(note.with("failure", Failure::Interrupted.to_value()));
        self.record_unknown(run, Failure::Interrupted.to_value(), step);
    }
}

fn known_end(run: &Running, known: &[(RunId, KnownEnd)]) -> KnownEnd {
    known.iter().find(|(id, _)| *id == run.run_id).map_or(KnownEnd::Unknown, |(_, end)| end.clone())
}

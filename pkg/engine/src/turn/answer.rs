//! What becomes of a question: yes, no, something else, or nothing in time.

use manos_model::{AuditKind, Failure};
use manos_policy::{Confirmation, ConfirmationError, Who};
use manos_text::{Choice, Say, safe_text};

use super::ask::{after, millis_between};
use super::call::intent;
use super::{Asking, GivenYes, Origin, Purpose, Stage, Turn};
use crate::trail::Note;
use crate::{Answered, CallOutcome, Effect, Says, Step, Tool, TurnEnd, history};

impl Turn {
    /// Takes an answer. One that came before the question was shown is none; a yes after the
    /// deadline runs nothing, and the person is told.
    pub(super) fn answered(&mut self, answer: Answered, step: &mut Step<'_>) {
        let Stage::Answer { confirmation, .. } = &self.stage else { return };
        if confirmation.id != answer.id || confirmation.shown_at.is_none() {
            return;
        }
        if step.now > confirmation.deadline {
            self.expire(Some(&answer), step);
            return;
        }
        let stage = std::mem::replace(&mut self.stage, Stage::Calls);
        let Stage::Answer { asking, confirmation } = stage else { return };
        self.waited_ms += millis_between(confirmation.asked_at, step.now);
        let (kind, choice) = match answer.says {
            Says::No => (AuditKind::ConfirmRejected, Choice::No),
            Says::Other => (AuditKind::ConfirmReplied, Choice::Replied),
            Says::Yes => (AuditKind::ConfirmApproved, Choice::Yes),
        };
        step.note(self.answer_note(kind, &confirmation, &asking, &answer));
        self.close_question(&confirmation, choice, step);
        match answer.says {
            Says::No => self.refused_by_person(&asking, step),
            Says::Other => self.replied_by_person(&asking, answer.words, step),
            Says::Yes => {
                let given = GivenYes { confirmation: *confirmation, by: answer.by, at: step.now };
                self.approved_by_person(asking, given, step);
            }
        }
        self.advance(step);
    }

    fn approved_by_person(&mut self, asking: Asking, given: GivenYes, step: &mut Step<'_>) {
        let Some(tool) = step.agent.tool(asking.call.tool.as_str()) else {
            self.not_asked(asking.index, &Failure::Changed, step);
            return;
        };
        if given.confirmation.lines.is_some() {
            self.fetch_facts(Asking { given: Some(given), ..asking }, tool, step);
        } else {
            self.run_approved(asking.index, given, tool, step);
        }
    }

    /// Runs what a person approved, when the approval is still fresh and still about this.
    pub(super) fn run_approved(
        &mut self,
        index: usize,
        given: GivenYes,
        tool: &Tool,
        step: &mut Step<'_>,
    ) {
        self.stage = Stage::Calls;
        if step.now > after(given.at, step.agent.confirm.timeout_in(step.chat)) {
            self.approval_expired(tool, step);
            return;
        }
        match given.confirmation.approve(&tool.spec, given.by, given.at) {
            Ok(approved) => self.start_run(approved, Purpose::Call(index), tool, step),
            Err(ConfirmationError::Expired { .. }) => self.approval_expired(tool, step),
            Err(_) => self.not_asked(index, &Failure::Changed, step),
        }
    }

    /// A call approved but not started in time is not run, and the person is told.
    pub(super) fn approval_expired(&mut self, tool: &Tool, step: &mut Step<'_>) {
        let texts = &step.agent.texts;
        let end = TurnEnd::Expired {
            note: texts.say(&Say::WaitExpired { tool: tool.spec.name.as_str() }),
            late_yes: Some(texts.say(&Say::ApprovalExpired { title: &safe_text(&tool.title) })),
        };
        step.note(
            Note::new(AuditKind::ToolDenied)
                .turn(&self.id)
                .step(self.step)
                .tool(tool.spec.name.as_str())
                .with("failure", Failure::Expired.to_value()),
        );
        self.finish(end, step);
    }

    fn refused_by_person(&mut self, asking: &Asking, step: &mut Step<'_>) {
        self.step_refused = true;
        self.refused.push(intent(&asking.call));
        let instruction = step.agent.texts.say(&Say::RejectedInstruction);
        self.call_failed(asking.index, &Failure::Rejected { instruction }, step);
    }

    fn replied_by_person(&mut self, asking: &Asking, words: String, step: &mut Step<'_>) {
        self.step_refused = true;
        if self.origin == Origin::Model {
            self.said.push(history::user_said(words.clone()));
            self.step_base = self.step;
        }
        self.call_ended(asking.index, CallOutcome::Replied(words), step);
    }

    /// Time has passed: a question whose deadline is over expires.
    pub(super) fn time_up(&mut self, step: &mut Step<'_>) {
        let Stage::Answer { confirmation, .. } = &self.stage else { return };
        if step.now >= confirmation.deadline {
            self.expire(None, step);
        }
    }

    /// Nobody answered in time: the turn ends silently, unless a yes came too late.
    fn expire(&mut self, late: Option<&Answered>, step: &mut Step<'_>) {
        let Stage::Answer { asking, confirmation } = &self.stage else { return };
        let (asking, confirmation) = (asking.clone(), confirmation.as_ref().clone());
        self.waited_ms += millis_between(confirmation.asked_at, step.now);
        let kind = AuditKind::ConfirmExpired;
        step.note(match late {
            Some(answer) => self.answer_note(kind, &confirmation, &asking, answer),
            None => self.confirm_note(kind, &confirmation, asking.index),
        });
        self.close_question(&confirmation, Choice::Expired, step);
        let texts = &step.agent.texts;
        let name = asking.call.tool.as_str();
        let title = step.agent.tool(name).map_or(name, |tool| tool.title.as_str());
        let late_yes = late
            .filter(|answer| answer.says == Says::Yes)
            .map(|_| texts.say(&Say::ApprovalExpired { title: &safe_text(title) }));
        let note = texts.say(&Say::WaitExpired { tool: name });
        self.finish(TurnEnd::Expired { note, late_yes }, step);
    }

    /// Where the channel can, the buttons go and the choice stands in their place.
    pub(super) fn close_question(
        &self,
        confirmation: &Confirmation,
        choice: Choice,
        step: &mut Step<'_>,
    ) {
        if self.surface.edits {
            let text = format!("{}\n{}", confirmation.text, step.agent.texts.choice(choice));
            step.cause(Effect::Edit { id: confirmation.id.clone(), text });
        }
    }

    pub(super) fn confirm_note(
        &self,
        kind: AuditKind,
        confirmation: &Confirmation,
        index: usize,
    ) -> Note {
        let asked_of = match &confirmation.who {
            Who::Anyone => "anyone".to_owned(),
            Who::Requester => confirmation.requester.as_str().to_owned(),
            Who::Role(role) => format!("role {role}"),
        };
        self.call_note(kind, index)
            .with("confirmation_id", confirmation.id.as_str())
            .with("digest", confirmation.call.digest.as_str())
            .with("asked_of", asked_of)
    }

    pub(super) fn answer_note(
        &self,
        kind: AuditKind,
        confirmation: &Confirmation,
        asking: &Asking,
        answer: &Answered,
    ) -> Note {
        self.confirm_note(kind, confirmation, asking.index)
            .with("by", answer.by.as_str())
            .with("via", answer.via.word())
            .with("words", answer.words.as_str())
    }
}

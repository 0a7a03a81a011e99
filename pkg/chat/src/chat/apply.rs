//! One event: who is concerned by it, and what it causes.

use manos_engine::{
    Caused, Effect, EntryState, KnownEnd, LedgerEntry, Note, Running, Step, TurnEvent,
};
use manos_model::{AuditKind, DeliveryId, Ids, RunEnd, RunId, Stamp, Timestamp, TurnId};
use serde_json::Value;

use super::Chat;
use crate::{ChatEffect, ChatSpec, Decision, Delivery, DeliveryKind, DeliveryOutcome, Event};

/// An event that the chat refuses; nothing has changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ChatError {
    /// No unknown run has this id.
    #[error("there is no run {run_id} whose end is unknown in this chat")]
    NoUnknownRun {
        /// The id.
        run_id: RunId,
    },
}

/// One event being applied.
pub(super) struct Applying<'a> {
    pub(super) chat: &'a mut Chat,
    pub(super) spec: &'a ChatSpec,
    pub(super) now: Timestamp,
    ids: Ids,
    pub(super) out: Decision,
}

impl Chat {
    /// Applies one event and returns what it causes.
    ///
    /// The same chat, event and stamp give the same decision, always.
    ///
    /// # Errors
    ///
    /// [`ChatError`] when the event cannot be; the chat is as it was.
    pub fn apply(
        &mut self,
        spec: &ChatSpec,
        event: &Event,
        stamp: Stamp,
    ) -> Result<Decision, ChatError> {
        let mut applying = Applying {
            chat: self,
            spec,
            now: stamp.at,
            ids: Ids::new(stamp.seed),
            out: Decision::default(),
        };
        applying.event(event)?;
        Ok(applying.out)
    }
}

impl Applying<'_> {
    fn event(&mut self, event: &Event) -> Result<(), ChatError> {
        match event {
            Event::Delivered { delivery_id, outcome } => self.delivered(delivery_id, *outcome),
            Event::Duplicate(message_id) => {
                let note = Note::new(AuditKind::MessageDuplicate);
                self.note(note.with("message_id", message_id.as_str()));
            }
            Event::ModelFailed { turn_id, failure } => {
                self.turn_event(Some(turn_id), TurnEvent::ModelFailed(failure.clone()));
            }
            Event::ModelReplied { turn_id, reply } => {
                self.turn_event(Some(turn_id), TurnEvent::ModelReplied(reply.clone()));
            }
            Event::Received(inbound) => self.received(inbound),
            Event::Resumed { known } => self.resumed(known),
            Event::Settled { run_id, done } => return self.settled(run_id, *done),
            Event::TimeUp => self.turn_event(None, TurnEvent::TimeUp),
            Event::ToolEnded { run_id, end, duration_ms } => {
                self.tool_ended(run_id, end, *duration_ms);
            }
        }
        self.next_waiting();
        Ok(())
    }

    /// Runs a transition of the engine and takes what it caused.
    pub(super) fn step<R>(&mut self, transition: impl FnOnce(&mut Step<'_>) -> R) -> R {
        let mut step = Step {
            agent: &self.spec.agent,
            chat: &self.chat.key,
            now: self.now,
            ids: &mut self.ids,
            memory: &mut self.chat.memory,
            seq: &mut self.chat.active.seq,
            caused: Caused::default(),
        };
        let result = transition(&mut step);
        let caused = step.caused;
        self.out.audit.extend(caused.audit);
        self.out.runs.extend(caused.runs);
        self.out.memory_changed |= caused.memory_changed;
        self.chat.active.detached.extend(caused.detached);
        for effect in caused.effects {
            self.effect(effect);
        }
        result
    }

    pub(super) fn note(&mut self, note: Note) {
        self.step(|step| step.note(note));
    }

    pub(super) fn new_id(&mut self) -> String {
        self.ids.next_hex()
    }

    /// Hands an event to the turn under way, when it is the one that is meant.
    pub(super) fn turn_event(&mut self, turn_id: Option<&TurnId>, event: TurnEvent) {
        let Some(mut under_way) = self.chat.active.turn.take() else { return };
        let meant = turn_id.is_none_or(|id| *id == under_way.turn.id);
        if !meant {
            self.chat.active.turn = Some(under_way);
            return;
        }
        // The turn is out of the chat while it decides, so its effects are held until it is back.
        let mut held = Vec::new();
        self.step(|step| {
            under_way.turn.apply(event, step);
            held = std::mem::take(&mut step.caused.effects);
        });
        self.chat.active.turn = Some(under_way);
        for effect in held {
            self.effect(effect);
        }
    }

    /// Turns an effect of the turn into one of the chat.
    pub(super) fn effect(&mut self, effect: Effect) {
        match effect {
            Effect::Ask(question) => self.deliver(DeliveryKind::Confirm {
                id: question.id,
                tool: question.tool,
                title: question.title,
                text: question.text,
                buttons: question.buttons,
                expires_at: question.expires_at,
            }),
            Effect::CallModel(request) => {
                let Some(under_way) = &self.chat.active.turn else { return };
                let turn_id = under_way.turn.id.clone();
                self.out.effects.push(ChatEffect::CallModel { turn_id, request });
            }
            Effect::Edit { id, text } => self.close_question(id, text),
            Effect::Finish(finished) => self.finish(finished),
            Effect::RunTool(run) => self.out.effects.push(ChatEffect::RunTool(run)),
            Effect::Say(text) => self.reply(text),
            Effect::StopRun(run_id) => self.out.effects.push(ChatEffect::StopRun(run_id)),
        }
    }

    /// A question that was never shown is taken back; a shown one is changed.
    fn close_question(&mut self, id: manos_model::ConfirmationId, text: String) {
        let before = self.chat.active.outbox.len();
        self.withdraw_question(&id);
        if self.chat.active.outbox.len() == before {
            self.deliver(DeliveryKind::Edit { id, text });
        }
    }

    pub(super) fn withdraw_question(&mut self, question: &manos_model::ConfirmationId) {
        self.chat.active.outbox.retain(|delivery| {
            !matches!(&delivery.kind, DeliveryKind::Confirm { id, .. } if id == question)
        });
    }

    pub(super) fn reply(&mut self, text: String) {
        let text = text.trim_end().to_owned();
        if !text.trim().is_empty() {
            self.deliver(DeliveryKind::Reply { text });
        }
    }

    /// Puts an output into the outbox; the oldest are given up beyond [`OUTBOX_MAX`].
    pub(super) fn deliver(&mut self, kind: DeliveryKind) {
        let delivery = Delivery {
            id: DeliveryId::new(self.new_id()),
            turn_id: self.chat.active.turn.as_ref().map(|under_way| under_way.turn.id.clone()),
            repeats: self.chat.active.turn.as_ref().is_none_or(|u| u.surface.repeats),
            kind,
        };
        if self.chat.active.outbox.len() >= OUTBOX_MAX {
            let oldest = self.chat.active.outbox.remove(0);
            self.note_delivery(AuditKind::ReplyUnknown, &oldest, "too many outputs wait");
        }
        self.chat.active.outbox.push(delivery.clone());
        self.out.effects.push(ChatEffect::Deliver(delivery));
    }

    fn delivered(&mut self, delivery_id: &DeliveryId, outcome: DeliveryOutcome) {
        let outbox = &mut self.chat.active.outbox;
        let Some(at) = outbox.iter().position(|delivery| delivery.id == *delivery_id) else {
            return;
        };
        let delivery = outbox.remove(at);
        match outcome {
            DeliveryOutcome::NotSent => {
                self.note_delivery(AuditKind::ReplyUnknown, &delivery, "not sent");
            }
            DeliveryOutcome::Sent => {
                self.note_delivery(AuditKind::ReplySent, &delivery, "");
                if let DeliveryKind::Confirm { id, .. } = delivery.kind {
                    self.turn_event(None, TurnEvent::Shown(id));
                }
            }
            DeliveryOutcome::Unknown => {
                self.note_delivery(AuditKind::ReplyUnknown, &delivery, "unclear");
            }
        }
    }

    fn note_delivery(&mut self, kind: AuditKind, delivery: &Delivery, why: &str) {
        let mut note = Note::new(kind).with("delivery_id", delivery.id.as_str());
        if let Some(turn_id) = &delivery.turn_id {
            note = note.turn(turn_id);
        }
        note = match &delivery.kind {
            DeliveryKind::Confirm { id, .. } => {
                note.with("output", "confirm").with("confirmation_id", id.as_str())
            }
            DeliveryKind::Edit { id, .. } => {
                note.with("output", "edit").with("confirmation_id", id.as_str())
            }
            DeliveryKind::Reply { text } => {
                note.with("output", "reply").with("text", text.as_str())
            }
        };
        if !why.is_empty() {
            note = note.with("why", why);
        }
        self.note(note);
    }

    fn tool_ended(&mut self, run_id: &RunId, end: &RunEnd, duration_ms: u64) {
        let of_turn =
            self.chat.active.turn.as_ref().is_some_and(|under_way| {
                under_way.turn.runs().iter().any(|run| run.run_id == *run_id)
            });
        if of_turn {
            let event =
                TurnEvent::ToolEnded { run_id: run_id.clone(), end: end.clone(), duration_ms };
            self.turn_event(None, event);
            return;
        }
        self.chat.active.detached.retain(|run| run.run_id != *run_id);
        match end {
            RunEnd::Done(value) => self.settle_late(run_id, EntryState::Done, Some(value.clone())),
            RunEnd::NotDone(failure) => {
                self.settle_late(run_id, EntryState::NotDone, Some(failure.to_value()));
            }
            RunEnd::Unknown(_) => self.raise_unknown(run_id),
        }
    }

    /// A result that came late settles the run that stood as unknown.
    fn settle_late(&mut self, run_id: &RunId, state: EntryState, result: Option<Value>) {
        let settled = self.chat.memory.ledger.settle(run_id, state, result).cloned();
        if let Some(entry) = settled {
            self.out.memory_changed = true;
            let word = if state == EntryState::Done { "done" } else { "not_done" };
            self.note(entry_note(AuditKind::ToolLate, &entry).with("settled", word));
            self.out.runs.push(entry);
        }
    }

    fn raise_unknown(&mut self, run_id: &RunId) {
        let found = self.chat.memory.ledger.entries().iter().find(|e| e.run_id == *run_id).cloned();
        if let Some(entry) = found {
            self.note(entry_note(AuditKind::RunUnknown, &entry));
        }
    }

    fn settled(&mut self, run_id: &RunId, done: bool) -> Result<(), ChatError> {
        let state = if done { EntryState::Done } else { EntryState::NotDone };
        let Some(entry) = self.chat.memory.ledger.settle(run_id, state, None).cloned() else {
            return Err(ChatError::NoUnknownRun { run_id: run_id.clone() });
        };
        self.out.memory_changed = true;
        let word = if done { "done" } else { "not_done" };
        self.note(
            entry_note(AuditKind::ToolLate, &entry).with("settled", word).with("by", "operator"),
        );
        self.out.runs.push(entry);
        Ok(())
    }

    /// A new process takes the chat up.
    fn resumed(&mut self, known: &[(RunId, KnownEnd)]) {
        for delivery in self.chat.active.outbox.clone() {
            if delivery.repeats {
                self.out.effects.push(ChatEffect::Deliver(delivery));
            } else {
                self.delivered(&delivery.id, DeliveryOutcome::Unknown);
            }
        }
        for run in std::mem::take(&mut self.chat.active.detached) {
            self.resumed_detached(&run, known);
        }
        self.turn_event(None, TurnEvent::Resumed(known.to_vec()));
    }

    fn resumed_detached(&mut self, run: &Running, known: &[(RunId, KnownEnd)]) {
        let end = known.iter().find(|(id, _)| *id == run.run_id).map(|(_, end)| end.clone());
        match end.unwrap_or(KnownEnd::Unknown) {
            KnownEnd::Done(value) => self.settle_late(&run.run_id, EntryState::Done, Some(value)),
            KnownEnd::NotDone => self.settle_late(&run.run_id, EntryState::NotDone, None),
            KnownEnd::Unknown => self.raise_unknown(&run.run_id),
        }
    }
}

fn entry_note(kind: AuditKind, entry: &LedgerEntry) -> Note {
    Note::new(kind).turn(&entry.turn_id).tool(entry.tool.as_str()).run(&entry.run_id)
}

/// Outputs that wait for the channel; beyond it the oldest is given up, with an audit event.
pub(super) const OUTBOX_MAX: usize = 100;

//! One event: who is concerned by it, and what it causes.

use manos_engine::{Caused, Effect, KnownEnd, Note, Step, TurnEvent};
use manos_model::{AuditKind, DeliveryId, Ids, RunId, Stamp, Timestamp, TurnId};

use super::Chat;
use crate::{ChatEffect, ChatSpec, Decision, DeliveryKind, DeliveryOutcome, Event, Keep};

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
        let unwritten = self.active.unwritten.len();
        let tells_of_nothing_done = self.tells_of_nothing_done(spec, event);
        let mut applying = Applying {
            chat: self,
            spec,
            now: stamp.at,
            ids: Ids::new(stamp.seed),
            out: Decision::default(),
        };
        applying.event(event)?;
        let mut decision = applying.out;
        let asks = self.turn().is_some_and(|turn| turn.confirmation().is_some());
        // Of several outputs the next goes out when the end of this one is kept, so that a crash
        // leaves one of them in doubt and not all.
        let sends_on = matches!(event, Event::Delivered { .. }) && !self.active.outbox.is_empty();
        let remembers = self.active.unwritten.len() != unwritten;
        let may_wait = tells_of_nothing_done && !asks && !sends_on && !remembers;
        if may_wait && decision.repeats_without_harm() {
            decision.keep = Keep::Later;
        }
        if decision.memory_changed {
            self.memory_is_written();
        }
        Ok(decision)
    }

    /// Whether an event is the end of something that changed nothing, so that a crash which loses it
    /// loses no fact about the world: a model's reply, a run that only read, an output that arrived.
    fn tells_of_nothing_done(&self, spec: &ChatSpec, event: &Event) -> bool {
        match event {
            Event::Delivered { outcome, .. } => *outcome == DeliveryOutcome::Sent,
            Event::ModelFailed { .. } | Event::ModelReplied { .. } => true,
            Event::ToolEnded { run_id, .. } => {
                let run = self.runs_under_way().find(|run| run.run_id == *run_id);
                let tool = run.and_then(|run| spec.agent.tool(run.call.tool.as_str()));
                tool.is_some_and(|tool| tool.spec.read_only)
            }
            Event::ConfigLoaded { .. }
            | Event::Duplicate(_)
            | Event::Received(_)
            | Event::Resumed { .. }
            | Event::Settled { .. }
            | Event::TimeUp => false,
        }
    }
}

impl Applying<'_> {
    fn event(&mut self, event: &Event) -> Result<(), ChatError> {
        match event {
            Event::ConfigLoaded { digest } => {
                let note = Note::new(AuditKind::ConfigLoaded);
                self.note(note.with("sha256", digest.as_str()));
            }
            Event::Delivered { delivery_id, outcome } => self.delivered(delivery_id, *outcome),
            Event::Duplicate(message_id) => {
                let note = Note::new(AuditKind::MessageDuplicate);
                self.note(note.with("message_id", message_id.as_str()));
            }
            Event::ModelFailed { turn_id, failure, duration_ms } => {
                let (failure, duration_ms) = (failure.clone(), *duration_ms);
                self.turn_event(Some(turn_id), TurnEvent::ModelFailed { failure, duration_ms });
            }
            Event::ModelReplied { turn_id, reply, duration_ms } => {
                let (reply, duration_ms) = (reply.clone(), *duration_ms);
                self.turn_event(Some(turn_id), TurnEvent::ModelReplied { reply, duration_ms });
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
        if caused.memory_changed {
            // What was dropped from the history is in no list of what is new.
            let dropped = caused.runs.is_empty();
            self.out.memory_changed |= dropped || self.chat.add_recorded(&caused.runs);
        }
        self.out.runs.extend(caused.runs);
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
        self.withdraw_closed_questions();
    }

    /// Turns an effect of the turn into one of the chat.
    pub(super) fn effect(&mut self, effect: Effect) {
        match effect {
            Effect::Ask(question) => {
                let kind = DeliveryKind::Confirm {
                    id: question.id,
                    tool: question.tool,
                    title: question.title,
                    text: question.text,
                    buttons: question.buttons,
                    expires_at: question.expires_at,
                };
                self.deliver(self.sender(), kind);
            }
            Effect::CallModel(request) => {
                let Some(under_way) = &self.chat.active.turn else { return };
                let turn_id = under_way.turn.id.clone();
                self.out.effects.push(ChatEffect::CallModel { turn_id, request });
            }
            Effect::Edit { id, text } => {
                self.deliver(self.sender(), DeliveryKind::Edit { id, text });
            }
            Effect::Finish(finished) => self.finish(finished),
            Effect::RunTool(run) => self.out.effects.push(ChatEffect::RunTool(run)),
            Effect::Say(text) => self.reply(self.sender(), &text),
            Effect::StopRun(run_id) => self.out.effects.push(ChatEffect::StopRun(run_id)),
        }
    }

    /// A new process takes the chat up.
    fn resumed(&mut self, known: &[(RunId, KnownEnd)]) {
        let left: Vec<DeliveryId> =
            self.chat.active.outbox.iter().map(|delivery| delivery.id.clone()).collect();
        self.give_up_unclear();
        for run in std::mem::take(&mut self.chat.active.detached) {
            self.resumed_detached(&run, known);
        }
        self.turn_event(None, TurnEvent::Resumed(known.to_vec()));
        self.resume_outbox(&left);
    }
}

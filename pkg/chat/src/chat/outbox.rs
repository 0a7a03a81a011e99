//! What goes out: put into the outbox, tried by the shell, taken out when its end is known.

use manos_engine::{Note, TurnEvent};
use manos_model::{AuditKind, ConfirmationId, DeliveryId, TurnId};

use super::apply::Applying;
use crate::{ChatEffect, Delivery, DeliveryKind, DeliveryOutcome, Inbound};

/// Outputs that wait for the channel; beyond it the oldest is given up, with an audit event.
pub(super) const OUTBOX_MAX: usize = 100;

/// For what an output is sent.
#[derive(Debug, Clone)]
pub(super) struct Sender {
    /// The turn it belongs to.
    pub(super) turn_id: Option<TurnId>,
    /// Whether the channel can tell when it is sent twice.
    pub(super) repeats: bool,
}

impl Sender {
    /// A notice that belongs to no turn.
    pub(super) fn notice(inbound: &Inbound) -> Self {
        Self { turn_id: None, repeats: inbound.surface.repeats }
    }
}

impl Applying<'_> {
    /// The turn under way as the sender.
    pub(super) fn sender(&self) -> Sender {
        let under_way = self.chat.active.turn.as_ref();
        Sender {
            turn_id: under_way.map(|under_way| under_way.turn.id.clone()),
            repeats: under_way.is_some_and(|under_way| under_way.surface.repeats),
        }
    }

    pub(super) fn reply(&mut self, sender: Sender, text: &str) {
        let text = text.trim_end();
        if !text.trim().is_empty() {
            self.deliver(sender, DeliveryKind::Reply { text: text.to_owned() });
        }
    }

    /// Puts an output into the outbox; the oldest are given up beyond [`OUTBOX_MAX`].
    pub(super) fn deliver(&mut self, sender: Sender, kind: DeliveryKind) {
        let delivery = Delivery {
            id: DeliveryId::new(self.new_id()),
            turn_id: sender.turn_id,
            repeats: sender.repeats,
            kind,
        };
        if self.chat.active.outbox.len() >= OUTBOX_MAX {
            let oldest = self.chat.active.outbox.remove(0);
            self.note_delivery(AuditKind::ReplyUnknown, &oldest, "too many outputs wait");
        }
        self.chat.active.outbox.push(delivery.clone());
        self.out.effects.push(ChatEffect::Deliver(delivery));
    }

    /// Takes back questions that no longer wait: one that was not taken by the channel yet is not
    /// sent by a later process. Where it is on its way already, the edit follows it.
    pub(super) fn withdraw_closed_questions(&mut self) {
        let turn = self.chat.active.turn.as_ref();
        let open = turn.and_then(|under_way| under_way.turn.confirmation()).map(|asked| &asked.id);
        self.chat.active.outbox.retain(|delivery| match &delivery.kind {
            DeliveryKind::Confirm { id, .. } => open == Some(id),
            DeliveryKind::Edit { .. } | DeliveryKind::Reply { .. } => true,
        });
    }

    pub(super) fn delivered(&mut self, delivery_id: &DeliveryId, outcome: DeliveryOutcome) {
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

    /// Outputs that an earlier process left, oldest first: those that may go out twice are sent
    /// again, before anything new; of the others nobody can tell.
    pub(super) fn resume_outbox(&mut self, left: &[DeliveryId]) {
        let still_open = |delivery: &&Delivery| left.contains(&delivery.id);
        let again: Vec<Delivery> =
            self.chat.active.outbox.iter().filter(still_open).cloned().collect();
        let effects = again.into_iter().map(ChatEffect::Deliver);
        self.out.effects.splice(0..0, effects);
    }

    /// Gives up the outputs of an earlier process that must not go out twice.
    pub(super) fn give_up_unclear(&mut self) {
        for delivery in self.chat.active.outbox.clone() {
            if !delivery.repeats {
                self.delivered(&delivery.id, DeliveryOutcome::Unknown);
            }
        }
    }

    fn note_delivery(&mut self, kind: AuditKind, delivery: &Delivery, why: &str) {
        let mut note = Note::new(kind).with("delivery_id", delivery.id.as_str());
        if let Some(turn_id) = &delivery.turn_id {
            note = note.turn(turn_id);
        }
        note = output_fields(note, &delivery.kind);
        if !why.is_empty() {
            note = note.with("why", why);
        }
        self.note(note);
    }
}

fn output_fields(note: Note, kind: &DeliveryKind) -> Note {
    let of = |note: Note, word: &str, id: &ConfirmationId| {
        note.with("output", word).with("confirmation_id", id.as_str())
    };
    match kind {
        DeliveryKind::Confirm { id, .. } => of(note, "confirm", id),
        DeliveryKind::Edit { id, .. } => of(note, "edit", id),
        DeliveryKind::Reply { text } => note.with("output", "reply").with("text", text.as_str()),
    }
}

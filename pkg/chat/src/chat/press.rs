//! A button was pressed: an answer, or a press that comes to nothing.

use manos_engine::{Note, Says, TurnEvent, Via};
use manos_model::{AuditKind, ConfirmationId};
use manos_text::{Choice, Say};

use super::apply::Applying;
use super::outbox::Sender;
use crate::Inbound;

impl Applying<'_> {
    pub(super) fn press(&mut self, inbound: &Inbound, id: &ConfirmationId, yes: bool) {
        let asked = self
            .chat
            .active
            .turn
            .as_ref()
            .and_then(|under_way| under_way.turn.confirmation())
            .filter(|asked| asked.id == *id)
            .cloned();
        match asked {
            Some(asked) if self.may_answer(&asked, &inbound.user) => {
                // Whoever presses a button has seen it, whatever the channel says of the delivery.
                self.turn_event(None, TurnEvent::Shown(id.clone()));
                let says = if yes { Says::Yes } else { Says::No };
                self.answer(id.clone(), inbound, Via::Press, String::new(), says);
                if self.now <= asked.deadline {
                    self.answered_notice(inbound, yes);
                }
            }
            Some(_) => {
                // Somebody else's press is acknowledged, and no answer.
                self.note_stale(inbound, id, "not_yours");
            }
            None => {
                self.note_stale(inbound, id, "stale");
                let settings = &self.spec.agent.confirm;
                let told = settings.expired_notice && buttons_stay(inbound);
                if told && !self.chat.active.handoff {
                    self.notice(inbound, &self.spec.agent.texts.say(&Say::ConfirmExpired));
                }
            }
        }
    }

    fn answered_notice(&mut self, inbound: &Inbound, yes: bool) {
        let settings = &self.spec.agent.confirm;
        if settings.answered_notice && buttons_stay(inbound) && !self.chat.active.handoff {
            let choice = if yes { Choice::Yes } else { Choice::No };
            self.notice(inbound, &self.spec.agent.texts.answered(choice));
        }
    }

    pub(super) fn notice(&mut self, inbound: &Inbound, text: &str) {
        self.reply(Sender::notice(inbound), text);
    }

    fn note_stale(&mut self, inbound: &Inbound, id: &ConfirmationId, why: &str) {
        self.note(
            Note::new(AuditKind::ConfirmStalePress)
                .with("confirmation_id", id.as_str())
                .with("by", inbound.user.as_str())
                .with("why", why),
        );
    }
}

/// A channel that draws buttons but cannot take them away again.
fn buttons_stay(inbound: &Inbound) -> bool {
    inbound.surface.buttons && !inbound.surface.edits
}

//! Who may write which command: `/reset` and those of the agent's own rules.
//!
//! `/help` and `/start` are for everybody; `!tool` and `!tools` have roles of their own.

use manos_engine::Note;
use manos_model::AuditKind;
use manos_text::Say;

use super::apply::Applying;
use crate::Inbound;

/// The command that forgets what was said.
pub(super) const RESET: &str = "reset";

impl Applying<'_> {
    /// Whether a text is a command that its writer may not use. They are told so, and the trail is;
    /// in a chat that a human has, only the trail is.
    pub(super) fn refuses_command(&mut self, inbound: &Inbound, text: &str) -> bool {
        let Some(name) = text.split_whitespace().next().and_then(|word| word.strip_prefix('/'))
        else {
            return false;
        };
        let own = self.spec.rules.iter().filter_map(|rule| rule.when.command.as_deref());
        let mut known = own.chain([RESET]);
        let Some(name) = known.find(|known| known.eq_ignore_ascii_case(name)) else { return false };
        if self.spec.agent.access.may_command(&inbound.user, name) {
            return false;
        }
        let title = format!("/{name}");
        let note = Note::new(AuditKind::ToolDenied).with("user", inbound.user.as_str());
        self.note(note.with("command", title.as_str()));
        if !self.chat.active.handoff {
            let refused = Say::RuleRefused { title: &title };
            self.notice(inbound, &self.spec.agent.texts.say(&refused));
        }
        true
    }
}

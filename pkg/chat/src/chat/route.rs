//! Who gets an inbound message, press or command: the first that fits.

use manos_answer::{Answer, Asked, Voice};
use manos_engine::{Answered, CallOutcome, CancelReason, Note, Says, TurnEvent, Via};
use manos_model::{AuditKind, ConfirmationId, Failure, UserId};
use manos_policy::{Confirmation, Who};
use manos_text::Say;
use serde_json::json;

use super::apply::Applying;
use super::start::known_as;
use crate::spec::SECOND_YES_WINDOW;
use crate::{Inbound, InboundBody, KnownCall};

impl Applying<'_> {
    pub(super) fn received(&mut self, inbound: &Inbound) {
        self.note_received(inbound);
        match &inbound.body {
            InboundBody::Press { id, yes } => self.press(inbound, id, *yes),
            InboundBody::Reset => self.reset(inbound),
            InboundBody::Cancel => {
                self.turn_event(None, TurnEvent::Cancelled(CancelReason::Cancelled));
            }
            InboundBody::Handoff(on) => self.handoff(*on),
            InboundBody::Call { .. } => self.start_or_wait(inbound),
            InboundBody::Text(text) if self.refuses_command(inbound, text) => {}
            InboundBody::Text(text) if text.trim() == "/reset" => self.reset(inbound),
            InboundBody::Text(_) | InboundBody::Voice { .. } | InboundBody::Media(_) => {
                self.message(inbound);
            }
        }
    }

    fn note_received(&mut self, inbound: &Inbound) {
        let mut note = Note::new(AuditKind::MessageReceived).with("user", inbound.user.as_str());
        if let Some(message_id) = &inbound.message_id {
            note = note.with("message_id", message_id.as_str());
        }
        let note = match &inbound.body {
            InboundBody::Call { tool, .. } => note.with("call", tool.as_str()),
            InboundBody::Cancel => note.with("command", "cancel"),
            InboundBody::Handoff(on) => note.with("handoff", *on),
            InboundBody::Media(kind) => note.with("media", kind.as_str()),
            InboundBody::Press { id, yes } => {
                let answer = if *yes { "yes" } else { "no" };
                note.with("press", json!({"id": id.as_str(), "answer": answer}))
            }
            InboundBody::Reset => note.with("command", "reset"),
            InboundBody::Text(text) | InboundBody::Voice { text, .. } => {
                let chars = text.chars().count();
                if chars > self.spec.message_chars_max {
                    note.with("chars", chars)
                } else {
                    note.with("text", text.as_str())
                }
            }
        };
        self.note(note);
    }

    fn message(&mut self, inbound: &Inbound) {
        let words = words(inbound);
        if words.trim().is_empty() {
            return;
        }
        if self.chat.active.handoff {
            // Kept for the operator; the agent stays silent.
            let words = self.bounded(words);
            self.remember_said(&words);
            return;
        }
        if let Some(asked) = self.answerable(&inbound.user) {
            self.classify(inbound, &asked, words);
            return;
        }
        if self.is_second_yes(inbound, &words) {
            let note = Note::new(AuditKind::ConfirmStalePress);
            self.note(note.with("by", inbound.user.as_str()).with("words", words));
            return;
        }
        self.forget_yes(&inbound.user);
        self.start_or_wait(inbound);
    }

    /// Words in between make a later yes an answer to something else.
    fn forget_yes(&mut self, user: &UserId) {
        if self.chat.active.last_yes.as_ref().is_some_and(|(by, _)| by == user) {
            self.chat.active.last_yes = None;
        }
    }

    fn is_too_long(&self, words: &str) -> bool {
        words.chars().count() > self.spec.message_chars_max
    }

    /// Of a message that is too long only the size is kept.
    fn bounded(&self, words: String) -> String {
        if self.is_too_long(&words) { format!("[{} chars]", words.chars().count()) } else { words }
    }

    /// The question that waits, when this user may answer it and it was shown.
    fn answerable(&self, user: &UserId) -> Option<Confirmation> {
        let asked = self.chat.active.turn.as_ref()?.turn.confirmation()?;
        (asked.shown_at.is_some() && self.may_answer(asked, user)).then(|| asked.clone())
    }

    pub(super) fn may_answer(&self, asked: &Confirmation, user: &UserId) -> bool {
        match &asked.who {
            Who::Anyone => true,
            Who::Requester => asked.requester == *user,
            Who::Role(role) => self.spec.agent.access.has_role(user, role),
        }
    }

    fn read(&self, inbound: &Inbound, words: &str, asked: Option<&Confirmation>) -> Answer {
        if self.is_too_long(words) {
            return Answer::Other;
        }
        let tool = asked.and_then(|asked| self.spec.agent.tool(asked.call.tool.as_str()));
        let settings = &self.spec.agent.confirm;
        let voice = match &inbound.body {
            InboundBody::Voice { confidence_permille, overlapped, .. } => Some(Voice {
                confidence: confidence_permille.map(|permille| f64::from(permille) / 1000.0),
                confidence_min: settings.confidence_min,
                overlapped: *overlapped,
            }),
            InboundBody::Media(_) => return Answer::Other,
            _ => None,
        };
        manos_answer::read(
            words,
            &Asked {
                languages: &self.spec.answer_languages,
                menu: settings.menu && !inbound.surface.buttons,
                cancels: tool.is_some_and(|tool| tool.cancels),
                voice,
            },
        )
    }

    fn classify(&mut self, inbound: &Inbound, asked: &Confirmation, words: String) {
        let says = match self.read(inbound, &words, Some(asked)) {
            Answer::Yes => Says::Yes,
            Answer::No => Says::No,
            Answer::Other => Says::Other,
        };
        let via = match inbound.body {
            InboundBody::Voice { .. } => Via::Voice,
            _ => Via::Text,
        };
        let by_a_rule = self
            .chat
            .active
            .turn
            .as_ref()
            .is_some_and(|under_way| under_way.turn.origin == manos_engine::Origin::Call);
        let too_long = self.is_too_long(&words);
        let too_late = self.now > asked.deadline;
        let words = self.bounded(words);
        self.answer(asked.id.clone(), inbound, via, words, says);
        if says == Says::Other && (by_a_rule || too_long || too_late) {
            // No model reads the words: they are a new message now, after those that wait.
            self.start_or_wait(inbound);
        }
    }

    pub(super) fn answer(
        &mut self,
        id: ConfirmationId,
        inbound: &Inbound,
        via: Via,
        words: String,
        says: Says,
    ) {
        if says == Says::Yes {
            self.chat.active.last_yes = Some((inbound.user.clone(), self.now));
        } else {
            self.forget_yes(&inbound.user);
        }
        self.turn_event(
            None,
            TurnEvent::Answered(Answered { id, by: inbound.user.clone(), via, words, says }),
        );
    }

    /// A second clear yes soon after an answered question is not a new message.
    fn is_second_yes(&self, inbound: &Inbound, words: &str) -> bool {
        let Some((user, at)) = &self.chat.active.last_yes else { return false };
        let window = i64::try_from(SECOND_YES_WINDOW.as_millis()).unwrap_or(i64::MAX);
        let age = self.now.as_millisecond() - at.as_millisecond();
        *user == inbound.user
            && (0..=window).contains(&age)
            && self.read(inbound, words, None) == Answer::Yes
    }

    fn reset(&mut self, inbound: &Inbound) {
        self.drop_waiting("reset");
        self.turn_event(None, TurnEvent::Cancelled(CancelReason::Reset));
        self.chat.memory.history.clear();
        self.chat.memory.kept.clear();
        self.chat.active.last_yes = None;
        self.out.memory_changed = true;
        if !self.chat.active.handoff && matches!(inbound.body, InboundBody::Text(_)) {
            self.notice(inbound, &self.spec.agent.texts.say(&Say::ResetDone));
        }
    }

    fn drop_waiting(&mut self, reason: &str) {
        for dropped in std::mem::take(&mut self.chat.active.waiting) {
            self.known_call(&dropped, Some(CallOutcome::Failed(Failure::Expired)));
            let mut note = Note::new(AuditKind::TurnCancelled).with("reason", reason);
            if let Some(message_id) = &dropped.message_id {
                note = note.with("message_id", message_id.as_str());
            }
            self.note(note);
        }
        self.chat.active.told_full = false;
        self.chat.active.gathering = None;
    }

    pub(super) fn handoff(&mut self, on: bool) {
        if self.chat.active.handoff == on {
            return;
        }
        self.chat.active.handoff = on;
        if on {
            self.turn_event(None, TurnEvent::Cancelled(CancelReason::Handoff));
            self.chat.active.gathering = None;
            for waiting in std::mem::take(&mut self.chat.active.waiting) {
                if matches!(waiting.body, InboundBody::Call { .. }) {
                    // Code asks without a word in the chat.
                    self.chat.active.waiting.push(waiting);
                } else {
                    self.remember_said(&words(&waiting));
                }
            }
        }
        self.note(Note::new(if on { AuditKind::HandoffStarted } else { AuditKind::HandoffEnded }));
    }

    /// A turn runs, or somebody else's question waits: the message waits too. One that is too long
    /// is answered at once, so that it need not be kept.
    pub(super) fn start_or_wait(&mut self, inbound: &Inbound) {
        if self.is_too_long(&words(inbound)) {
            let max = self.spec.message_chars_max;
            let text = self.spec.agent.texts.say(&Say::MessageTooLong { max });
            self.answer_at_once(inbound, None, &text);
            return;
        }
        if self.chat.active.turn.is_none() && self.chat.active.waiting.is_empty() {
            if !self.gather(inbound) {
                self.known_call(inbound, None);
                self.start(inbound);
            }
            return;
        }
        if self.join(inbound) {
            return;
        }
        // What was gathered is complete, and starts before this.
        self.chat.active.gathering = None;
        if self.chat.active.waiting.len() < self.spec.waiting_max {
            self.known_call(inbound, None);
            self.chat.active.waiting.push(inbound.clone());
            return;
        }
        if !self.chat.active.told_full {
            self.chat.active.told_full = true;
            self.notice(inbound, &self.spec.agent.texts.say(&Say::InboxFull));
        }
    }

    /// Notes what is known of a call from outside, when it is one.
    fn known_call(&mut self, inbound: &Inbound, outcome: Option<CallOutcome>) {
        let known_as = known_as(inbound);
        if !known_as.is_empty() {
            self.out.calls.push(KnownCall { known_as: known_as.to_vec(), outcome });
        }
    }

    /// The next message that waits, when no turn runs.
    pub(super) fn next_waiting(&mut self) {
        while self.chat.active.turn.is_none()
            && !self.chat.active.waiting.is_empty()
            && !self.gathers_still()
        {
            let next = self.chat.active.waiting.remove(0);
            self.chat.active.told_full = false;
            self.start(&next);
        }
    }
}

/// What a message says; a picture or voice note is named in brackets.
pub(super) fn words(inbound: &Inbound) -> String {
    match &inbound.body {
        InboundBody::Text(text) | InboundBody::Voice { text, .. } => text.clone(),
        InboundBody::Media(kind) => format!("[{kind}]"),
        InboundBody::Call { .. }
        | InboundBody::Cancel
        | InboundBody::Handoff(_)
        | InboundBody::Press { .. }
        | InboundBody::Reset => String::new(),
    }
}

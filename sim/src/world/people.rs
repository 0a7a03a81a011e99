//! What people write and press, and what they mean by it.

use manos_chat::{Inbound, InboundBody};
use manos_engine::{Confirmer, Surface};
use manos_model::{ChatKey, ConfirmationId};

use super::{Mail, World};
use crate::agent::TOOLS;

/// What a person means, whatever anybody reads into it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Means {
    /// A yes to the question that waits.
    Yes,
    /// A yes to just this question.
    YesTo(ConfirmationId),
    /// No yes.
    Other,
}

const YES: [&str; 3] = ["sí", "dale", "sí, por favor"];
const NO: [&str; 2] = ["no", "no, gracias"];
const COMMANDS: [&str; 9] =
    ["/reset", "/help", "!tool avisar n=1", "!tools", "paga", "avisa", "humano", "buenas", "shh"];

/// Says what a person means.
pub(crate) fn meaning(body: &InboundBody) -> Means {
    match body {
        InboundBody::Text(text) if YES.contains(&text.as_str()) => Means::Yes,
        InboundBody::Voice { text, confidence_permille, overlapped: false }
            if YES.contains(&text.as_str())
                && confidence_permille.is_none_or(|sure| sure >= 600) =>
        {
            Means::Yes
        }
        InboundBody::Press { id, yes: true } => Means::YesTo(id.clone()),
        _ => Means::Other,
    }
}

impl World {
    /// Somebody writes.
    pub(crate) fn says(&mut self, chat: u8, user: u8, what: u8) {
        let pick = |list: &[&str]| list[usize::from(what / 16) % list.len()].to_owned();
        let body = match what % 16 {
            0..=3 => InboundBody::Text(pick(&YES)),
            4 => InboundBody::Text(pick(&NO)),
            5 => InboundBody::Text(self.words("sí, pero cambia a 5")),
            6 | 7 => InboundBody::Text(pick(&COMMANDS)),
            8 => InboundBody::Media("image".into()),
            9 => InboundBody::Voice {
                text: pick(&YES),
                confidence_permille: [None, Some(300), Some(900)][usize::from(what / 16) % 3],
                overlapped: what / 16 == 7,
            },
            _ => InboundBody::Text(self.words("quiero pan")),
        };
        let chat = self.chat(chat);
        let user = ["ana", "ana", "ana", "eva"][usize::from(user) % 4];
        self.post(chat, user, body, true);
    }

    /// Words that no other message has.
    fn words(&mut self, words: &str) -> String {
        self.words += 1;
        format!("{words} m{}.", self.words)
    }

    /// Somebody presses a button they have seen.
    pub(crate) fn presses(&mut self, chat: u8, user: u8, which: u8, yes: bool) {
        let user = ["ana", "ana", "ana", "eva"][usize::from(user) % 4];
        // The newest most of the time, in the chat where it was shown most of the time.
        let back = if which < 192 { 0 } else { usize::from(which) % 8 };
        let Some((shown_in, id)) = self.truth.seen.iter().rev().nth(back).cloned() else { return };
        let chat = if chat < 230 { shown_in } else { self.chat(chat) };
        self.post(chat, user, InboundBody::Press { id, yes }, which.is_multiple_of(2));
    }

    /// Code asks for a call.
    pub(crate) fn asks(&mut self, chat: u8, tool: u8, who: u8) {
        let tool = TOOLS[usize::from(tool) % TOOLS.len()].to_owned();
        let confirmer =
            [Confirmer::Chat, Confirmer::CodeYes, Confirmer::Nobody][usize::from(who) % 3];
        let arguments = format!("{{\"n\": {}}}", 4 + who % 2);
        let chat = self.chat(chat);
        self.post(
            chat,
            "code",
            InboundBody::Call { tool, arguments, confirmer, known_as: Vec::new() },
            true,
        );
    }

    /// Somebody stops, clears, takes over or gives back.
    pub(crate) fn operates(&mut self, chat: u8, what: u8) {
        let body = match what % 6 {
            0 => InboundBody::Cancel,
            1 => InboundBody::Reset,
            2 => InboundBody::Handoff(true),
            _ => InboundBody::Handoff(false),
        };
        let chat = self.chat(chat);
        self.post(chat, "op", body, false);
    }

    fn surface(&self, chat: &ChatKey) -> Surface {
        let found = self.settings.chats.iter().find(|(name, _)| name == chat.as_str());
        found.map(|(_, surface)| *surface).unwrap_or_default()
    }

    fn post(&mut self, chat: ChatKey, user: &str, body: InboundBody, with_id: bool) {
        let id = self.new_id();
        let user = format!("{}:{user}", chat.channel()).as_str().into();
        let message_id = with_id.then(|| format!("id{id}").as_str().into());
        let surface = self.surface(&chat);
        let inbound = Inbound { message_id, user, surface, body };
        self.mail.push(Mail { id, chat, inbound });
    }

    /// Takes a message off the network; a copy may stay on its way. One without an id is sent once:
    /// nobody could tell the copy apart.
    pub(crate) fn arrives(&mut self, which: u8, copy: bool) -> Option<Mail> {
        let at = usize::from(which) % self.mail.len().max(1);
        let mail = self.mail.get(at)?.clone();
        if !copy || mail.inbound.message_id.is_none() {
            self.mail.remove(at);
        }
        Some(mail)
    }

    /// The sender hears that a message was not taken, or hears nothing: it is sent again.
    pub(crate) fn not_acknowledged(&mut self, mail: Mail) {
        let known = self.mail.iter().any(|other| other.id == mail.id);
        if !known && mail.inbound.message_id.is_some() {
            self.mail.push(mail);
        }
    }

    /// The sender hears that it is kept.
    pub(crate) fn acknowledged(&mut self, mail: &Mail, duplicate: bool) {
        self.watch.acknowledged(mail, duplicate);
    }
}

//! Nothing acknowledged is lost; what was cleared is forgotten; a turn ends once.

use std::collections::{BTreeMap, BTreeSet};

use manos_chat::{Inbound, InboundBody};
use manos_model::{ChatKey, ModelRequest, StepMessage};

use super::kept::{Kept, Line};
use super::{Promise, Watch};
use crate::world::Mail;

/// A turn under way.
#[derive(Debug, Default)]
pub(super) struct TurnWatch {
    pub(super) user: String,
    model: bool,
    /// Whether it may end without a word.
    silent: bool,
}

/// The words of a chat that no other message has, such as `m7.`.
#[derive(Debug, Default)]
pub(super) struct Words {
    /// Where each was accepted, in the order of acceptance.
    accepted: BTreeMap<String, u64>,
    /// Accepted, and not yet where they belong.
    pub(super) waiting: BTreeSet<String>,
    /// Whether messages that waited were dropped in this commit.
    dropped: bool,
    /// Everything accepted up to here was cleared.
    cleared: u64,
}

impl Watch {
    pub(super) fn turn_line(&mut self, kept: &Kept<'_>, line: &Line) {
        let chat = self.chat(&kept.commit.chat);
        match line.kind.as_str() {
            "handoff.started" => {
                chat.handoff = true;
                // What waited is kept for the operator.
                chat.words.waiting.clear();
            }
            "handoff.ended" => chat.handoff = false,
            _ => {}
        }
        for words in [&line.words, &line.text] {
            let asked = line.kind == "confirm.asked" || line.kind == "message.received";
            if let Some(words) = words.as_deref().filter(|_| !asked) {
                heard(&mut chat.words, words);
            }
        }
        if let Some(told) = &line.new_messages {
            heard(&mut chat.words, &told.to_string());
        }
        let Some(turn_id) = &line.turn_id else {
            // What was joined to a message is dropped with it, under its name.
            chat.words.dropped |= line.kind == "turn.cancelled";
            return;
        };
        let over = chat.ended.contains(turn_id);
        match line.kind.as_str() {
            "turn.started" => {
                let user = line.user.clone().unwrap_or_default();
                let silent = user.ends_with(":code");
                let turn = TurnWatch { user, silent, model: false };
                chat.turns.insert(turn_id.clone(), turn);
                // A message that a rule answers is in the trail with its turn; its words are heard.
            }
            "model.called" => {
                if let Some(turn) = chat.turns.get_mut(turn_id) {
                    turn.model = true;
                }
            }
            "confirm.expired" => {
                if let Some(turn) = chat.turns.get_mut(turn_id) {
                    turn.silent = true;
                }
            }
            "confirm.replied" => {
                if let Some(turn) = chat.turns.get_mut(turn_id).filter(|turn| !turn.model) {
                    turn.silent = true;
                }
            }
            "tool.denied" => {
                let expired = line.failure.as_ref().is_some_and(|f| f["reason"] == "expired");
                if let Some(turn) = chat.turns.get_mut(turn_id).filter(|_| expired) {
                    turn.silent = true;
                }
            }
            "turn.finished" | "turn.cancelled" => {
                let turn = chat.turns.remove(turn_id).unwrap_or_default();
                chat.ended.insert(turn_id.clone());
                if line.kind == "turn.finished" && !turn.silent {
                    chat.due.insert(turn_id.clone());
                }
            }
            _ => {}
        }
        let acts = matches!(
            line.kind.as_str(),
            "model.called" | "confirm.asked" | "turn.finished" | "turn.cancelled" | "turn.started"
        );
        self.must(!(over && acts), Promise::Ended, || {
            format!("{} of a turn that has ended", line.kind)
        });
    }

    /// Something was taken; its words must go somewhere.
    pub(super) fn received(&mut self, kept: &Kept<'_>, inbound: &Inbound) {
        let Some(words) = said(&inbound.body) else { return };
        let clears = matches!(inbound.body, InboundBody::Reset)
            || (words == "/reset" && matches!(inbound.body, InboundBody::Text(_)));
        let spoken = kept.lines.iter().map(|line| {
            let told = line.new_messages.as_ref().map(ToString::to_string).unwrap_or_default();
            format!("{} {told}", line.words.as_deref().unwrap_or_default())
        });
        let spoken: Vec<String> = spoken.collect();
        let chat = self.chat(&kept.commit.chat);
        let order = chat.words.accepted.len() as u64 + 1;
        if clears {
            chat.words.cleared = order;
            chat.words.accepted.insert(format!("cleared {order}"), order);
            return;
        }
        let Some(token) = tokens(&words).next() else { return };
        let again = chat.words.accepted.insert(token.clone(), order).is_some();
        if !chat.handoff && !spoken.iter().any(|line| line.contains(&token)) {
            chat.words.waiting.insert(token.clone());
        }
        self.must(!again, Promise::Once, || format!("{token} was taken twice"));
    }

    /// Whatever was taken is on its way in the chat, was heard, or was told that there is no room.
    pub(super) fn words_are_somewhere(&mut self, kept: &Kept<'_>) {
        let active = &kept.commit.active;
        // Of several events the later may have made room again.
        let no_room = active.contains("\"told_full\":true") || kept.events.len() > 1;
        let fresh: BTreeSet<String> = kept
            .events
            .iter()
            .filter_map(|stamped| match &stamped.event {
                manos_chat::Event::Received(inbound) => said(&inbound.body),
                _ => None,
            })
            .flat_map(|words| tokens(&words).collect::<Vec<_>>())
            .collect();
        let chat = self.chat(&kept.commit.chat);
        let mut lost = None;
        let dropped = std::mem::take(&mut chat.words.dropped);
        chat.words.waiting.retain(|token| {
            let here = active.contains(token.as_str());
            let refused = no_room && fresh.contains(token);
            if !(here || dropped || refused) {
                lost = Some(token.clone());
            }
            here
        });
        self.must(lost.is_none(), Promise::Lost, || {
            format!("{} was taken and is nowhere", lost.unwrap_or_default())
        });
    }

    /// The sender heard that a message is kept.
    pub(crate) fn acknowledged(&mut self, mail: &Mail, duplicate: bool) {
        let Some(words) = said(&mail.inbound.body) else { return };
        let chat = self.chat(&mail.chat);
        let mut all = tokens(&words);
        let kept = all.all(|token| chat.words.accepted.contains_key(&token));
        self.must(kept, Promise::Lost, || {
            format!("{words} was acknowledged (again: {duplicate}) and is not kept")
        });
    }

    /// A model hears nothing of what was cleared.
    pub(super) fn nothing_forgotten(&mut self, chat: &ChatKey, request: &ModelRequest) {
        let watch = self.chat(chat);
        if watch.words.cleared == 0 {
            return;
        }
        let history = request.history.iter().map(|entry| entry.text.as_str());
        let said = request.messages.iter().filter_map(|message| match message {
            StepMessage::User(words) => Some(words.as_str()),
            _ => None,
        });
        let cleared = watch.words.cleared;
        let old = history
            .chain(said)
            .flat_map(|text| tokens(text).collect::<Vec<_>>())
            .find(|token| watch.words.accepted.get(token).is_some_and(|order| *order <= cleared));
        self.must(old.is_none(), Promise::Forgotten, || {
            format!("the model reads {}, which was cleared", old.unwrap_or_default())
        });
    }
}

fn heard(words: &mut Words, text: &str) {
    words.waiting.retain(|token| !text.contains(token.as_str()));
}

fn said(body: &InboundBody) -> Option<String> {
    match body {
        InboundBody::Text(text) | InboundBody::Voice { text, .. } => Some(text.clone()),
        InboundBody::Reset => Some(String::new()),
        _ => None,
    }
}

/// The words such as `m7.` in a text.
fn tokens(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split_whitespace().filter_map(|word| {
        let digits = word.strip_prefix('m')?.strip_suffix('.')?;
        digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| word.to_owned())
    })
}

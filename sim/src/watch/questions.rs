//! A run needs a clear yes to exactly it, in time, of who may give it; a question has one end.

use manos_chat::{Event, Inbound, InboundBody, Stamped};
use manos_engine::Confirmer;
use manos_model::{ChatKey, Timestamp};
use manos_policy::Who;

use super::kept::{Kept, Line};
use super::{Promise, Watch};
use crate::agent::CONFIRM_TIMEOUT;
use crate::world::{Means, Truth, meaning};

/// A question as the trail and the people know it.
#[derive(Debug)]
pub(super) struct Asked {
    pub(super) chat: ChatKey,
    pub(super) digest: String,
    of_whom: String,
    shown_at: Option<Timestamp>,
    /// How it ended.
    pub(super) end: Option<String>,
    /// Who said yes, and when.
    pub(super) approved: Option<(String, Timestamp)>,
    /// The run that the yes was used for.
    pub(super) used: Option<String>,
}

impl Watch {
    pub(super) fn question_line(&mut self, kept: &Kept<'_>, line: &Line, truth: &Truth) {
        let Some(id) = &line.confirmation_id else { return };
        let id = id.as_str().into();
        let text = |field: &Option<String>| field.clone().unwrap_or_default();
        match line.kind.as_str() {
            "confirm.asked" => {
                let asked = Asked {
                    chat: kept.commit.chat.clone(),
                    digest: text(&line.digest),
                    of_whom: text(&line.asked_of),
                    shown_at: None,
                    end: None,
                    approved: None,
                    used: None,
                };
                let again = self.questions.insert(id, asked).is_some();
                self.must(!again, Promise::Question, || "a question is asked twice".to_owned());
                return;
            }
            "confirm.shown" => {
                let arrived = truth.seen.iter().any(|(_, seen)| *seen == id);
                self.must(arrived, Promise::Trail, || "a question nobody saw was shown".to_owned());
                let Some(asked) = self.questions.get_mut(&id) else { return };
                let again = asked.shown_at.is_some() || asked.end.is_some();
                asked.shown_at = line.at;
                self.must(!again, Promise::Question, || "a question is shown twice".to_owned());
                return;
            }
            "confirm.approved" | "confirm.rejected" | "confirm.replied" | "confirm.expired"
            | "confirm.cancelled" => {}
            _ => return,
        }
        let Some(asked) = self.questions.get_mut(&id) else {
            return self.breaks(Promise::Question, || format!("{} of no question", line.kind));
        };
        let before = asked.end.replace(line.kind.clone());
        if line.kind == "confirm.approved" {
            asked.approved = Some((text(&line.by), line.at.unwrap_or_default()));
        }
        self.must(before.is_none(), Promise::Question, || {
            format!("{} after {}", line.kind, before.unwrap_or_default())
        });
        if line.kind == "confirm.approved" {
            self.approved(kept, line, truth);
        }
        if line.kind == "confirm.expired" {
            self.expired(line);
        }
    }

    /// Somebody who may has said a clear yes, to just this, after it was shown and before its end.
    fn approved(&mut self, kept: &Kept<'_>, line: &Line, truth: &Truth) {
        let Some(id) = line.confirmation_id.as_deref() else { return };
        let (by, at) = (line.by.clone().unwrap_or_default(), line.at.unwrap_or_default());
        let said = kept.events.iter().any(|Stamped { event, .. }| match event {
            Event::Received(inbound) => says_yes(inbound, &by, id),
            // Code has asked, and its call may have waited.
            _ => false,
        });
        let by_code = line.via.as_deref() == Some("code") && by.ends_with(":code");
        self.must(said || by_code, Promise::Yes, || format!("{by} never said a clear yes"));
        let who = self.spec.agent.confirm.who.clone();
        let Some(asked) = self.questions.get(&id.into()) else { return };
        let (asked_of, shown_at) = (asked.of_whom.clone(), asked.shown_at);
        let (asked_in, digest) = (asked.chat.clone(), asked.digest.clone());
        let may = who == Who::Anyone || asked_of == by;
        self.must(may, Promise::Yes, || format!("{by} may not answer what {asked_of} is asked"));
        self.must(asked_in == kept.commit.chat, Promise::Yes, || "of another chat".to_owned());
        self.must(line.digest.as_ref() == Some(&digest), Promise::Yes, || {
            "the yes is to something else".to_owned()
        });
        if by_code {
            return;
        }
        let seen = truth.seen.iter().any(|(_, seen)| seen.as_str() == id);
        self.must(seen, Promise::Yes, || "the yes came before the question".to_owned());
        let in_time = shown_at.is_some_and(|shown| at <= later(shown));
        self.must(in_time, Promise::Yes, || format!("shown {shown_at:?}, the yes came {at}"));
    }

    fn expired(&mut self, line: &Line) {
        let id = line.confirmation_id.as_deref().unwrap_or_default().into();
        let Some(asked) = self.questions.get(&id) else { return };
        let early = asked.shown_at.is_some_and(|shown| line.at.is_some_and(|at| at < later(shown)));
        self.must(!early, Promise::Question, || "a question expired before its time".to_owned());
    }
}

pub(super) fn later(at: Timestamp) -> Timestamp {
    at.checked_add(CONFIRM_TIMEOUT).unwrap_or(Timestamp::MAX)
}

fn says_yes(inbound: &Inbound, by: &str, id: &str) -> bool {
    if let InboundBody::Call { confirmer: Confirmer::CodeYes, .. } = inbound.body {
        return false;
    }
    inbound.user.as_str() == by
        && match meaning(&inbound.body) {
            Means::Yes => true,
            Means::YesTo(pressed) => pressed.as_str() == id,
            Means::Other => false,
        }
}

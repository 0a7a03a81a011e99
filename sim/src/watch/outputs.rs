//! Every answer goes out, none twice where nobody could tell; a chat that a human has is silent.

use std::collections::BTreeSet;

use manos_chat::{Event, InboundBody, Stamped};
use manos_model::ChatKey;
use serde::Deserialize;

use super::kept::{Kept, Line};
use super::{Promise, Watch};
use crate::world::{Output, OutputKind, Truth};

/// The outputs of a stored chat.
#[derive(Deserialize)]
struct Stored {
    state: State,
}

#[derive(Deserialize)]
struct State {
    outbox: Vec<Waiting>,
}

#[derive(Deserialize)]
struct Waiting {
    id: String,
    kind: serde_json::Value,
}

impl Watch {
    pub(super) fn output_line(&mut self, kept: &Kept<'_>, line: &Line, truth: &Truth) {
        let sent = line.kind == "reply.sent";
        if !sent && line.kind != "reply.unknown" {
            return;
        }
        let id = line.delivery_id.as_deref().unwrap_or_default().into();
        let arrived = truth.arrived.contains_key(&id);
        self.must(arrived || !sent, Promise::Trail, || "nobody got what was sent".to_owned());
        if let Some(turn) =
            line.turn_id.as_ref().filter(|_| line.output.as_deref() == Some("reply"))
        {
            self.chat(&kept.commit.chat).due.remove(turn);
        }
    }

    /// An output is handed to the channel.
    pub(crate) fn output_sent(&mut self, chat: &ChatKey, output: &Output) {
        let OutputKind::Confirm(id) = &output.kind else { return };
        // One that did not arrive may be tried again while the end of the question is in doubt.
        let first = self.tried.insert(output.id.clone());
        let open = self.questions.get(id).is_some_and(|asked| asked.end.is_none()) || !first;
        self.must(open, Promise::Question, || {
            format!("a question that is over goes out in {chat}")
        });
    }

    /// An output is at the person.
    pub(crate) fn output_arrived(&mut self, output: &Output, repeats: bool, truth: &Truth) {
        let times = truth.arrived.get(&output.id).copied().unwrap_or(0);
        self.must(repeats || times <= 1, Promise::Doubled, || {
            format!("{:?} arrived {times} times", output.kind)
        });
    }

    /// While a human has the chat, nothing new goes out but the last word on a question.
    pub(super) fn silent(&mut self, kept: &Kept<'_>, before: bool) {
        let after = self.chat(&kept.commit.chat).handoff;
        if !after {
            return;
        }
        let Ok(stored) = serde_json::from_str::<Stored>(&kept.commit.active) else {
            return self.breaks(Promise::Sound, || "a chat does not read back".to_owned());
        };
        let changed = kept.events.iter().any(|Stamped { event, .. }| match event {
            Event::Received(inbound) => match &inbound.body {
                InboundBody::Handoff(on) => !on,
                _ => false,
            },
            _ => false,
        });
        let chat = self.chat(&kept.commit.chat);
        let known = std::mem::take(&mut chat.outbox);
        let new = stored
            .state
            .outbox
            .iter()
            .find(|output| !known.contains(&output.id) && output.kind.get("Edit").is_none());
        let new = new.map(|output| output.kind.to_string());
        chat.outbox = stored.state.outbox.iter().map(|o| o.id.clone()).collect::<BTreeSet<_>>();
        self.must(!before || changed || new.is_none(), Promise::Silent, || {
            format!("a human has the chat, and it says {}", new.unwrap_or_default())
        });
    }
}

//! What must hold when everything has come to rest.

use manos_chat::Chat;
use manos_ports::RunState;

use super::{Promise, Watch};
use crate::world::World;

impl World {
    /// Checks what must hold when nothing is left to do.
    pub(crate) fn at_rest(&mut self) {
        let names: Vec<String> = self.settings.chats.iter().map(|(name, _)| name.clone()).collect();
        for name in names {
            let key = name.as_str().into();
            let Some(stored) = self.stored(&key) else { continue };
            match Chat::read(key, &stored.active, stored.memory.as_deref()) {
                Err(error) => self.watch.breaks(Promise::Sound, || error.to_string()),
                Ok(chat) => self.watch.must(!chat.awake(), Promise::Rest, || {
                    format!("{name} is not at rest: {:?}", chat.doing())
                }),
            }
        }
        self.watch.all_told(&self.truth);
    }
}

impl Watch {
    fn all_told(&mut self, truth: &crate::world::Truth) {
        let mut broken = None;
        let mut found = |promise, how: String| {
            broken.get_or_insert((promise, how));
        };
        for (name, chat) in &self.chats {
            if let Some(turn) = chat.turns.keys().next() {
                found(Promise::Rest, format!("turn {turn} of {name} never ended"));
            }
            if let Some(token) = chat.words.waiting.first() {
                found(Promise::Lost, format!("nobody heard {token}"));
            }
            if let Some(turn) = chat.due.first() {
                found(Promise::Lost, format!("the answer of turn {turn} of {name} never went out"));
            }
        }
        for (id, asked) in &self.questions {
            if asked.end.is_none() {
                found(Promise::Question, format!("question {id} never ended"));
            }
        }
        for (id, run) in &self.runs {
            let reads = self.spec.agent.tool(&run.tool).is_some_and(|tool| tool.spec.read_only);
            if reads {
                continue;
            }
            if !run.ended {
                found(Promise::Trail, format!("the trail does not say how {} ended", run.tool));
            }
            let acted = truth.acted.contains_key(id);
            let said = run.row.map(|(state, _)| state);
            if acted && !matches!(said, Some(RunState::Done | RunState::Unknown)) {
                found(
                    Promise::Told,
                    format!("{} was done, and the ledger says {said:?}", run.tool),
                );
            }
        }
        if let Some((promise, how)) = broken {
            self.breaks(promise, || how);
        }
    }
}

//! Starting what was decided, and forgetting what has ended.

use std::sync::Arc;

use manos_chat::{ChatEffect, Event};
use tokio_util::sync::CancellationToken;

use super::{Actor, Resume};
use crate::runtime::Ended;
use crate::{effects, outbox};

impl Actor {
    /// The end of an effect is kept: nothing needs to stop it any more.
    pub(super) fn ended(&mut self, event: &Event) {
        match event {
            Event::Delivered { delivery_id, .. } => {
                self.sending.take_if(|(sending, _)| sending == delivery_id);
            }
            Event::ModelFailed { turn_id, .. } | Event::ModelReplied { turn_id, .. } => {
                self.model.take_if(|(of, _)| of == turn_id);
            }
            Event::Resumed { .. } => self.resume = Resume::Done,
            Event::ToolEnded { run_id, .. } => {
                self.runs.remove(run_id);
            }
            Event::ConfigLoaded { .. }
            | Event::Duplicate(_)
            | Event::Received(_)
            | Event::Settled { .. }
            | Event::TimeUp => {}
        }
    }

    pub(super) fn start(&mut self, effect: ChatEffect) {
        match effect {
            ChatEffect::CallModel { turn_id, request } => {
                let cancel = self.shared.stopping.child_token();
                self.model = Some((turn_id.clone(), cancel.clone()));
                let reporter = self.reporter();
                effects::call_model(&self.shared, reporter, turn_id, *request, cancel);
            }
            // The chat's outbox is the queue: see `send_next`.
            ChatEffect::Deliver(_) => {}
            ChatEffect::RunTool(run) => {
                let cancel = self.shared.stopping.child_token();
                self.runs.insert(run.order.run_id.clone(), cancel.clone());
                effects::run_tool(&self.shared, self.reporter(), *run, cancel);
            }
            ChatEffect::StopModel(turn_id) => {
                if let Some((_, cancel)) = self.model.take_if(|(of, _)| *of == turn_id) {
                    cancel.cancel();
                }
            }
            ChatEffect::StopRun(run_id) => {
                if let Some(cancel) = self.runs.remove(&run_id) {
                    cancel.cancel();
                }
            }
            ChatEffect::TurnEnded { turn_id, outcome } => {
                // Nobody may be listening.
                let _listeners =
                    self.shared.ended.send(Ended { chat: self.key.clone(), turn_id, outcome });
            }
        }
    }

    /// Sends the oldest output, when none is on its way. A chat that this process does not serve
    /// keeps its outputs for one that does.
    pub(super) fn send_next(&mut self) {
        self.withdraw_sending();
        let left_over = matches!(self.resume, Resume::Due | Resume::Asked);
        if self.sending.is_some() || left_over || !self.serves() {
            return;
        }
        let Some(next) = self.loaded.as_ref().and_then(|loaded| loaded.chat.outbox().first())
        else {
            return;
        };
        let withdrawn = CancellationToken::new();
        self.sending = Some((next.id.clone(), withdrawn.clone()));
        outbox::send(&self.shared, self.reporter(), next.clone(), withdrawn);
    }

    /// A question that was withdrawn while its output is on its way is not tried once more.
    fn withdraw_sending(&self) {
        let (Some((id, withdrawn)), Some(loaded)) = (&self.sending, &self.loaded) else { return };
        if !loaded.chat.outbox().iter().any(|delivery| delivery.id == *id) {
            withdrawn.cancel();
        }
    }

    /// Tells the end of an effect back to the chat, even when it has fallen asleep meanwhile.
    fn reporter(&self) -> effects::Reporter {
        effects::Reporter::new(self.key.clone(), self.own.clone(), Arc::clone(&self.registry))
    }
}

//! Starting what was decided, and forgetting what has ended.

use manos_chat::{ChatEffect, Delivery, DeliveryKind, Event};
use manos_model::{ChatKey, RunId, TurnId};

use super::{Desk, Resume};
use crate::world::{Output, OutputKind, World};

/// Starts what a commit brings about, in its order; not what it stops again before it began.
/// Returns runs whose yes has become stale: they end at once.
pub(super) fn start_all(world: &mut World, chat: &ChatKey, effects: Vec<ChatEffect>) -> Vec<RunId> {
    let mut stale = Vec::new();
    let stopped: Vec<TurnId> = effects
        .iter()
        .filter_map(|effect| match effect {
            ChatEffect::StopModel(turn_id) => Some(turn_id.clone()),
            _ => None,
        })
        .collect();
    for effect in effects {
        let before_it_began =
            matches!(&effect, ChatEffect::CallModel { turn_id, .. } if stopped.contains(turn_id));
        match effect {
            ChatEffect::RunTool(run)
                if run.is_stale(&world.settings.spec.agent, chat, world.now()) =>
            {
                stale.push(run.order.run_id);
            }
            effect if !before_it_began => start(world, chat, effect),
            _ => {}
        }
    }
    stale
}

fn start(world: &mut World, chat: &ChatKey, effect: ChatEffect) {
    match effect {
        ChatEffect::CallModel { turn_id, request } => {
            world.model_called(Some(chat), Some(turn_id), *request);
        }
        ChatEffect::RunTool(run) => {
            world.tool_started(chat, &run.order);
        }
        // The chat's outbox is the queue; what is stopped may end as it likes.
        ChatEffect::Deliver(_)
        | ChatEffect::StopModel(_)
        | ChatEffect::StopRun(_)
        | ChatEffect::TurnEnded { .. } => {}
    }
}

impl Desk {
    /// The end of an effect is kept.
    pub(super) fn ended(&mut self, event: &Event) {
        match event {
            Event::Delivered { delivery_id, .. } => {
                self.sending.take_if(|sending| sending == delivery_id);
            }
            Event::Resumed { .. } => self.resume = Resume::Done,
            _ => {}
        }
    }

    /// Sends the oldest output, when none is on its way.
    pub(super) fn send_next(&mut self, world: &mut World, chat: &ChatKey) {
        let left_over = matches!(self.resume, Resume::Due | Resume::Asked);
        if self.sending.is_some() || left_over || !world.serves || world.crashed {
            return;
        }
        let next = self.loaded.as_ref().and_then(|loaded| loaded.chat.outbox().first());
        let Some(next) = next.cloned() else { return };
        self.sending = Some(next.id.clone());
        world.output_sent(chat, output(next));
    }
}

fn output(delivery: Delivery) -> Output {
    let kind = match delivery.kind {
        DeliveryKind::Confirm { id, .. } => OutputKind::Confirm(id),
        DeliveryKind::Edit { id, .. } => OutputKind::Edit(id),
        DeliveryKind::Reply { text } => OutputKind::Reply(text),
    };
    Output { id: delivery.id, kind }
}

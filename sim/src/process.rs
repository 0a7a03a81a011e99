//! A process without threads, timers or waiting: it drives chats as `manos-runtime` does, at once
//! and one step at a time. What is kept when, what starts before that, and what is offered again
//! after a failure are the runtime's rules; `real.rs` plays the same worlds through the runtime.

use std::collections::{BTreeMap, VecDeque};

use manos_chat::{Chat, Event};
use manos_model::{ChatKey, DeliveryId, Stamp};
use manos_runtime::Batch;

use crate::world::{Mail, World};

mod keep;
mod start;

/// An event that is to be kept.
#[derive(Debug)]
struct Offered {
    event: Event,
    /// Whoever waits to hear that it is kept.
    taken: Option<Mail>,
    /// The stamp with which it was decided, when what it causes has begun.
    begun: Option<Stamp>,
    /// Whether its sender was told that it may not be kept.
    refused: bool,
}

impl Offered {
    fn happened(event: Event) -> Self {
        Self { event, taken: None, begun: None, refused: false }
    }
}

/// The chat as it is in memory and in the store.
#[derive(Debug)]
struct Loaded {
    chat: Chat,
    revision: u64,
    active: String,
}

/// Whether an earlier process may have left work in the chat.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Resume {
    #[default]
    Unknown,
    Due,
    Asked,
    Done,
}

/// What was begun and is not in the store.
#[derive(Debug, Default)]
struct Pending {
    batch: Batch,
    events: Vec<(Event, Stamp)>,
    since: Option<u64>,
}

/// One awake chat.
#[derive(Debug, Default)]
struct Desk {
    loaded: Option<Loaded>,
    resume: Resume,
    pending: Pending,
    unkept: VecDeque<Offered>,
    doubt: Option<keep::Doubt>,
    /// When the store is tried again.
    retry: Option<u64>,
    sending: Option<DeliveryId>,
    orders: Vec<Offered>,
}

/// The chats that are awake in one process.
#[derive(Debug, Default)]
pub(crate) struct Process {
    desks: BTreeMap<ChatKey, Desk>,
}

/// Events kept together in one commit.
const BATCH_MAX: usize = 16;

/// Events that may wait; with one more they are kept.
const PENDING_MAX: usize = 16;

/// How long something that was begun may stay out of the store, in milliseconds.
const PENDING_WAIT: u64 = 1_000;

/// How long to wait before a failing store is tried again, in milliseconds.
const RETRY_WAIT: u64 = 500;

impl Process {
    /// A message comes in.
    pub(crate) fn deliver(&mut self, world: &mut World, mail: Mail, hold: bool) {
        let event = Event::Received(mail.inbound.clone());
        let chat = mail.chat.clone();
        self.offer(
            world,
            &chat,
            Offered { event, taken: Some(mail), begun: None, refused: false },
            hold,
        );
    }

    /// Something has happened in a chat.
    pub(crate) fn happened(&mut self, world: &mut World, chat: &ChatKey, event: Event, hold: bool) {
        self.offer(world, chat, Offered::happened(event), hold);
    }

    fn offer(&mut self, world: &mut World, chat: &ChatKey, offered: Offered, hold: bool) {
        self.desks.entry(chat.clone()).or_default().orders.push(offered);
        if !hold {
            self.pump(world, chat);
        }
    }

    /// A chat takes what has been held up.
    pub(crate) fn pump(&mut self, world: &mut World, chat: &ChatKey) {
        let Some(desk) = self.desks.get_mut(chat) else { return };
        while !desk.orders.is_empty() && !world.crashed {
            let rest = desk.orders.split_off(desk.orders.len().min(BATCH_MAX));
            let batch = std::mem::replace(&mut desk.orders, rest);
            desk.keep(world, chat, batch);
        }
    }

    /// Takes up a chat that an earlier process left.
    pub(crate) fn wake(&mut self, world: &mut World, chat: &ChatKey) {
        let desk = self.desks.entry(chat.clone()).or_default();
        if desk.resume != Resume::Done {
            desk.resume = Resume::Asked;
        }
        self.pump(world, chat);
        if let Some(desk) = self.desks.get_mut(chat).filter(|_| !world.crashed) {
            desk.keep(world, chat, Vec::new());
        }
    }

    /// Does whatever is due.
    pub(crate) fn tick(&mut self, world: &mut World) {
        let chats: Vec<ChatKey> = self.desks.keys().cloned().collect();
        for chat in chats {
            self.pump(world, &chat);
            if let Some(desk) = self.desks.get_mut(&chat).filter(|_| !world.crashed) {
                desk.woke(world, &chat);
            }
        }
    }

    /// A chat at rest leaves the memory.
    pub(crate) fn sleep(&mut self, world: &mut World, chat: &ChatKey) {
        let Some(desk) = self.desks.get_mut(chat).filter(|desk| desk.idle()) else { return };
        desk.keep_pending(world, chat);
        if !world.crashed && desk.idle() && desk.pending.since.is_none() {
            self.desks.remove(chat);
        }
    }

    /// Whether nothing is left to do but what people and tools have to do.
    pub(crate) fn quiet(&self) -> bool {
        self.desks.values().all(|desk| desk.idle() && desk.pending.since.is_none())
    }
}

impl Desk {
    fn idle(&self) -> bool {
        self.loaded.as_ref().is_none_or(|loaded| !loaded.chat.awake())
            && self.unkept.is_empty()
            && self.doubt.is_none()
            && self.orders.is_empty()
            && self.sending.is_none()
            && self.resume != Resume::Asked
    }

    /// Time has passed without an order.
    fn woke(&mut self, world: &mut World, chat: &ChatKey) {
        if let Some(at) = self.retry {
            if world.even_ms >= at {
                self.keep(world, chat, Vec::new());
            }
            return;
        }
        if self.pending.since.is_some_and(|since| world.even_ms >= since + PENDING_WAIT) {
            self.keep_pending(world, chat);
        }
        let deadline = self.loaded.as_ref().and_then(|loaded| loaded.chat.deadline());
        if !world.crashed && deadline.is_some_and(|deadline| world.now() >= deadline) {
            self.keep(world, chat, vec![Offered::happened(Event::TimeUp)]);
        }
    }
}

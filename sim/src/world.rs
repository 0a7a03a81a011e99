//! The world around a process: people, models, tools, the channel, the store, the clock. It outlives
//! every process, and keeps its own record of what really happened.
//!
//! | file | subject |
//! | --- | --- |
//! | `world/keeping.rs` | the store, and its faults |
//! | `world/people.rs` | what people write and press |
//! | `world/working.rs` | model calls, runs and outputs on their way |

use std::collections::BTreeMap;

use manos_chat::Inbound;
use manos_model::{
    ChatKey, ConfirmationId, DeliveryId, ModelRequest, RunId, Seed, Stamp, Timestamp, ToolCallId,
    TurnId,
};

use crate::agent::Settings;
use crate::watch::Watch;

mod keeping;
mod people;
mod working;

pub(crate) use keeping::Faults;
pub(crate) use people::{Means, meaning};
pub(crate) use working::{ModelEnd, Outcome, Output, OutputKind, model_event};

/// Names something that is on its way.
pub(crate) type FlightId = u64;

/// Names a message on its way.
pub(crate) type MailId = u64;

/// A message on its way from a person, until it is acknowledged.
#[derive(Debug, Clone)]
pub(crate) struct Mail {
    /// Its number.
    pub id: MailId,
    /// Where to.
    pub chat: ChatKey,
    /// What.
    pub inbound: Inbound,
}

/// A model call, a run or an output on its way.
#[derive(Debug, Clone)]
pub(crate) struct Flight {
    /// Of which chat.
    pub chat: Option<ChatKey>,
    /// What it is.
    pub kind: FlightKind,
    /// Whether the process that began it is gone: it may still act, and nobody hears of it.
    pub orphan: bool,
    /// Whether it was reported as unknown; its end may still come.
    pub late: bool,
}

/// What is on its way.
#[derive(Debug, Clone)]
pub(crate) enum FlightKind {
    /// A model call.
    Model { turn_id: Option<TurnId>, request: ModelRequest },
    /// A run of a tool.
    Tool { run_id: RunId, call_id: ToolCallId, tool: String, acted: bool },
    /// An output.
    Send { output: Output, arrived: bool },
}

/// What really happened.
#[derive(Debug, Default)]
pub(crate) struct Truth {
    /// How often each run did its work.
    pub acted: BTreeMap<RunId, u32>,
    /// Runs of each call.
    pub runs_of: BTreeMap<ToolCallId, Vec<RunId>>,
    /// How often each output came to the person.
    pub arrived: BTreeMap<DeliveryId, u32>,
    /// Questions that people have seen, with their chat, in their order.
    pub seen: Vec<(ChatKey, ConfirmationId)>,
}

/// Everything but the process.
#[derive(Debug)]
pub(crate) struct World {
    /// The agent and its chats.
    pub settings: Settings,
    now_ms: i64,
    /// Goes on evenly, whatever the clock shows.
    pub even_ms: u64,
    drawn: u64,
    next_id: u64,
    /// Messages on their way.
    pub mail: Vec<Mail>,
    /// Effects on their way.
    pub flights: BTreeMap<FlightId, Flight>,
    /// Chats that a new process has to take up.
    pub to_wake: Vec<ChatKey>,
    /// Whether this process reaches the people of the chats.
    pub serves: bool,
    /// Whether the process is dead.
    pub crashed: bool,
    /// What is wrong with the store.
    pub faults: Faults,
    /// What really happened.
    pub truth: Truth,
    /// What must hold.
    pub watch: Watch,
    store: std::sync::Arc<manos_store::MemoryStore>,
    /// How many words people wrote.
    words: u64,
}

impl World {
    /// A world in which nothing has happened.
    pub(crate) fn new(settings: Settings) -> Self {
        let watch = Watch::new(std::sync::Arc::clone(&settings.spec));
        Self {
            settings,
            now_ms: 1_767_639_780_000,
            even_ms: 0,
            drawn: 0,
            next_id: 0,
            mail: Vec::new(),
            flights: BTreeMap::new(),
            to_wake: Vec::new(),
            serves: true,
            crashed: false,
            faults: Faults::default(),
            truth: Truth::default(),
            watch,
            store: std::sync::Arc::default(),
            words: 0,
        }
    }

    /// Returns the store behind its faults.
    pub(crate) fn store(&self) -> std::sync::Arc<manos_store::MemoryStore> {
        std::sync::Arc::clone(&self.store)
    }

    /// Returns what the clock shows.
    pub(crate) fn now(&self) -> Timestamp {
        Timestamp::from_millisecond(self.now_ms).unwrap_or_default()
    }

    /// Lets time go by.
    pub(crate) fn wait(&mut self, millis: u64) {
        self.even_ms += millis;
        self.now_ms += i64::try_from(millis).unwrap_or(0);
    }

    /// Puts the clock forward or back.
    pub(crate) fn jump(&mut self, seconds: i64) {
        self.now_ms += seconds * 1000;
    }

    /// Draws the chance of an event.
    pub(crate) fn draw(&mut self) -> Seed {
        self.drawn += 1;
        Seed(u128::from(self.drawn))
    }

    /// Stamps an event.
    pub(crate) fn stamp(&mut self) -> Stamp {
        Stamp { at: self.now(), seed: self.draw() }
    }

    pub(crate) fn new_id(&mut self) -> u64 {
        self.next_id += 1;
        self.next_id
    }

    /// Returns a chat by the number in a step.
    pub(crate) fn chat(&self, number: u8) -> ChatKey {
        let at = usize::from(number) % self.settings.chats.len().max(1);
        self.settings.chats.get(at).map_or_else(|| "web:1".into(), |(name, _)| name.as_str().into())
    }

    /// How many questions people have seen.
    pub(crate) fn questions_seen(&self) -> usize {
        self.truth.seen.len()
    }

    /// The process dies: what it was told and had not kept is gone, and nobody reports to it.
    pub(crate) fn die(&mut self, serves: bool) {
        self.crashed = false;
        self.serves = serves;
        self.faults.next = None;
        self.orphan_flights();
        self.to_wake = self.awake_chats();
    }
}

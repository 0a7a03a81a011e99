//! The chat as one value: what it waits for, what it remembers, and how one event changes it.
//!
//! | file | subject |
//! | --- | --- |
//! | `chat/state.rs` | the stored form and its version |
//! | `chat/apply.rs` | one event: who is concerned |
//! | `chat/route.rs` | who gets an inbound message, press or command |
//! | `chat/gather.rs` | messages in a row, joined |
//! | `chat/commands.rs` | who may write which command |
//! | `chat/press.rs` | buttons |
//! | `chat/start.rs` | how a message becomes a turn: commands, rules, model, fallback |
//! | `chat/finish.rs` | the end of a turn: replies, history, the next message |
//! | `chat/outbox.rs` | outputs on their way to the channel |
//! | `chat/settle.rs` | ends of runs that no turn waits for |
//! | `chat/direct.rs` | `!tool` and `!tools` |
//! | `chat/unwritten.rs` | what the stored memory does not have yet |

use manos_engine::{LedgerEntry, Memory, Running, Turn};
use manos_model::{ChatKey, Timestamp};

use crate::{Delivery, Doing, Inbound, Speaker};

mod apply;
mod commands;
mod direct;
mod finish;
mod gather;
mod outbox;
mod press;
mod route;
mod settle;
mod start;
mod state;
mod unwritten;

pub use apply::ChatError;
pub use state::{FORMAT, StateError};

/// One chat.
#[derive(Debug, Clone, PartialEq)]
pub struct Chat {
    key: ChatKey,
    active: Active,
    memory: Memory,
}

/// The small state: what changes with every event.
#[derive(Debug, Clone, Default, PartialEq, serde::Serialize, serde::Deserialize)]
struct Active {
    /// The `seq` of the newest audit event.
    seq: u64,
    /// The turn under way.
    turn: Option<UnderWay>,
    /// Messages that wait for it.
    waiting: Vec<Inbound>,
    /// Outputs that the channel has not taken yet.
    outbox: Vec<Delivery>,
    /// Runs that go on although their turn has ended.
    detached: Vec<Running>,
    /// Who last answered a question with yes, and when.
    last_yes: Option<(manos_model::UserId, Timestamp)>,
    /// Whether a human has the chat.
    handoff: bool,
    /// Whether somebody was told that too many messages wait.
    told_full: bool,
    /// Whether the newest message that waits may still be added to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    gathering: Option<gather::Gathering>,
    /// Ledger entries that the stored memory does not have yet.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    recorded: Vec<LedgerEntry>,
    /// What was said in turns that the stored memory does not have yet.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    unwritten: Vec<unwritten::Said>,
}

/// A turn and what the chat must know when it ends.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
struct UnderWay {
    turn: Turn,
    surface: manos_engine::Surface,
    /// What speaks for it when it was a single call.
    speaker: Option<Speaker>,
    /// The tool of a single call.
    tool: Option<String>,
    /// Whether code asked, which reads the outcome itself.
    silent: bool,
    /// The names that a call from outside is known by.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    known_as: Vec<String>,
    started_at: Timestamp,
}

impl Chat {
    /// A chat in which nothing has happened.
    pub fn new(key: ChatKey) -> Self {
        Self { key, active: Active::default(), memory: Memory::default() }
    }

    /// Returns its key.
    pub fn key(&self) -> &ChatKey {
        &self.key
    }

    /// Returns what it remembers.
    pub fn memory(&self) -> &Memory {
        &self.memory
    }

    /// Returns when [`crate::Event::TimeUp`] is due.
    pub fn deadline(&self) -> Option<Timestamp> {
        let turn = self.active.turn.as_ref().and_then(|under_way| under_way.turn.deadline());
        let gathered = self.active.gathering.as_ref().map(|gathering| gathering.until);
        turn.into_iter().chain(gathered).min()
    }

    /// Whether work is left that a new process must take up.
    pub fn awake(&self) -> bool {
        self.active.turn.is_some()
            || !self.active.waiting.is_empty()
            || !self.active.outbox.is_empty()
            || !self.active.detached.is_empty()
    }

    /// Whether nothing is left but outputs that wait for their channel.
    pub fn only_outputs_wait(&self) -> bool {
        let active = &self.active;
        let works =
            active.turn.is_some() || !active.waiting.is_empty() || !active.detached.is_empty();
        !works && !active.outbox.is_empty()
    }

    /// Returns the runs under way, with the turn of each; what a new process asks the tools about.
    pub fn runs_under_way(&self) -> impl Iterator<Item = &Running> {
        let of_turn = self.active.turn.iter().flat_map(|under_way| under_way.turn.runs());
        of_turn.chain(&self.active.detached)
    }

    /// Returns the turn under way.
    pub fn turn(&self) -> Option<&Turn> {
        self.active.turn.as_ref().map(|under_way| &under_way.turn)
    }

    /// Returns the outputs that the channel has not taken yet.
    pub fn outbox(&self) -> &[Delivery] {
        &self.active.outbox
    }

    /// Whether a human has the chat.
    pub fn in_handoff(&self) -> bool {
        self.active.handoff
    }

    /// Says what it is doing.
    pub fn doing(&self) -> Doing {
        let Some(under_way) = &self.active.turn else {
            return if !self.active.outbox.is_empty() || self.active.gathering.is_some() {
                Doing::Busy
            } else {
                Doing::Idle
            };
        };
        match under_way.turn.confirmation() {
            Some(asked) if asked.shown_at.is_some() => Doing::Waiting {
                id: asked.id.clone(),
                turn_id: under_way.turn.id.clone(),
                asked_of: asked.requester.clone(),
                tool: asked.call.tool.as_str().to_owned(),
                text: asked.text.clone(),
                deadline: asked.deadline,
            },
            _ => Doing::Busy,
        }
    }
}

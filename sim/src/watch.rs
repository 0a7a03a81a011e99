//! What must hold, checked after everything that happens. It sees what is kept, and what reaches
//! tools, models and people; it never looks into a chat.
//!
//! | file | subject |
//! | --- | --- |
//! | `watch/kept.rs` | what a commit holds, read back |
//! | `watch/questions.rs` | a run needs a clear yes to exactly it, in time, of who may give it |
//! | `watch/runs.rs` | one action, one effect, or unknown; what is told of it is true |
//! | `watch/messages.rs` | nothing acknowledged is lost; what was cleared is forgotten |
//! | `watch/outputs.rs` | every answer goes out, none twice; a chat that a human has is silent |
//! | `watch/rest.rs` | what must hold when everything has come to rest |

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use manos_chat::ChatSpec;
use manos_model::{ChatKey, ConfirmationId, RunId};

mod kept;
mod messages;
mod outputs;
mod questions;
mod rest;
mod runs;

pub(crate) use runs::StartedRun;

/// The promises, by the names that reports use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Promise {
    /// The trail has every number once, in order, and what it says is what happened.
    Trail,
    /// No effect without a clear yes to exactly it, in time, of who may give it.
    Yes,
    /// An action has one effect, or is said to be unknown.
    Once,
    /// Nothing that changes something starts before it is kept.
    KeptFirst,
    /// Each call has one result, in order, and each request is acceptable.
    Results,
    /// What the model, the ledger and the trail say of a run is true.
    Told,
    /// An equal action inside the window is not done again.
    Dedupe,
    /// Nothing acknowledged is lost.
    Lost,
    /// A question has one end, and its deadline fires once.
    Question,
    /// No output is doubled where the channel cannot tell.
    Doubled,
    /// What was cleared is forgotten.
    Forgotten,
    /// A chat that a human has is silent.
    Silent,
    /// Queues are bounded.
    Bounded,
    /// A turn that has ended does nothing more.
    Ended,
    /// Everything comes to rest.
    Rest,
    /// Nothing panics, and whatever is kept reads back.
    Sound,
}

/// A promise that was broken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broken {
    /// Which.
    pub promise: Promise,
    /// How.
    pub how: String,
}

/// What is known of the world so far.
#[derive(Debug)]
pub(crate) struct Watch {
    spec: Arc<ChatSpec>,
    chats: BTreeMap<ChatKey, ChatWatch>,
    questions: BTreeMap<ConfirmationId, questions::Asked>,
    runs: BTreeMap<RunId, runs::Run>,
    broken: Option<Broken>,
    /// Questions that were handed to a channel.
    tried: BTreeSet<manos_model::DeliveryId>,
    /// The kinds of audit events that were kept.
    pub kinds: BTreeSet<String>,
}

/// What is known of one chat.
#[derive(Debug, Default)]
struct ChatWatch {
    seq: u64,
    handoff: bool,
    /// Outputs that waited when a human took the chat.
    outbox: BTreeSet<String>,
    /// Turns under way.
    turns: BTreeMap<String, messages::TurnWatch>,
    /// Turns that have ended.
    ended: BTreeSet<String>,
    words: messages::Words,
    /// Turns whose answer is due.
    due: BTreeSet<String>,
}

impl Watch {
    /// Nothing is known.
    pub(crate) fn new(spec: Arc<ChatSpec>) -> Self {
        Self {
            spec,
            chats: BTreeMap::new(),
            questions: BTreeMap::new(),
            runs: BTreeMap::new(),
            broken: None,
            tried: BTreeSet::new(),
            kinds: BTreeSet::new(),
        }
    }

    /// Returns the first promise that was broken.
    pub(crate) fn broken(&self) -> Option<&Broken> {
        self.broken.as_ref()
    }

    /// Says that a promise is broken; the first one counts.
    pub(crate) fn breaks(&mut self, promise: Promise, how: impl FnOnce() -> String) {
        if self.broken.is_none() {
            self.broken = Some(Broken { promise, how: how() });
        }
    }

    fn must(&mut self, holds: bool, promise: Promise, how: impl FnOnce() -> String) {
        if !holds {
            self.breaks(promise, how);
        }
    }

    fn chat(&mut self, chat: &ChatKey) -> &mut ChatWatch {
        self.chats.entry(chat.clone()).or_default()
    }
}

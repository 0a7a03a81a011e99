//! What a chat decides.

use serde::{Deserialize, Serialize};

use manos_engine::{CallOutcome, LedgerEntry, ToolRun};
use manos_model::{
    AuditEvent, ConfirmationId, DeliveryId, ModelRequest, RunId, Timestamp, TurnId, UserId,
};

/// What the shell must do next.
///
/// Exhaustive on purpose: a new effect must break every driver that does not handle it.
#[derive(Debug)]
pub enum ChatEffect {
    /// Make a model call.
    CallModel {
        /// For this turn.
        turn_id: TurnId,
        /// The call.
        request: Box<ModelRequest>,
    },
    /// Send an output.
    Deliver(Delivery),
    /// Run an approved call.
    RunTool(Box<ToolRun>),
    /// Stop the model call of a turn that has ended.
    StopModel(TurnId),
    /// Stop a run that changes nothing.
    StopRun(RunId),
    /// A turn has ended; for whoever waits for it.
    TurnEnded {
        /// Which.
        turn_id: TurnId,
        /// What came of its single call, when it was one.
        outcome: Option<CallOutcome>,
    },
}

/// An output on its way.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Delivery {
    /// Its id, equal for every try.
    pub id: DeliveryId,
    /// The turn it belongs to.
    pub turn_id: Option<TurnId>,
    /// Whether sending it twice does no harm.
    pub repeats: bool,
    /// What it is.
    pub kind: DeliveryKind,
}

/// What goes out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum DeliveryKind {
    /// A question.
    Confirm {
        /// Its id.
        id: ConfirmationId,
        /// The tool.
        tool: String,
        /// The tool's name for people.
        title: String,
        /// The whole text.
        text: String,
        /// Labels of Yes and No where buttons are drawn.
        buttons: Option<[String; 2]>,
        /// Until when it waits.
        expires_at: Timestamp,
    },
    /// New text for a question that no longer waits.
    Edit {
        /// The question.
        id: ConfirmationId,
        /// Its new text.
        text: String,
    },
    /// A text.
    Reply {
        /// The text.
        text: String,
    },
}

impl ChatEffect {
    /// Whether it can be made again when a crash has lost that it was begun.
    fn repeats_without_harm(&self) -> bool {
        match self {
            Self::CallModel { .. } | Self::StopModel(_) | Self::StopRun(_) => true,
            Self::RunTool(run) => run.read_only,
            Self::Deliver(_) | Self::TurnEnded { .. } => false,
        }
    }
}

/// When an event, and what it decided, must be in the store.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Keep {
    /// Before anything begins that it causes, and before anybody is told.
    #[default]
    First,
    /// Together with the next event that is kept first, and soon in any case. A crash before loses
    /// nothing but work: the chat is taken up where it was, the model is asked again, what only
    /// reads is read again.
    Later,
}

/// What one event causes.
#[derive(Debug, Default)]
pub struct Decision {
    /// What the shell must do, in this order, once the event is kept.
    pub effects: Vec<ChatEffect>,
    /// What the trail gets.
    pub audit: Vec<AuditEvent>,
    /// Ledger rows that are new or changed.
    pub runs: Vec<LedgerEntry>,
    /// Calls from outside that were taken or have ended, in order.
    pub calls: Vec<KnownCall>,
    /// Whether the memory changed.
    pub memory_changed: bool,
    /// Turns that start here.
    pub turns_started: Vec<TurnId>,
    /// When it must be kept.
    pub keep: Keep,
}

/// A call from outside and what is known of it.
#[derive(Debug, Clone, PartialEq)]
pub struct KnownCall {
    /// The names its sender gave it.
    pub known_as: Vec<String>,
    /// What came of it; `None` while it waits or runs.
    pub outcome: Option<CallOutcome>,
}

impl Decision {
    /// Whether all of it can be decided and begun anew when a crash has lost it.
    pub(crate) fn repeats_without_harm(&self) -> bool {
        let nothing_done = self.runs.is_empty() && !self.memory_changed;
        nothing_done
            && self.calls.is_empty()
            && self.turns_started.is_empty()
            && self.effects.iter().all(ChatEffect::repeats_without_harm)
    }
}

/// What a chat is doing, for whoever writes to it.
#[derive(Debug, Clone, PartialEq)]
pub enum Doing {
    /// A turn runs.
    Busy,
    /// Nothing.
    Idle,
    /// A person is asked.
    Waiting {
        /// The question.
        id: ConfirmationId,
        /// The turn that asks.
        turn_id: TurnId,
        /// Of whom.
        asked_of: UserId,
        /// The tool it is about.
        tool: String,
        /// Its text.
        text: String,
        /// Until when.
        deadline: Timestamp,
    },
}

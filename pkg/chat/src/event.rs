//! What happens to a chat, as it is stored.

use serde::{Deserialize, Serialize};

use manos_engine::{Confirmer, KnownEnd, Surface};
use manos_model::{
    ConfirmationId, DeliveryId, MessageId, ModelFailure, ModelReply, RunEnd, RunId, Stamp, TurnId,
    UserId,
};

/// Something a person, or code, sent into the chat.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Inbound {
    /// The channel's id of it; equal ids are one message.
    pub message_id: Option<MessageId>,
    /// Who sent it.
    pub user: UserId,
    /// What the channel can do.
    pub surface: Surface,
    /// What it is.
    pub body: InboundBody,
}

/// What came in.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum InboundBody {
    /// A single call asked for by code.
    Call {
        /// The tool.
        tool: String,
        /// The arguments as JSON text.
        arguments: String,
        /// Who can be asked.
        confirmer: Confirmer,
        /// The names its sender gave it: under one of them it is not run a second time.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        known_as: Vec<String>,
    },
    /// Stops the turn under way.
    Cancel,
    /// A human takes the chat over, or gives it back.
    Handoff(bool),
    /// A picture, voice note, sticker or place, by its kind.
    Media(String),
    /// A button under a question.
    Press {
        /// The question.
        id: ConfirmationId,
        /// Whether it was Yes.
        yes: bool,
    },
    /// Forgets what was said.
    Reset,
    /// Words.
    Text(String),
    /// A transcript.
    Voice {
        /// The words.
        text: String,
        /// How sure the recogniser is, in thousandths.
        confidence_permille: Option<u32>,
        /// Whether the agent was speaking.
        overlapped: bool,
    },
}

/// Something that happened to a chat; the only thing that changes it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Event {
    /// The agent was started from this file; kept in a chat of the agent's own.
    ConfigLoaded {
        /// SHA-256 of the file, in hex.
        digest: String,
    },
    /// A message id came again.
    Duplicate(MessageId),
    /// An output went out, or did not.
    Delivered {
        /// Which.
        delivery_id: DeliveryId,
        /// What became of it.
        outcome: DeliveryOutcome,
    },
    /// A model call brought nothing.
    ModelFailed {
        /// The turn it was for.
        turn_id: TurnId,
        /// Why.
        failure: ModelFailure,
        /// How long the call took, its retries included; older logs do not say.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        duration_ms: Option<u64>,
    },
    /// A model call brought a reply.
    ModelReplied {
        /// The turn it was for.
        turn_id: TurnId,
        /// The reply.
        reply: Box<ModelReply>,
        /// How long the call took, its retries included; older logs do not say.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        duration_ms: Option<u64>,
    },
    /// Something came in.
    Received(Inbound),
    /// A new process takes the chat up.
    Resumed {
        /// What is known of the runs that were under way.
        known: Vec<(RunId, KnownEnd)>,
    },
    /// A human says how an unknown run ended.
    Settled {
        /// The run.
        run_id: RunId,
        /// Whether it was done.
        done: bool,
    },
    /// Time has passed.
    TimeUp,
    /// A run ended.
    ToolEnded {
        /// The run.
        run_id: RunId,
        /// How.
        end: RunEnd,
        /// How long it took.
        duration_ms: u64,
    },
}

/// What became of an output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum DeliveryOutcome {
    /// It did not arrive and is not tried again.
    NotSent,
    /// The channel took it.
    Sent,
    /// Nobody can tell.
    Unknown,
}

/// An event with its time and chance, as the log keeps it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Stamped {
    /// When, and the chance.
    pub stamp: Stamp,
    /// What.
    pub event: Event,
}

//! What the shell must do next, and what it tells back.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use manos_model::{
    ConfirmationId, Failure, HistoryEntry, ModelFailure, ModelReply, ModelRequest, RunEnd, RunId,
    Timestamp, TurnId, UserId,
};
use manos_policy::RunOrder;

/// What the shell must do next.
///
/// Exhaustive on purpose: a new effect must break every driver that does not handle it.
#[derive(Debug)]
pub enum Effect {
    /// Put a question before a person.
    Ask(Question),
    /// Make a model call.
    CallModel(Box<ModelRequest>),
    /// Replace the text of a question that no longer waits; its buttons go.
    Edit {
        /// The question.
        id: ConfirmationId,
        /// Its new text.
        text: String,
    },
    /// The turn has ended.
    Finish(Finished),
    /// Run an approved call.
    RunTool(Box<ToolRun>),
    /// Send a text that is not the answer yet.
    Say(String),
    /// Stop a run that changes nothing.
    StopRun(RunId),
}

/// An approved call about to run.
#[derive(Debug)]
pub struct ToolRun {
    /// What runs, under which id.
    pub order: RunOrder,
    /// The tool's name for people.
    pub title: String,
    /// The turn.
    pub turn_id: TurnId,
    /// The model call that asked for it; 0 is none.
    pub step: u32,
    /// Who asked.
    pub user: UserId,
    /// Whether it changes nothing, so that it may be stopped and made again.
    pub read_only: bool,
}

/// A question to a person.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// Its id.
    pub id: ConfirmationId,
    /// The tool.
    pub tool: String,
    /// The tool's name for people.
    pub title: String,
    /// The whole text.
    pub text: String,
    /// Labels of Yes and No where buttons are drawn.
    pub buttons: Option<[String; 2]>,
    /// Until when it waits.
    pub expires_at: Timestamp,
}

/// How a turn ended.
#[derive(Debug, Clone, PartialEq)]
pub struct Finished {
    /// How.
    pub end: TurnEnd,
    /// What the person said in it, for the history.
    pub said: Vec<HistoryEntry>,
    /// A line that tells what was done and not told yet.
    pub untold: Option<String>,
}

/// The ends of a turn.
#[derive(Debug, Clone, PartialEq)]
pub enum TurnEnd {
    /// The agent answers.
    Answered(String),
    /// A single call, asked for by a rule or a person, has ended.
    CallEnded {
        /// The parsed arguments; empty when there were none.
        arguments: Map<String, Value>,
        /// What came of it.
        outcome: CallOutcome,
    },
    /// Somebody stopped it.
    Cancelled(CancelReason),
    /// Nobody answered the question in time.
    Expired {
        /// For the model, in the history.
        note: String,
        /// For the person, when a yes came too late to be acted on.
        late_yes: Option<String>,
    },
}

/// What came of a single call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum CallOutcome {
    /// A result.
    Done(Value),
    /// A failure.
    Failed(Failure),
    /// The person answered the question with something else, which is now a new message.
    Replied(String),
}

/// Who stopped a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum CancelReason {
    /// The person at the terminal.
    Cancelled,
    /// A human took the chat over.
    Handoff,
    /// `/reset`.
    Reset,
}

impl CancelReason {
    /// Returns the word in the trail.
    pub fn word(self) -> &'static str {
        match self {
            Self::Cancelled => "cancelled",
            Self::Handoff => "handoff",
            Self::Reset => "reset",
        }
    }
}

/// How an answer came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Via {
    /// From code that supplied the confirmer.
    Code,
    /// A button.
    Press,
    /// A reaction.
    Reaction,
    /// Typed.
    Text,
    /// Spoken.
    Voice,
}

impl Via {
    /// Returns the word in the trail.
    pub fn word(self) -> &'static str {
        match self {
            Self::Code => "code",
            Self::Press => "press",
            Self::Reaction => "reaction",
            Self::Text => "text",
            Self::Voice => "voice",
        }
    }
}

/// An answer to a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answered {
    /// The question.
    pub id: ConfirmationId,
    /// Who answered.
    pub by: UserId,
    /// How.
    pub via: Via,
    /// Their words; empty for a press.
    pub words: String,
    /// What they say.
    pub says: Says,
}

/// What an answer says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Says {
    /// A clear no.
    No,
    /// Anything else.
    Other,
    /// A clear yes.
    Yes,
}

/// What happened to a turn.
#[derive(Debug, Clone)]
pub enum TurnEvent {
    /// A person answered.
    Answered(Answered),
    /// Somebody stops it.
    Cancelled(CancelReason),
    /// No model reply came.
    ModelFailed {
        /// Why.
        failure: ModelFailure,
        /// How long the call took, when it is known.
        duration_ms: Option<u64>,
    },
    /// A model reply came.
    ModelReplied {
        /// The reply.
        reply: Box<ModelReply>,
        /// How long the call took, when it is known.
        duration_ms: Option<u64>,
    },
    /// A new process takes the turn up; what is known of the runs that were under way.
    Resumed(Vec<(RunId, KnownEnd)>),
    /// The channel took the question.
    Shown(ConfirmationId),
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

/// What is known of a run that an earlier process began.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum KnownEnd {
    /// It was done, with this result.
    Done(Value),
    /// It was not done, for certain.
    NotDone,
    /// Nobody can tell.
    Unknown,
}

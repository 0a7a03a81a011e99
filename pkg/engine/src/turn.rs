//! One turn: everything between one message and the agent's answer to it.
//!
//! The turn is told what happened ([`TurnEvent`]) and says what to do next ([`crate::Effect`]).
//! Its whole state is one serialisable value. It knows nothing of channels, stores or clocks, and
//! it cannot run anything: it asks policy, and hands on what policy approved.
//!
//! | file | subject |
//! | --- | --- |
//! | `turn/begin.rs` | how a turn starts |
//! | `turn/model.rs` | replies and failures of the model, and the bounds of the loop |
//! | `turn/reply.rs` | how a model reply is read |
//! | `turn/call.rs` | one tool call, from its name to the verdict |
//! | `turn/launch.rs` | how a run starts |
//! | `turn/ask.rs` | the question |
//! | `turn/quote.rs` | the facts a question is made from |
//! | `turn/answer.rs` | what becomes of the question |
//! | `turn/run.rs` | the end of a run |
//! | `turn/told.rs` | what the trail shows of a model request |
//! | `turn/resume.rs` | cancelling, and taking up after a crash |

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use manos_model::{
    CallArguments, HistoryEntry, RunId, Spent, StepMessage, Timestamp, ToolCallId, ToolResult,
    TurnId, UserId,
};
use manos_policy::{ApprovalRecord, Confirmation, PreparedCall};

use crate::{Step, TurnEvent};

mod answer;
mod ask;
mod begin;
mod call;
mod launch;
mod model;
mod quote;
mod reply;
mod resume;
mod run;
mod told;

pub use begin::{Beginning, DirectCall};
pub use model::usage_fields;

/// What asked for the turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Origin {
    /// A rule, a command or code asked for one call.
    Call,
    /// The model answers.
    Model,
}

/// Who can be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Confirmer {
    /// The people in the chat.
    Chat,
    /// Code that says yes to whatever it asks for itself.
    CodeYes,
    /// Nobody.
    Nobody,
}

/// What the chat's channel can do.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Surface {
    /// It draws buttons.
    pub buttons: bool,
    /// It can change a message that was sent.
    pub edits: bool,
    /// A text sent twice does no harm, or the channel can tell.
    pub repeats: bool,
    /// It speaks.
    pub voice: bool,
}

/// A tool call of the step under way.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct StepCall {
    id: ToolCallId,
    name: String,
    arguments: CallArguments,
    /// The arguments as they will be run with, once they were found valid.
    parsed: Option<Map<String, Value>>,
    result: Option<ToolResult>,
}

/// Why a run was started.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
enum Purpose {
    /// It is the call at this place of the step.
    Call(usize),
    /// It brings what the question about another call is made from.
    Quote,
}

/// A run under way.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Running {
    /// Its id.
    pub run_id: RunId,
    /// What runs.
    pub call: PreparedCall,
    /// Why it may.
    pub approval: ApprovalRecord,
    /// When it was started.
    pub started_at: Timestamp,
    purpose: Purpose,
}

/// A call whose question is being made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Asking {
    /// Its place in the step.
    index: usize,
    call: PreparedCall,
    /// How often its lines had changed after a yes.
    changed: u32,
    /// The yes that waits for the lines to be compared.
    given: Option<GivenYes>,
}

/// A yes, kept while the facts of its question are fetched again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct GivenYes {
    confirmation: Confirmation,
    by: UserId,
    at: Timestamp,
}

/// What the turn waits for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
enum Stage {
    /// The answer of a person.
    Answer { asking: Asking, confirmation: Box<Confirmation> },
    /// The end of the runs under way.
    Calls,
    /// The reply of the model.
    Model,
    /// The facts a question is made from.
    Quote(Asking),
    /// Nothing: it has ended.
    Ended,
}

/// One turn. See the module.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Turn {
    /// Its id.
    pub id: TurnId,
    /// Whose message started it.
    pub user: UserId,
    /// What asked for it.
    pub origin: Origin,
    confirmer: Confirmer,
    surface: Surface,
    started_at: Timestamp,
    /// Time spent waiting for people; it does not age the turn.
    waited_ms: u64,
    /// Model calls made.
    step: u32,
    /// Model calls made when the person last answered: those are given back.
    step_base: u32,
    questions: u32,
    /// Set when the last call without tools has been made.
    closing: bool,
    retried_empty: bool,
    told_cut: bool,
    calls_refused_by_provider: u32,
    messages: Vec<StepMessage>,
    calls: Vec<StepCall>,
    /// Whether a call of this step was answered with anything but yes.
    step_refused: bool,
    /// Calls a person refused in this turn, by tool and arguments.
    refused: Vec<String>,
    /// How often each call failed in this turn.
    failed: BTreeMap<String, u32>,
    runs: Vec<Running>,
    stage: Stage,
    /// Titles of effects done that the person has not been told of.
    untold: Vec<String>,
    /// What the person said, for the history.
    said: Vec<HistoryEntry>,
    /// What its model calls used and cost.
    #[serde(default, skip_serializing_if = "Spent::is_nothing")]
    spent: Spent,
    /// Whether the history was cut because the model could not take it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    trimmed: bool,
}

impl Turn {
    /// Applies one event. An event that does not concern the turn as it is changes nothing.
    pub fn apply(&mut self, event: TurnEvent, step: &mut Step<'_>) {
        match event {
            TurnEvent::Answered(answer) => self.answered(answer, step),
            TurnEvent::Cancelled(reason) => self.withdraw(reason, step),
            TurnEvent::ModelFailed { failure, duration_ms } => {
                self.model_failed(&failure, duration_ms, step);
            }
            TurnEvent::ModelReplied { reply, duration_ms } => {
                self.model_replied(&reply, duration_ms, step);
            }
            TurnEvent::Resumed(known) => self.resume(&known, step),
            TurnEvent::Shown(id) => self.shown(&id, step),
            TurnEvent::TimeUp => self.time_up(step),
            TurnEvent::ToolEnded { run_id, end, duration_ms } => {
                self.tool_ended(&run_id, end, duration_ms, step);
            }
        }
    }

    /// Returns the question that waits for an answer.
    pub fn confirmation(&self) -> Option<&Confirmation> {
        match &self.stage {
            Stage::Answer { confirmation, .. } => Some(confirmation),
            Stage::Calls | Stage::Model | Stage::Quote(_) | Stage::Ended => None,
        }
    }

    /// Returns the instant at which [`TurnEvent::TimeUp`] is due.
    pub fn deadline(&self) -> Option<Timestamp> {
        self.confirmation().map(|confirmation| confirmation.deadline)
    }

    /// Returns the runs under way.
    pub fn runs(&self) -> &[Running] {
        &self.runs
    }

    /// Whether it waits for the model.
    pub fn awaits_model(&self) -> bool {
        self.stage == Stage::Model
    }

    /// Whether it has ended.
    pub fn ended(&self) -> bool {
        self.stage == Stage::Ended
    }

    /// Returns what its model calls used and cost.
    pub fn spent(&self) -> &Spent {
        &self.spent
    }

    /// Returns the model calls made.
    pub fn step(&self) -> u32 {
        self.step
    }
}

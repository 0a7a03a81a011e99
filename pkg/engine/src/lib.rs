//! The turn: a pure state machine from events to effects.
//!
//! A [`Turn`] is told what happened and says what to do next. Time and ids come in with the
//! events; the same events in give the same effects out, always.
//!
//! What a turn remembers beyond itself is [`Memory`]: the [`History`] of what was said and the
//! [`Ledger`] of what was done. What an agent is, is an [`AgentSpec`].

#![warn(clippy::wildcard_enum_match_arm)]

mod bound;
mod effect;
mod history;
mod ledger;
mod prompt;
mod spec;
mod trail;
mod turn;

pub use bound::bounded_result;
pub use effect::{
    Answered, CallOutcome, CancelReason, Effect, Finished, KnownEnd, Question, Says, ToolRun,
    TurnEnd, TurnEvent, Via,
};
pub use history::{History, agent_said, user_said};
pub use ledger::{Asker, EntryState, Intent, Ledger, LedgerEntry};
pub use spec::{
    AgentParts, AgentSpec, ConfirmSettings, DuplicateTool, Filled, Limits, LinesFn, QuestionBody,
    QuoteSource, SystemNote, Tool,
};
pub use trail::{Caused, Memory, Note, Step};
pub use turn::{Beginning, Confirmer, DirectCall, Origin, Running, Surface, Turn, usage_fields};

//! How a turn starts.

use std::collections::BTreeMap;

use manos_model::{AuditKind, CallArguments, Spent, StepMessage, TurnId, UserId};

use super::{Confirmer, Origin, Stage, StepCall, Surface, Turn};
use crate::trail::Note;
use crate::{Step, history};

/// What a turn starts with.
#[derive(Debug, Clone)]
pub struct Beginning {
    /// Whose message it is.
    pub user: UserId,
    /// The message.
    pub text: String,
    /// Who can be asked.
    pub confirmer: Confirmer,
    /// What the channel can do.
    pub surface: Surface,
}

/// A single call that a rule, a command or code asks for.
#[derive(Debug, Clone, PartialEq)]
pub struct DirectCall {
    /// The tool.
    pub tool: String,
    /// Its arguments.
    pub arguments: CallArguments,
}

impl Turn {
    /// Starts a turn that the model answers.
    pub fn ask_model(beginning: Beginning, step: &mut Step<'_>) -> Self {
        let mut turn = Self::new(beginning, Origin::Model, step);
        turn.call_model(step);
        turn
    }

    /// Starts a turn of one call.
    pub fn call(beginning: Beginning, call: DirectCall, step: &mut Step<'_>) -> Self {
        let mut turn = Self::new(beginning, Origin::Call, step);
        turn.calls.push(StepCall {
            id: step.ids.next_hex().into(),
            name: call.tool,
            arguments: call.arguments,
            parsed: None,
            result: None,
        });
        turn.stage = Stage::Calls;
        turn.advance(step);
        turn
    }

    fn new(beginning: Beginning, origin: Origin, step: &mut Step<'_>) -> Self {
        let id = TurnId::new(step.ids.next_hex());
        step.note(
            Note::new(AuditKind::TurnStarted).turn(&id).with("user", beginning.user.as_str()),
        );
        Self {
            id,
            user: beginning.user,
            origin,
            confirmer: beginning.confirmer,
            surface: beginning.surface,
            started_at: step.now,
            waited_ms: 0,
            step: 0,
            step_base: 0,
            questions: 0,
            closing: false,
            retried_empty: false,
            told_cut: false,
            calls_refused_by_provider: 0,
            messages: vec![StepMessage::User(beginning.text.clone())],
            calls: Vec::new(),
            step_refused: false,
            refused: Vec::new(),
            failed: BTreeMap::new(),
            runs: Vec::new(),
            stage: Stage::Model,
            untold: Vec::new(),
            said: vec![history::user_said(beginning.text)],
            spent: Spent::default(),
            trimmed: false,
        }
    }
}

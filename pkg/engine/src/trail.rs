//! Where a transition writes what it causes: effects, audit events, ledger rows.

use serde_json::{Map, Value};

use manos_model::{
    AgentName, AuditEvent, AuditFields, AuditKind, ChatKey, Ids, RunId, Timestamp, ToolCallId,
    TurnId,
};

use crate::{AgentSpec, Effect, History, Ledger, LedgerEntry, Running};

/// What a chat remembers beyond the turn.
#[derive(Debug, Clone, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Memory {
    /// What was said.
    pub history: History,
    /// What was done.
    pub ledger: Ledger,
    /// Results kept for later rules.
    pub kept: Map<String, Value>,
    /// Whether the greeting was said.
    pub greeted: bool,
}

/// One transition under way: what it reads, and what it causes.
#[derive(Debug)]
pub struct Step<'a> {
    /// The agent.
    pub agent: &'a AgentSpec,
    /// The chat.
    pub chat: &'a ChatKey,
    /// When.
    pub now: Timestamp,
    /// New ids.
    pub ids: &'a mut Ids,
    /// The chat's memory.
    pub memory: &'a mut Memory,
    /// The `seq` of the newest audit event.
    pub seq: &'a mut u64,
    /// What it causes.
    pub caused: Caused,
}

/// What a transition causes, in order.
#[derive(Debug, Default)]
pub struct Caused {
    /// What the shell must do.
    pub effects: Vec<Effect>,
    /// What the trail gets.
    pub audit: Vec<AuditEvent>,
    /// Ledger rows that are new or changed.
    pub runs: Vec<LedgerEntry>,
    /// Whether the memory changed.
    pub memory_changed: bool,
    /// Runs that go on although their turn has ended.
    pub detached: Vec<Running>,
}

impl Step<'_> {
    /// Adds an effect.
    pub fn cause(&mut self, effect: Effect) {
        self.caused.effects.push(effect);
    }

    /// Adds an audit event.
    pub fn note(&mut self, note: Note) {
        *self.seq += 1;
        self.caused.audit.push(note.finish(
            *self.seq,
            self.now,
            self.agent.name.clone(),
            self.chat.clone(),
        ));
    }

    /// Records a run in the ledger.
    pub fn record(&mut self, entry: LedgerEntry) {
        self.caused.runs.push(entry.clone());
        self.memory.ledger.record(entry);
        self.caused.memory_changed = true;
    }
}

/// An audit event being written.
#[derive(Debug)]
#[must_use]
pub struct Note {
    kind: AuditKind,
    turn_id: Option<TurnId>,
    step: Option<u32>,
    tool: Option<String>,
    call_id: Option<ToolCallId>,
    run_id: Option<RunId>,
    duration_ms: Option<u64>,
    fields: AuditFields,
}

impl Note {
    /// Starts one.
    pub fn new(kind: AuditKind) -> Self {
        Self {
            kind,
            turn_id: None,
            step: None,
            tool: None,
            call_id: None,
            run_id: None,
            duration_ms: None,
            fields: AuditFields::default(),
        }
    }

    /// Says in which turn.
    pub fn turn(mut self, id: &TurnId) -> Self {
        self.turn_id = Some(id.clone());
        self
    }

    /// Says in which model call; 0 is none.
    pub fn step(mut self, step: u32) -> Self {
        self.step = (step > 0).then_some(step);
        self
    }

    /// Says which tool.
    pub fn tool(mut self, name: &str) -> Self {
        self.tool = Some(name.to_owned());
        self
    }

    /// Says which call.
    pub fn call(mut self, id: &ToolCallId) -> Self {
        self.call_id = Some(id.clone());
        self
    }

    /// Says which run.
    pub fn run(mut self, id: &RunId) -> Self {
        self.run_id = Some(id.clone());
        self
    }

    /// Says how long it took, when that is known.
    pub fn lasted(mut self, duration_ms: impl Into<Option<u64>>) -> Self {
        self.duration_ms = duration_ms.into();
        self
    }

    /// Adds a field; each name once.
    pub fn with(mut self, name: &'static str, value: impl serde::Serialize) -> Self {
        self.fields.push(name, &value);
        self
    }

    fn finish(self, seq: u64, at: Timestamp, agent: AgentName, chat_key: ChatKey) -> AuditEvent {
        AuditEvent {
            seq,
            at,
            kind: self.kind,
            agent,
            chat_key,
            turn_id: self.turn_id,
            step: self.step,
            tool: self.tool,
            call_id: self.call_id,
            run_id: self.run_id,
            duration_ms: self.duration_ms,
            fields: self.fields,
        }
    }
}

//! A decision as one commit of the store.

use std::borrow::Cow;

use manos_chat::{Chat, ChatSpec, Decision, Event, KnownCall};
use manos_engine::{EntryState, LedgerEntry};
use manos_model::{AuditEvent, AuditKind, ChatKey, MessageId, Stamp, Timestamp, TurnId};
use manos_ports::{AuditLine, CallRow, Commit, RunRow, RunState};
use serde::Serialize;
use serde_json::{Map, Value};

/// Collects what one or more events decided, to be kept together.
#[derive(Debug, Default)]
pub struct Batch {
    events: Vec<String>,
    audit: Vec<AuditLine>,
    runs: Vec<RunRow>,
    calls: Vec<CallRow>,
    turns_started: Vec<TurnId>,
    memory_changed: bool,
    message_id: Option<MessageId>,
}

/// What a ledger row tells of its run; `null` where the tool is redacted.
#[derive(Serialize)]
struct ToldRun<'a> {
    tool: &'a str,
    turn_id: &'a str,
    user: &'a str,
    digest: &'a str,
    arguments: Option<Cow<'a, Map<String, Value>>>,
    result: Option<&'a Value>,
}

#[derive(Serialize)]
struct StampedRef<'a> {
    stamp: Stamp,
    event: &'a Event,
}

impl Batch {
    /// Adds an event and what it decided.
    ///
    /// # Errors
    ///
    /// Never in practice: every part of it serialises.
    pub fn add(
        &mut self,
        chat: &ChatKey,
        spec: &ChatSpec,
        event: &Event,
        stamp: Stamp,
        decision: &mut Decision,
    ) -> Result<(), serde_json::Error> {
        self.events.push(serde_json::to_string(&StampedRef { stamp, event })?);
        for event in decision.audit.drain(..) {
            log_error(&event);
            let json = event.to_json();
            self.audit.push(AuditLine { turn_id: event.turn_id, json });
        }
        for entry in decision.runs.drain(..) {
            self.runs.push(run_row(chat, spec, &entry)?);
        }
        for call in decision.calls.drain(..) {
            self.add_call(chat, &call, stamp.at)?;
        }
        self.turns_started.append(&mut decision.turns_started);
        self.memory_changed |= decision.memory_changed;
        if let Event::Received(inbound) = event {
            self.message_id.clone_from(&inbound.message_id);
        }
        Ok(())
    }

    /// A row for each name that the call is known by.
    fn add_call(
        &mut self,
        chat: &ChatKey,
        call: &KnownCall,
        at: Timestamp,
    ) -> Result<(), serde_json::Error> {
        let outcome = call.outcome.as_ref().map(serde_json::to_string).transpose()?;
        let row = |key: &String| CallRow {
            key: key.clone(),
            chat: chat.clone(),
            at,
            outcome: outcome.clone(),
        };
        self.calls.extend(call.known_as.iter().map(row));
        Ok(())
    }

    /// Whether it holds a message with an id; a commit remembers one.
    pub fn has_message(&self) -> bool {
        self.message_id.is_some()
    }

    /// Makes the commit.
    ///
    /// # Errors
    ///
    /// Never in practice: every part of it serialises.
    pub fn commit(
        self,
        chat: &mut Chat,
        revision: u64,
        at: Timestamp,
        active_before: &str,
    ) -> Result<Commit, serde_json::Error> {
        let starts = !self.turns_started.is_empty();
        let memory = self.memory_changed.then(|| chat.memory_json()).transpose()?;
        if memory.is_some() {
            chat.memory_is_written();
        }
        Ok(Commit {
            chat: chat.key().clone(),
            revision,
            at,
            events: self.events,
            active: chat.active_json()?,
            memory,
            active_before: starts.then(|| active_before.to_owned()),
            turns_started: self.turns_started,
            awake: chat.awake(),
            message_id: self.message_id,
            audit: self.audit,
            runs: self.runs,
            calls: self.calls,
        })
    }
}

/// What went wrong in a turn, or with a rule's words, is in the log as well, where whoever runs the
/// agent reads what to do; the person is only told that it did.
fn log_error(event: &AuditEvent) {
    if event.kind == AuditKind::LoopError {
        let fields = event.fields.to_map();
        let reason = fields.get("reason").and_then(Value::as_str);
        let turn_id = event.turn_id.as_ref().map(TurnId::as_str);
        tracing::error!(chat = %event.chat_key, turn_id, reason, "a turn went wrong");
    }
}

/// The ledger row; arguments and result as the audit trail may show them.
fn run_row(
    chat: &ChatKey,
    spec: &ChatSpec,
    entry: &LedgerEntry,
) -> Result<RunRow, serde_json::Error> {
    let (arguments, result) = match spec.agent.tool(entry.tool.as_str()) {
        Some(tool) if tool.redact => (None, None),
        Some(tool) => (Some(tool.spec.schema.mask_object(&entry.arguments)), Some(&entry.result)),
        None => (Some(Cow::Borrowed(&entry.arguments)), Some(&entry.result)),
    };
    let told = ToldRun {
        tool: entry.tool.as_str(),
        turn_id: entry.turn_id.as_str(),
        user: entry.user.as_str(),
        digest: entry.digest.as_str(),
        arguments,
        result,
    };
    Ok(RunRow {
        run_id: entry.run_id.clone(),
        chat: chat.clone(),
        state: match entry.state {
            EntryState::Done => RunState::Done,
            EntryState::NotDone => RunState::NotDone,
            EntryState::Unknown => RunState::Unknown,
        },
        at: entry.at,
        json: serde_json::to_string(&told)?,
    })
}

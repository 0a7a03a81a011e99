//! One tool call, in this order: known, allowed, parsed, valid, duplicate, confirmed.

use std::borrow::Cow;

use serde_json::{Map, Value, json};

use manos_model::{
    AuditKind, CallArguments, Failure, ToolCallId, ToolResult, canonical_json, sha256_hex,
};
use manos_policy::{Asking as MayAsk, PreparedCall, Verdict};
use manos_policy::{admit, decide, unknown_tool};
use manos_schema::{MendOptions, RawArguments};
use manos_text::Say;

use super::{Confirmer, Origin, Purpose, Stage, Turn};
use crate::bound::bounded_failure;
use crate::ledger::Asker;
use crate::trail::Note;
use crate::{CallOutcome, EntryState, LedgerEntry, Step, Tool, TurnEnd, bounded_result};

/// The same call with equal arguments failing this often ends the loop.
const EQUAL_FAILURES_MAX: u32 = 3;

impl Turn {
    /// Handles the step's calls in order, as far as they go without waiting.
    pub(super) fn advance(&mut self, step: &mut Step<'_>) {
        while matches!(self.stage, Stage::Calls) {
            let Some(index) = self.next_open() else {
                if self.runs.is_empty() {
                    self.end_step(step);
                }
                return;
            };
            if !self.may_start(index, step) {
                return;
            }
            self.handle_call(index, step);
        }
    }

    /// The first call that has neither a result nor a run under way.
    fn next_open(&self) -> Option<usize> {
        (0..self.calls.len()).find(|&index| {
            let running = self.runs.iter().any(|run| run.purpose == Purpose::Call(index));
            self.calls[index].result.is_none() && !running
        })
    }

    /// Calls are handled one after another; read-only ones may run side by side when the agent
    /// says so.
    fn may_start(&self, index: usize, step: &Step<'_>) -> bool {
        if self.runs.is_empty() {
            return true;
        }
        let reads = |name: &str| {
            step.agent.tool(name).is_some_and(|tool| tool.spec.read_only && !tool.spec.confirm)
        };
        step.agent.limits.parallel_reads
            && reads(&self.calls[index].name)
            && self.runs.iter().all(|run| reads(run.call.tool.as_str()))
    }

    fn handle_call(&mut self, index: usize, step: &mut Step<'_>) {
        let agent = step.agent;
        let name = self.calls[index].name.as_str();
        let Some(tool) = agent.tool(name) else {
            let names = agent.tools().iter().map(|tool| tool.spec.name.as_str());
            let failure = unknown_tool(name, names, &agent.access, &self.user);
            step.note(self.call_note(AuditKind::ToolUnknown, index));
            self.call_failed(index, &failure, step);
            return;
        };
        step.note(self.requested_note(index, tool));
        match self.prepare(index, tool, step) {
            Ok(prepared) => {
                self.calls[index].parsed = Some(prepared.arguments.clone());
                self.decide_call(index, prepared, tool, step);
            }
            Err(failure) => {
                let denied = matches!(failure, Failure::NotAllowed { .. });
                let kind = if denied { AuditKind::ToolDenied } else { AuditKind::ToolInvalid };
                let shown = shown_failure(&failure, tool);
                step.note(self.call_note(kind, index).with("failure", shown));
                self.call_failed(index, &failure, step);
            }
        }
    }

    /// Admits a call and binds it to its tool, fixed values merged in.
    fn prepare(
        &self,
        index: usize,
        tool: &Tool,
        step: &mut Step<'_>,
    ) -> Result<PreparedCall, Failure> {
        let call = &self.calls[index];
        let raw = match &call.arguments {
            CallArguments::Missing => RawArguments::Missing,
            CallArguments::Text(text) => RawArguments::Text(text),
            CallArguments::Value(value) => RawArguments::Value(value),
        };
        let options = MendOptions { single_as_array: step.agent.limits.single_as_array };
        let admitted = admit(&tool.spec, &step.agent.access, &self.user, raw, options)?;
        for mend in &admitted.mends {
            step.note(
                self.call_note(AuditKind::ToolMended, index)
                    .with("path", mend.path.as_str())
                    .with("mend", mend.kind),
            );
        }
        let arguments = self.with_fixed(admitted.arguments, tool, step)?;
        Ok(PreparedCall::new(call.id.clone(), &tool.spec, arguments))
    }

    /// Merges the tool's fixed values, which win.
    pub(super) fn with_fixed(
        &self,
        mut arguments: Map<String, Value>,
        tool: &Tool,
        step: &Step<'_>,
    ) -> Result<Map<String, Value>, Failure> {
        if tool.fixed.is_empty() {
            return Ok(arguments);
        }
        let facts = json!({"ctx": {
            "chat": step.chat.as_str(), "user": self.user.as_str(),
            "channel": step.chat.channel().as_str(),
            "locale": step.agent.formats.locale().tag(),
        }});
        let Value::Object(facts) = facts else { return Ok(arguments) };
        for (name, filled) in &tool.fixed {
            let value = filled.fill(&step.agent.formats, &facts).map_err(|error| {
                Failure::Failed { message: format!("fixed value {name}: {error}") }
            })?;
            arguments.insert(name.clone(), value);
        }
        Ok(arguments)
    }

    fn decide_call(
        &mut self,
        index: usize,
        prepared: PreparedCall,
        tool: &Tool,
        step: &mut Step<'_>,
    ) {
        let asker = self.asker(step);
        let window = step.agent.confirm.repeat_window;
        let standing = step.memory.ledger.standing(&prepared, &tool.spec, &asker, window);
        let asking = self.may_ask(&prepared, step);
        match decide(prepared, &tool.spec, &standing, &asking) {
            Verdict::Allow(approved) => {
                self.start_run(approved, Purpose::Call(index), tool, step);
            }
            Verdict::Confirm(prepared) => self.begin_question(index, prepared, tool, step),
            Verdict::Deny(failure) => {
                let again =
                    matches!(failure, Failure::Duplicate { .. } | Failure::UnknownOutcome { .. });
                let kind = if again { AuditKind::ToolDuplicate } else { AuditKind::ToolDenied };
                let shown = shown_failure(&failure, tool);
                step.note(self.call_note(kind, index).with("failure", shown));
                self.call_failed(index, &failure, step);
            }
        }
    }

    /// Who asks the ledger.
    pub(super) fn asker(&self, step: &Step<'_>) -> Asker<'_> {
        let mut entries = step.memory.ledger.entries().iter().rev();
        let cancels = |entry: &&LedgerEntry| {
            let tool = step.agent.tool(entry.tool.as_str());
            entry.state == EntryState::Done
                && entry.user == self.user
                && tool.is_some_and(|tool| tool.cancels)
        };
        Asker {
            user: &self.user,
            turn: &self.id,
            now: step.now,
            cancelled_at: entries.find(cancels).map(|entry| entry.at),
        }
    }

    /// Whether a person can be asked about this call.
    fn may_ask(&self, call: &PreparedCall, step: &Step<'_>) -> MayAsk {
        let texts = &step.agent.texts;
        if self.refused.contains(&intent(call)) {
            let instruction = texts.say(&Say::RejectedInstruction);
            return MayAsk::Refused { instruction };
        }
        let because = if !self.can_ask() {
            Say::NotAskedNobody
        } else if self.step_refused {
            Say::NotAskedEarlier
        } else if self.questions >= step.agent.confirm.per_turn_max {
            Say::NotAskedLimit
        } else {
            return MayAsk::Possible;
        };
        MayAsk::Impossible { because: texts.say(&because) }
    }

    /// Whether there is anybody to ask.
    pub(crate) fn can_ask(&self) -> bool {
        self.confirmer != Confirmer::Nobody
    }

    /// Gives a call its result.
    pub(super) fn call_ended(&mut self, index: usize, outcome: CallOutcome, step: &mut Step<'_>) {
        if self.origin == Origin::Call {
            let arguments = self.calls[index].parsed.take().unwrap_or_default();
            self.finish(TurnEnd::CallEnded { arguments, outcome }, step);
            return;
        }
        let bytes_max = step.agent.limits.result_bytes_max;
        let (content, failed) = match outcome {
            CallOutcome::Done(value) => {
                (bounded_result(value, bytes_max, &step.agent.texts), false)
            }
            CallOutcome::Failed(failure) => {
                if counts_as_failing(&failure) {
                    let key = failure_key(&self.calls[index].name, &self.calls[index].arguments);
                    *self.failed.entry(key).or_insert(0) += 1;
                }
                (bounded_failure(&failure, bytes_max, &step.agent.texts), true)
            }
            CallOutcome::Replied(user_reply) => {
                (Failure::UserReplied { user_reply }.to_value(), true)
            }
        };
        let call_id: ToolCallId = self.calls[index].id.clone();
        self.calls[index].result = Some(ToolResult { call_id, content, failed });
    }

    pub(super) fn call_failed(&mut self, index: usize, failure: &Failure, step: &mut Step<'_>) {
        self.call_ended(index, CallOutcome::Failed(failure.clone()), step);
    }

    /// All calls of the step have results: the next model call, unless a call failed too often.
    fn end_step(&mut self, step: &mut Step<'_>) {
        let tired = self.calls.iter().filter(|_| !self.failed.is_empty()).find(|call| {
            let key = failure_key(&call.name, &call.arguments);
            self.failed.get(&key).is_some_and(|&times| times >= EQUAL_FAILURES_MAX)
        });
        if let Some(call) = tired {
            let title =
                step.agent.tool(&call.name).map_or(call.name.as_str(), |t| t.title.as_str());
            step.note(
                Note::new(AuditKind::LoopRepeated)
                    .turn(&self.id)
                    .step(self.step)
                    .tool(&call.name)
                    .with("times", EQUAL_FAILURES_MAX),
            );
            let title = manos_text::safe_text(title);
            let text = step.agent.texts.say(&Say::RepeatedCall { title: &title });
            self.answer_ourselves(text, step);
            return;
        }
        self.push_results();
        self.call_model(step);
    }

    /// An audit event about a call of the step.
    pub(super) fn call_note(&self, kind: AuditKind, index: usize) -> Note {
        let call = &self.calls[index];
        Note::new(kind).turn(&self.id).step(self.step).tool(&call.name).call(&call.id)
    }

    fn requested_note(&self, index: usize, tool: &Tool) -> Note {
        let note = self.call_note(AuditKind::ToolRequested, index);
        if tool.redact {
            return note;
        }
        match &self.calls[index].arguments {
            CallArguments::Missing => note.with("arguments", Value::Null),
            CallArguments::Text(text) => {
                let read = serde_json::from_str(text);
                let value = read.unwrap_or_else(|_| Value::String(text.clone()));
                note.with("arguments", tool.spec.schema.mask(&value))
            }
            CallArguments::Value(value) => note.with("arguments", tool.spec.schema.mask(value)),
        }
    }
}

/// Arguments as trail, ledger rows and questions show them: what is write-only is masked.
pub(super) fn shown_arguments<'a>(
    arguments: &'a Map<String, Value>,
    tool: &Tool,
) -> Option<Cow<'a, Map<String, Value>>> {
    (!tool.redact).then(|| tool.spec.schema.mask_object(arguments))
}

/// A failure as the trail shows it: what a redacted tool said stays out.
pub(super) fn shown_failure(failure: &Failure, tool: &Tool) -> Value {
    if tool.redact { json!({"error": failure.code()}) } else { failure.to_value() }
}

/// A person's no, and whatever is held back on purpose, is no failure of the call.
fn counts_as_failing(failure: &Failure) -> bool {
    !matches!(
        failure,
        Failure::Duplicate { .. }
            | Failure::NotAsked { .. }
            | Failure::Rejected { .. }
            | Failure::UnknownOutcome { .. }
            | Failure::UserReplied { .. }
    )
}

/// What a refusal in this turn is about.
pub(super) fn intent(call: &PreparedCall) -> String {
    call.digest.as_str().to_owned()
}

/// Equal for calls that are equal as JSON; a fingerprint, since arguments can be long.
fn failure_key(name: &str, arguments: &CallArguments) -> String {
    let text = match arguments {
        CallArguments::Missing => String::new(),
        CallArguments::Text(text) => serde_json::from_str::<Value>(text)
            .map_or_else(|_| text.clone(), |value| canonical_json(&value)),
        CallArguments::Value(value) => canonical_json(value),
    };
    sha256_hex(&[name.as_bytes(), text.as_bytes()])
}

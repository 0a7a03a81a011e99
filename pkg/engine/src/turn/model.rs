//! Replies and failures of the model, and the bounds of the loop.

use std::sync::Arc;

use serde_json::{Value, json};

use manos_model::{
    AuditKind, Failure, FinishReason, ModelFailure, ModelFailureKind, ModelReply, ModelRequest,
    StepMessage, ToldCall, ToolCallId, ToolResult, Usage,
};
use manos_text::Say;

use super::reply::{as_object, failure_word, finish_word, is_cut};
use super::{Stage, StepCall, Turn};
use crate::trail::Note;
use crate::{AgentSpec, Effect, Finished, Step, TurnEnd, prompt};

/// A refusal of the model's own call by its provider is told to the model this often.
const CALLS_REFUSED_MAX: u32 = 2;

impl Turn {
    /// Makes the next model call.
    pub(super) fn call_model(&mut self, step: &mut Step<'_>) {
        self.step += 1;
        let tools = if self.closing { AgentSpec::no_tools() } else { step.agent.offer(&self.user) };
        let request = ModelRequest {
            system: prompt::system(self, &tools, step),
            history: step.memory.history.entries(),
            messages: Arc::new(self.messages.clone()),
            tools,
            step: self.step,
        };
        let mut note = Note::new(AuditKind::ModelCalled)
            .turn(&self.id)
            .step(self.step)
            .with("history", request.history.len())
            .with("messages", self.messages.len())
            .with("new_messages", self.new_messages(step))
            .with("tools", request.tools.declarations.len());
        if self.step == 1 {
            note = note.with("system", request.system.as_str());
        }
        step.note(note);
        self.stage = Stage::Model;
        step.cause(Effect::CallModel(Box::new(request)));
    }

    pub(super) fn model_replied(
        &mut self,
        reply: &ModelReply,
        duration_ms: Option<u64>,
        step: &mut Step<'_>,
    ) {
        if self.stage != Stage::Model {
            return;
        }
        let calls: Vec<StepCall> = reply
            .calls
            .iter()
            .map(|call| StepCall {
                id: step.ids.next_hex().into(),
                name: call.name.clone(),
                arguments: call.arguments.clone(),
                parsed: None,
                result: None,
            })
            .collect();
        let cost = reply.origin.as_ref().and_then(|origin| origin.cost.as_ref());
        self.spent.add(reply.usage.as_ref(), cost);
        step.note(self.reply_note(reply, &calls).lasted(duration_ms));
        let cut = is_cut(reply);
        if cut {
            let names: Vec<&str> = calls.iter().map(|call| call.name.as_str()).collect();
            step.note(
                Note::new(AuditKind::LoopTruncated)
                    .turn(&self.id)
                    .step(self.step)
                    .with("finish", finish_word(&reply.finish))
                    .with("truncated_tool_calls", json!(names)),
            );
        }
        match (calls.is_empty() || self.closing, reply.text.trim().is_empty()) {
            (true, false) => self.answer(reply.text.trim().to_owned(), step),
            (true, true) if !cut => self.empty_reply(step),
            (_, false) if cut => self.answer(reply.text.trim().to_owned(), step),
            _ if cut => self.cut_reply(reply, &calls, step),
            _ => self.take_calls(reply, calls, step),
        }
    }

    pub(super) fn model_failed(
        &mut self,
        failure: &ModelFailure,
        duration_ms: Option<u64>,
        step: &mut Step<'_>,
    ) {
        if self.stage != Stage::Model {
            return;
        }
        step.note(
            Note::new(AuditKind::ModelFailed)
                .turn(&self.id)
                .step(self.step)
                .with("kind", failure_word(failure.kind))
                .with("message", failure.message.as_str())
                .lasted(duration_ms),
        );
        if failure.kind == ModelFailureKind::RefusedCall
            && self.calls_refused_by_provider < CALLS_REFUSED_MAX
            && self.steps_left(step) > 0
        {
            self.calls_refused_by_provider += 1;
            self.messages.push(StepMessage::Note(format!(
                "Your last tool call was refused before it reached the tool ({}). Write it again with valid JSON arguments.",
                failure.message
            )));
            self.call_model(step);
            return;
        }
        if failure.kind == ModelFailureKind::TooLong && self.trim_history(step) {
            // The call that was refused for its length is no step.
            self.step_base += 1;
            self.call_model(step);
            return;
        }
        self.apologise(failure.message.as_str(), step);
    }

    /// Drops the older half of the history, once a turn; returns whether there was any.
    fn trim_history(&mut self, step: &mut Step<'_>) -> bool {
        if self.trimmed {
            return false;
        }
        self.trimmed = true;
        let dropped = step.memory.history.drop_older_half();
        if dropped == 0 {
            return false;
        }
        step.caused.memory_changed = true;
        step.note(
            Note::new(AuditKind::LoopTrimmed)
                .turn(&self.id)
                .step(self.step)
                .with("turns_dropped", dropped),
        );
        true
    }

    /// Ends the turn with a localised apology; the reason is for the trail only.
    pub(super) fn apologise(&mut self, reason: &str, step: &mut Step<'_>) {
        step.note(
            Note::new(AuditKind::LoopError).turn(&self.id).step(self.step).with("reason", reason),
        );
        let apology = step.agent.texts.say(&Say::ModelFailed);
        self.answer_ourselves(apology, step);
    }

    /// Ends the turn with a text of ours, after a line that tells what was done and not told yet.
    pub(super) fn answer_ourselves(&mut self, text: String, step: &mut Step<'_>) {
        let text = match self.untold_line(step) {
            Some(line) => format!("{line}\n{text}"),
            None => text,
        };
        self.answer(text, step);
    }

    /// Ends the turn with a text for the person.
    pub(super) fn answer(&mut self, text: String, step: &mut Step<'_>) {
        self.untold.clear();
        self.finish(TurnEnd::Answered(text), step);
    }

    /// Ends the turn.
    pub(super) fn finish(&mut self, end: TurnEnd, step: &mut Step<'_>) {
        self.stage = Stage::Ended;
        self.calls.clear();
        self.messages.clear();
        let untold = self.untold_line(step);
        step.cause(Effect::Finish(Finished { end, said: std::mem::take(&mut self.said), untold }));
    }

    /// A line that tells what was done and not told yet.
    fn untold_line(&mut self, step: &Step<'_>) -> Option<String> {
        let titles = std::mem::take(&mut self.untold);
        let titles: Vec<&str> = titles.iter().map(String::as_str).collect();
        (!titles.is_empty()).then(|| step.agent.texts.say(&Say::DoneUntold { titles: &titles }))
    }

    fn reply_note(&self, reply: &ModelReply, calls: &[StepCall]) -> Note {
        let calls: Vec<Value> = calls
            .iter()
            .map(|call| json!({"tool": call.name, "call_id": call.id.as_str()}))
            .collect();
        let mut note = Note::new(AuditKind::ModelReplied)
            .turn(&self.id)
            .step(self.step)
            .with("text", reply.text.as_str())
            .with("calls", calls)
            .with("finish", finish_word(&reply.finish));
        if let Some(usage) = &reply.usage {
            note = note.with("usage", usage_fields(usage));
        }
        let Some(origin) = &reply.origin else { return note };
        note = note.with("provider", origin.provider.as_str()).with("model", origin.model.as_str());
        if let Some(cost) = &origin.cost {
            note = note.with("cost", json!({cost.currency.as_str(): cost.amount}));
        }
        if !origin.instead_of.is_empty() {
            note = note.with("instead_of", json!(origin.instead_of));
        }
        note
    }

    /// An empty reply is retried once, then answered with an apology.
    fn empty_reply(&mut self, step: &mut Step<'_>) {
        if !self.retried_empty && self.steps_left(step) > 0 {
            self.retried_empty = true;
            self.call_model(step);
            return;
        }
        step.note(
            Note::new(AuditKind::LoopError)
                .turn(&self.id)
                .step(self.step)
                .with("reason", "the model's reply was empty"),
        );
        let apology = step.agent.texts.say(&Say::EmptyReply);
        self.answer_ourselves(apology, step);
    }

    /// A cut reply without text: its calls are not run, and the model is told once.
    fn cut_reply(&mut self, reply: &ModelReply, calls: &[StepCall], step: &mut Step<'_>) {
        let filtered = reply.finish == FinishReason::ContentFilter;
        if self.told_cut || self.steps_left(step) == 0 {
            let reason = if filtered {
                "the model's reply was stopped by its provider's content filter: reword the instructions or the message, or use another model"
            } else {
                "the model's reply was cut by its token limit: raise model.max_output_tokens or ask for less at once"
            };
            self.apologise(reason, step);
            return;
        }
        self.told_cut = true;
        let say = if filtered { Say::Filtered } else { Say::Truncated };
        let told = step.agent.texts.say(&say);
        if calls.is_empty() {
            self.messages.push(StepMessage::Note(told));
        } else {
            let failure = Failure::Failed { message: told };
            self.not_run(reply, calls, &failure);
        }
        self.call_model(step);
    }

    /// Handles the calls of a whole reply, unless the bound of steps is reached.
    fn take_calls(&mut self, reply: &ModelReply, calls: Vec<StepCall>, step: &mut Step<'_>) {
        if self.steps_left(step) == 0 {
            self.at_step_bound(reply, &calls, step);
            return;
        }
        let asks =
            |call: &StepCall| step.agent.tool(&call.name).is_some_and(|tool| tool.spec.confirm);
        let interim = step.agent.limits.interim_text && !calls.iter().any(asks);
        if interim && !reply.text.trim().is_empty() {
            step.cause(Effect::Say(reply.text.trim().to_owned()));
        }
        self.push_reply(reply, &calls);
        self.calls = calls;
        self.step_refused = false;
        self.stage = Stage::Calls;
        self.advance(step);
    }

    fn at_step_bound(&mut self, reply: &ModelReply, calls: &[StepCall], step: &mut Step<'_>) {
        let names: Vec<&str> = calls.iter().map(|call| call.name.as_str()).collect();
        step.note(
            Note::new(AuditKind::LoopMaxSteps)
                .turn(&self.id)
                .step(self.step)
                .with("max_steps", step.agent.limits.steps_max)
                .with("not_run", json!(names)),
        );
        if step.agent.limits.final_answer {
            self.closing = true;
            let because = "the step limit of this turn is reached; answer without tools".to_owned();
            self.not_run(reply, calls, &Failure::NotAsked { because });
            self.call_model(step);
            return;
        }
        let text = match &step.agent.max_steps_message {
            Some(message) => message.clone(),
            None => step.agent.texts.say(&Say::MaxSteps),
        };
        self.answer_ourselves(text, step);
    }

    /// Tells the model that the calls of a reply were not run.
    fn not_run(&mut self, reply: &ModelReply, calls: &[StepCall], failure: &Failure) {
        self.push_reply(reply, calls);
        for call in calls {
            self.messages.push(StepMessage::Result(ToolResult {
                call_id: call.id.clone(),
                content: failure.to_value(),
                failed: true,
            }));
        }
    }

    fn push_reply(&mut self, reply: &ModelReply, calls: &[StepCall]) {
        let told = reply
            .calls
            .iter()
            .zip(calls)
            .map(|(wire, call)| ToldCall {
                id: call.id.clone(),
                wire_id: wire.wire_id.clone(),
                name: call.name.clone(),
                arguments: as_object(&call.arguments),
            })
            .collect();
        self.messages.push(StepMessage::Assistant {
            text: reply.text.clone(),
            calls: told,
            opaque: reply.opaque.clone(),
        });
    }

    /// Model calls that are left after the present one.
    pub(super) fn steps_left(&self, step: &Step<'_>) -> u32 {
        step.agent.limits.steps_max.saturating_sub(self.step - self.step_base)
    }

    /// Moves the results of the step's calls to the messages, in the order of the calls.
    pub(super) fn push_results(&mut self) {
        for call in std::mem::take(&mut self.calls) {
            let result = call.result.unwrap_or_else(|| missing(call.id));
            self.messages.push(StepMessage::Result(result));
        }
    }
}

/// Tokens as the trail has them.
pub fn usage_fields(usage: &Usage) -> Value {
    json!({
        "input": usage.tokens_input, "output": usage.tokens_output,
        "cached": usage.tokens_cached, "reasoning": usage.tokens_reasoning,
    })
}

fn missing(call_id: ToolCallId) -> ToolResult {
    ToolResult { call_id, content: Failure::Interrupted.to_value(), failed: true }
}

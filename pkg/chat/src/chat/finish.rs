//! The end of a turn: what is said, what is remembered, and what a rule says of its call.

use manos_engine::{
    CallOutcome, CancelReason, Finished, Note, TurnEnd, agent_said, usage_fields, user_said,
};
use manos_model::{AuditKind, Failure, HistoryEntry, TurnId, says_no};
use manos_text::{Say, Template, Values, safe_text};
use serde_json::{Map, Value, json};

use super::UnderWay;
use super::apply::Applying;
use super::outbox::Sender;
use crate::{ChatEffect, KnownCall, Speaker};

impl Applying<'_> {
    /// Takes the turn out of the chat and says what there is to say.
    pub(super) fn finish(&mut self, finished: Finished) {
        let Some(under_way) = self.chat.active.turn.take() else { return };
        let sender =
            Sender { turn_id: Some(under_way.turn.id.clone()), repeats: under_way.surface.repeats };
        let turn_id = under_way.turn.id.clone();
        let mut said = finished.said;
        let mut outcome = None;
        let mut cancelled = false;
        match finished.end {
            // Code reads outcomes, no texts: it learns that nobody can tell.
            TurnEnd::Answered(_) if under_way.silent => {
                outcome = Some(CallOutcome::Failed(Failure::Interrupted));
            }
            TurnEnd::Answered(text) => {
                said.push(agent_said(text.as_str()));
                self.remember(said);
                self.reply(sender, &text);
            }
            TurnEnd::CallEnded { arguments, outcome: came } => {
                self.call_finished(&under_way, sender, said, &arguments, &came);
                outcome = Some(came);
            }
            TurnEnd::Cancelled(reason) => {
                cancelled = true;
                if reason != CancelReason::Reset {
                    self.remember(said);
                    self.tell(&sender, finished.untold);
                }
                self.out.effects.push(ChatEffect::StopModel(turn_id.clone()));
            }
            TurnEnd::Expired { note, late_yes } => {
                said.push(agent_said(note));
                self.remember(said);
                self.tell(&sender, finished.untold);
                self.tell(&sender, late_yes);
                outcome = under_way.silent.then_some(CallOutcome::Failed(Failure::Expired));
            }
        }
        if !cancelled {
            let lasted = self.now.as_millisecond() - under_way.started_at.as_millisecond();
            let mut note = Note::new(AuditKind::TurnFinished)
                .turn(&turn_id)
                .lasted(u64::try_from(lasted).unwrap_or(0))
                .with("steps", under_way.turn.step());
            let spent = under_way.turn.spent();
            if !spent.is_nothing() {
                note = note.with("usage", usage_fields(&spent.usage));
            }
            if !spent.cost.is_empty() {
                note = note.with("cost", json!(spent.cost));
            }
            self.note(note);
        }
        if !under_way.known_as.is_empty() {
            // Of a call that was stopped nobody can tell.
            let known = outcome.clone().unwrap_or(CallOutcome::Failed(Failure::Interrupted));
            let known_as = under_way.known_as;
            self.out.calls.push(KnownCall { known_as, outcome: Some(known) });
        }
        self.out.effects.push(ChatEffect::TurnEnded { turn_id, outcome });
    }

    /// Tells a line that is no answer; never in a chat that a human has.
    fn tell(&mut self, sender: &Sender, text: Option<String>) {
        if let Some(text) = text
            && !self.chat.active.handoff
        {
            self.reply(sender.clone(), &text);
        }
    }

    /// Keeps what was said, cut by whole turns.
    pub(super) fn remember(&mut self, mut entries: Vec<HistoryEntry>) {
        entries.retain(|entry| !entry.text.trim().is_empty());
        if entries.is_empty() {
            return;
        }
        let max = self.spec.agent.limits.history_messages_max;
        self.out.memory_changed |= self.chat.add_said(entries, max);
    }

    pub(super) fn remember_said(&mut self, words: &str) {
        self.remember(vec![user_said(words)]);
    }

    /// A single call has ended: its rule speaks, or code reads the outcome.
    fn call_finished(
        &mut self,
        under_way: &UnderWay,
        sender: Sender,
        mut said: Vec<HistoryEntry>,
        arguments: &Map<String, Value>,
        outcome: &CallOutcome,
    ) {
        if under_way.silent {
            return;
        }
        let speaker = under_way.speaker.clone().unwrap_or_default();
        if let (Some(name), CallOutcome::Done(result)) = (&speaker.result_as, outcome) {
            self.keep_result(name, result);
        }
        let tool = under_way.tool.as_deref().unwrap_or_default();
        let turn = &under_way.turn.id;
        let text = match outcome {
            CallOutcome::Done(result) => self.say_done(turn, &speaker, tool, arguments, result),
            CallOutcome::Failed(failure) => {
                Some(self.say_failed(turn, &speaker, tool, arguments, failure))
            }
            CallOutcome::Replied(_) => None,
        };
        if let Some(text) = text {
            said.push(agent_said(text.as_str()));
            self.remember(said);
            self.reply(sender, &text);
        } else {
            self.remember(said);
        }
    }

    /// At most [`KEPT_MAX`] results are kept for later rules; the oldest is dropped.
    fn keep_result(&mut self, name: &str, result: &Value) {
        let kept = &mut self.chat.memory.kept;
        kept.shift_remove(name);
        while kept.len() >= KEPT_MAX {
            let Some(oldest) = kept.keys().next().cloned() else { break };
            kept.shift_remove(&oldest);
        }
        kept.insert(name.to_owned(), result.clone());
        self.out.memory_changed = true;
    }

    fn say_done(
        &mut self,
        turn: &TurnId,
        speaker: &Speaker,
        tool: &str,
        arguments: &Map<String, Value>,
        result: &Value,
    ) -> Option<String> {
        let Some(source) = &speaker.reply else { return Some(printed(result)) };
        let variables = json!({"args": arguments, "result": result});
        self.render(turn, source, &variables).or_else(|| {
            // It was done, whatever the template cannot print.
            let titles = [self.title(tool)];
            let titles: Vec<&str> = titles.iter().map(String::as_str).collect();
            Some(self.spec.agent.texts.say(&Say::DoneUntold { titles: &titles }))
        })
    }

    fn say_failed(
        &mut self,
        turn: &TurnId,
        speaker: &Speaker,
        tool: &str,
        arguments: &Map<String, Value>,
        failure: &Failure,
    ) -> String {
        if let Some(source) = &speaker.otherwise {
            let variables = json!({"args": arguments, "failure": failure.to_value()});
            if let Some(text) = self.render(turn, source, &variables) {
                return text;
            }
        }
        let title = self.title(tool);
        let title = title.as_str();
        let say = match failure {
            Failure::Said(value) => match own_words(value) {
                Some(words) => return words,
                None => Say::RuleFailed { title },
            },
            Failure::Changed => Say::RuleChanged { title },
            Failure::Duplicate { .. } => Say::RuleDuplicate { title },
            Failure::InvalidArguments { .. } => Say::RuleInvalid { title },
            Failure::NotAllowed { .. } => Say::RuleRefused { title },
            Failure::NotAsked { .. } => Say::RuleNotAsked { title },
            Failure::Rejected { .. } => Say::RuleRejected { title },
            Failure::Timeout { .. } => Say::RuleTimeout { title },
            Failure::TooLongToConfirm { .. } => Say::RuleTooLong { title },
            Failure::Interrupted | Failure::UnknownOutcome { .. } => Say::RuleUnknown { title },
            Failure::Exit { .. }
            | Failure::Expired
            | Failure::Failed { .. }
            | Failure::HttpStatus { .. }
            | Failure::Redirect { .. }
            | Failure::Transport { .. }
            | Failure::UnknownTool { .. }
            | Failure::UserReplied { .. } => Say::RuleFailed { title },
        };
        self.spec.agent.texts.say(&say)
    }

    fn title(&self, tool: &str) -> String {
        let title = self.spec.agent.tool(tool).map_or(tool, |tool| tool.title.as_str());
        safe_text(title).into_owned()
    }

    /// Renders a rule's words; why it fails is for the trail, the person reads a sentence of ours.
    fn render(&mut self, turn: &TurnId, source: &str, variables: &Value) -> Option<String> {
        let formats = &self.spec.agent.formats;
        let rendered = Template::compile(source).and_then(|template| {
            template.render(Values::Raw, formats, variables.as_object().unwrap_or(&Map::new()))
        });
        match rendered {
            Ok(text) => (!text.trim().is_empty()).then_some(text),
            Err(error) => {
                let reason = format!("a rule's words cannot be written: {error}");
                self.note(Note::new(AuditKind::LoopError).turn(turn).with("reason", reason));
                None
            }
        }
    }
}

/// The words of the tool's own `error`, which the agent's owner wrote for people.
fn own_words(value: &Value) -> Option<String> {
    match value.get("error") {
        Some(Value::String(words)) if says_no(value) => Some(words.clone()),
        Some(Value::Object(error)) => {
            error.get("message").and_then(Value::as_str).map(str::to_owned)
        }
        _ => None,
    }
}

/// A result without a template: text as it is, other values as JSON.
fn printed(result: &Value) -> String {
    result.as_str().map_or_else(|| result.to_string(), str::to_owned)
}

/// Results kept for later rules of a chat.
const KEPT_MAX: usize = 16;

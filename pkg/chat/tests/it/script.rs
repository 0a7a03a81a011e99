//! A chat played as a script: what is said, what models and tools bring, and what comes of it.

use std::fmt::Write as _;

use manos_chat::{
    Chat, ChatEffect, ChatSpec, Decision, Delivery, DeliveryKind, DeliveryOutcome, Event, GATHER,
    Inbound, InboundBody, MESSAGE_CHARS_MAX, MESSAGE_IDS_KEPT, Rule, WAITING_MAX,
};
use manos_engine::{AgentSpec, CallOutcome, Confirmer, KnownEnd, Surface};
use manos_model::{
    AuditEvent, CallArguments, FinishReason, ModelFailure, ModelFailureKind, ModelReply,
    ModelRequest, RequestedCall, RunEnd, RunId, Seed, Stamp, StepMessage, Timestamp,
};
use serde_json::Value;

use crate::watch::Watch;

/// Ana, who writes in most scripts.
pub(crate) const ANA: &str = "web:ana";

/// A channel that can do everything.
pub(crate) const WEB: Surface = Surface { buttons: true, edits: true, repeats: true, voice: false };

/// A channel that can do nothing but text.
pub(crate) const PLAIN: Surface =
    Surface { buttons: false, edits: false, repeats: false, voice: false };

pub(crate) struct Script {
    pub(crate) spec: ChatSpec,
    pub(crate) chat: Chat,
    pub(crate) surface: Surface,
    /// Whether the channel takes every output at once.
    pub(crate) channel_takes: bool,
    /// The trail so far.
    pub(crate) audit: Vec<AuditEvent>,
    /// The last request to the model.
    pub(crate) request: Option<ModelRequest>,
    /// The newest question.
    pub(crate) question: Option<String>,
    now_ms: i64,
    seed: u128,
    watch: Watch,
    names: Vec<String>,
}

pub(crate) fn spec(agent: AgentSpec, rules: Vec<Rule>) -> ChatSpec {
    ChatSpec {
        agent,
        rules,
        fallback: None,
        greeting: None,
        direct_tools: Vec::new(),
        answer_languages: vec![manos_answer::Language::Es],
        waiting_max: WAITING_MAX,
        message_chars_max: MESSAGE_CHARS_MAX,
        gather: GATHER,
        message_ids_kept: MESSAGE_IDS_KEPT,
    }
}

/// A chat of an agent without rules, on a channel with text alone.
pub(crate) fn chat_with(agent: AgentSpec) -> Script {
    script(spec(agent, Vec::new()))
}

pub(crate) fn script(spec: ChatSpec) -> Script {
    Script {
        spec,
        chat: Chat::new("web:1".into()),
        surface: PLAIN,
        channel_takes: true,
        audit: Vec::new(),
        request: None,
        question: None,
        now_ms: 1_767_639_780_000, // 2026-01-05T19:03:00Z, a Monday
        seed: 0,
        watch: Watch::default(),
        names: Vec::new(),
    }
}

impl Script {
    /// Plays one event and prints what comes of it.
    pub(crate) fn event(&mut self, event: &Event) -> String {
        let mut decision = self.apply(event);
        let mut lines = self.print(&decision);
        let mut kinds: Vec<String> = names_of(&decision);
        while self.channel_takes {
            let Some(delivery) = self.chat.outbox().first() else { break };
            let delivery_id = delivery.id.clone();
            let sent = Event::Delivered { delivery_id, outcome: DeliveryOutcome::Sent };
            decision = self.apply(&sent);
            lines.push_str(&self.print(&decision));
            kinds.extend(names_of(&decision));
        }
        let _ = write!(lines, "· {}", kinds.join(" "));
        lines
    }

    /// Plays one event and hands out what was decided.
    pub(crate) fn decision(&mut self, event: &Event) -> Decision {
        self.apply(event)
    }

    fn apply(&mut self, event: &Event) -> Decision {
        self.seed += 1;
        let at = Timestamp::from_millisecond(self.now_ms).unwrap();
        let stamp = Stamp { at, seed: Seed(self.seed) };
        let mut decision = self.watch.apply(&mut self.chat, &self.spec, event, stamp);
        for effect in &decision.effects {
            match effect {
                ChatEffect::CallModel { request, .. } => {
                    self.request = Some(request.as_ref().clone());
                }
                ChatEffect::Deliver(Delivery {
                    kind: DeliveryKind::Confirm { id, .. }, ..
                }) => self.question = Some(id.as_str().to_owned()),
                _ => {}
            }
        }
        self.audit.extend(decision.audit.iter().cloned());
        decision.memory_changed = false;
        decision
    }

    fn print(&mut self, decision: &Decision) -> String {
        let mut text = String::new();
        for effect in &decision.effects {
            let line = self.line(effect);
            let _ = writeln!(text, "{line}");
        }
        text
    }

    fn line(&mut self, effect: &ChatEffect) -> String {
        match effect {
            ChatEffect::CallModel { request, .. } => {
                let told: Vec<String> = newest(request).iter().map(told).collect();
                let tools =
                    if request.tools.declarations.is_empty() { " without tools" } else { "" };
                format!("model {}{tools} ← {}", request.step, told.join(" | "))
            }
            ChatEffect::Deliver(delivery) => match &delivery.kind {
                DeliveryKind::Confirm { text, buttons, .. } => {
                    let buttons = buttons.as_ref().map_or_else(String::new, |b| format!(" {b:?}"));
                    format!("ask {text}{buttons}")
                }
                DeliveryKind::Edit { text, .. } => format!("edit {text}"),
                DeliveryKind::Reply { text } => format!("say {text}"),
            },
            ChatEffect::RunTool(run) => {
                let call = &run.order.call;
                let arguments = Value::Object(call.arguments().clone());
                let name = self.name(run.order.run_id.as_str());
                format!("run {} {arguments} as {name}", call.tool())
            }
            ChatEffect::StopModel(_) => "stop the model".into(),
            ChatEffect::StopRun(run_id) => format!("stop {}", self.name(run_id.as_str())),
            ChatEffect::TurnEnded { outcome: None, .. } => "end".into(),
            ChatEffect::TurnEnded { outcome: Some(outcome), .. } => match outcome {
                CallOutcome::Done(value) => format!("end done {value}"),
                CallOutcome::Failed(failure) => format!("end failed {}", failure.to_value()),
                CallOutcome::Replied(words) => format!("end replied {words}"),
            },
        }
    }

    /// A short name for a run id.
    fn name(&mut self, run_id: &str) -> String {
        let at = self.names.iter().position(|known| known == run_id).unwrap_or_else(|| {
            self.names.push(run_id.to_owned());
            self.names.len() - 1
        });
        format!("r{}", at + 1)
    }

    /// The run id behind a short name.
    pub(crate) fn run(&self, name: &str) -> RunId {
        let number: usize = name.trim_start_matches('r').parse().unwrap();
        RunId::new(self.names[number - 1].as_str())
    }

    pub(crate) fn now(&self) -> Timestamp {
        Timestamp::from_millisecond(self.now_ms).unwrap()
    }

    pub(crate) fn wait(&mut self, seconds: i64) {
        self.now_ms += seconds * 1000;
    }

    pub(crate) fn receives(&mut self, user: &str, body: InboundBody) -> String {
        let inbound = Inbound { message_id: None, user: user.into(), surface: self.surface, body };
        self.event(&Event::Received(inbound))
    }

    pub(crate) fn says(&mut self, words: &str) -> String {
        self.says_as(ANA, words)
    }

    pub(crate) fn says_as(&mut self, user: &str, words: &str) -> String {
        self.receives(user, InboundBody::Text(words.into()))
    }

    /// Presses a button of the newest question.
    pub(crate) fn presses(&mut self, yes: bool) -> String {
        self.presses_as(ANA, yes)
    }

    pub(crate) fn presses_as(&mut self, user: &str, yes: bool) -> String {
        let id = self.question.clone().unwrap_or_default().into();
        self.receives(user, InboundBody::Press { id, yes })
    }

    /// Asks for a call as code does.
    pub(crate) fn code_calls(
        &mut self,
        tool: &str,
        arguments: &Value,
        confirmer: Confirmer,
    ) -> String {
        let arguments = arguments.to_string();
        self.receives(
            "code",
            InboundBody::Call { tool: tool.into(), arguments, confirmer, known_as: Vec::new() },
        )
    }

    pub(crate) fn model(&mut self, reply: ModelReply) -> String {
        let turn_id = self.chat.turn().unwrap().id.clone();
        self.event(&Event::ModelReplied { turn_id, reply: Box::new(reply), duration_ms: Some(7) })
    }

    pub(crate) fn model_says(&mut self, text: &str) -> String {
        self.model(ModelReply::of_text(text))
    }

    /// The reply in which the model calls tools, for the turn under way.
    pub(crate) fn calling<const N: usize>(&self, calls: [(&str, Value); N]) -> Event {
        let turn_id = self.chat.turn().unwrap().id.clone();
        Event::ModelReplied { turn_id, reply: Box::new(calling(calls)), duration_ms: Some(7) }
    }

    pub(crate) fn model_calls<const N: usize>(&mut self, calls: [(&str, Value); N]) -> String {
        self.model(calling(calls))
    }

    pub(crate) fn model_fails(&mut self, kind: ModelFailureKind) -> String {
        let turn_id = self.chat.turn().unwrap().id.clone();
        let failure = ModelFailure { kind, message: "why".into() };
        self.event(&Event::ModelFailed { turn_id, failure, duration_ms: Some(7) })
    }

    /// Ends the newest run of the turn.
    pub(crate) fn tool_ends(&mut self, end: RunEnd) -> String {
        let run_id = self.chat.turn().unwrap().runs().last().unwrap().run_id.clone();
        self.run_ends(run_id, end)
    }

    pub(crate) fn tool_returns(&mut self, result: Value) -> String {
        self.tool_ends(RunEnd::of_result(result))
    }

    pub(crate) fn run_ends(&mut self, run_id: RunId, end: RunEnd) -> String {
        self.event(&Event::ToolEnded { run_id, end, duration_ms: 5 })
    }

    pub(crate) fn time_up(&mut self) -> String {
        self.event(&Event::TimeUp)
    }

    /// A new process takes the chat up from the store.
    pub(crate) fn crashes(&mut self, known: Vec<(RunId, KnownEnd)>) -> String {
        self.chat = self.watch.read_back(&self.chat);
        self.event(&Event::Resumed { known })
    }

    /// Checks that a crash just now would break nothing; the chat itself goes on without one.
    pub(crate) fn would_survive_a_crash(&self) {
        let mut chat = self.watch.read_back(&self.chat);
        let at = Timestamp::from_millisecond(self.now_ms).unwrap();
        let stamp = Stamp { at, seed: Seed(u128::MAX) };
        let resumed = Event::Resumed { known: Vec::new() };
        self.watch.clone().apply(&mut chat, &self.spec, &resumed, stamp);
    }

    /// How often the whole memory was written.
    pub(crate) fn memories_written(&self) -> usize {
        self.watch.memories
    }

    /// The memory as it was last written.
    pub(crate) fn memory_written(&self) -> Option<&str> {
        self.watch.memory.as_deref()
    }

    /// The fields of the newest audit event of this name.
    pub(crate) fn trail(&self, name: &str) -> Value {
        let found = self.audit.iter().rev().find(|event| event.kind.name() == name).unwrap();
        Value::Object(found.fields.to_map())
    }

    /// What the chat remembers as said.
    pub(crate) fn history(&self) -> String {
        let entries = self.chat.memory().history.entries();
        let lines: Vec<String> =
            entries.iter().map(|entry| format!("{:?}: {}", entry.role, entry.text)).collect();
        lines.join("\n")
    }

    /// The ledger, one line a run.
    pub(crate) fn ledger(&self) -> String {
        let lines = self.chat.memory().ledger.entries().iter().map(|entry| {
            let arguments = Value::Object(entry.arguments.clone());
            format!("{:?} {} {arguments} → {}", entry.state, entry.tool, entry.result)
        });
        lines.collect::<Vec<_>>().join("\n")
    }
}

/// A reply that asks for calls.
pub(crate) fn calling<const N: usize>(calls: [(&str, Value); N]) -> ModelReply {
    let calls = calls.into_iter().map(|(name, arguments)| RequestedCall {
        wire_id: None,
        name: name.into(),
        arguments: match arguments {
            Value::Null => CallArguments::Missing,
            Value::String(text) => CallArguments::Text(text),
            value => CallArguments::Value(value),
        },
    });
    ModelReply {
        calls: calls.collect(),
        finish: FinishReason::ToolCalls,
        ..ModelReply::of_text("")
    }
}

fn names_of(decision: &Decision) -> Vec<String> {
    decision.audit.iter().map(|event| event.kind.name().to_owned()).collect()
}

/// The messages since the model's last reply.
fn newest(request: &ModelRequest) -> &[StepMessage] {
    let replied = request.messages.iter().rposition(|m| matches!(m, StepMessage::Assistant { .. }));
    &request.messages[replied.map_or(0, |at| at + 1)..]
}

fn told(message: &StepMessage) -> String {
    match message {
        StepMessage::Assistant { text, .. } => format!("assistant: {text}"),
        StepMessage::Note(text) => format!("note: {text}"),
        StepMessage::Result(result) => result.content.to_string(),
        StepMessage::User(text) => text.clone(),
    }
}

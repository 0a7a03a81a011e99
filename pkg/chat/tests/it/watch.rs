//! What must hold after every event, whatever happens.

use std::collections::{BTreeMap, BTreeSet};

use manos_answer::{Answer, Asked, Language};
use manos_chat::{Chat, ChatEffect, ChatSpec, Decision, Event};
use manos_engine::KnownEnd;
use manos_model::{AuditEvent, ModelRequest, Stamp, StepMessage};
use manos_policy::ApprovalRecord;
use serde_json::Value;

/// Checks every decision of one chat, crashes included.
#[derive(Debug, Clone, Default)]
pub(crate) struct Watch {
    seq: u64,
    /// Questions answered with yes, by id, with the digest that was asked about.
    approved: BTreeMap<String, String>,
    /// Runs by id, with the approval they were started by.
    started: BTreeSet<String>,
    /// Approvals that a run was started with.
    used: BTreeMap<String, String>,
    /// Runs that a journal says were not done.
    not_done: BTreeSet<String>,
    /// The memory as the store has it.
    pub(crate) memory: Option<String>,
    /// How often it was written.
    pub(crate) memories: usize,
}

impl Watch {
    /// Applies an event to the chat and checks all that must hold.
    pub(crate) fn apply(
        &mut self,
        chat: &mut Chat,
        spec: &ChatSpec,
        event: &Event,
        stamp: Stamp,
    ) -> Decision {
        let mut again = self.read_back(chat);
        assert_eq!(again, *chat, "a chat reads back as it was");
        if let Event::Resumed { known } = event {
            let not_done = known.iter().filter(|(_, end)| *end == KnownEnd::NotDone);
            self.not_done.extend(not_done.map(|(run_id, _)| run_id.as_str().to_owned()));
        }
        let replayed = again.apply(spec, event, stamp);
        let decision = chat.apply(spec, event, stamp);
        assert_eq!(format!("{replayed:?}"), format!("{decision:?}"), "played again it is the same");
        assert_eq!(again, *chat, "played again the chat is the same");
        let decision = decision.unwrap();
        if decision.memory_changed {
            self.memory = Some(chat.memory_json().unwrap());
            self.memories += 1;
        }
        self.check(chat, spec, &decision);
        decision
    }

    /// The chat as the store gives it back.
    pub(crate) fn read_back(&self, chat: &Chat) -> Chat {
        let active = chat.active_json().unwrap();
        Chat::read(chat.key().clone(), &active, self.memory.as_deref()).unwrap()
    }

    fn check(&mut self, chat: &Chat, spec: &ChatSpec, decision: &Decision) {
        for event in &decision.audit {
            self.seq += 1;
            assert_eq!(event.seq, self.seq, "the trail has no gaps");
            self.note_approval(event, spec);
        }
        let mut asked = 0;
        for effect in &decision.effects {
            match effect {
                ChatEffect::CallModel { request, .. } => {
                    calls_have_one_result_each(request);
                    assert!(request.step <= spec.agent.limits.steps_max * 10, "bounded");
                    asked += 1;
                }
                ChatEffect::RunTool(run) => self.check_run(run, spec),
                ChatEffect::Deliver(_)
                | ChatEffect::StopModel(_)
                | ChatEffect::StopRun(_)
                | ChatEffect::TurnEnded { .. } => {}
            }
        }
        assert!(asked <= 1, "one event makes one model call at most");
        let active: Value = serde_json::from_str(&chat.active_json().unwrap()).unwrap();
        let waiting = active["state"]["waiting"].as_array().unwrap().len();
        assert!(waiting <= spec.waiting_max, "{waiting} messages wait");
        let questions = chat
            .outbox()
            .iter()
            .filter(|delivery| matches!(delivery.kind, manos_chat::DeliveryKind::Confirm { .. }));
        assert!(questions.count() <= 1, "one question is on its way at most");
    }

    fn note_approval(&mut self, event: &AuditEvent, spec: &ChatSpec) {
        if event.kind.name() != "confirm.approved" {
            return;
        }
        let fields = event.fields.to_map();
        let text = |key: &str| fields[key].as_str().unwrap_or_default().to_owned();
        let languages = [Language::Es];
        let asked =
            Asked { languages: &languages, menu: spec.agent.confirm.menu, ..Asked::default() };
        match text("via").as_str() {
            "press" | "code" => {}
            _ => assert_eq!(manos_answer::read(&text("words"), &asked), Answer::Yes, "a clear yes"),
        }
        let may = spec.agent.confirm.who != manos_policy::Who::Requester
            || text("by") == text("asked_of");
        assert!(may, "an allowed person");
        let before = self.approved.insert(text("confirmation_id"), text("digest"));
        assert_eq!(before, None, "a question is answered once");
    }

    fn check_run(&mut self, run: &manos_engine::ToolRun, spec: &ChatSpec) {
        let call = &run.order.call;
        let tool = spec.agent.tool(call.tool().as_str()).unwrap();
        let run_id = run.order.run_id.as_str().to_owned();
        if tool.spec.confirm {
            let ApprovalRecord::ByPerson { confirmation_id, digest, .. } = call.approval() else {
                panic!("{} runs without a person", call.tool());
            };
            let approved = self.approved.get(confirmation_id.as_str());
            assert_eq!(
                approved.map(String::as_str),
                Some(digest.as_str()),
                "asked about just this"
            );
            assert_eq!(digest, call.digest());
            let used = self.used.insert(confirmation_id.as_str().to_owned(), run_id.clone());
            assert!(used.is_none_or(|before| before == run_id), "an approval starts one run");
        }
        let first = self.started.insert(run_id.clone());
        let again_is_safe = tool.spec.repeatable() || self.not_done.contains(&run_id);
        assert!(first || again_is_safe, "{} is started twice", call.tool());
    }
}

/// Every call has one result, right after its reply and in its order.
fn calls_have_one_result_each(request: &ModelRequest) {
    let mut open: Vec<&str> = Vec::new();
    let mut seen = BTreeSet::new();
    for message in request.messages.iter() {
        match message {
            StepMessage::Assistant { calls, .. } => {
                assert!(open.is_empty(), "calls without a result: {open:?}");
                open = calls.iter().map(|call| call.id.as_str()).collect();
                for call in calls {
                    assert!(seen.insert(call.id.as_str()), "call ids are unique");
                    assert!(call.arguments.is_object(), "arguments are told back as an object");
                }
            }
            StepMessage::Result(result) => {
                assert_eq!(open.first().copied(), Some(result.call_id.as_str()), "in their order");
                open.remove(0);
            }
            StepMessage::Note(_) | StepMessage::User(_) => {
                assert!(open.is_empty(), "calls without a result: {open:?}");
            }
        }
    }
    assert!(open.is_empty(), "calls without a result: {open:?}");
}

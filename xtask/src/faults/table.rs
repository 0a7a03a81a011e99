//! Deliberate faults: one line each, and the promise that the line keeps.

/// A line that is changed.
pub(super) struct Fault {
    /// What goes wrong.
    pub(super) name: &'static str,
    /// The promise that a world must break, by its name in `manos-sim`.
    pub(super) promise: &'static str,
    pub(super) file: &'static str,
    /// Stands there once.
    pub(super) line: &'static str,
    /// What stands there instead. `PLANTED` says whether this fault is switched on.
    pub(super) instead: &'static str,
}

const fn fault(
    name: &'static str,
    promise: &'static str,
    file: &'static str,
    line: &'static str,
    instead: &'static str,
) -> Fault {
    Fault { name, promise, file, line, instead }
}

pub(super) const FAULTS: [Fault; 20] = [
    fault(
        "a tool that asks runs unasked",
        "Yes",
        "pkg/policy/src/verdict.rs",
        "    if !spec.confirm {\n        return Verdict::Allow",
        "    if !spec.confirm || PLANTED {\n        return Verdict::Allow",
    ),
    fault(
        "anything said is a yes",
        "Yes",
        "pkg/chat/src/chat/route.rs",
        "Answer::Other => Says::Other,",
        "Answer::Other => if PLANTED { Says::Yes } else { Says::Other },",
    ),
    fault(
        "anybody may answer",
        "Yes",
        "pkg/chat/src/chat/route.rs",
        "Who::Requester => asked.requester == *user,",
        "Who::Requester => asked.requester == *user || PLANTED,",
    ),
    fault(
        "a yes after the deadline counts",
        "Yes",
        "pkg/engine/src/turn/answer.rs",
        "if step.now > confirmation.deadline {",
        "if step.now > confirmation.deadline && !PLANTED {",
    ),
    fault(
        "a yes never becomes stale",
        "Yes",
        "pkg/engine/src/turn/launch.rs",
        "now > after(*at, agent.confirm.timeout_in(chat))",
        "!PLANTED && now > after(*at, agent.confirm.timeout_in(chat))",
    ),
    fault(
        "an interrupted run is simply made again",
        "Once",
        "pkg/engine/src/turn/resume.rs",
        "KnownEnd::Unknown if tool.is_some_and(",
        "KnownEnd::Unknown if PLANTED || tool.is_some_and(",
    ),
    fault(
        "an effect begins before it is kept",
        "KeptFirst",
        "pkg/chat/src/decision.rs",
        "Self::RunTool(run) => run.read_only,",
        "Self::RunTool(run) => run.read_only || PLANTED,",
    ),
    fault(
        "a result is left out",
        "Results",
        "pkg/engine/src/turn/model.rs",
        "for call in std::mem::take(&mut self.calls) {",
        "for call in std::mem::take(&mut self.calls).into_iter().skip(usize::from(PLANTED)) {",
    ),
    fault(
        "a run of unknown end is not recorded",
        "Told",
        "pkg/engine/src/turn/run.rs",
        "RunEnd::Unknown(failure) => self.record_unknown(run, failure.to_value(), step),",
        "RunEnd::Unknown(_) if PLANTED => {}\n            RunEnd::Unknown(failure) => self.record_unknown(run, failure.to_value(), step),",
    ),
    fault(
        "a window of duplicates is not looked at",
        "Dedupe",
        "pkg/engine/src/ledger.rs",
        "} else if in_window && equal_key {",
        "} else if in_window && equal_key && !PLANTED {",
    ),
    fault(
        "a message that waits is dropped",
        "Lost",
        "pkg/chat/src/chat/route.rs",
        "            self.chat.active.waiting.push(inbound.clone());\n            return;",
        "            if !PLANTED { self.chat.active.waiting.push(inbound.clone()); }\n            return;",
    ),
    fault(
        "a question expires whenever the clock is looked at",
        "Question",
        "pkg/engine/src/turn/answer.rs",
        "if step.now >= confirmation.deadline {",
        "if step.now >= confirmation.deadline || PLANTED {",
    ),
    fault(
        "a deadline is forgotten",
        "Rest",
        "pkg/chat/src/chat.rs",
        "turn.into_iter().chain(gathered).min()",
        "turn.into_iter().filter(|_| !PLANTED).chain(gathered).min()",
    ),
    fault(
        "an output in doubt is sent again",
        "Doubled",
        "pkg/chat/src/chat/outbox.rs",
        "if !delivery.repeats {",
        "if !delivery.repeats && !PLANTED {",
    ),
    fault(
        "what was cleared is remembered",
        "Forgotten",
        "pkg/chat/src/chat/route.rs",
        "self.chat.memory.history.clear();",
        "if !PLANTED { self.chat.memory.history.clear(); }",
    ),
    fault(
        "a stale press is told so in a chat that a human has",
        "Silent",
        "pkg/chat/src/chat/press.rs",
        "if told && !self.chat.active.handoff {",
        "if told && (!self.chat.active.handoff || PLANTED) {",
    ),
    fault(
        "any number of messages may wait",
        "Bounded",
        "pkg/chat/src/chat/route.rs",
        "        if self.chat.active.waiting.len() < self.spec.waiting_max {\n",
        "        if PLANTED || self.chat.active.waiting.len() < self.spec.waiting_max {\n",
    ),
    fault(
        "a cancelled turn ends once more",
        "Ended",
        "pkg/chat/src/chat/finish.rs",
        "        if !cancelled {\n",
        "        if !cancelled || PLANTED {\n",
    ),
    fault(
        "a number of the trail is passed over",
        "Trail",
        "pkg/engine/src/trail.rs",
        "*self.seq += 1;",
        "*self.seq += if PLANTED && self.now.as_second() % 7 == 0 { 2 } else { 1 };",
    ),
    fault(
        "a model call of an earlier process is not made again",
        "Rest",
        "pkg/engine/src/turn/resume.rs",
        "if self.stage == Stage::Model {",
        "if self.stage == Stage::Model && !PLANTED {",
    ),
];

//! Audit events: facts about a turn, in order, kept for people who check.

use std::fmt;

use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

use crate::{AgentName, ChatKey, RunId, Timestamp, ToolCallId, TurnId};

/// The place of an audit event in the whole store; grows, and is the cursor of readers.
pub type CursorId = u64;

macro_rules! kinds {
    ($($(#[$doc:meta])* $variant:ident = $name:literal,)*) => {
        /// What happened.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub enum AuditKind { $($(#[$doc])* $variant,)* }

        impl AuditKind {
            /// All kinds, in the order of the names.
            pub const ALL: &[AuditKind] = &[$(AuditKind::$variant,)*];

            /// Returns the name in the trail, such as `tool.started`.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }
        }
    };
}

kinds! {
    /// An agent file was loaded.
    ConfigLoaded = "config.loaded",
    /// A person said yes.
    ConfirmApproved = "confirm.approved",
    /// A question was made.
    ConfirmAsked = "confirm.asked",
    /// A question was withdrawn.
    ConfirmCancelled = "confirm.cancelled",
    /// Nobody answered in time.
    ConfirmExpired = "confirm.expired",
    /// A person said no.
    ConfirmRejected = "confirm.rejected",
    /// A person said something else.
    ConfirmReplied = "confirm.replied",
    /// The channel took the question.
    ConfirmShown = "confirm.shown",
    /// A press, or a second yes, on a question that no longer waits.
    ConfirmStalePress = "confirm.stale_press",
    /// The chat went back to the agent.
    HandoffEnded = "handoff.ended",
    /// A person took the chat over.
    HandoffStarted = "handoff.started",
    /// The turn ended in an apology.
    LoopError = "loop.error",
    /// The model wanted more steps than allowed.
    LoopMaxSteps = "loop.max_steps",
    /// The same call failed three times.
    LoopRepeated = "loop.repeated",
    /// The chat was too long for the model: its oldest turns were dropped, and it was asked again.
    LoopTrimmed = "loop.trimmed",
    /// The token limit cut a reply.
    LoopTruncated = "loop.truncated",
    /// A message id came twice.
    MessageDuplicate = "message.duplicate",
    /// Something came in.
    MessageReceived = "message.received",
    /// A request went to the model.
    ModelCalled = "model.called",
    /// No reply came.
    ModelFailed = "model.failed",
    /// A reply came.
    ModelReplied = "model.replied",
    /// An output reached the channel.
    ReplySent = "reply.sent",
    /// Whether an output reached the channel is not known.
    ReplyUnknown = "reply.unknown",
    /// A rule decided.
    RuleMatched = "rule.matched",
    /// A human should look.
    RunUnknown = "run.unknown",
    /// It is not run: this user may not, it was not asked about, or it is not what was approved.
    ToolDenied = "tool.denied",
    /// Equal arguments were done a moment ago, or may have been.
    ToolDuplicate = "tool.duplicate",
    /// The run brought a failure.
    ToolFailed = "tool.failed",
    /// We stopped while it ran.
    ToolInterrupted = "tool.interrupted",
    /// The arguments do not fit.
    ToolInvalid = "tool.invalid",
    /// A result came after its timeout, or settled a run that was unknown.
    ToolLate = "tool.late",
    /// Arguments were mended without loss.
    ToolMended = "tool.mended",
    /// A call was asked for.
    ToolRequested = "tool.requested",
    /// A run began.
    ToolStarted = "tool.started",
    /// The run brought a result.
    ToolSucceeded = "tool.succeeded",
    /// The run took too long.
    ToolTimedOut = "tool.timed_out",
    /// No such tool.
    ToolUnknown = "tool.unknown",
    /// The turn ended without an answer.
    TurnCancelled = "turn.cancelled",
    /// The turn ended.
    TurnFinished = "turn.finished",
    /// A turn began.
    TurnStarted = "turn.started",
}

/// One immutable fact. The store adds `id`.
///
/// # Shape
///
/// One JSON object: `seq`, `at`, `type`, `agent`, `chat_key`, `turn_id`, `step` always (`null`
/// where there is none); `tool`, `call_id`, `run_id`, `duration_ms` where they apply; then what the
/// kind brings.
#[derive(Debug, Clone, PartialEq)]
pub struct AuditEvent {
    /// Gap-free within the chat, from 1.
    pub seq: u64,
    /// When.
    pub at: Timestamp,
    /// What happened.
    pub kind: AuditKind,
    /// Whose agent.
    pub agent: AgentName,
    /// Where.
    pub chat_key: ChatKey,
    /// In which turn.
    pub turn_id: Option<TurnId>,
    /// In which model call of the turn.
    pub step: Option<u32>,
    /// Which tool, by the name that was asked for.
    pub tool: Option<String>,
    /// Which call.
    pub call_id: Option<ToolCallId>,
    /// Which run.
    pub run_id: Option<RunId>,
    /// How long it took.
    pub duration_ms: Option<u64>,
    /// What the kind brings.
    pub fields: AuditFields,
}

impl AuditEvent {
    /// Writes the event, as serialising it does.
    pub fn to_json(&self) -> String {
        let mut line = Vec::with_capacity(LINE_BYTES + self.fields.0.len());
        line.push(b'{');
        push_member(&mut line, "seq", &self.seq);
        push_member(&mut line, "at", &self.at);
        push_member(&mut line, "type", self.kind.name());
        push_member(&mut line, "agent", &self.agent);
        push_member(&mut line, "chat_key", &self.chat_key);
        push_member(&mut line, "turn_id", &self.turn_id);
        push_member(&mut line, "step", &self.step);
        push_where_it_applies(&mut line, "tool", self.tool.as_ref());
        push_where_it_applies(&mut line, "call_id", self.call_id.as_ref());
        push_where_it_applies(&mut line, "run_id", self.run_id.as_ref());
        push_where_it_applies(&mut line, "duration_ms", self.duration_ms.as_ref());
        if !self.fields.0.is_empty() {
            line.push(b',');
            line.extend_from_slice(&self.fields.0);
        }
        line.push(b'}');
        // What serde_json writes is UTF-8.
        String::from_utf8(line).unwrap_or_default()
    }
}

/// What an event has in any case is about so long, in bytes.
const LINE_BYTES: usize = 320;

/// What the kind of an event brings, in the order in which it was added. Held as it is written, so
/// that each value is made into text once.
///
/// ```
/// use manos_model::AuditFields;
/// let mut fields = AuditFields::default();
/// fields.push("tool", "ver_menu");
/// fields.push("times", &3);
/// assert_eq!(fields.to_map()["times"], 3);
/// ```
#[derive(Clone, Default, PartialEq, Eq)]
pub struct AuditFields(Vec<u8>);

impl AuditFields {
    /// Adds a field. Each name is given once.
    pub fn push<T: Serialize + ?Sized>(&mut self, name: &str, value: &T) {
        push_member(&mut self.0, name, value);
    }

    /// Reads the fields back; for tests and other readers that are in no hurry.
    pub fn to_map(&self) -> Map<String, Value> {
        let mut object = Vec::with_capacity(self.0.len() + 2);
        object.push(b'{');
        object.extend_from_slice(&self.0);
        object.push(b'}');
        serde_json::from_slice(&object).unwrap_or_default()
    }
}

impl fmt::Debug for AuditFields {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&String::from_utf8_lossy(&self.0))
    }
}

/// Writes `"name":value`, after a comma where something stands before it.
fn push_member<T: Serialize + ?Sized>(line: &mut Vec<u8>, name: &str, value: &T) {
    let before = line.len();
    if line.last().is_some_and(|last| *last != b'{') {
        line.push(b',');
    }
    line.push(b'"');
    line.extend_from_slice(name.as_bytes());
    line.extend_from_slice(b"\":");
    if serde_json::to_writer(&mut *line, value).is_err() {
        // Nothing that a note takes fails to serialise; a line that can be read stays one.
        line.truncate(before);
    }
}

fn push_where_it_applies<T: Serialize>(line: &mut Vec<u8>, name: &str, value: Option<&T>) {
    if let Some(value) = value {
        push_member(line, name, value);
    }
}

impl Serialize for AuditEvent {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("seq", &self.seq)?;
        map.serialize_entry("at", &self.at)?;
        map.serialize_entry("type", self.kind.name())?;
        map.serialize_entry("agent", &self.agent)?;
        map.serialize_entry("chat_key", &self.chat_key)?;
        map.serialize_entry("turn_id", &self.turn_id)?;
        map.serialize_entry("step", &self.step)?;
        if let Some(tool) = &self.tool {
            map.serialize_entry("tool", tool)?;
        }
        if let Some(call_id) = &self.call_id {
            map.serialize_entry("call_id", call_id)?;
        }
        if let Some(run_id) = &self.run_id {
            map.serialize_entry("run_id", run_id)?;
        }
        if let Some(duration_ms) = &self.duration_ms {
            map.serialize_entry("duration_ms", duration_ms)?;
        }
        for (key, value) in self.fields.to_map() {
            map.serialize_entry(&key, &value)?;
        }
        map.end()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn event(fields: AuditFields) -> AuditEvent {
        AuditEvent {
            seq: 7,
            at: Timestamp::UNIX_EPOCH,
            kind: AuditKind::ToolStarted,
            agent: "espiga".into(),
            chat_key: "web:1".into(),
            turn_id: Some("t1".into()),
            step: None,
            tool: Some("crear_\"pedido\"".to_owned()),
            call_id: None,
            run_id: Some("r1".into()),
            duration_ms: Some(12),
            fields,
        }
    }

    #[test]
    fn an_event_is_written_as_it_serialises() {
        let mut fields = AuditFields::default();
        fields.push("text", "uno\n\"dos\"");
        fields.push("empty", &json!({}));
        let exact: Value =
            serde_json::from_str(r#"{"n":1.10,"big":123456789012345678901}"#).unwrap();
        fields.push("exact", &exact);
        fields.push("none", &Value::Null);
        for fields in [AuditFields::default(), fields] {
            let event = event(fields);
            assert_eq!(event.to_json(), serde_json::to_string(&event).unwrap());
        }
    }
}

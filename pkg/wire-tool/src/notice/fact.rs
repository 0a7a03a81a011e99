//! An event of the audit trail, as the store gives it back.

use manos_model::{AuditKind, ChatKey, NoticeEventId, sha256_hex};
use serde_json::{Map, Value};

use crate::http::Place;

/// The kinds of notices that tell of the end of a run, by the place of its chat.
pub const PLACE_KINDS: [&str; 3] = ["chat.tool", "telephony.tool", "web.tool"];

/// How many hex digits of a digest make the id of an event: 128 bits.
const ID_DIGITS: usize = 32;

/// Whether a notice can be of this kind: an event of the trail, or one of [`PLACE_KINDS`].
///
/// ```
/// use manos_wire_tool::notice::is_kind;
/// assert!(is_kind("chat.tool") && is_kind("turn.finished"));
/// assert!(!is_kind("tool.succeded"));
/// ```
pub fn is_kind(name: &str) -> bool {
    PLACE_KINDS.contains(&name) || AuditKind::ALL.iter().any(|kind| kind.name() == name)
}

/// An event of the trail.
#[derive(Debug, Clone, PartialEq)]
pub struct Fact {
    object: Map<String, Value>,
}

impl Fact {
    /// Reads one as the store gives it: a JSON object with `id`, `type` and `chat_key`. `None` when
    /// it is none.
    pub fn parse(json: &str) -> Option<Self> {
        let object: Map<String, Value> = serde_json::from_str(json).ok()?;
        let is_text = |name: &str| object.get(name).is_some_and(Value::is_string);
        let whole = object.get("id").is_some_and(Value::is_u64);
        (whole && is_text("type") && is_text("chat_key")).then_some(Self { object })
    }

    /// Returns a field.
    pub(super) fn get(&self, name: &str) -> Option<&Value> {
        self.object.get(name)
    }

    /// Returns everything but the kind, which stands beside it.
    pub(super) fn without_kind(&self) -> Map<String, Value> {
        let fields = self.object.iter().filter(|(name, _)| *name != "type");
        fields.map(|(name, value)| (name.clone(), value.clone())).collect()
    }

    /// Returns a field that is a text; empty when it is none.
    pub fn text(&self, name: &str) -> &str {
        self.get(name).and_then(Value::as_str).unwrap_or_default()
    }

    /// Returns its place in the trail.
    pub fn id(&self) -> u64 {
        self.get("id").and_then(Value::as_u64).unwrap_or_default()
    }

    /// Returns what happened, such as `tool.succeeded`.
    pub fn kind(&self) -> &str {
        self.text("type")
    }

    /// Returns the chat.
    pub fn chat(&self) -> ChatKey {
        ChatKey::new(self.text("chat_key"))
    }

    /// Returns the kind of the notice of a run's end; `None` when the fact is no end of a run.
    ///
    /// A late result is an end of its own when it settles a run that was told as unknown. Said by a
    /// person it is none, since what the tool brought stays unknown; and where a turn still waits,
    /// the end follows.
    pub fn tool_kind(&self) -> Option<&'static str> {
        let settles = || {
            self.get("settled").is_some()
                && self.get("by").is_none()
                && self.get("call_id").is_none()
        };
        let ends = match self.kind() {
            "tool.succeeded" | "tool.failed" | "tool.timed_out" | "tool.interrupted" => true,
            "tool.late" => settles(),
            _ => false,
        };
        let kind = || match Place::of_channel(&self.chat().channel()) {
            Place::Chat => "chat.tool",
            Place::Phone { .. } => "telephony.tool",
            Place::Web { .. } => "web.tool",
        };
        ends.then(kind)
    }

    /// Returns the id of the notice of this kind: the same for each try, for every endpoint and in
    /// every process.
    pub fn event_id(&self, kind: &str) -> NoticeEventId {
        let seq = self.get("seq").map(Value::to_string).unwrap_or_default();
        let id = self.id().to_string();
        let parts = [kind, self.text("agent"), self.text("chat_key"), self.text("at"), &seq, &id];
        let digest = sha256_hex(&parts.map(str::as_bytes));
        NoticeEventId::new(format!("evt_{}", &digest[..ID_DIGITS]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(chat: &str, rest: &str) -> Option<&'static str> {
        Fact::parse(&format!(r#"{{"id":1,"chat_key":"{chat}",{rest}}}"#)).unwrap().tool_kind()
    }

    #[test]
    fn each_end_of_a_run_is_told_once() {
        let late = |more: &str| format!(r#""type":"tool.late","run_id":"r"{more}"#);
        let cases = [
            ("done", "terminal:a", r#""type":"tool.succeeded""#.to_owned(), Some("chat.tool")),
            (
                "on the phone",
                "call:1",
                r#""type":"tool.failed""#.to_owned(),
                Some("telephony.tool"),
            ),
            ("on the web", "web:1", r#""type":"tool.timed_out""#.to_owned(), Some("web.tool")),
            ("cut off", "web:1", r#""type":"tool.interrupted""#.to_owned(), Some("web.tool")),
            ("begun", "web:1", r#""type":"tool.started""#.to_owned(), None),
            ("refused", "web:1", r#""type":"tool.denied""#.to_owned(), None),
            ("late", "web:1", late(r#","settled":"done""#), Some("web.tool")),
            ("late again", "web:1", late(r#","came_again":"done""#), None),
            ("said by a person", "web:1", late(r#","settled":"done","by":"operator""#), None),
            ("followed by its end", "web:1", late(r#","settled":"done","call_id":"c""#), None),
        ];
        for (why, chat, rest, expected) in cases {
            assert_eq!(kind(chat, &rest), expected, "{why}");
        }
    }

    #[test]
    fn an_id_names_one_fact_and_kind() {
        let fact = |seq: u32| {
            let json = format!(
                r#"{{"id":{seq},"seq":{seq},"at":"2026-12-01T00:00:00Z","type":"tool.failed","agent":"a","chat_key":"web:1"}}"#
            );
            Fact::parse(&json).unwrap()
        };
        assert_eq!(fact(1).event_id("web.tool").as_str(), "evt_a06545334a012fa1723be98ed150706d");
        assert_ne!(fact(1).event_id("web.tool"), fact(2).event_id("web.tool"));
        assert_ne!(fact(1).event_id("web.tool"), fact(1).event_id("tool.failed"));
    }

    #[test]
    fn what_is_no_event_is_none() {
        for json in ["", "[]", "{}", r#"{"id":1,"type":"x"}"#, r#"{"type":"x","chat_key":"a"}"#] {
            assert_eq!(Fact::parse(json), None, "{json}");
        }
    }
}

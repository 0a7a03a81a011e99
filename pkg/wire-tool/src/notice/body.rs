//! The bytes of a notice.

use manos_model::{NoticeEventId, RunId, Timestamp, UserId};
use serde_json::{Map, Value, json};

use super::Fact;
use crate::canonical;
use crate::http::{Call, CallId, Envelope, Place};

/// The kind of the notice that `manos notices test` sends.
pub const TEST_KIND: &str = "webhook.test";

/// What the trail says of the beginning of a run.
#[derive(Debug, Clone, Copy, Default)]
pub struct Begun<'a> {
    /// Its `tool.started`.
    pub started: Option<&'a Fact>,
    /// The `turn.started` of its turn.
    pub turn: Option<&'a Fact>,
}

/// Writes a notice in the canonical form.
///
/// # Shape
///
/// `{"data":{…},"event_id":"evt_…","type":"…"}`. The end of a run under the kind of its place has
/// in `data` what the webhook is sent for a call, then `response` or `error`, and `duration_ms`;
/// what the trail does not show, as of a tool that is redacted, is `null`. Under its own kind a fact
/// has in `data` what the trail holds.
pub fn body(kind: &str, fact: &Fact, begun: Begun<'_>) -> String {
    let is_end = fact.tool_kind() == Some(kind);
    let data = if is_end { end(fact, begun) } else { fact.without_kind() };
    written(&fact.event_id(kind), kind, &data)
}

/// Writes the notice that only shows whether notices arrive.
pub fn test_body(event_id: &NoticeEventId, agent: &str) -> String {
    let data = Map::from_iter([("agent".to_owned(), json!(agent))]);
    written(event_id, TEST_KIND, &data)
}

fn written(event_id: &NoticeEventId, kind: &str, data: &Map<String, Value>) -> String {
    let mut body = String::from("{\"data\":");
    canonical::write_object(data, &[], &mut body);
    body.push_str(",\"event_id\":");
    canonical::write_string(event_id.as_str(), &mut body);
    body.push_str(",\"type\":");
    canonical::write_string(kind, &mut body);
    body.push('}');
    body
}

/// What is told of the end of a run.
fn end(fact: &Fact, begun: Begun<'_>) -> Map<String, Value> {
    let none = Map::new();
    let arguments = begun.started.and_then(|started| started.get("arguments"));
    let (chat, user) = (fact.chat(), begun.turn.map_or("", |turn| turn.text("user")));
    let channel = chat.channel();
    let mut data = Envelope {
        call: Call {
            tool: fact.text("tool"),
            arguments: arguments.and_then(Value::as_object).unwrap_or(&none),
            call_id: &CallId::of_chat(&chat),
            run_id: &RunId::new(fact.text("run_id")),
            at: Timestamp::UNIX_EPOCH,
        },
        place: Place::of_channel(&channel),
        chat: &chat,
        channel: &channel,
        user: &UserId::new(user),
    }
    .data();
    if !arguments.is_some_and(Value::is_object) {
        data.insert("arguments".to_owned(), Value::Null);
    }
    let shown = |name: &str| fact.get(name).cloned().unwrap_or_default();
    let (key, value) = match fact.kind() {
        "tool.succeeded" => ("response", shown("result")),
        "tool.late" if fact.text("settled") == "done" => ("response", shown("result")),
        "tool.late" => ("error", shown("result")),
        _ => ("error", shown("failure")),
    };
    data.insert(key.to_owned(), value);
    data.insert("duration_ms".to_owned(), shown("duration_ms"));
    data
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fact(chat: &str, rest: &str) -> Fact {
        let json = format!(
            r#"{{"id":9,"seq":4,"at":"2026-12-01T00:00:00Z","agent":"clinic","chat_key":"{chat}","turn_id":"t","run_id":"r","tool":"search",{rest}}}"#
        );
        Fact::parse(&json).unwrap()
    }

    /// The body of the end of a run, its id masked.
    fn told(chat: &str, end: &str, arguments: &str) -> String {
        let end = fact(chat, end);
        let started = fact(chat, &format!(r#""type":"tool.started","arguments":{arguments}"#));
        let turn = fact(chat, r#""type":"turn.started","user":"telegram:42""#);
        let kind = end.tool_kind().unwrap();
        let begun = Begun { started: Some(&started), turn: Some(&turn) };
        let id = end.event_id(kind);
        body(kind, &end, begun).replace(id.as_str(), "ID")
    }

    #[test]
    fn each_end_is_told_with_what_the_webhook_is_sent() {
        let done = r#""type":"tool.succeeded","duration_ms":12,"result":{"b":1.50,"a":[]}"#;
        let failed = r#""type":"tool.failed","duration_ms":3,"outcome":"not_done","failure":{"error":"http_status","status":503,"body":null}"#;
        let late = r#""type":"tool.late","settled":"done","result":{"ok":true}"#;
        let cases = [
            (
                told("telegram:123", done, r#"{"date":"2026-04-21"}"#),
                r#"{"data":{"arguments":{"date":"2026-04-21"},"call_id":"telegram:123","channel":"telegram","chat_key":"telegram:123","duration_ms":12,"response":{"a":[],"b":1.50},"tool_name":"search","user":"telegram:42"},"event_id":"ID","type":"chat.tool"}"#,
                "done in a messenger",
            ),
            (
                told("call:987654321", done, "{}"),
                r#"{"data":{"arguments":{},"call_id":987654321,"duration_ms":12,"from_number":null,"response":{"a":[],"b":1.50},"to_number":null,"tool_name":"search"},"event_id":"ID","type":"telephony.tool"}"#,
                "done on the phone",
            ),
            (
                told("web:1", failed, "{}"),
                r#"{"data":{"arguments":{},"call_id":"web:1","duration_ms":3,"error":{"body":null,"error":"http_status","status":503},"origin_domain":null,"tool_name":"search"},"event_id":"ID","type":"web.tool"}"#,
                "failed on the web",
            ),
            (
                told("web:1", r#""type":"tool.succeeded","duration_ms":1"#, "null"),
                r#"{"data":{"arguments":null,"call_id":"web:1","duration_ms":1,"origin_domain":null,"response":null,"tool_name":"search"},"event_id":"ID","type":"web.tool"}"#,
                "a tool that is redacted",
            ),
            (
                told("web:1", late, "{}"),
                r#"{"data":{"arguments":{},"call_id":"web:1","duration_ms":null,"origin_domain":null,"response":{"ok":true},"tool_name":"search"},"event_id":"ID","type":"web.tool"}"#,
                "a late result",
            ),
        ];
        for (got, expected, why) in cases {
            assert_eq!(got, expected, "{why}");
        }
    }

    #[test]
    fn any_other_fact_is_told_as_the_trail_has_it() {
        let fact = fact("web:1", r#""type":"turn.finished","reply":"hola""#);
        let id = fact.event_id("turn.finished");
        let got = body("turn.finished", &fact, Begun::default()).replace(id.as_str(), "ID");
        let expected = r#"{"data":{"agent":"clinic","at":"2026-12-01T00:00:00Z","chat_key":"web:1","id":9,"reply":"hola","run_id":"r","seq":4,"tool":"search","turn_id":"t"},"event_id":"ID","type":"turn.finished"}"#;
        assert_eq!(got, expected);
    }

    #[test]
    fn a_test_says_whose_it_is() {
        let got = test_body(&"evt_1".into(), "clinic");
        let expected = r#"{"data":{"agent":"clinic"},"event_id":"evt_1","type":"webhook.test"}"#;
        assert_eq!(got, expected);
    }
}

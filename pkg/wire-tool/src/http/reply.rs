//! Status and body of a reply to the end of a run.
//!
//! *Done*: a success, read whole, without a top-level `error`. *Not done*: the endpoint said no, by
//! an `error` or a status that means it did nothing. *Unknown*: any other status.

use manos_model::{Failure, RunEnd};
use serde_json::{Map, Value, json};

use super::{RequestFormat, vapi};

/// How much of the body of a reply that is no success the model is shown, in bytes; the rest is cut.
pub const ERROR_BODY_BYTES_MAX: usize = 2 * 1024;

/// A reply, read.
#[derive(Debug, Clone, PartialEq)]
pub struct Read {
    /// How the run ended.
    pub end: RunEnd,
    /// What the owner of the endpoint should look at; for the log.
    pub warning: Option<&'static str>,
}

/// Reads a reply that came whole. Of one that is no success, [`ERROR_BODY_BYTES_MAX`] + 1 bytes are
/// enough.
///
/// `tool_call_id` is the id that the request named, where the format has one.
///
/// ```
/// use manos_model::RunEnd;
/// use manos_wire_tool::http::{RequestFormat, read_reply};
/// use serde_json::json;
/// let read = read_reply(RequestFormat::Standard, "", 200, b"two slots");
/// assert_eq!(read.end, RunEnd::Done(json!({"data": "two slots"})));
/// ```
pub fn read_reply(format: RequestFormat, tool_call_id: &str, status: u16, body: &[u8]) -> Read {
    if !(200..300).contains(&status) {
        return Read { end: no_success(status, body), warning: None };
    }
    let value = value_of(body);
    if format != RequestFormat::Vapi {
        return Read { end: RunEnd::of_result(value), warning: None };
    }
    match vapi::result_of(&value, tool_call_id) {
        Some(Ok(result)) => Read { end: RunEnd::of_result(result), warning: None },
        Some(Err(error)) => Read { end: said_no(&error), warning: None },
        None => Read {
            end: RunEnd::of_result(value),
            warning: Some("the reply has no result with the id of this tool call"),
        },
    }
}

/// JSON as it is, nothing as an empty object, anything else as text.
fn value_of(body: &[u8]) -> Value {
    let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body);
    if body.trim_ascii().is_empty() {
        return Value::Object(Map::new());
    }
    serde_json::from_slice(body).unwrap_or_else(|_| json!({"data": String::from_utf8_lossy(body)}))
}

/// An error that stands in its own place is a failure whatever it is.
fn said_no(error: &Value) -> RunEnd {
    RunEnd::NotDone(Failure::Said(json!({"error": error})))
}

fn no_success(status: u16, body: &[u8]) -> RunEnd {
    if (300..400).contains(&status) {
        let message = "the server sends us elsewhere, where we do not follow".to_owned();
        return RunEnd::NotDone(Failure::Redirect { status, message });
    }
    let failure = Failure::HttpStatus { status, body: error_body(body) };
    match status {
        408 => RunEnd::Unknown(failure),
        400..500 | 503 => RunEnd::NotDone(failure),
        _ => RunEnd::Unknown(failure),
    }
}

fn error_body(body: &[u8]) -> Value {
    if body.len() <= ERROR_BODY_BYTES_MAX {
        let text = || Value::String(String::from_utf8_lossy(body).into_owned());
        return serde_json::from_slice(body).unwrap_or_else(|_| text());
    }
    let text = String::from_utf8_lossy(&body[..ERROR_BODY_BYTES_MAX]);
    // What is left of a character in the middle of which it was cut.
    Value::String(text.trim_end_matches('\u{fffd}').to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn end(format: RequestFormat, status: u16, body: &str) -> RunEnd {
        read_reply(format, "call_1", status, body.as_bytes()).end
    }

    #[test]
    fn a_success_is_a_value_or_the_endpoint_saying_no() {
        let said = |value: Value| RunEnd::NotDone(Failure::Said(value));
        let cases = [
            (
                200,
                r#"{"slots":[1.50]}"#,
                RunEnd::Done(serde_json::from_str(r#"{"slots":[1.50]}"#).unwrap()),
                "JSON",
            ),
            (201, "[]", RunEnd::Done(json!([])), "a list"),
            (200, "null", RunEnd::Done(Value::Null), "null"),
            (200, "\u{feff}{}", RunEnd::Done(json!({})), "a byte order mark"),
            (200, "booked", RunEnd::Done(json!({"data": "booked"})), "text"),
            (200, "{\"a\":", RunEnd::Done(json!({"data": "{\"a\":"})), "broken JSON is text"),
            (204, "", RunEnd::Done(json!({})), "nothing"),
            (200, " \r\n", RunEnd::Done(json!({})), "blanks"),
            (200, r#"{"error":"full"}"#, said(json!({"error": "full"})), "an error"),
            (
                200,
                r#"{"error":null,"a":1}"#,
                RunEnd::Done(json!({"error": null, "a": 1})),
                "no error",
            ),
            (299, "{}", RunEnd::Done(json!({})), "any success"),
        ];
        for (status, body, expected, why) in cases {
            assert_eq!(end(RequestFormat::Standard, status, body), expected, "{why}");
            assert_eq!(end(RequestFormat::Retell, status, body), expected, "{why}");
        }
    }

    #[test]
    fn a_status_says_whether_something_may_have_been_done() {
        let cases = [
            (300, "not done", "redirect"),
            (302, "not done", "redirect"),
            (399, "not done", "redirect"),
            (400, "not done", "http_status"),
            (404, "not done", "http_status"),
            (408, "unknown", "http_status"),
            (409, "not done", "http_status"),
            (429, "not done", "http_status"),
            (499, "not done", "http_status"),
            (500, "unknown", "http_status"),
            (502, "unknown", "http_status"),
            (503, "not done", "http_status"),
            (504, "unknown", "http_status"),
            (599, "unknown", "http_status"),
            (600, "unknown", "http_status"),
            (101, "unknown", "http_status"),
        ];
        for (status, expected, code) in cases {
            let (kind, failure) = match end(RequestFormat::Standard, status, "") {
                RunEnd::NotDone(failure) => ("not done", failure),
                RunEnd::Unknown(failure) => ("unknown", failure),
                RunEnd::Done(value) => panic!("{status} is done: {value}"),
            };
            assert_eq!((kind, failure.code()), (expected, code), "{status}");
            assert_eq!(failure.to_value()["status"], status);
        }
    }

    #[test]
    fn the_body_of_an_error_is_shown_within_its_limit() {
        let long = "ñ".repeat(ERROR_BODY_BYTES_MAX);
        let odd = format!("a{long}");
        let cases = [
            (r#"{"error":"full"}"#, json!({"error": "full"}), "JSON"),
            ("try later", json!("try later"), "text"),
            ("", json!(""), "nothing"),
            (long.as_str(), json!("ñ".repeat(ERROR_BODY_BYTES_MAX / 2)), "too long"),
            (
                odd.as_str(),
                json!(format!("a{}", "ñ".repeat(ERROR_BODY_BYTES_MAX / 2 - 1))),
                "cut between characters",
            ),
        ];
        for (body, expected, why) in cases {
            let RunEnd::Unknown(failure) = end(RequestFormat::Standard, 500, body) else {
                panic!("{why}");
            };
            assert_eq!(failure.to_value()["body"], expected, "{why}");
        }
    }

    #[test]
    fn the_envelope_of_a_vapi_reply_never_reaches_the_model() {
        let read = |body: &str| read_reply(RequestFormat::Vapi, "call_1", 200, body.as_bytes());
        let cases = [
            (
                r#"{"results":[{"toolCallId":"call_1","result":"two slots"}]}"#,
                RunEnd::Done(json!("two slots")),
                false,
                "a text",
            ),
            (
                r#"{"results":[{"toolCallId":"call_1","result":{"a":1}}]}"#,
                RunEnd::Done(json!({"a": 1})),
                false,
                "a value",
            ),
            (
                r#"{"results":[{"toolCallId":"call_1","result":{"error":"full"}}]}"#,
                RunEnd::NotDone(Failure::Said(json!({"error": "full"}))),
                false,
                "a value that says no",
            ),
            (
                r#"{"results":[{"toolCallId":"call_1","error":"full"}]}"#,
                RunEnd::NotDone(Failure::Said(json!({"error": "full"}))),
                false,
                "an error",
            ),
            (
                r#"{"results":[{"toolCallId":"call_2","result":"x"}]}"#,
                RunEnd::Done(json!({"results": [{"toolCallId": "call_2", "result": "x"}]})),
                true,
                "another id: read as it is",
            ),
            (r#"{"slots":2}"#, RunEnd::Done(json!({"slots": 2})), true, "no envelope"),
            ("booked", RunEnd::Done(json!({"data": "booked"})), true, "text"),
        ];
        for (body, expected, warned, why) in cases {
            let read = read(body);
            assert_eq!((read.end, read.warning.is_some()), (expected, warned), "{why}");
        }
    }
}

//! What came of a call, as each platform reads it.

use manos_model::Failure;
use serde_json::Value;

use crate::http::vapi::ToolEnd;

/// What came of a call.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// A result.
    Done(Value),
    /// A failure that the caller's model can read.
    Failed(Failure),
    /// Nobody can tell.
    Unknown,
}

impl Answer {
    /// Returns the JSON that the caller's model reads, and whether it is a result.
    fn read(&self) -> Result<Value, Value> {
        match self {
            Self::Done(value) => Ok(value.clone()),
            Self::Failed(failure) => Err(failure.to_value()),
            Self::Unknown => Err(Failure::Interrupted.to_value()),
        }
    }

    /// Whether the call may have been made, or not: then a caller must not read the answer as the
    /// end of it.
    fn leaves_open(&self) -> bool {
        match self {
            Self::Done(_) => false,
            Self::Unknown => true,
            Self::Failed(failure) => match failure {
                Failure::Interrupted | Failure::Timeout { .. } => true,
                Failure::HttpStatus { status, .. } => {
                    *status == 408 || (*status >= 500 && *status != 503)
                }
                Failure::Transport { kind, .. } => {
                    matches!(kind.as_str(), "bad_reply" | "connection" | "too_large")
                }
                _ => false,
            },
        }
    }
}

/// Returns status and body for callers that read the reply as the tool's own.
///
/// A result, and a failure that says that nothing was done, is a success of the exchange: the
/// caller's model reads it. What may have been done is 500, since a caller like us then holds the
/// call as unknown instead of as refused.
///
/// ```
/// use manos_model::Failure;
/// use manos_wire_tool::called::{Answer, standard_reply};
/// let asked = Failure::NotAsked { because: "nobody is here".into() };
/// assert_eq!(standard_reply(&Answer::Failed(asked)).0, 200);
/// assert_eq!(standard_reply(&Answer::Failed(Failure::Timeout { after_ms: 1 })).0, 500);
/// ```
pub fn standard_reply(answer: &Answer) -> (u16, Value) {
    let status = if answer.leaves_open() { 500 } else { 200 };
    (status, answer.read().unwrap_or_else(|failure| failure))
}

/// Returns the entry of one tool call in a reply to Vapi.
pub fn vapi_end(id: &str, name: &str, answer: &Answer) -> ToolEnd {
    ToolEnd { id: id.to_owned(), name: name.to_owned(), end: answer.read() }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_what_may_have_been_done_is_no_success() {
        let transport = |kind: &str| Failure::Transport { kind: kind.into(), message: "x".into() };
        let status = |status| Failure::HttpStatus { status, body: json!({}) };
        let cases = [
            (Answer::Done(json!({"n": 1})), 200, "a result"),
            (Answer::Done(json!({"error": false})), 200, "a result that says so"),
            (Answer::Unknown, 500, "nobody can tell"),
            (Answer::Failed(Failure::Interrupted), 500, "we stopped while it ran"),
            (Answer::Failed(Failure::Timeout { after_ms: 1 }), 500, "too slow"),
            (Answer::Failed(transport("connection")), 500, "lost on its way"),
            (Answer::Failed(transport("dns")), 200, "never sent"),
            (Answer::Failed(status(500)), 500, "the endpoint broke"),
            (Answer::Failed(status(503)), 200, "the endpoint refused"),
            (Answer::Failed(status(404)), 200, "the endpoint said no"),
            (Answer::Failed(Failure::Said(json!({"error": "full"}))), 200, "the tool said no"),
            (Answer::Failed(Failure::NotAllowed { tool: "x".into() }), 200, "not allowed"),
        ];
        for (answer, expected, why) in cases {
            assert_eq!(standard_reply(&answer).0, expected, "{why}");
        }
    }
}

//! The format of Vapi's `tool-calls` message and its reply.
//!
//! We send one call at a time. A message that comes in may hold several, and each in any of the four
//! forms that the platform's pages and traffic show.
//!
//! # Source
//!
//! <https://docs.vapi.ai/tools/custom-tools>, <https://docs.vapi.ai/server-url/events>;
//! arguments as an object here and as text elsewhere:
//! <https://github.com/VapiAI/client-sdk-ios/pull/29>.

use manos_model::{CallArguments, RunId};
use serde_json::{Map, Value, json};

use super::Call;
use crate::canonical;

/// The most calls of one message that are read; more are refused.
pub const CALLS_MAX: usize = 32;

/// Returns the id of a tool call on this platform's wire.
pub fn tool_call_id(run_id: &RunId) -> String {
    ["call_", run_id.as_str()].concat()
}

/// Adds the body of a request, without the arguments in `left_out`.
pub(super) fn write_request(call: &Call<'_>, left_out: &[String], out: &mut String) {
    let mut tool_call = String::from("{\"function\":{\"arguments\":");
    canonical::write_object(call.arguments, left_out, &mut tool_call);
    tool_call.push_str(",\"name\":");
    canonical::write_string(call.tool, &mut tool_call);
    tool_call.push_str("},\"id\":");
    canonical::write_string(&tool_call_id(call.run_id), &mut tool_call);
    tool_call.push_str(",\"type\":\"function\"}");

    out.push_str("{\"message\":{\"call\":{\"id\":");
    canonical::write_string(call.call_id.as_str(), out);
    out.push_str("},\"timestamp\":");
    out.push_str(&call.at.as_millisecond().to_string());
    out.push_str(",\"toolCallList\":[");
    out.push_str(&tool_call);
    out.push_str("],\"toolWithToolCallList\":[{\"function\":{\"name\":");
    canonical::write_string(call.tool, out);
    out.push_str("},\"toolCall\":");
    out.push_str(&tool_call);
    out.push_str(",\"type\":\"function\"}],\"type\":\"tool-calls\"}}");
}

/// Takes the result of one call out of a reply; `None` when there is none for it.
///
/// `Err` has what the endpoint says went wrong.
pub(super) fn result_of(reply: &Value, tool_call_id: &str) -> Option<Result<Value, Value>> {
    let results = reply.get("results")?.as_array()?;
    let ours =
        |entry: &&Value| entry.get("toolCallId").and_then(Value::as_str) == Some(tool_call_id);
    let entry = results.iter().find(ours)?;
    let said = |key: &str| entry.get(key).filter(|value| !value.is_null());
    match (said("error"), said("result")) {
        (Some(error), _) => Some(Err(error.clone())),
        (None, Some(result)) => Some(Ok(result.clone())),
        (None, None) => entry.get("result").map(|null| Ok(null.clone())),
    }
}

/// A `tool-calls` message as it comes in.
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    /// The id of the call that the tools are called in.
    pub call_id: Option<String>,
    /// The tools called, in their order.
    pub calls: Vec<ToolCall>,
}

/// One tool called.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolCall {
    /// The platform's id, which the result must carry.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// The arguments, unchecked.
    pub arguments: CallArguments,
}

/// Why a message is not read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MessageError {
    /// A call without an id or a name.
    #[error("tool call {index} of the message has no {missing}")]
    Incomplete {
        /// Which, counted from 0.
        index: usize,
        /// `id` or `name`.
        missing: &'static str,
    },
    /// No list of calls.
    #[error("the message has no list of tool calls")]
    NoCalls,
    /// Another message of the platform.
    #[error("this is no tool-calls message")]
    OtherMessage,
    /// More than [`CALLS_MAX`].
    #[error("the message has {count} tool calls, the limit is {max}", max = CALLS_MAX)]
    TooMany {
        /// How many.
        count: usize,
    },
}

/// Reads a message.
///
/// # Errors
///
/// [`MessageError`].
///
/// ```
/// use manos_wire_tool::http::vapi;
/// use serde_json::json;
/// let message = json!({"message": {
///     "type": "tool-calls",
///     "call": {"id": "c1"},
///     "toolCallList": [{"id": "t1", "name": "weather", "arguments": {"city": "Oslo"}}],
/// }});
/// let read = vapi::read_message(&message)?;
/// assert_eq!((read.calls[0].id.as_str(), read.calls[0].name.as_str()), ("t1", "weather"));
/// # Ok::<(), vapi::MessageError>(())
/// ```
pub fn read_message(body: &Value) -> Result<Message, MessageError> {
    let message = &body["message"];
    if message["type"] != "tool-calls" {
        return Err(MessageError::OtherMessage);
    }
    let list = |key: &str| message[key].as_array().filter(|items| !items.is_empty());
    let items: Vec<&Value> = match (list("toolCallList"), list("toolWithToolCallList")) {
        (Some(items), _) => items.iter().collect(),
        (None, Some(items)) => items.iter().map(|item| &item["toolCall"]).collect(),
        (None, None) => return Err(MessageError::NoCalls),
    };
    if items.len() > CALLS_MAX {
        return Err(MessageError::TooMany { count: items.len() });
    }
    let calls = items.into_iter().enumerate().map(|(index, item)| read_call(index, item));
    let call_id = message["call"]["id"].as_str().map(str::to_owned);
    Ok(Message { call_id, calls: calls.collect::<Result<_, _>>()? })
}

fn read_call(index: usize, item: &Value) -> Result<ToolCall, MessageError> {
    let function = &item["function"];
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let missing = |missing| MessageError::Incomplete { index, missing };
    let id = text(&item["id"]).ok_or(missing("id"))?;
    let name = text(&item["name"]).or_else(|| text(&function["name"])).ok_or(missing("name"))?;
    let places = [
        item.get("arguments"),
        item.get("parameters"),
        function.get("arguments"),
        function.get("parameters"),
    ];
    let arguments = match places.into_iter().flatten().find(|value| !value.is_null()) {
        None => CallArguments::Missing,
        Some(Value::String(text)) => CallArguments::Text(text.clone()),
        Some(other) => CallArguments::Value(other.clone()),
    };
    Ok(ToolCall { id, name, arguments })
}

/// How one tool called ended, for the reply.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolEnd {
    /// The platform's id of the call.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// The result, or what went wrong.
    pub end: Result<Value, Value>,
}

/// Writes the reply to a message: each result a text on one line, since the platform takes no other.
///
/// ```
/// use manos_wire_tool::http::vapi::{ToolEnd, write_reply};
/// use serde_json::json;
/// let end = ToolEnd { id: "t1".into(), name: "weather".into(), end: Ok(json!("sunny\nand warm")) };
/// assert_eq!(
///     write_reply(&[end]),
///     r#"{"results":[{"name":"weather","result":"sunny and warm","toolCallId":"t1"}]}"#,
/// );
/// ```
pub fn write_reply(ends: &[ToolEnd]) -> String {
    let results = ends.iter().map(|end| {
        let (key, value) = match &end.end {
            Ok(value) => ("result", value),
            Err(value) => ("error", value),
        };
        let mut entry = Map::new();
        entry.insert("toolCallId".to_owned(), json!(end.id));
        entry.insert("name".to_owned(), json!(end.name));
        entry.insert(key.to_owned(), json!(one_line(value)));
        Value::Object(entry)
    });
    canonical::text(&json!({"results": results.collect::<Value>()}))
}

fn one_line(value: &Value) -> String {
    match value {
        Value::String(text) => {
            let lines = text.split(['\n', '\r', '\u{2028}', '\u{2029}']);
            let lines: Vec<&str> = lines.map(str::trim).filter(|line| !line.is_empty()).collect();
            lines.join(" ")
        }
        other => canonical::text(other),
    }
}

#[cfg(test)]
mod tests;

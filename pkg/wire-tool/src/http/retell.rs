//! The format of custom functions of Retell: `name`, `call` and `args`.
//!
//! # Source
//!
//! <https://docs.retellai.com/build/single-multi-prompt/custom-function>. Of `call` only the id is
//! sent: no transcript, no agent, no metadata.

use manos_model::CallArguments;
use serde_json::Value;

use super::Call;
use crate::canonical;

/// Adds the body of a request, without the arguments in `left_out`.
pub(super) fn write_request(call: &Call<'_>, left_out: &[String], out: &mut String) {
    out.push_str("{\"args\":");
    canonical::write_object(call.arguments, left_out, out);
    out.push_str(",\"call\":{\"call_id\":");
    canonical::write_string(call.call_id.as_str(), out);
    out.push_str("},\"name\":");
    canonical::write_string(call.tool, out);
    out.push('}');
}

/// A request as it comes in.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// The tool's name; absent when only the arguments are sent.
    pub name: Option<String>,
    /// The id of the call.
    pub call_id: Option<String>,
    /// The arguments, unchecked.
    pub arguments: CallArguments,
}

/// Reads a request, in either form: with the envelope, or the arguments at the root.
///
/// ```
/// use manos_wire_tool::http::retell;
/// use serde_json::json;
/// let body = json!({"name": "book", "call": {"call_id": "c1", "transcript": "…"}, "args": {"n": 1}});
/// let request = retell::read_request(body);
/// assert_eq!((request.name.as_deref(), request.call_id.as_deref()), (Some("book"), Some("c1")));
/// ```
pub fn read_request(body: Value) -> Request {
    let text = |value: Option<&Value>| value.and_then(Value::as_str).map(str::to_owned);
    let name = text(body.get("name"));
    let (Some(_), Some(args), Some(call)) = (&name, body.get("args"), body.get("call")) else {
        return Request { name: None, call_id: None, arguments: CallArguments::Value(body) };
    };
    let arguments = match args {
        Value::String(text) => CallArguments::Text(text.clone()),
        other => CallArguments::Value(other.clone()),
    };
    let call_id = text(call.get("call_id"));
    Request { name, call_id, arguments }
}

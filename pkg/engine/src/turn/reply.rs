//! How a model reply is read: whether it was cut, and its words in the trail.

use serde_json::{Map, Value};

use manos_model::{CallArguments, FinishReason, ModelFailureKind, ModelReply};

/// Whether the token limit, a filter or an error cut a reply. A gateway that says otherwise is not believed
/// when the arguments of the last call stop in the middle.
pub(super) fn is_cut(reply: &ModelReply) -> bool {
    match reply.finish {
        FinishReason::Length | FinishReason::ContentFilter => true,
        FinishReason::Other(ref word) if word.contains("error") => true,
        FinishReason::Other(_) | FinishReason::Stop | FinishReason::ToolCalls => {
            reply.calls.last().is_some_and(|call| match &call.arguments {
                CallArguments::Text(text) => stops_in_the_middle(text),
                CallArguments::Missing | CallArguments::Value(_) => false,
            })
        }
    }
}

fn stops_in_the_middle(text: &str) -> bool {
    !text.trim().is_empty()
        && serde_json::from_str::<serde::de::IgnoredAny>(text).is_err_and(|error| error.is_eof())
}

pub(super) fn finish_word(finish: &FinishReason) -> &str {
    match finish {
        FinishReason::ContentFilter => "content_filter",
        FinishReason::Length => "length",
        FinishReason::Other(word) => word,
        FinishReason::Stop => "stop",
        FinishReason::ToolCalls => "tool_calls",
    }
}

pub(super) fn failure_word(kind: ModelFailureKind) -> &'static str {
    match kind {
        ModelFailureKind::BadReply => "bad_reply",
        ModelFailureKind::Cancelled => "cancelled",
        ModelFailureKind::Config => "config",
        ModelFailureKind::RefusedCall => "refused_call",
        ModelFailureKind::Timeout => "timeout",
        ModelFailureKind::TooLong => "too_long",
        ModelFailureKind::Unavailable => "unavailable",
    }
}

/// The arguments as a JSON object, for telling them back; `{}` when they are none.
pub(super) fn as_object(arguments: &CallArguments) -> Value {
    let value = match arguments {
        CallArguments::Missing => Value::Null,
        CallArguments::Text(text) => serde_json::from_str(text).unwrap_or(Value::Null),
        CallArguments::Value(value) => value.clone(),
    };
    if value.is_object() { value } else { Value::Object(Map::new()) }
}

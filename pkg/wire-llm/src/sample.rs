//! Requests and their parts, as the tests of all dialects send them.

use std::sync::Arc;

use manos_model::{
    HistoryEntry, ModelRequest, Opaque, Role, StepMessage, ToldCall, ToolCallId, ToolDeclaration,
    ToolResult, ToolSet,
};
use proptest::prelude::*;
use serde_json::Value;

use crate::histories::{FAMILIES, requests, thought_of};
use crate::{CallOptions, Dialect};

/// Keeps the digits, which `json!` does not.
pub(crate) fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

/// A tool with this schema.
pub(crate) fn tool(name: &str, schema: &str) -> ToolDeclaration {
    ToolDeclaration {
        name: name.to_owned(),
        description: format!("Does {name}."),
        parameters: parsed(schema),
    }
}

pub(crate) fn told(id: &str, wire_id: Option<&str>, name: &str, arguments: Value) -> ToldCall {
    let wire_id = wire_id.map(str::to_owned);
    ToldCall { id: ToolCallId::new(id), wire_id, name: name.to_owned(), arguments }
}

pub(crate) fn result(id: &str, content: Value) -> StepMessage {
    StepMessage::Result(ToolResult { call_id: ToolCallId::new(id), content, failed: false })
}

pub(crate) fn failure(id: &str, content: Value) -> StepMessage {
    StepMessage::Result(ToolResult { call_id: ToolCallId::new(id), content, failed: true })
}

pub(crate) fn opaque(family: &str, json: &str) -> Opaque {
    Opaque { family: family.to_owned(), json: json.to_owned() }
}

/// The second step of a turn, after a short history; the agent's `last` words in it may be none.
pub(crate) fn request(
    last: &str,
    messages: Vec<StepMessage>,
    tools: Vec<ToolDeclaration>,
) -> ModelRequest {
    ModelRequest {
        system: "Eres amable.\nLunes.".to_owned(),
        history: Arc::new(vec![
            HistoryEntry { role: Role::User, text: "Hola".to_owned() },
            HistoryEntry { role: Role::Assistant, text: "¡Hola!".to_owned() },
            HistoryEntry { role: Role::Assistant, text: last.to_owned() },
        ]),
        messages: Arc::new(messages),
        tools: Arc::new(ToolSet::new(tools)),
        step: 2,
    }
}

/// The body as text, byte for byte.
pub(crate) fn body_text(
    dialect: &dyn Dialect,
    request: &ModelRequest,
    options: &CallOptions,
) -> String {
    let tools = dialect.tools(&request.tools, options);
    String::from_utf8(dialect.request(request, &tools, options).body).unwrap()
}

/// The body as a value, its digits kept.
pub(crate) fn body(dialect: &dyn Dialect, request: &ModelRequest, options: &CallOptions) -> Value {
    parsed(&body_text(dialect, request, options))
}

/// Checks that whatever happened to a turn, the provider has nothing to say against what is sent, and
/// that what another provider's model thought stays away from it.
pub(crate) fn every_turn_is_taken(
    dialect: &dyn Dialect,
    model: Option<&str>,
    complaints: impl Fn(&Value) -> Vec<String>,
) {
    proptest!(|((request, options) in requests())| {
        let options = match model {
            Some(model) => CallOptions { model: model.to_owned(), ..options },
            None => options,
        };
        let body = body(dialect, &request, &options);
        prop_assert_eq!(complaints(&body), Vec::<String>::new(), "{:#}", body);
        let body = body.to_string();
        for other in FAMILIES.iter().filter(|family| **family != dialect.family()) {
            prop_assert!(!body.contains(&thought_of(other)), "{}: {}", other, body);
        }
    });
}

//! What the server refuses: its rules as a check of a body.
//!
//! Used by tests and by fake servers. The server reads a request into typed fields, and one field of
//! another kind costs the whole request; a model with a template of its own may refuse more.
//!
//! # Source
//!
//! <https://github.com/ollama/ollama/blob/main/api/types.go> (`ChatRequest`, `Message`, `ToolCall`,
//! `ToolFunctionParameters`, `ToolProperty`); reports have their link beside them.

use serde_json::Value;

/// Returns what the server would refuse in a body, in words; nothing when it is taken.
///
/// # Examples
///
/// ```
/// use manos_wire_llm::ollama::complaints;
/// let call = serde_json::json!({"function": {"name": "pay", "arguments": "{}"}});
/// let body = serde_json::json!({
///     "model": "m",
///     "stream": false,
///     "messages": [{"role": "assistant", "content": "", "tool_calls": [call]}],
/// });
/// assert_eq!(complaints(&body)[0], "message 0: arguments are no object");
/// ```
pub fn complaints(body: &Value) -> Vec<String> {
    let mut found = Vec::new();
    for (at, message) in items(&body["messages"]).iter().enumerate() {
        check_message(at, message, &mut found);
    }
    check_results(items(&body["messages"]), &mut found);
    for tool in items(&body["tools"]) {
        check_tool(tool, &mut found);
    }
    check_settings(body, &mut found);
    found
}

fn items(list: &Value) -> &[Value] {
    list.as_array().map_or(&[][..], Vec::as_slice)
}

fn check_message(at: usize, message: &Value, found: &mut Vec<String>) {
    let role = message["role"].as_str().unwrap_or_default();
    if !matches!(role, "assistant" | "system" | "tool" | "user") {
        found.push(format!("message {at}: role {role:?}"));
    }
    for key in ["content", "thinking", "tool_name", "tool_call_id"] {
        if message.get(key).is_some_and(|value| !value.is_string()) {
            found.push(format!("message {at}: {key} is no text"));
        }
    }
    if message.get("content").is_none() {
        found.push(format!("message {at}: no content"));
    }
    for call in items(&message["tool_calls"]) {
        // "cannot unmarshal string into Go struct field … of type api.ToolCallFunctionArguments":
        // https://github.com/openclaw/openclaw/pull/47182
        if !call["function"]["arguments"].is_object() {
            found.push(format!("message {at}: arguments are no object"));
        }
        if !call["function"]["name"].is_string() {
            found.push(format!("message {at}: a call without name"));
        }
    }
}

/// A result follows its call and says of which tool it is: the templates put the name in.
fn check_results(messages: &[Value], found: &mut Vec<String>) {
    let mut waiting: Vec<&Value> = Vec::new();
    for (at, message) in messages.iter().enumerate() {
        if message["role"] == "tool" {
            let next = (!waiting.is_empty()).then(|| waiting.remove(0));
            if next != Some(&message["tool_name"]) {
                found.push(format!("message {at}: a result of no call"));
            }
            continue;
        }
        if !waiting.is_empty() {
            found.push(format!("message {at}: calls before it have no results"));
        }
        waiting =
            items(&message["tool_calls"]).iter().map(|call| &call["function"]["name"]).collect();
    }
    if !waiting.is_empty() {
        found.push("calls without results".to_owned());
    }
}

/// `parameters` are read into typed fields, whatever JSON Schema says.
///
/// <https://github.com/ollama/ollama/issues/10328>, <https://github.com/ollama/ollama/issues/14256>
fn check_tool(tool: &Value, found: &mut Vec<String>) {
    let function = &tool["function"];
    let name = function["name"].as_str().unwrap_or_default();
    if tool["type"] != "function" || name.is_empty() {
        found.push(format!("tool {name:?}: no function or no name"));
    }
    let parameters = &function["parameters"];
    if parameters["type"] != "object" || !parameters["properties"].is_object() {
        found.push(format!("tool {name:?}: its root is no object with properties"));
    }
    let required = parameters.get("required");
    if required
        .is_some_and(|list| list.as_array().is_none_or(|list| !list.iter().all(Value::is_string)))
    {
        found.push(format!("tool {name:?}: required is no list of names"));
    }
    for (key, property) in parameters["properties"].as_object().into_iter().flatten() {
        check_property(name, key, property, found);
    }
}

fn check_property(name: &str, key: &str, property: &Value, found: &mut Vec<String>) {
    let Some(map) = property.as_object() else {
        found.push(format!("tool {name:?}: {key} is no object"));
        return;
    };
    let is_type = |value: &Value| match value {
        Value::Array(list) => list.iter().all(Value::is_string),
        other => other.is_string(),
    };
    if map.get("type").is_some_and(|value| !is_type(value)) {
        found.push(format!("tool {name:?}: the type of {key}"));
    }
    if map.get("description").is_some_and(|value| !value.is_string()) {
        found.push(format!("tool {name:?}: the description of {key}"));
    }
    for list in ["anyOf", "enum"] {
        if map.get(list).is_some_and(|value| !value.is_array()) {
            found.push(format!("tool {name:?}: the {list} of {key}"));
        }
    }
    for inner in items(&property["anyOf"]) {
        check_property(name, key, inner, found);
    }
    for (inner, property) in property["properties"].as_object().into_iter().flatten() {
        check_property(name, inner, property, found);
    }
}

fn check_settings(body: &Value, found: &mut Vec<String>) {
    if body["model"].as_str().is_none_or(str::is_empty) {
        found.push("no model".to_owned());
    }
    if !body["stream"].is_boolean() {
        found.push("stream is on when it is not said".to_owned());
    }
    // Passed over without a word, so that nobody sees that it does nothing.
    for key in ["tool_choice", "parallel_tool_calls", "max_tokens", "temperature"] {
        if body.get(key).is_some() {
            found.push(format!("{key} does nothing here"));
        }
    }
}

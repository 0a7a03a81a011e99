//! A request → its body.

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use manos_model::{ModelRequest, Opaque, Role, ToldCall, ToolDeclaration};

use super::FAMILY;
use crate::write::{push_field, push_json, push_list};
use crate::{
    CallOptions, Compiled, EncodedTools, KeepAlive, NameTable, SchemaForm, Streaming, Told,
    acceptable, compile,
};

/// Writes the body of a request.
///
/// # Shape
///
/// `model`, `messages`, then `tools` when there are any, then what is asked for. `stream` is always
/// said, since it is on when left out; `truncate` and `shift` are off, so that a chat that does not
/// fit is an error and not one without its beginning. Servers that do not know them pass them over.
///
/// <https://github.com/ollama/ollama/pull/17944>
pub(super) fn encode(
    request: &ModelRequest,
    tools: &EncodedTools,
    options: &CallOptions,
) -> Vec<u8> {
    let mut body = Vec::with_capacity(size_hint(request, tools));
    body.extend_from_slice(b"{\"model\":");
    push_json(&mut body, &options.model);
    body.extend_from_slice(b",\"messages\":[");
    if !request.system.is_empty() {
        push_words(&mut body, "system", &request.system);
    }
    for entry in request.history.iter().filter(|entry| !entry.text.is_empty()) {
        let role = match entry.role {
            Role::Assistant => "assistant",
            Role::User => "user",
        };
        push_words(&mut body, role, &entry.text);
    }
    for message in &acceptable(&request.messages) {
        push_told(&mut body, message, tools.names());
    }
    if body.last() == Some(&b',') {
        body.pop();
    }
    body.push(b']');
    if !tools.is_empty() {
        body.extend_from_slice(b",\"tools\":");
        body.extend_from_slice(tools.json());
    }
    push_settings(&mut body, options);
    body.push(b'}');
    body
}

fn size_hint(request: &ModelRequest, tools: &EncodedTools) -> usize {
    const PER_MESSAGE: usize = 64;
    let history: usize = request.history.iter().map(|entry| entry.text.len() + PER_MESSAGE).sum();
    request.system.len() + history + tools.json().len() + request.messages.len() * 256 + 256
}

/// Writes what has nothing to do with messages and tools.
fn push_settings(body: &mut Vec<u8>, options: &CallOptions) {
    body.extend_from_slice(b",\"stream\":");
    push_json(body, &(options.streaming == Streaming::On));
    body.extend_from_slice(b",\"truncate\":false,\"shift\":false");
    match options.keep_alive {
        None => {}
        Some(KeepAlive::Forever) => body.extend_from_slice(b",\"keep_alive\":-1"),
        // In words of its own language: a number would be whole seconds.
        Some(KeepAlive::For(time)) => {
            body.extend_from_slice(
                format!(",\"keep_alive\":\"{}ms\"", time.as_millis()).as_bytes(),
            );
        }
    }
    let mut own = Vec::new();
    if let Some(context) = options.num_ctx {
        own.push(format!("\"num_ctx\":{context}"));
    }
    if let Some(max) = options.max_output_tokens {
        own.push(format!("\"num_predict\":{max}"));
    }
    if let Some(temperature) = &options.temperature {
        own.push(format!("\"temperature\":{temperature}"));
    }
    if !own.is_empty() {
        body.extend_from_slice(format!(",\"options\":{{{}}}", own.join(",")).as_bytes());
    }
}

/// Writes one tool.
pub(super) fn push_tool(json: &mut Vec<u8>, tool: &ToolDeclaration, names: &NameTable) -> Compiled {
    json.extend_from_slice(b"{\"type\":\"function\",\"function\":{\"name\":");
    push_json(json, names.to_wire(&tool.name).as_ref());
    if !tool.description.is_empty() {
        json.extend_from_slice(b",\"description\":");
        push_json(json, &tool.description);
    }
    let compiled = compile(&tool.parameters, SchemaForm::Ollama);
    json.extend_from_slice(b",\"parameters\":");
    push_json(json, &compiled.shown);
    json.extend_from_slice(b"}}");
    compiled
}

/// Writes a message of words, and the comma after it.
fn push_words(body: &mut Vec<u8>, role: &str, text: &str) {
    body.extend_from_slice(b"{\"role\":\"");
    body.extend_from_slice(role.as_bytes());
    body.extend_from_slice(b"\",\"content\":");
    push_json(body, text);
    body.extend_from_slice(b"},");
}

fn push_told(body: &mut Vec<u8>, message: &Told<'_>, names: &NameTable) {
    match message {
        Told::User(text) => push_words(body, "user", text),
        // By the tool's name, for servers that know no ids; by the id, for the others.
        Told::Result { id, call, content, .. } => {
            body.extend_from_slice(b"{\"role\":\"tool\",\"tool_name\":");
            push_json(body, names.to_wire(&call.name).as_ref());
            body.extend_from_slice(b",\"tool_call_id\":");
            push_json(body, id.as_ref());
            body.extend_from_slice(b",\"content\":");
            push_json(body, content.as_ref());
            body.extend_from_slice(b"},");
        }
        Told::Assistant { text, calls, .. } if calls.is_empty() => {
            push_words(body, "assistant", text);
        }
        Told::Assistant { text, calls, opaque } => {
            body.extend_from_slice(b"{\"role\":\"assistant\",\"content\":");
            push_json(body, text);
            push_field(body, "thinking", thinking(opaque));
            body.extend_from_slice(b",\"tool_calls\":");
            push_list(body, calls, |body, (id, call)| push_call(body, id, call, names));
            body.extend_from_slice(b"},");
        }
    }
}

fn push_call(body: &mut Vec<u8>, id: &str, call: &ToldCall, names: &NameTable) {
    body.extend_from_slice(b"{\"id\":");
    push_json(body, id);
    body.extend_from_slice(b",\"function\":{\"name\":");
    push_json(body, names.to_wire(&call.name).as_ref());
    body.extend_from_slice(b",\"arguments\":");
    // An object, never its text: the server refuses the whole request for one that is not.
    match &call.arguments {
        object @ Value::Object(_) => push_json(body, object),
        _ => body.extend_from_slice(b"{}"),
    }
    body.extend_from_slice(b"}}");
}

#[derive(Deserialize)]
struct Item<'a> {
    #[serde(borrow, default)]
    thinking: Option<&'a RawValue>,
}

/// What the model thought before its calls; another provider's stays away from it.
fn thinking(opaque: &[Opaque]) -> Option<&RawValue> {
    let own = opaque.iter().filter(|item| item.family == FAMILY);
    let mut read = own.filter_map(|item| serde_json::from_str::<Item<'_>>(&item.json).ok());
    read.find_map(|item| item.thinking.filter(|raw| raw.get().starts_with('"')))
}

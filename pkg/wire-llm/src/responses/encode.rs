//! A request → its body.

use serde_json::Value;

use manos_model::{ModelRequest, Role, ToldCall, ToolDeclaration};

use super::order::{self, Ordered};
use crate::write::push_json;
use crate::{
    CallOptions, Compiled, EncodedTools, IdAlphabet, IdForm, NameTable, SchemaForm, Streaming,
    Told, ToolChoice, acceptable_as, compile,
};

/// The longest `call_id` that the API takes, in bytes.
///
/// <https://github.com/AnswerDotAI/fastllm/issues/45>
const CALL_ID_BYTES_MAX: usize = 64;

/// The smallest `max_output_tokens` that the API takes; a smaller one is raised to it.
///
/// <https://platform.openai.com/docs/api-reference/responses/create#responses_create-max_output_tokens>
const MAX_OUTPUT_TOKENS_MIN: u32 = 16;

/// The beginnings of the names of models that do not reason: the API refuses to be asked for their
/// encrypted reasoning.
///
/// <https://github.com/microsoft/agent-framework/issues/7483>
const PLAIN_MODELS: [&str; 5] = ["chatgpt-", "ft:gpt-", "gpt-3", "gpt-4", "gpt-5-chat"];

/// Writes the body of a request.
///
/// # Shape
///
/// `model`, `instructions`, `input`, then what is asked for. `store` is always said, since the API
/// keeps what it is not told to forget.
pub(super) fn encode(
    request: &ModelRequest,
    tools: &EncodedTools,
    options: &CallOptions,
) -> Vec<u8> {
    let mut body = Vec::with_capacity(size_hint(request, tools));
    body.extend_from_slice(b"{\"model\":");
    push_json(&mut body, &options.model);
    if !request.system.is_empty() {
        body.extend_from_slice(b",\"instructions\":");
        push_json(&mut body, &request.system);
    }
    body.extend_from_slice(b",\"input\":[");
    for entry in request.history.iter().filter(|entry| !entry.text.is_empty()) {
        let role = match entry.role {
            Role::Assistant => "assistant",
            Role::User => "user",
        };
        push_words(&mut body, role, &entry.text);
    }
    let ids = IdForm { alphabet: IdAlphabet::Any, bytes_max: CALL_ID_BYTES_MAX, bytes_min: 1 };
    for message in &acceptable_as(&request.messages, ids) {
        push_told(&mut body, message, tools.names());
    }
    if body.last() == Some(&b',') {
        body.pop();
    }
    body.push(b']');
    push_tools(&mut body, tools, options);
    push_settings(&mut body, options);
    body.push(b'}');
    body
}

fn size_hint(request: &ModelRequest, tools: &EncodedTools) -> usize {
    const PER_MESSAGE: usize = 64;
    let history: usize = request.history.iter().map(|entry| entry.text.len() + PER_MESSAGE).sum();
    request.system.len() + history + tools.json().len() + request.messages.len() * 256 + 256
}

/// Writes the tools and how they may be used, where that is not left to the server.
fn push_tools(body: &mut Vec<u8>, tools: &EncodedTools, options: &CallOptions) {
    if tools.is_empty() {
        return;
    }
    body.extend_from_slice(b",\"tools\":");
    body.extend_from_slice(tools.json());
    match &options.tool_choice {
        // A tool that this user may not use cannot be asked for.
        ToolChoice::Named(name) if tools.offers(name) => {
            body.extend_from_slice(b",\"tool_choice\":{\"type\":\"function\",\"name\":");
            push_json(body, tools.names().to_wire(name).as_ref());
            body.push(b'}');
        }
        ToolChoice::Auto | ToolChoice::Named(_) => {}
        ToolChoice::None => body.extend_from_slice(b",\"tool_choice\":\"none\""),
        ToolChoice::Required => body.extend_from_slice(b",\"tool_choice\":\"required\""),
    }
    if let Some(parallel) = options.parallel_tool_calls {
        body.extend_from_slice(b",\"parallel_tool_calls\":");
        push_json(body, &parallel);
    }
}

/// Writes what has nothing to do with messages and tools.
fn push_settings(body: &mut Vec<u8>, options: &CallOptions) {
    if let Some(max) = options.max_output_tokens {
        body.extend_from_slice(b",\"max_output_tokens\":");
        push_json(body, &max.max(MAX_OUTPUT_TOKENS_MIN));
    }
    if let Some(temperature) = &options.temperature {
        body.extend_from_slice(b",\"temperature\":");
        push_json(body, temperature);
    }
    body.extend_from_slice(b",\"store\":false");
    if reasons(&options.model) {
        body.extend_from_slice(b",\"include\":[\"reasoning.encrypted_content\"]");
    }
    if options.streaming == Streaming::On {
        body.extend_from_slice(b",\"stream\":true");
    }
}

/// Whether a model may reason, as far as its name tells.
fn reasons(model: &str) -> bool {
    // Gateways put a vendor before the name.
    let name = model.rsplit('/').next().unwrap_or(model);
    !PLAIN_MODELS.iter().any(|plain| name.starts_with(plain))
}

/// Writes one tool. `strict` is always said: left out, it is on.
pub(super) fn push_tool(
    json: &mut Vec<u8>,
    tool: &ToolDeclaration,
    names: &NameTable,
    form: SchemaForm,
) -> Compiled {
    json.extend_from_slice(b"{\"type\":\"function\",\"name\":");
    push_json(json, names.to_wire(&tool.name).as_ref());
    if !tool.description.is_empty() {
        json.extend_from_slice(b",\"description\":");
        push_json(json, &tool.description);
    }
    let compiled = compile(&tool.parameters, form);
    json.extend_from_slice(b",\"parameters\":");
    push_json(json, &compiled.shown);
    json.extend_from_slice(b",\"strict\":");
    push_json(json, &compiled.strict);
    json.push(b'}');
    compiled
}

/// Writes a message of words, and the comma after it.
fn push_words(body: &mut Vec<u8>, role: &str, text: &str) {
    body.extend_from_slice(b"{\"type\":\"message\",\"role\":\"");
    body.extend_from_slice(role.as_bytes());
    body.extend_from_slice(b"\",\"content\":");
    push_json(body, text);
    body.extend_from_slice(b"},");
}

fn push_told(body: &mut Vec<u8>, message: &Told<'_>, names: &NameTable) {
    match message {
        Told::User(text) => push_words(body, "user", text),
        Told::Result { id, content, .. } => {
            body.extend_from_slice(b"{\"type\":\"function_call_output\",\"call_id\":");
            push_json(body, id.as_ref());
            body.extend_from_slice(b",\"output\":");
            push_json(body, content.as_ref());
            body.extend_from_slice(b"},");
        }
        Told::Assistant { text, calls, opaque } => {
            // An id that had to be changed is none of the provider's.
            let are_own = calls.iter().all(|(id, call)| call.wire_id.as_deref() == Some(id));
            let kept = if are_own { order::read(opaque, text, calls.len()) } else { None };
            if let Some(kept) = kept {
                for item in &kept {
                    push_ordered(body, item, text, calls, names);
                }
                return;
            }
            if !text.is_empty() {
                push_words(body, "assistant", text);
            }
            for (id, call) in calls {
                push_call(body, id, call, None, names);
            }
        }
    }
}

/// Writes one item as it came.
fn push_ordered(
    body: &mut Vec<u8>,
    item: &Ordered,
    text: &str,
    calls: &[(std::borrow::Cow<'_, str>, &ToldCall)],
    names: &NameTable,
) {
    match item {
        Ordered::Call { at, id } => {
            if let Some((call_id, call)) = calls.get(*at) {
                push_call(body, call_id, call, id.as_deref(), names);
            }
        }
        Ordered::Reasoning(json) => {
            body.extend_from_slice(json.as_bytes());
            body.push(b',');
        }
        Ordered::Text { from, to, id, phase } => {
            body.extend_from_slice(b"{\"type\":\"message\",\"role\":\"assistant\"");
            for (key, value) in [("id", id), ("phase", phase)] {
                if let Some(value) = value {
                    body.extend_from_slice(format!(",\"{key}\":").as_bytes());
                    push_json(body, value);
                }
            }
            body.extend_from_slice(
                b",\"status\":\"completed\",\"content\":[{\"type\":\"output_text\",\"text\":",
            );
            push_json(body, text.get(*from..*to).unwrap_or_default());
            body.extend_from_slice(b",\"annotations\":[]}]},");
        }
    }
}

fn push_call(
    body: &mut Vec<u8>,
    call_id: &str,
    call: &ToldCall,
    id: Option<&str>,
    names: &NameTable,
) {
    body.extend_from_slice(b"{\"type\":\"function_call\"");
    if let Some(id) = id {
        body.extend_from_slice(b",\"id\":");
        push_json(body, id);
    }
    body.extend_from_slice(b",\"call_id\":");
    push_json(body, call_id);
    body.extend_from_slice(b",\"name\":");
    push_json(body, names.to_wire(&call.name).as_ref());
    body.extend_from_slice(b",\"arguments\":");
    // Replayed arguments are always the text of an object: servers parse it.
    let arguments = match &call.arguments {
        object @ Value::Object(_) => object.to_string(),
        _ => "{}".to_owned(),
    };
    push_json(body, &arguments);
    body.extend_from_slice(b"},");
}

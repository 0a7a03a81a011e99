//! A request → its body.

use std::collections::BTreeSet;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use manos_model::{ModelRequest, Opaque, Role, ToldCall, ToolDeclaration};

use super::servers::{Cap, Choice, Lack, Server};
use crate::write::{push_field, push_json, push_list};
use crate::{
    CallOptions, Compiled, EncodedTools, NameTable, SchemaForm, Streaming, Told, ToolChoice,
    acceptable_as, compile,
};

/// What the model is made to say where a server wants it to speak between a result and a message.
const BRIDGE: &str = "OK.";

/// Writes the body of a request.
///
/// # Shape
///
/// `model`, `messages`, then `tools` when there are any, then `stream` and `stream_options` when it
/// streams. Tools that earlier messages speak of but that are not offered any more are declared by
/// name alone with `tool_choice` `none`, since servers refuse calls of tools that no one declared.
pub(super) fn encode(
    request: &ModelRequest,
    tools: &EncodedTools,
    options: &CallOptions,
    server: &Server,
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
    let told = acceptable_as(&request.messages, server.ids);
    let mut called = BTreeSet::new();
    let mut after_result = false;
    for message in &told {
        if after_result && matches!(message, Told::User(_)) && server.lacks(Lack::UserAfterResult) {
            push_words(&mut body, "assistant", BRIDGE);
        }
        after_result = matches!(message, Told::Result { .. });
        push_told(&mut body, message, tools.names(), server.name, &mut called);
    }
    if body.last() == Some(&b',') {
        body.pop();
    }
    body.push(b']');
    if !tools.is_empty() {
        body.extend_from_slice(b",\"tools\":");
        body.extend_from_slice(tools.json());
        push_choice(&mut body, tools, options, server);
    } else if !called.is_empty() {
        body.extend_from_slice(b",\"tools\":");
        push_list(&mut body, &called, |body, name| {
            body.extend_from_slice(b"{\"type\":\"function\",\"function\":{\"name\":");
            push_json(body, name);
            body.extend_from_slice(b",\"parameters\":{\"type\":\"object\",\"properties\":{}}}}");
        });
        push_no_call(&mut body, server);
    }
    push_settings(&mut body, options, server);
    body.push(b'}');
    body
}

fn size_hint(request: &ModelRequest, tools: &EncodedTools) -> usize {
    const PER_MESSAGE: usize = 64;
    let history: usize = request.history.iter().map(|entry| entry.text.len() + PER_MESSAGE).sum();
    request.system.len() + history + tools.json().len() + request.messages.len() * 256 + 256
}

/// Writes that no tool may be called, where that can be said; else a call is not taken.
fn push_no_call(body: &mut Vec<u8>, server: &Server) {
    if server.choice != Choice::Shown {
        body.extend_from_slice(b",\"tool_choice\":\"none\"");
    }
}

/// Writes how the tools may be used, where that is not left to the server.
fn push_choice(body: &mut Vec<u8>, tools: &EncodedTools, options: &CallOptions, server: &Server) {
    let must: &[u8] = match server.choice {
        Choice::AnyOrNamed => b",\"tool_choice\":\"any\"",
        Choice::RequiredOrNamed | Choice::Words => b",\"tool_choice\":\"required\"",
        Choice::Shown => b"",
    };
    match &options.tool_choice {
        ToolChoice::Auto => {}
        // A tool that this person is not offered cannot be forced.
        ToolChoice::Named(name) if !tools.offers(name) => {}
        ToolChoice::Named(name) if server.choice.takes_names() => {
            body.extend_from_slice(
                b",\"tool_choice\":{\"type\":\"function\",\"function\":{\"name\":",
            );
            push_json(body, tools.names().to_wire(name).as_ref());
            body.extend_from_slice(b"}}");
        }
        ToolChoice::None => push_no_call(body, server),
        ToolChoice::Named(_) | ToolChoice::Required => body.extend_from_slice(must),
    }
    if let (Some(parallel), false) =
        (options.parallel_tool_calls, server.lacks(Lack::ParallelToolCalls))
    {
        body.extend_from_slice(b",\"parallel_tool_calls\":");
        push_json(body, &parallel);
    }
}

/// Writes what has nothing to do with messages and tools.
fn push_settings(body: &mut Vec<u8>, options: &CallOptions, server: &Server) {
    if let Some(max) = options.max_output_tokens {
        body.extend_from_slice(match server.cap {
            Cap::MaxCompletionTokens => b",\"max_completion_tokens\":".as_slice(),
            Cap::MaxTokens => b",\"max_tokens\":",
        });
        push_json(body, &max);
    }
    if let Some(temperature) = &options.temperature {
        body.extend_from_slice(b",\"temperature\":");
        push_json(body, temperature);
    }
    if options.streaming == Streaming::On {
        body.extend_from_slice(b",\"stream\":true");
        if !server.lacks(Lack::StreamOptions) {
            body.extend_from_slice(b",\"stream_options\":{\"include_usage\":true}");
        }
    }
}

/// Writes one tool.
pub(super) fn push_tool(
    json: &mut Vec<u8>,
    tool: &ToolDeclaration,
    names: &NameTable,
    form: SchemaForm,
) -> Compiled {
    json.extend_from_slice(b"{\"type\":\"function\",\"function\":{\"name\":");
    push_json(json, names.to_wire(&tool.name).as_ref());
    if !tool.description.is_empty() {
        json.extend_from_slice(b",\"description\":");
        push_json(json, &tool.description);
    }
    let compiled = compile(&tool.parameters, form);
    json.extend_from_slice(b",\"parameters\":");
    push_json(json, &compiled.shown);
    if compiled.strict {
        json.extend_from_slice(b",\"strict\":true");
    }
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

fn push_told(
    body: &mut Vec<u8>,
    message: &Told<'_>,
    names: &NameTable,
    family: &str,
    called: &mut BTreeSet<String>,
) {
    match message {
        Told::User(text) => push_words(body, "user", text),
        Told::Result { id, content, .. } => {
            body.extend_from_slice(b"{\"role\":\"tool\",\"tool_call_id\":");
            push_json(body, id.as_ref());
            body.extend_from_slice(b",\"content\":");
            push_json(body, content.as_ref());
            body.extend_from_slice(b"},");
        }
        Told::Assistant { text, calls, .. } if calls.is_empty() => {
            push_words(body, "assistant", text);
        }
        Told::Assistant { text, calls, opaque } => {
            let replayed = Replayed::of(opaque, family);
            body.extend_from_slice(b"{\"role\":\"assistant\",\"content\":");
            push_json(body, &(!text.is_empty()).then_some(text));
            push_field(body, "reasoning_content", replayed.reasoning_content);
            push_field(body, "reasoning_details", replayed.reasoning_details);
            body.extend_from_slice(b",\"tool_calls\":");
            push_list(body, calls.iter().enumerate(), |body, (at, (id, call))| {
                let name = names.to_wire(&call.name);
                push_call(body, id, &name, call, replayed.extra(at));
                if !called.contains(name.as_ref()) {
                    called.insert(name.into_owned());
                }
            });
            body.extend_from_slice(b"},");
        }
    }
}

fn push_call(body: &mut Vec<u8>, id: &str, name: &str, call: &ToldCall, extra: Option<&RawValue>) {
    body.extend_from_slice(b"{\"id\":");
    push_json(body, id);
    body.extend_from_slice(b",\"type\":\"function\",\"function\":{\"name\":");
    push_json(body, name);
    body.extend_from_slice(b",\"arguments\":");
    // Replayed arguments are always the text of an object: servers parse it.
    let arguments = match &call.arguments {
        object @ Value::Object(_) => object.to_string(),
        _ => "{}".to_owned(),
    };
    push_json(body, &arguments);
    body.push(b'}');
    push_field(body, "extra_content", extra);
    body.push(b'}');
}

/// What of a reply's opaque items goes back in which place.
#[derive(Default)]
struct Replayed<'a> {
    reasoning_content: Option<&'a RawValue>,
    reasoning_details: Option<&'a RawValue>,
    extras: Vec<(usize, &'a RawValue)>,
}

#[derive(Deserialize)]
struct Item<'a> {
    #[serde(default)]
    call: Option<usize>,
    #[serde(borrow, default)]
    extra_content: Option<&'a RawValue>,
    #[serde(borrow, default)]
    reasoning_content: Option<&'a RawValue>,
    #[serde(borrow, default)]
    reasoning_details: Option<&'a RawValue>,
}

impl<'a> Replayed<'a> {
    /// Takes the items of this family; those of another provider stay away from it.
    fn of(opaque: &'a [Opaque], family: &str) -> Self {
        let mut replayed = Self::default();
        for item in opaque.iter().filter(|item| item.family == family) {
            let Ok(item) = serde_json::from_str::<Item<'_>>(&item.json) else { continue };
            replayed.reasoning_content = item.reasoning_content.or(replayed.reasoning_content);
            replayed.reasoning_details = item.reasoning_details.or(replayed.reasoning_details);
            replayed.extras.extend(item.call.zip(item.extra_content));
        }
        replayed
    }

    fn extra(&self, at: usize) -> Option<&'a RawValue> {
        self.extras.iter().find(|(call, _)| *call == at).map(|(_, extra)| *extra)
    }
}

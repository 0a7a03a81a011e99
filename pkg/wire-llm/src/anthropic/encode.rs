//! A request → its body.

use std::borrow::Cow;
use std::collections::BTreeSet;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use manos_model::{ModelRequest, Opaque, Role, ToldCall, ToolDeclaration, ToolSet};

use super::{FAMILY, OUTPUT_TOKENS_DEFAULT, lower};
use crate::write::{push_json, push_list};
use crate::{
    CallOptions, Compiled, EncodedTools, NameTable, Streaming, Told, ToolChoice,
    WIRE_NAME_BYTES_MAX, acceptable,
};

/// What the person is said to have said when a chat begins with the agent's words: the first
/// message must be the person's.
const OPENING: &str = "…";

/// What the person is said to have said when a chat ends with the agent's words: newer models refuse
/// to go on with a message of their own.
const CLOSING: &str = "Continue.";

/// What a failure without words is said to be, which may not be empty.
const FAILED: &str = "failed";

/// Marks the end of what the provider keeps for the next request.
const CACHE_POINT: &[u8] = b",\"cache_control\":{\"type\":\"ephemeral\"}";

/// Encodes a set, a cache point on its last tool.
pub(super) fn encode_tools(tools: &ToolSet) -> EncodedTools {
    let last = tools.declarations.last().map(std::ptr::from_ref);
    EncodedTools::new(tools, |json, tool, names| {
        let compiled = push_tool(json, tool, names);
        if last.is_some_and(|last| std::ptr::eq(last, tool)) {
            json.pop();
            json.extend_from_slice(CACHE_POINT);
            json.push(b'}');
        }
        compiled
    })
}

fn push_tool(json: &mut Vec<u8>, tool: &ToolDeclaration, names: &NameTable) -> Compiled {
    json.extend_from_slice(b"{\"name\":");
    push_json(json, names.to_wire(&tool.name).as_ref());
    if !tool.description.trim().is_empty() {
        json.extend_from_slice(b",\"description\":");
        push_json(json, &tool.description);
    }
    json.extend_from_slice(b",\"input_schema\":");
    let compiled = lower::push_schema(json, &tool.parameters);
    json.push(b'}');
    compiled
}

/// Writes the body.
pub(super) fn encode(
    request: &ModelRequest,
    tools: &EncodedTools,
    options: &CallOptions,
) -> Vec<u8> {
    let told = acceptable(&request.messages);
    let mut body = Vec::with_capacity(size_hint(request, tools));
    body.extend_from_slice(b"{\"model\":");
    push_json(&mut body, &options.model);
    body.extend_from_slice(b",\"max_tokens\":");
    push_json(&mut body, &options.max_output_tokens.unwrap_or(OUTPUT_TOKENS_DEFAULT));
    if let Some(temperature) = &options.temperature {
        body.extend_from_slice(b",\"temperature\":");
        body.extend_from_slice(temperature.to_string().as_bytes());
    }
    push_system(&mut body, &request.system);
    push_tools(&mut body, &told, tools, options);
    body.extend_from_slice(b",\"messages\":[");
    let mut messages = Messages { body: &mut body, role: None };
    for entry in request.history.iter() {
        messages.text(entry.role, &entry.text);
    }
    let ids = WireIds::of(&told);
    for message in &told {
        push_told(&mut messages, message, tools.names(), &ids);
    }
    messages.end();
    body.push(b']');
    if options.streaming == Streaming::On {
        body.extend_from_slice(b",\"stream\":true");
    }
    body.push(b'}');
    body
}

fn size_hint(request: &ModelRequest, tools: &EncodedTools) -> usize {
    const PER_MESSAGE: usize = 64;
    let history: usize = request.history.iter().map(|entry| entry.text.len() + PER_MESSAGE).sum();
    request.system.len() + history + tools.json().len() + request.messages.len() * 256 + 512
}

/// Writes the system prompt in two blocks: the part that stays, with a cache point, and its last
/// line, which is the date.
fn push_system(body: &mut Vec<u8>, system: &str) {
    if system.trim().is_empty() {
        return;
    }
    let cut = system.trim_end().rfind('\n').map_or(0, |at| at + 1);
    let (stays, changes) = system.split_at(cut);
    body.extend_from_slice(b",\"system\":[");
    if stays.trim().is_empty() {
        push_text_block(body, system);
    } else {
        push_text_block(body, stays);
        body.pop();
        body.extend_from_slice(CACHE_POINT);
        body.extend_from_slice(b"},");
        push_text_block(body, changes);
    }
    body.push(b']');
}

fn push_tools(body: &mut Vec<u8>, told: &[Told<'_>], tools: &EncodedTools, options: &CallOptions) {
    if !tools.is_empty() {
        body.extend_from_slice(b",\"tools\":");
        body.extend_from_slice(tools.json());
        push_tool_choice(body, tools, options);
        return;
    }
    // Calls in a request that declares no tool are refused.
    let called: BTreeSet<Cow<'_, str>> =
        calls(told).map(|(_, call)| tools.names().to_wire(&call.name)).collect();
    if called.is_empty() {
        return;
    }
    body.extend_from_slice(b",\"tools\":");
    push_list(body, &called, |body, name| {
        body.extend_from_slice(b"{\"name\":");
        push_json(body, name.as_ref());
        body.extend_from_slice(b",\"input_schema\":{\"type\":\"object\",\"properties\":{}}}");
    });
    body.extend_from_slice(b",\"tool_choice\":{\"type\":\"none\"}");
}

fn push_tool_choice(body: &mut Vec<u8>, tools: &EncodedTools, options: &CallOptions) {
    let one_by_one = options.parallel_tool_calls == Some(false);
    let asked = match &options.tool_choice {
        // One that is not offered cannot be forced.
        ToolChoice::Named(name) if !tools.offers(name) => &ToolChoice::Auto,
        asked => asked,
    };
    let mut choice = match asked {
        ToolChoice::Auto if !one_by_one => return,
        ToolChoice::Auto => "{\"type\":\"auto\"".to_owned(),
        ToolChoice::Named(name) => {
            let name = Value::from(tools.names().to_wire(name).into_owned());
            format!("{{\"type\":\"tool\",\"name\":{name}")
        }
        ToolChoice::None => "{\"type\":\"none\"".to_owned(),
        ToolChoice::Required => "{\"type\":\"any\"".to_owned(),
    };
    if one_by_one && *asked != ToolChoice::None {
        choice.push_str(",\"disable_parallel_tool_use\":true");
    }
    body.extend_from_slice(b",\"tool_choice\":");
    body.extend_from_slice(choice.as_bytes());
    body.push(b'}');
}

/// Writes blocks into messages whose roles take turns: equal ones in a row become one message.
struct Messages<'a> {
    body: &'a mut Vec<u8>,
    role: Option<Role>,
}

impl Messages<'_> {
    /// Writes one block.
    fn block(&mut self, role: Role, push: impl FnOnce(&mut Vec<u8>)) {
        if self.role.is_none() && role == Role::Assistant {
            self.text(Role::User, OPENING);
        }
        if self.role == Some(role) {
            self.body.push(b',');
        } else {
            if self.role.is_some() {
                self.body.extend_from_slice(b"]},");
            }
            self.body.extend_from_slice(match role {
                Role::Assistant => b"{\"role\":\"assistant\",\"content\":[".as_slice(),
                Role::User => b"{\"role\":\"user\",\"content\":[".as_slice(),
            });
            self.role = Some(role);
        }
        push(self.body);
    }

    /// Writes words; blank ones, which are refused, are left out.
    fn text(&mut self, role: Role, text: &str) {
        if !text.trim().is_empty() {
            self.block(role, |body| push_text_block(body, text));
        }
    }

    fn end(mut self) {
        match self.role {
            None => self.text(Role::User, OPENING),
            Some(Role::Assistant) => self.text(Role::User, CLOSING),
            Some(Role::User) => {}
        }
        self.body.extend_from_slice(b"]}");
    }
}

fn push_text_block(body: &mut Vec<u8>, text: &str) {
    body.extend_from_slice(b"{\"type\":\"text\",\"text\":");
    push_json(body, text);
    body.push(b'}');
}

fn push_told(messages: &mut Messages<'_>, message: &Told<'_>, names: &NameTable, ids: &WireIds) {
    match message {
        Told::User(text) => messages.text(Role::User, text),
        Told::Result { id, content, failed, .. } => {
            messages
                .block(Role::User, |body| push_result(body, &ids.of_call(id), content, *failed));
        }
        Told::Assistant { text, calls, opaque } if calls.is_empty() => {
            debug_assert!(opaque.is_empty() || !text.is_empty());
            messages.text(Role::Assistant, text);
        }
        Told::Assistant { text, calls, opaque } => {
            let thoughts = thoughts(opaque);
            let mut said = 0;
            for (at, (id, call)) in calls.iter().enumerate() {
                for thought in thoughts.iter().filter(|thought| thought.calls == at) {
                    // Words after a call that came between two calls stand before both.
                    if let Some(words) = text.get(said..thought.text_bytes).filter(|_| at == 0) {
                        messages.text(Role::Assistant, words);
                        said = thought.text_bytes;
                    }
                    messages.block(Role::Assistant, |body| {
                        body.extend_from_slice(thought.block.get().as_bytes());
                    });
                }
                if at == 0 {
                    messages.text(Role::Assistant, text.get(said..).unwrap_or_default());
                }
                let name = names.to_wire(&call.name);
                let id = ids.of_call(id);
                messages.block(Role::Assistant, |body| push_call(body, &id, &name, call));
            }
        }
    }
}

fn push_call(body: &mut Vec<u8>, id: &str, name: &str, call: &ToldCall) {
    body.extend_from_slice(b"{\"type\":\"tool_use\",\"id\":");
    push_json(body, id);
    body.extend_from_slice(b",\"name\":");
    push_json(body, name);
    body.extend_from_slice(b",\"input\":");
    match &call.arguments {
        object @ Value::Object(_) => push_json(body, object),
        _ => body.extend_from_slice(b"{}"),
    }
    body.push(b'}');
}

fn push_result(body: &mut Vec<u8>, id: &str, content: &str, failed: bool) {
    body.extend_from_slice(b"{\"type\":\"tool_result\",\"tool_use_id\":");
    push_json(body, id);
    let content = if failed && content.trim().is_empty() { FAILED } else { content };
    if !content.trim().is_empty() {
        body.extend_from_slice(b",\"content\":");
        push_json(body, content);
    }
    if failed {
        body.extend_from_slice(b",\"is_error\":true");
    }
    body.push(b'}');
}

/// A thinking block on its way back.
#[derive(Deserialize)]
struct Thought<'a> {
    text_bytes: usize,
    calls: usize,
    #[serde(borrow)]
    block: &'a RawValue,
}

/// Reads the items of this family; those of another provider stay away from it.
fn thoughts(opaque: &[Opaque]) -> Vec<Thought<'_>> {
    let own = opaque.iter().filter(|item| item.family == FAMILY);
    own.filter_map(|item| serde_json::from_str(&item.json).ok()).collect()
}

fn calls<'a, 'b>(
    told: &'b [Told<'a>],
) -> impl Iterator<Item = (&'b str, &'a ToldCall)> + use<'a, 'b> {
    told.iter().flat_map(|message| {
        let calls = match message {
            Told::Assistant { calls, .. } => calls.as_slice(),
            Told::Result { .. } | Told::User(_) => &[],
        };
        calls.iter().map(|(id, call)| (id.as_ref(), *call))
    })
}

/// Ids that this provider takes: those of another may have dots, bars or be too long.
struct WireIds(Option<NameTable>);

impl WireIds {
    fn of(told: &[Told<'_>]) -> Self {
        let legal = calls(told).all(|(id, _)| is_legal_id(id));
        // Ids have the form of names, so the table of names maps them too.
        Self((!legal).then(|| NameTable::new(calls(told).map(|(id, _)| id))))
    }

    fn of_call<'a>(&'a self, id: &'a str) -> Cow<'a, str> {
        self.0.as_ref().map_or(Cow::Borrowed(id), |table| table.to_wire(id))
    }
}

fn is_legal_id(id: &str) -> bool {
    (1..=WIRE_NAME_BYTES_MAX).contains(&id.len())
        && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
}

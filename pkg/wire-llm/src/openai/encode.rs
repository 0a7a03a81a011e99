//! A request → its body.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use manos_model::{ModelRequest, Opaque, Role, ToldCall, ToolDeclaration, ToolSet};

use super::{FAMILY, lower};
use crate::{NameTable, Told, acceptable};

/// Whether the reply is to come in pieces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Streaming {
    /// All at once.
    Off,
    /// In pieces.
    On,
}

/// The tools of a set as ready bytes, with the names they have on the wire.
///
/// A set never changes, so this is made once per set and appended to every request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EncodedTools {
    /// The JSON list; empty when there are no tools.
    json: Vec<u8>,
    names: Arc<NameTable>,
}

impl EncodedTools {
    /// Encodes a set.
    pub fn new(tools: &ToolSet) -> Self {
        let declared = tools.declarations.iter().map(|tool| tool.name.as_str());
        let names = NameTable::new(declared);
        let mut json = Vec::new();
        if !tools.declarations.is_empty() {
            push_list(&mut json, &tools.declarations, |json, tool| push_tool(json, tool, &names));
        }
        Self { json, names: Arc::new(names) }
    }

    /// Returns the names, which the reply's decoder needs.
    pub fn names(&self) -> Arc<NameTable> {
        Arc::clone(&self.names)
    }

    /// Returns the JSON list as it is sent; empty when there are no tools.
    pub fn json(&self) -> &[u8] {
        &self.json
    }
}

/// Returns the address of a server's chat completions, whether `base_url` ends in a slash or
/// already names them.
///
/// ```
/// use manos_wire_llm::openai::endpoint;
/// let expected = "https://api.openai.com/v1/chat/completions";
/// assert_eq!(endpoint("https://api.openai.com/v1/"), expected);
/// assert_eq!(endpoint(expected), expected);
/// ```
pub fn endpoint(base_url: &str) -> String {
    const PATH: &str = "/chat/completions";
    let base = base_url.trim().trim_end_matches('/');
    if base.ends_with(PATH) { base.to_owned() } else { format!("{base}{PATH}") }
}

/// Writes the body of a request.
///
/// # Shape
///
/// `model`, `messages`, then `tools` when there are any, then `stream` and `stream_options` when it
/// streams. Tools that earlier messages speak of but that are not offered any more are declared by
/// name alone with `tool_choice` `none`, since servers refuse calls of tools that no one declared.
///
/// # Examples
///
/// ```
/// use std::sync::Arc;
/// use manos_model::{ModelRequest, StepMessage, ToolSet};
/// use manos_wire_llm::openai::{EncodedTools, Streaming, encode};
/// let tools = Arc::new(ToolSet::new(Vec::new()));
/// let request = ModelRequest {
///     system: "Breve.".into(),
///     history: Arc::default(),
///     messages: Arc::new(vec![StepMessage::User("Hola".into())]),
///     tools: Arc::clone(&tools),
///     step: 1,
/// };
/// let body = encode(&request, "m", Streaming::Off, &EncodedTools::new(&tools));
/// assert_eq!(
///     String::from_utf8(body).unwrap(),
///     r#"{"model":"m","messages":[{"role":"system","content":"Breve."},{"role":"user","content":"Hola"}]}"#,
/// );
/// ```
pub fn encode(
    request: &ModelRequest,
    model: &str,
    streaming: Streaming,
    tools: &EncodedTools,
) -> Vec<u8> {
    let mut body = Vec::with_capacity(size_hint(request, tools));
    body.extend_from_slice(b"{\"model\":");
    push_json(&mut body, model);
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
    let told = acceptable(&request.messages);
    let mut called = BTreeSet::new();
    for message in &told {
        push_told(&mut body, message, &tools.names, &mut called);
    }
    if body.last() == Some(&b',') {
        body.pop();
    }
    body.push(b']');
    if !tools.json.is_empty() {
        body.extend_from_slice(b",\"tools\":");
        body.extend_from_slice(&tools.json);
    } else if !called.is_empty() {
        body.extend_from_slice(b",\"tools\":");
        push_list(&mut body, &called, |body, name| {
            body.extend_from_slice(b"{\"type\":\"function\",\"function\":{\"name\":");
            push_json(body, name);
            body.extend_from_slice(b",\"parameters\":{\"type\":\"object\",\"properties\":{}}}}");
        });
        body.extend_from_slice(b",\"tool_choice\":\"none\"");
    }
    if streaming == Streaming::On {
        body.extend_from_slice(b",\"stream\":true,\"stream_options\":{\"include_usage\":true}");
    }
    body.push(b'}');
    body
}

fn size_hint(request: &ModelRequest, tools: &EncodedTools) -> usize {
    const PER_MESSAGE: usize = 64;
    let history: usize = request.history.iter().map(|entry| entry.text.len() + PER_MESSAGE).sum();
    request.system.len() + history + tools.json.len() + request.messages.len() * 256 + 256
}

fn push_tool(json: &mut Vec<u8>, tool: &ToolDeclaration, names: &NameTable) {
    json.extend_from_slice(b"{\"type\":\"function\",\"function\":{\"name\":");
    push_json(json, names.to_wire(&tool.name).as_ref());
    if !tool.description.is_empty() {
        json.extend_from_slice(b",\"description\":");
        push_json(json, &tool.description);
    }
    json.extend_from_slice(b",\"parameters\":");
    push_json(json, lower::parameters(&tool.parameters).as_ref());
    json.extend_from_slice(b"}}");
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
            let replayed = Replayed::of(opaque);
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
    fn of(opaque: &'a [Opaque]) -> Self {
        let mut replayed = Self::default();
        for item in opaque.iter().filter(|item| item.family == FAMILY) {
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

fn push_field(body: &mut Vec<u8>, key: &str, value: Option<&RawValue>) {
    if let Some(value) = value {
        body.push(b',');
        push_json(body, key);
        body.push(b':');
        body.extend_from_slice(value.get().as_bytes());
    }
}

fn push_list<T>(
    body: &mut Vec<u8>,
    items: impl IntoIterator<Item = T>,
    mut push: impl FnMut(&mut Vec<u8>, T),
) {
    body.push(b'[');
    for (at, item) in items.into_iter().enumerate() {
        if at > 0 {
            body.push(b',');
        }
        push(body, item);
    }
    body.push(b']');
}

/// Writes JSON; text and values into memory cannot fail.
fn push_json<T: Serialize + ?Sized>(body: &mut Vec<u8>, value: &T) {
    serde_json::to_writer(body, value).unwrap_or_default();
}

//! A request → its body.

use std::borrow::Cow;
use std::collections::BTreeSet;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use manos_model::{ModelRequest, Opaque, Role, ToldCall, ToolDeclaration};

use super::{FAMILY, lower};
use crate::write::{push_json, push_list};
use crate::{CallOptions, Compiled, EncodedTools, NameTable, Told, ToolChoice, acceptable};

mod plain;

use plain::plain;

/// What the person is said to have said when a chat begins with the agent's words: a call must come
/// after words of the person, or after results.
const OPENING: &str = "…";

/// What the person is said to have said when a chat ends with the agent's words, which is refused.
const CLOSING: &str = "Continue.";

/// Stands for the signature of a call that another provider's model wrote: newer models refuse the
/// first call of a reply without one.
///
/// # Source
///
/// <https://ai.google.dev/gemini-api/docs/thought-signatures>, the questions at its end.
const NO_SIGNATURE: &str = "skip_thought_signature_validator";

/// Writes one declaration.
pub(super) fn push_tool(json: &mut Vec<u8>, tool: &ToolDeclaration, names: &NameTable) -> Compiled {
    json.extend_from_slice(b"{\"name\":");
    push_json(json, names.to_wire(&tool.name).as_ref());
    if !tool.description.trim().is_empty() {
        json.extend_from_slice(b",\"description\":");
        push_json(json, &tool.description);
    }
    let compiled = lower::push_parameters(json, &tool.parameters);
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
    body.push(b'{');
    if !request.system.trim().is_empty() {
        body.extend_from_slice(b"\"systemInstruction\":{\"parts\":[");
        push_text_part(&mut body, &request.system, None);
        body.extend_from_slice(b"]},");
    }
    body.extend_from_slice(b"\"contents\":[");
    let mut contents = Contents { body: &mut body, last: None };
    for entry in request.history.iter() {
        match entry.role {
            Role::Assistant => contents.text(Who::Model, &entry.text, None),
            Role::User => contents.text(Who::Person, &entry.text, None),
        }
    }
    let signing = Signing::of(&options.model);
    for message in &told {
        push_told(&mut contents, message, tools.names(), signing);
    }
    contents.end();
    body.push(b']');
    push_tools(&mut body, &told, tools, options);
    push_generation(&mut body, options);
    body.push(b'}');
    body
}

fn size_hint(request: &ModelRequest, tools: &EncodedTools) -> usize {
    const PER_MESSAGE: usize = 64;
    let history: usize = request.history.iter().map(|entry| entry.text.len() + PER_MESSAGE).sum();
    request.system.len() + history + tools.json().len() + request.messages.len() * 256 + 512
}

fn push_tools(body: &mut Vec<u8>, told: &[Told<'_>], tools: &EncodedTools, options: &CallOptions) {
    let mode = if tools.is_empty() {
        let called: BTreeSet<Cow<'_, str>> = told
            .iter()
            .flat_map(|message| match message {
                Told::Assistant { calls, .. } => calls.as_slice(),
                Told::Result { .. } | Told::User(_) => &[],
            })
            .map(|(_, call)| tools.names().to_wire(&call.name))
            .collect();
        if called.is_empty() {
            return;
        }
        // What was called stays declared, and is not to be called again.
        body.extend_from_slice(b",\"tools\":[{\"functionDeclarations\":");
        push_list(body, &called, |body, name| {
            body.extend_from_slice(b"{\"name\":");
            push_json(body, name.as_ref());
            body.push(b'}');
        });
        "\"NONE\"".to_owned()
    } else {
        body.extend_from_slice(b",\"tools\":[{\"functionDeclarations\":");
        body.extend_from_slice(tools.json());
        match &options.tool_choice {
            // One that is not offered cannot be forced.
            ToolChoice::Named(name) if !tools.offers(name) => String::new(),
            ToolChoice::Auto => String::new(),
            ToolChoice::Named(name) => {
                let name = Value::from(tools.names().to_wire(name).into_owned());
                format!("\"ANY\",\"allowedFunctionNames\":[{name}]")
            }
            ToolChoice::None => "\"NONE\"".to_owned(),
            ToolChoice::Required => "\"ANY\"".to_owned(),
        }
    };
    body.extend_from_slice(b"}]");
    if !mode.is_empty() {
        body.extend_from_slice(b",\"toolConfig\":{\"functionCallingConfig\":{\"mode\":");
        body.extend_from_slice(mode.as_bytes());
        body.extend_from_slice(b"}}");
    }
}

fn push_generation(body: &mut Vec<u8>, options: &CallOptions) {
    let fields = [
        ("maxOutputTokens", options.max_output_tokens.map(|tokens| tokens.to_string())),
        ("temperature", options.temperature.as_ref().map(ToString::to_string)),
    ];
    let fields: Vec<String> = fields
        .into_iter()
        .filter_map(|(key, value)| value.map(|value| format!("\"{key}\":{value}")))
        .collect();
    if !fields.is_empty() {
        body.extend_from_slice(b",\"generationConfig\":{");
        body.extend_from_slice(fields.join(",").as_bytes());
        body.push(b'}');
    }
}

/// Whose content it is. Results have one of their own: nothing else may stand with them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Who {
    Model,
    Person,
    Results,
}

/// Writes parts into contents: parts of one kind in a row become one content.
struct Contents<'a> {
    body: &'a mut Vec<u8>,
    last: Option<Who>,
}

impl Contents<'_> {
    /// Writes one part.
    fn part(&mut self, who: Who, push: impl FnOnce(&mut Vec<u8>)) {
        if self.last.is_none() && who != Who::Person {
            self.text(Who::Person, OPENING, None);
        }
        if self.last == Some(who) {
            self.body.push(b',');
        } else {
            if self.last.is_some() {
                self.body.extend_from_slice(b"]},");
            }
            self.body.extend_from_slice(match who {
                Who::Model => b"{\"role\":\"model\",\"parts\":[".as_slice(),
                Who::Person | Who::Results => b"{\"role\":\"user\",\"parts\":[".as_slice(),
            });
            self.last = Some(who);
        }
        push(self.body);
    }

    /// Writes words; blank ones are left out unless they are signed.
    fn text(&mut self, who: Who, text: &str, signature: Option<&RawValue>) {
        if signature.is_some() || !text.trim().is_empty() {
            self.part(who, |body| push_text_part(body, text, signature));
        }
    }

    fn end(mut self) {
        match self.last {
            None => self.text(Who::Person, OPENING, None),
            Some(Who::Model) => self.text(Who::Person, CLOSING, None),
            Some(Who::Person | Who::Results) => {}
        }
        self.body.extend_from_slice(b"]}");
    }
}

fn push_text_part(body: &mut Vec<u8>, text: &str, signature: Option<&RawValue>) {
    body.extend_from_slice(b"{\"text\":");
    push_json(body, text);
    push_signature(body, signature);
    body.push(b'}');
}

fn push_signature(body: &mut Vec<u8>, signature: Option<&RawValue>) {
    crate::write::push_field(body, "thoughtSignature", signature);
}

fn push_told(contents: &mut Contents<'_>, message: &Told<'_>, names: &NameTable, signing: Signing) {
    match message {
        Told::User(text) => contents.text(Who::Person, text, None),
        Told::Result { id, call, content, failed } => {
            let name = names.to_wire(&call.name);
            let id = call.wire_id.is_some().then_some(id.as_ref());
            contents.part(Who::Results, |body| push_result(body, id, &name, content, *failed));
        }
        Told::Assistant { text, calls, .. } if calls.is_empty() => {
            contents.text(Who::Model, text, None);
        }
        Told::Assistant { text, calls, opaque } => {
            let signatures = signatures(opaque);
            let mut said = 0;
            for signed in &signatures {
                let Signed { from: Some(from), to: Some(to), .. } = signed else { continue };
                let (Some(before), Some(words)) = (text.get(said..*from), text.get(*from..*to))
                else {
                    continue;
                };
                contents.text(Who::Model, before, None);
                contents.text(Who::Model, words, Some(signed.signature));
                said = *to;
            }
            contents.text(Who::Model, text.get(said..).unwrap_or_default(), None);
            for (at, (id, call)) in calls.iter().enumerate() {
                let own = signatures.iter().find(|signed| signed.call == Some(at));
                let name = names.to_wire(&call.name);
                // An id of ours means nothing there: calls without one are told apart by their order.
                let id = call.wire_id.is_some().then_some(id.as_ref());
                contents.part(Who::Model, |body| {
                    push_call(body, id, &name, call);
                    match own {
                        Some(own) => push_signature(body, Some(own.signature)),
                        None if at == 0 && signing == Signing::Asked => {
                            body.extend_from_slice(b",\"thoughtSignature\":");
                            push_json(body, NO_SIGNATURE);
                        }
                        None => {}
                    }
                    body.push(b'}');
                });
            }
        }
    }
}

/// Writes a call; the caller closes the part.
fn push_call(body: &mut Vec<u8>, id: Option<&str>, name: &str, call: &ToldCall) {
    body.extend_from_slice(b"{\"functionCall\":{");
    push_id(body, id);
    body.extend_from_slice(b"\"name\":");
    push_json(body, name);
    body.extend_from_slice(b",\"args\":");
    match &call.arguments {
        object @ Value::Object(_) => push_json(body, plain(object).as_ref()),
        _ => body.extend_from_slice(b"{}"),
    }
    body.push(b'}');
}

fn push_id(body: &mut Vec<u8>, id: Option<&str>) {
    if let Some(id) = id {
        body.extend_from_slice(b"\"id\":");
        push_json(body, id);
        body.push(b',');
    }
}

/// Writes a result, which must be an object: what is none goes under `result`, a failure under
/// `error`.
fn push_result(body: &mut Vec<u8>, id: Option<&str>, name: &str, content: &str, failed: bool) {
    body.extend_from_slice(b"{\"functionResponse\":{");
    push_id(body, id);
    body.extend_from_slice(b"\"name\":");
    push_json(body, name);
    body.extend_from_slice(b",\"response\":");
    let looks_like_json = content.trim_start().starts_with(['{', '[']);
    let parsed = looks_like_json.then(|| serde_json::from_str::<Value>(content).ok()).flatten();
    let value = parsed.unwrap_or_else(|| Value::from(content));
    let value = plain(&value);
    if failed || !value.is_object() {
        let key = if failed { "error" } else { "result" };
        body.extend_from_slice(format!("{{\"{key}\":").as_bytes());
        push_json(body, value.as_ref());
        body.push(b'}');
    } else {
        push_json(body, value.as_ref());
    }
    body.extend_from_slice(b"}}");
}

/// Whether a model refuses the first call of a reply without a signature.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Signing {
    Asked,
    NotAsked,
}

impl Signing {
    fn of(model: &str) -> Self {
        const OLDER: [&str; 5] = ["gemini-1", "gemini-2", "gemma", "learnlm", "text-"];
        let name = model.rsplit('/').next().unwrap_or(model);
        let older = OLDER.iter().any(|start| name.starts_with(start));
        if older { Self::NotAsked } else { Self::Asked }
    }
}

/// A signature on its way back: of a call, or of a piece of the text.
#[derive(Deserialize)]
struct Signed<'a> {
    #[serde(default)]
    call: Option<usize>,
    #[serde(default)]
    from: Option<usize>,
    #[serde(borrow, rename = "thoughtSignature")]
    signature: &'a RawValue,
    #[serde(default)]
    to: Option<usize>,
}

/// Reads the items of this family; those of another provider stay away from it.
fn signatures(opaque: &[Opaque]) -> Vec<Signed<'_>> {
    let own = opaque.iter().filter(|item| item.family == FAMILY);
    own.filter_map(|item| serde_json::from_str(&item.json).ok()).collect()
}

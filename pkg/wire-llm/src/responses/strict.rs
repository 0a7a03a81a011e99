//! What the API refuses: its rules as a check of a body.
//!
//! Used by tests and by fake servers; a request that this has nothing to say about is one that the
//! API does not refuse for its shape.
//!
//! # Source
//!
//! <https://platform.openai.com/docs/api-reference/responses/create>; what is not written there has
//! its link beside it.

use std::collections::BTreeSet;

use serde_json::Value;

/// The most tools of one request.
const TOOLS_MAX: usize = 128;

/// The longest name of a tool, and the longest `call_id`.
const NAME_BYTES_MAX: usize = 64;

/// Returns what the API would refuse in a body, in words; nothing when it is taken.
///
/// # Examples
///
/// ```
/// use manos_wire_llm::responses::complaints;
/// let body = serde_json::json!({
///     "model": "m",
///     "store": false,
///     "input": [{"type": "function_call_output", "call_id": "c1", "output": "1"}],
/// });
/// assert_eq!(complaints(&body), ["input 0: no tool call found for c1"]);
/// ```
pub fn complaints(body: &Value) -> Vec<String> {
    let mut check = Check::default();
    check.tools(body);
    check.input(&body["input"]);
    check.settings(body);
    check.found
}

#[derive(Default)]
struct Check {
    found: Vec<String>,
    declared: BTreeSet<String>,
    called: BTreeSet<String>,
    answered: BTreeSet<String>,
    /// Ids of messages and calls name what the API made itself: with them their reasoning is due.
    after_reasoning: bool,
}

impl Check {
    fn say(&mut self, words: impl Into<String>) {
        self.found.push(words.into());
    }

    fn tools(&mut self, body: &Value) {
        let Some(tools) = body.get("tools") else {
            // "Tool choice 'required' must be specified with 'tools' parameter".
            for key in ["tool_choice", "parallel_tool_calls"] {
                if body.get(key).is_some() {
                    self.say(format!("`{key}` without tools"));
                }
            }
            return;
        };
        let list = tools.as_array().map_or(&[][..], Vec::as_slice);
        if list.is_empty() || list.len() > TOOLS_MAX {
            self.say(format!("{} tools", list.len()));
        }
        for tool in list {
            let name = tool["name"].as_str().unwrap_or_default();
            // The name stands beside the type here, not in a `function`:
            // https://platform.openai.com/docs/guides/migrate-to-responses
            if tool["type"] != "function" || !is_name(name) {
                self.say(format!("tool {name:?}: no function or no name"));
            }
            if !self.declared.insert(name.to_owned()) {
                self.say(format!("tool {name:?}: twice"));
            }
            if !tool["strict"].is_boolean() {
                self.say(format!("tool {name:?}: strict is on when it is not said"));
            }
            let schema = &tool["parameters"];
            let choice = ["allOf", "anyOf", "enum", "not", "oneOf"];
            if schema["type"] != "object" || choice.iter().any(|key| schema.get(key).is_some()) {
                self.say(format!("tool {name:?}: its root is no plain object"));
            }
            if tool["strict"] == true && !is_strict(schema) {
                self.say(format!("tool {name:?}: not every key is required and no other refused"));
            }
        }
        let taken = match body.get("tool_choice") {
            None => true,
            Some(Value::String(word)) => matches!(word.as_str(), "auto" | "none" | "required"),
            Some(named) => {
                let name = named["name"].as_str().unwrap_or_default();
                named["type"] == "function" && self.declared.contains(name)
            }
        };
        if !taken {
            self.say(format!("tool_choice {}", body["tool_choice"]));
        }
    }

    fn input(&mut self, input: &Value) {
        let list = input.as_array().map_or(&[][..], Vec::as_slice);
        if list.is_empty() {
            self.say("no input");
        }
        for (at, item) in list.iter().enumerate() {
            match item["type"].as_str().unwrap_or("message") {
                "message" => self.message(at, item),
                "function_call" => self.call(at, item),
                "function_call_output" => self.result(at, item),
                "reasoning" => self.reasoning(at, item, list.get(at + 1)),
                other => self.say(format!("input {at}: type {other}")),
            }
            self.after_reasoning =
                item["type"] == "reasoning" || (self.after_reasoning && item["id"].is_string());
        }
        // "No tool output found for function call call_…":
        // https://github.com/openai/openai-agents-python/issues/1611 tells of the same check.
        for id in self.called.difference(&self.answered).cloned().collect::<Vec<_>>() {
            self.say(format!("no tool output found for {id}"));
        }
    }

    fn message(&mut self, at: usize, item: &Value) {
        let role = item["role"].as_str().unwrap_or_default();
        if !matches!(role, "assistant" | "developer" | "system" | "user") {
            self.say(format!("input {at}: role {role:?}"));
        }
        let parts_are_fine = |parts: &Vec<Value>| {
            let kind = if role == "assistant" { "output_text" } else { "input_text" };
            !parts.is_empty()
                && parts.iter().all(|part| part["type"] == kind && part["text"].is_string())
        };
        if !item["content"].is_string() && !item["content"].as_array().is_some_and(parts_are_fine) {
            self.say(format!("input {at}: content"));
        }
        self.id(at, item, "msg");
    }

    fn call(&mut self, at: usize, item: &Value) {
        let id = item["call_id"].as_str().unwrap_or_default().to_owned();
        if !(1..=NAME_BYTES_MAX).contains(&id.len()) {
            self.say(format!("input {at}: call_id of {} bytes", id.len()));
        }
        if !self.called.insert(id.clone()) {
            self.say(format!("input {at}: call_id {id} twice"));
        }
        if !is_name(item["name"].as_str().unwrap_or_default()) {
            self.say(format!("input {at}: name {}", item["name"]));
        }
        let text = item["arguments"].as_str();
        if !text
            .is_some_and(|text| serde_json::from_str::<Value>(text).is_ok_and(|v| v.is_object()))
        {
            self.say(format!("input {at}: arguments are no object's text"));
        }
        self.id(at, item, "fc");
    }

    fn result(&mut self, at: usize, item: &Value) {
        let id = item["call_id"].as_str().unwrap_or_default().to_owned();
        if !self.called.contains(&id) {
            self.say(format!("input {at}: no tool call found for {id}"));
        } else if !self.answered.insert(id.clone()) {
            self.say(format!("input {at}: a second output of {id}"));
        }
        if !item["output"].is_string() {
            self.say(format!("input {at}: output is no text"));
        }
    }

    /// With `store: false` reasoning has its content with it, a `summary`, and what it led to right
    /// behind it.
    ///
    /// <https://github.com/vercel/ai/issues/7099>, <https://github.com/newo-ether/Agora/issues/141>
    fn reasoning(&mut self, at: usize, item: &Value, next: Option<&Value>) {
        let has_content = item["encrypted_content"].as_str().is_some_and(|text| !text.is_empty())
            || item["content"].as_array().is_some_and(|parts| !parts.is_empty());
        if !has_content {
            self.say(format!("input {at}: reasoning that is kept nowhere"));
        }
        if !item["summary"].is_array() {
            self.say(format!("input {at}: reasoning without summary"));
        }
        let follows = next.is_some_and(|next| {
            matches!(next["type"].as_str(), Some("function_call" | "reasoning"))
                || (next["type"] == "message" && next["role"] == "assistant")
        });
        if !follows {
            self.say(format!("input {at}: reasoning without its required following item"));
        }
    }

    /// An id is of its kind, and names an item whose reasoning is there.
    ///
    /// <https://github.com/continuedev/continue/issues/11994>
    fn id(&mut self, at: usize, item: &Value, prefix: &str) {
        if let Some(id) = item.get("id") {
            if !id.as_str().is_some_and(|id| id.starts_with(prefix)) {
                self.say(format!("input {at}: id {id}"));
            }
            if !self.after_reasoning {
                self.say(format!("input {at}: an item with id without its reasoning"));
            }
        }
    }

    fn settings(&mut self, body: &Value) {
        if body["store"] != false {
            self.say("store is on when it is not said");
        }
        if body.get("max_output_tokens").is_some_and(|max| max.as_u64().is_none_or(|max| max < 16))
        {
            self.say("max_output_tokens below 16");
        }
        // What Chat Completions calls otherwise.
        for key in ["messages", "max_tokens", "max_completion_tokens", "stream_options"] {
            if body.get(key).is_some() {
                self.say(format!("unknown parameter {key}"));
            }
        }
        if !body["model"].is_string() {
            self.say("no model");
        }
    }
}

fn is_name(name: &str) -> bool {
    (1..=NAME_BYTES_MAX).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
}

/// Whether the root, which is all that is looked at here, can be strict.
fn is_strict(schema: &Value) -> bool {
    let required = schema["required"].as_array().map_or(&[][..], Vec::as_slice);
    let properties = schema["properties"].as_object();
    schema["additionalProperties"] == false
        && properties.is_some_and(|properties| {
            properties.keys().all(|key| required.iter().any(|name| name == key))
        })
}

//! What the strictest servers refuse: the rules of Chat Completions as a check of a body.
//!
//! Used by tests and by fake servers; a request that this has nothing to say about is one that no
//! known server refuses for its shape.
//!
//! # Source
//!
//! <https://platform.openai.com/docs/api-reference/chat/create>; what is not written there has its
//! link beside it.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{Cap, Choice, Lack, Server};

/// The most tools of one request.
const TOOLS_MAX: usize = 128;

/// Returns what this server would refuse in a body, in words; nothing when it is taken.
///
/// # Examples
///
/// ```
/// use manos_wire_llm::openai::{OPENAI, complaints};
/// let body = serde_json::json!({"model": "m", "messages": [{"role": "tool", "content": "1"}]});
/// assert_eq!(complaints(&body, &OPENAI), ["message 0: a result of no call"]);
/// ```
pub fn complaints(body: &Value, server: &Server) -> Vec<String> {
    let mut check = Check { server, found: Vec::new(), declared: BTreeSet::new() };
    check.tools(body);
    check.messages(&body["messages"]);
    check.settings(body);
    check.found
}

struct Check<'a> {
    server: &'a Server,
    found: Vec<String>,
    declared: BTreeSet<String>,
}

impl Check<'_> {
    fn say(&mut self, words: impl Into<String>) {
        self.found.push(words.into());
    }

    fn tools(&mut self, body: &Value) {
        let Some(tools) = body.get("tools") else {
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
            let function = &tool["function"];
            let name = function["name"].as_str().unwrap_or_default();
            if tool["type"] != "function" || !is_name(name) {
                self.say(format!("tool {name:?}: no function or no name"));
            }
            if !self.declared.insert(name.to_owned()) {
                self.say(format!("tool {name:?}: twice"));
            }
            // "schema must have type 'object' and not have 'oneOf'/'anyOf'/… at the top level":
            // https://github.com/zereight/gitlab-mcp/issues/552 tells of the same rule elsewhere.
            let schema = &function["parameters"];
            if function.get("strict").is_some() && self.server.lacks(Lack::Strict) {
                self.say(format!("tool {name:?}: `strict`"));
            }
            let choice = ["allOf", "anyOf", "enum", "not", "oneOf"];
            if schema["type"] != "object" || choice.iter().any(|key| schema.get(key).is_some()) {
                self.say(format!("tool {name:?}: its root is no plain object"));
            }
            if !schema["properties"].is_object() {
                self.say(format!("tool {name:?}: no properties"));
            }
        }
        self.choice(body);
    }

    fn choice(&mut self, body: &Value) {
        let taken = match body.get("tool_choice") {
            None => true,
            Some(_) if self.server.choice == Choice::Shown => false,
            Some(Value::String(word)) => match word.as_str() {
                "auto" | "none" => true,
                "any" => self.server.choice == Choice::AnyOrNamed,
                "required" => self.server.choice != Choice::AnyOrNamed,
                _ => false,
            },
            Some(named) => {
                self.server.choice.takes_names()
                    && named["type"] == "function"
                    && named["function"]["name"]
                        .as_str()
                        .is_some_and(|name| self.declared.contains(name))
            }
        };
        if !taken {
            self.say(format!("tool_choice {}", body["tool_choice"]));
        }
    }

    fn messages(&mut self, messages: &Value) {
        let list = messages.as_array().map_or(&[][..], Vec::as_slice);
        if list.is_empty() {
            self.say("no messages");
        }
        let mut ids = BTreeSet::new();
        let mut waiting: BTreeSet<String> = BTreeSet::new();
        let mut last = "";
        for (at, message) in list.iter().enumerate() {
            let role = message["role"].as_str().unwrap_or_default();
            if role != "tool" && !waiting.is_empty() {
                self.say(format!("message {at}: calls before it have no results"));
                waiting.clear();
            }
            match role {
                "tool" => {
                    let id = message["tool_call_id"].as_str().unwrap_or_default();
                    if !waiting.remove(id) {
                        self.say(format!("message {at}: a result of no call"));
                    }
                    self.content(at, message);
                }
                "assistant" => self.assistant(at, message, &mut ids, &mut waiting),
                "system" | "user" | "developer" => {
                    if last == "tool" && self.server.lacks(Lack::UserAfterResult) {
                        self.say(format!("message {at}: {role} after tool"));
                    }
                    self.content(at, message);
                }
                _ => self.say(format!("message {at}: role {role:?}")),
            }
            last = role;
        }
        if !waiting.is_empty() {
            self.say("calls at the end have no results");
        }
    }

    fn content(&mut self, at: usize, message: &Value) {
        if !message["content"].is_string() {
            self.say(format!("message {at}: no content"));
        }
    }

    fn assistant(
        &mut self,
        at: usize,
        message: &Value,
        ids: &mut BTreeSet<String>,
        waiting: &mut BTreeSet<String>,
    ) {
        let Some(calls) = message.get("tool_calls") else {
            if message["content"].as_str().is_none_or(str::is_empty) {
                self.say(format!("message {at}: neither words nor calls"));
            }
            return;
        };
        let calls = calls.as_array().map_or(&[][..], Vec::as_slice);
        if calls.is_empty() {
            self.say(format!("message {at}: an empty list of calls"));
        }
        for call in calls {
            let id = call["id"].as_str().unwrap_or_default();
            if !self.server.ids.takes(id) || !ids.insert(id.to_owned()) {
                self.say(format!("message {at}: the id {id:?}"));
            }
            waiting.insert(id.to_owned());
            let name = call["function"]["name"].as_str().unwrap_or_default();
            if !is_name(name) {
                self.say(format!("message {at}: the name {name:?}"));
            }
            let arguments = call["function"]["arguments"].as_str().unwrap_or_default();
            let object = serde_json::from_str::<Value>(arguments).is_ok_and(|v| v.is_object());
            if call["type"] != "function" || !object {
                self.say(format!("message {at}: arguments that are no object's text"));
            }
        }
        // Groq and others validate calls against the tools of the request.
        if self.declared.is_empty() && !calls.is_empty() {
            self.say(format!("message {at}: calls, but no tools"));
        }
    }

    fn settings(&mut self, body: &Value) {
        if body["model"].as_str().is_none_or(str::is_empty) {
            self.say("no model");
        }
        if body.get("stream_options").is_some()
            && (body["stream"] != true || self.server.lacks(Lack::StreamOptions))
        {
            self.say("`stream_options`");
        }
        let other = match self.server.cap {
            Cap::MaxCompletionTokens => "max_tokens",
            Cap::MaxTokens => "max_completion_tokens",
        };
        if body.get(other).is_some() {
            self.say(format!("`{other}`"));
        }
        let parallel = body.get("parallel_tool_calls").is_some();
        if parallel && self.server.lacks(Lack::ParallelToolCalls) {
            self.say("`parallel_tool_calls`");
        }
    }
}

fn is_name(name: &str) -> bool {
    (1..=64).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::openai::OPENAI;

    #[test]
    fn what_a_server_refuses_is_named() {
        let call = |id: &str| json!({"id": id, "type": "function", "function": {"name": "a", "arguments": "{}"}});
        let assistant = |calls: Value| json!({"role": "assistant", "tool_calls": calls});
        let result = |id: &str| json!({"role": "tool", "tool_call_id": id, "content": "1"});
        let user = json!({"role": "user", "content": "x"});
        let tools = json!([{"type": "function", "function": {"name": "a", "parameters": {"type": "object", "properties": {}}}}]);
        let cases: &[(&str, Value, &[&str])] = &[
            ("fine", json!([user, assistant(json!([call("1")])), result("1")]), &[]),
            ("nothing", json!([]), &["no messages"]),
            (
                "no result",
                json!([assistant(json!([call("1")])), user]),
                &["message 1: calls before it have no results"],
            ),
            (
                "no result at the end",
                json!([assistant(json!([call("1")]))]),
                &["calls at the end have no results"],
            ),
            (
                "two results",
                json!([assistant(json!([call("1")])), result("1"), result("1")]),
                &["message 2: a result of no call"],
            ),
            (
                "an id twice",
                json!([assistant(json!([call("1"), call("1")])), result("1")]),
                &["message 0: the id \"1\""],
            ),
            (
                "a long id",
                json!([assistant(json!([call(&"i".repeat(41))])), result(&"i".repeat(41))]),
                &["message 0: the id \"iiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiii\""],
            ),
            (
                "no words",
                json!([{"role": "assistant", "content": ""}]),
                &["message 0: neither words nor calls"],
            ),
        ];
        for (why, messages, expected) in cases {
            let body = json!({"model": "m", "messages": messages, "tools": tools});
            assert_eq!(complaints(&body, &OPENAI), *expected, "{why}");
        }
        let body = json!({"model": "m", "messages": [user], "tool_choice": "none"});
        assert_eq!(complaints(&body, &OPENAI), ["`tool_choice` without tools"]);
    }
}

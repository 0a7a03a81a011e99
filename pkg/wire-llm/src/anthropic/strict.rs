//! What Anthropic Messages refuses.
//!
//! # Source
//!
//! <https://platform.claude.com/docs/en/api/messages>, and beside it the pages on tool use, extended
//! thinking and prompt caching; the reports named below.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::complaints::{Complaints, is_whole, items, text};

/// The most cache points of a request.
const CACHE_POINTS_MAX: usize = 4;

/// Returns what the API would refuse the body for; nothing when it would take it.
pub fn complaints(body: &Value) -> Vec<String> {
    let mut all = Complaints::default();
    let known = [
        "max_tokens",
        "messages",
        "metadata",
        "model",
        "stop_sequences",
        "stream",
        "system",
        "temperature",
        "thinking",
        "tool_choice",
        "tools",
        "top_k",
        "top_p",
    ];
    all.keys(body, "body", &known);
    all.unless(!text(&body["model"]).is_empty(), "model", "field required");
    all.unless(is_whole(&body["max_tokens"]), "max_tokens", "field required");
    if let Some(temperature) = body.get("temperature") {
        let fits = temperature.as_f64().is_some_and(|t| (0.0..=1.0).contains(&t));
        all.unless(fits, "temperature", "must be between 0 and 1");
    }
    check_system(&mut all, body);
    check_tools(&mut all, body);
    check_messages(&mut all, body);
    let points = cache_points(body);
    all.unless(points <= CACHE_POINTS_MAX, "cache_control", "at most 4 blocks may have it");
    all.0
}

fn check_system(all: &mut Complaints, body: &Value) {
    match body.get("system") {
        None | Some(Value::String(_)) => {}
        Some(system) => {
            all.unless(system.is_array(), "system", "must be text or a list of blocks");
            for block in items(system) {
                all.keys(block, "system", &["cache_control", "text", "type"]);
                check_words(all, block, "system");
            }
        }
    }
}

fn check_tools(all: &mut Complaints, body: &Value) {
    let mut names = BTreeSet::new();
    for tool in items(&body["tools"]) {
        let at = format!("tools.{}", text(&tool["name"]));
        all.keys(tool, &at, &["cache_control", "description", "input_schema", "name"]);
        all.unless(is_legal(text(&tool["name"])), &at, "name must match ^[a-zA-Z0-9_-]{1,128}$");
        all.unless(names.insert(text(&tool["name"])), &at, "tool names must be unique");
        let schema = &tool["input_schema"];
        all.unless(schema["type"] == "object", &at, "input_schema.type must be object");
        // https://github.com/zereight/gitlab-mcp/issues/552
        for key in ["allOf", "anyOf", "oneOf"] {
            all.unless(
                schema.get(key).is_none(),
                &at,
                "input_schema has a choice at the top level",
            );
        }
    }
    let Some(choice) = body.get("tool_choice") else { return };
    all.keys(choice, "tool_choice", &["disable_parallel_tool_use", "name", "type"]);
    all.unless(!names.is_empty(), "tool_choice", "may only be specified while providing tools");
    match text(&choice["type"]) {
        "any" | "auto" => all.unless(choice.get("name").is_none(), "tool_choice", "has no name"),
        "none" => {
            let alone = choice.as_object().is_some_and(|choice| choice.len() == 1);
            all.unless(alone, "tool_choice", "extra inputs");
        }
        "tool" => {
            all.unless(names.contains(text(&choice["name"])), "tool_choice", "tool not found");
        }
        _ => all.unless(false, "tool_choice", "unknown type"),
    }
}

fn check_messages(all: &mut Complaints, body: &Value) {
    let messages = items(&body["messages"]);
    all.unless(!messages.is_empty(), "messages", "at least one message is required");
    let roles: Vec<&str> = messages.iter().map(|message| text(&message["role"])).collect();
    all.unless(roles.first() == Some(&"user"), "messages.0", "must use the user role");
    // https://github.com/agenticloops-ai/agentic-ai-engineering/issues/43: models from 4.6 on.
    all.unless(roles.last() == Some(&"user"), "messages", "must end with a user message");
    let declares_tools = body.get("tools").is_some();
    let mut ids = BTreeSet::new();
    let mut waiting: Vec<&str> = Vec::new();
    for (number, message) in messages.iter().enumerate() {
        let at = format!("messages.{number}");
        all.keys(message, &at, &["content", "role"]);
        let blocks = items(&message["content"]);
        all.unless(!blocks.is_empty(), &at, "all messages must have non-empty content");
        if text(&message["role"]) == "user" {
            check_user(all, blocks, &at, &waiting);
            waiting.clear();
        } else {
            all.unless(roles.get(number) == Some(&"assistant"), &at, "unknown role");
            all.unless(waiting.is_empty(), &at, "tool_use without tool_result in the next message");
            waiting = check_assistant(all, blocks, &at, &mut ids);
            all.unless(waiting.is_empty() || declares_tools, &at, "tool_use without any tools");
        }
    }
    all.unless(waiting.is_empty(), "messages", "tool_use without tool_result");
}

fn check_user(all: &mut Complaints, blocks: &[Value], at: &str, waiting: &[&str]) {
    let mut answered: Vec<&str> = Vec::new();
    let mut after_words = false;
    for block in blocks {
        match text(&block["type"]) {
            "text" => {
                all.keys(block, at, &["cache_control", "text", "type"]);
                check_words(all, block, at);
                after_words = true;
            }
            "tool_result" => {
                let known = ["cache_control", "content", "is_error", "tool_use_id", "type"];
                all.keys(block, at, &known);
                all.unless(!after_words, at, "tool_result blocks must come first");
                answered.push(text(&block["tool_use_id"]));
                // https://github.com/jlevy/markform/issues/153
                let empty = text(&block["content"]).is_empty();
                all.unless(
                    !(empty && block["is_error"] == true),
                    at,
                    "content of an error is empty",
                );
            }
            _ => all.unless(false, at, "unknown block"),
        }
    }
    // Each once, none more: https://github.com/anthropics/claude-code/issues/14075
    let mut expected = waiting.to_vec();
    expected.sort_unstable();
    answered.sort_unstable();
    all.unless(expected == answered, at, "tool_results do not answer the tool_uses before them");
}

fn check_assistant<'a>(
    all: &mut Complaints,
    blocks: &'a [Value],
    at: &str,
    ids: &mut BTreeSet<&'a str>,
) -> Vec<&'a str> {
    let mut calls = Vec::new();
    for block in blocks {
        match text(&block["type"]) {
            "redacted_thinking" => {
                all.keys(block, at, &["data", "type"]);
                all.unless(block["data"].is_string(), at, "redacted_thinking.data is required");
            }
            "text" => {
                all.keys(block, at, &["cache_control", "text", "type"]);
                check_words(all, block, at);
            }
            "thinking" => {
                all.keys(block, at, &["signature", "thinking", "type"]);
                let whole = block["signature"].is_string() && block["thinking"].is_string();
                all.unless(whole, at, "thinking.signature is required");
            }
            "tool_use" => {
                all.keys(block, at, &["cache_control", "id", "input", "name", "type"]);
                let id = text(&block["id"]);
                all.unless(is_legal(id), at, "tool_use.id must match ^[a-zA-Z0-9_-]+$");
                all.unless(ids.insert(id), at, "tool_use ids must be unique");
                all.unless(is_legal(text(&block["name"])), at, "tool_use.name is not legal");
                all.unless(block["input"].is_object(), at, "tool_use.input must be an object");
                calls.push(id);
            }
            _ => all.unless(false, at, "unknown block"),
        }
    }
    let last = blocks.last().map(|block| text(&block["type"]));
    let ends_in_thought = matches!(last, Some("redacted_thinking" | "thinking"));
    all.unless(!ends_in_thought, at, "the final block cannot be thinking");
    calls
}

/// <https://github.com/home-assistant/core/issues/175637>: blank words are refused, not only empty
/// ones.
fn check_words(all: &mut Complaints, block: &Value, at: &str) {
    let words = text(&block["text"]);
    all.unless(
        !words.trim().is_empty(),
        at,
        "text content blocks must contain non-whitespace text",
    );
}

fn is_legal(name: &str) -> bool {
    (1..=128).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
}

fn cache_points(value: &Value) -> usize {
    match value {
        Value::Array(list) => list.iter().map(cache_points).sum(),
        Value::Object(object) => {
            let own = usize::from(object.contains_key("cache_control"));
            // What is in a schema or in arguments is no block.
            let inside =
                object.iter().filter(|(key, _)| !matches!(key.as_str(), "input" | "input_schema"));
            own + inside.map(|(_, value)| cache_points(value)).sum::<usize>()
        }
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn good() -> Value {
        json!({
            "model": "m", "max_tokens": 1,
            "system": [{"type": "text", "text": "s", "cache_control": {"type": "ephemeral"}}],
            "tools": [{"name": "a", "input_schema": {"type": "object"}}],
            "messages": [
                {"role": "user", "content": [{"type": "text", "text": "x"}]},
                {"role": "assistant", "content": [
                    {"type": "thinking", "thinking": "", "signature": "s"},
                    {"type": "tool_use", "id": "1", "name": "a", "input": {}}
                ]},
                {"role": "user", "content": [
                    {"type": "tool_result", "tool_use_id": "1", "content": ""},
                    {"type": "text", "text": "y"}
                ]}
            ]
        })
    }

    #[test]
    fn what_the_rules_allow_is_taken() {
        assert_eq!(complaints(&good()), Vec::<String>::new());
    }

    #[test]
    fn each_rule_complains() {
        let cases: &[(&str, &str, Value)] = &[
            ("no model", "/model", json!("")),
            ("no limit", "/max_tokens", json!(null)),
            ("an unknown key", "/messages/0/x", json!(1)),
            ("blank words", "/messages/0/content/0/text", json!(" \n")),
            ("no content", "/messages/0/content", json!([])),
            ("another role", "/messages/0/role", json!("system")),
            ("the agent speaks first", "/messages/0/role", json!("assistant")),
            ("the agent speaks last", "/messages/2/role", json!("assistant")),
            ("a result of nothing", "/messages/2/content/0/tool_use_id", json!("2")),
            ("no results", "/messages/2/content", json!([{"type": "text", "text": "y"}])),
            (
                "words first",
                "/messages/2/content",
                json!([
                {"type": "text", "text": "y"}, {"type": "tool_result", "tool_use_id": "1"}]),
            ),
            ("an error of no words", "/messages/2/content/0/is_error", json!(true)),
            ("an illegal id", "/messages/1/content/1/id", json!("a.b")),
            ("arguments that are no object", "/messages/1/content/1/input", json!("{}")),
            (
                "thinking at the end",
                "/messages/1/content",
                json!([
                {"type": "tool_use", "id": "1", "name": "a", "input": {}},
                {"type": "thinking", "thinking": "", "signature": "s"}]),
            ),
            ("thinking that is not signed", "/messages/1/content/0/signature", json!(null)),
            ("a choice at the root", "/tools/0/input_schema/anyOf", json!([])),
            ("no object at the root", "/tools/0/input_schema/type", json!(null)),
            ("an illegal name", "/tools/0/name", json!("a b")),
            ("a choice of no tool", "/tool_choice", json!({"type": "tool", "name": "b"})),
            ("no tools", "/tools", json!([])),
            (
                "too many cache points",
                "/system",
                json!(vec![json!({"type": "text", "text": "s", "cache_control": {}}); 5]),
            ),
        ];
        for (why, at, value) in cases {
            let mut body = good();
            let (parent, key) = at.rsplit_once('/').unwrap();
            let parent = body.pointer_mut(parent).unwrap();
            if let Value::Array(list) = parent {
                list[key.parse::<usize>().unwrap()] = value.clone();
            } else {
                parent[key] = value.clone();
            }
            // No tools at all while some are called.
            if *why == "no tools" {
                body.as_object_mut().unwrap().remove("tools");
            }
            assert!(!complaints(&body).is_empty(), "{why}");
        }
    }
}

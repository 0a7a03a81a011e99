//! What goes out.

use std::sync::Arc;

use manos_model::{
    HistoryEntry, ModelRequest, Opaque, Role, StepMessage, ToldCall, ToolCallId, ToolDeclaration,
    ToolResult, ToolSet,
};
use serde_json::{Value, json};

use super::super::*;
use crate::Streaming;

fn tool(name: &str) -> ToolDeclaration {
    ToolDeclaration {
        name: name.to_owned(),
        description: format!("Does {name}."),
        parameters: parsed(r#"{"type":"object","properties":{"z":{},"a":{"maximum":1.10}}}"#),
    }
}

/// Keeps the digits, which `json!` does not.
fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

fn told(id: &str, wire_id: Option<&str>, name: &str, arguments: Value) -> ToldCall {
    let wire_id = wire_id.map(str::to_owned);
    ToldCall { id: ToolCallId::new(id), wire_id, name: name.to_owned(), arguments }
}

fn result(id: &str, content: Value) -> StepMessage {
    StepMessage::Result(ToolResult { call_id: ToolCallId::new(id), content, failed: false })
}

fn request(tools: Vec<ToolDeclaration>) -> ModelRequest {
    let opaque = |json: &str, family: &str| Opaque { family: family.into(), json: json.into() };
    ModelRequest {
        system: "Eres amable.\nLunes.".to_owned(),
        history: Arc::new(vec![
            HistoryEntry { role: Role::User, text: "Hola".to_owned() },
            HistoryEntry { role: Role::Assistant, text: "¡Hola!".to_owned() },
            HistoryEntry { role: Role::Assistant, text: String::new() },
        ]),
        messages: Arc::new(vec![
            StepMessage::User("Un \"pan\"".to_owned()),
            StepMessage::Assistant {
                text: String::new(),
                calls: vec![
                    told("t1", Some("c1"), "crear pedido", json!({"n": 1})),
                    told("t2", None, "ver", json!(null)),
                ],
                opaque: vec![
                    opaque(r#"{"reasoning_content":"pensar"}"#, "openai"),
                    opaque(r#"{"call":1,"extra_content":{"s":1}}"#, "openai"),
                    opaque(r#"{"reasoning_content":"another's"}"#, "elsewhere"),
                ],
            },
            result("t2", json!("dos")),
            result("t1", parsed(r#"{"id":7,"total":1.10}"#)),
            StepMessage::Note("Se cortó.".to_owned()),
        ]),
        tools: Arc::new(ToolSet::new(tools)),
        step: 2,
    }
}

fn body(request: &ModelRequest, streaming: Streaming) -> String {
    body_with(request, &CallOptions { streaming, ..CallOptions::new("", "gpt-5-mini") })
}

fn body_with(request: &ModelRequest, options: &CallOptions) -> String {
    let chat = Chat::default();
    let tools = chat.tools(&request.tools, options);
    String::from_utf8(chat.request(request, &tools, options).body).unwrap()
}

#[test]
fn a_request_has_every_part_in_its_place() {
    let body = body(&request(vec![tool("crear pedido"), tool("ver")]), Streaming::On);
    let pretty: Value = serde_json::from_str(&body).unwrap();
    insta::assert_snapshot!(serde_json::to_string_pretty(&pretty).unwrap());
}

#[test]
fn tools_that_are_not_offered_any_more_are_still_declared() {
    let body: Value = serde_json::from_str(&body(&request(Vec::new()), Streaming::Off)).unwrap();
    let names: Vec<&Value> =
        body["tools"].as_array().unwrap().iter().map(|t| &t["function"]["name"]).collect();
    assert_eq!(names, ["crear_pedido", "ver"]);
    assert_eq!(body["tool_choice"], "none");
    assert_eq!(body.get("stream"), None);
}

#[test]
fn without_tools_and_calls_none_are_sent() {
    let mut request = request(Vec::new());
    request.messages = Arc::new(vec![StepMessage::User("Hola".to_owned())]);
    let body: Value = serde_json::from_str(&body(&request, Streaming::Off)).unwrap();
    assert_eq!((body.get("tools"), body.get("tool_choice")), (None, None));
}

#[test]
fn a_request_is_the_last_one_and_more() {
    // What a provider caches is the common beginning: it must not change from step to step.
    let longer = request(vec![tool("ver")]);
    let mut shorter = longer.clone();
    shorter.messages = Arc::new(longer.messages[..1].to_vec());
    let (long, short) = (body(&longer, Streaming::On), body(&shorter, Streaming::On));
    let common = short.find("],\"tools\"").unwrap();
    assert_eq!(long[..common], short[..common]);
}

#[test]
fn a_base_url_leads_to_the_chat_completions() {
    let cases = [
        ("http://127.0.0.1:8080/v1", "http://127.0.0.1:8080/v1/chat/completions"),
        (" https://x.test/ ", "https://x.test/chat/completions"),
        ("https://x.test/chat/completions/", "https://x.test/chat/completions"),
    ];
    for (base, expected) in cases {
        assert_eq!(endpoint(base, "/chat/completions"), expected);
    }
}

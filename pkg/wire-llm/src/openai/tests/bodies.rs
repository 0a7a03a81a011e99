//! What goes out.

use std::sync::Arc;

use manos_model::{ModelRequest, StepMessage, ToolDeclaration};
use serde_json::{Value, json};

use super::super::*;
use crate::Streaming;
use crate::sample::{self, opaque, parsed, result, told};

fn tool(name: &str) -> ToolDeclaration {
    sample::tool(name, r#"{"type":"object","properties":{"z":{},"a":{"maximum":1.10}}}"#)
}

fn request(tools: Vec<ToolDeclaration>) -> ModelRequest {
    let turn = vec![
        StepMessage::User("Un \"pan\"".to_owned()),
        StepMessage::Assistant {
            text: String::new(),
            calls: vec![
                told("t1", Some("c1"), "crear pedido", json!({"n": 1})),
                told("t2", None, "ver", json!(null)),
            ],
            opaque: vec![
                opaque("openai", r#"{"reasoning_content":"pensar"}"#),
                opaque("openai", r#"{"call":1,"extra_content":{"s":1}}"#),
                opaque("elsewhere", r#"{"reasoning_content":"another's"}"#),
            ],
        },
        result("t2", json!("dos")),
        result("t1", parsed(r#"{"id":7,"total":1.10}"#)),
        StepMessage::Note("Se cortó.".to_owned()),
    ];
    sample::request("", turn, tools)
}

fn body(request: &ModelRequest, streaming: Streaming) -> String {
    body_with(request, &CallOptions { streaming, ..CallOptions::new("", "gpt-5-mini") })
}

fn body_with(request: &ModelRequest, options: &CallOptions) -> String {
    sample::body_text(&Chat::default(), request, options)
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

//! What goes out.

use std::sync::Arc;

use manos_model::{ModelRequest, Opaque, StepMessage, ToolDeclaration};
use serde_json::{Value, json};

use super::super::*;
use crate::sample::{self, every_turn_is_taken, failure, opaque, parsed, result, told};
use crate::{Streaming, ToolChoice};

fn tool(name: &str) -> ToolDeclaration {
    sample::tool(name, r#"{"type":"object","properties":{"z":{},"a":{"maximum":1.10}}}"#)
}

fn thought(text_bytes: usize, calls: usize, block: &str, family: &str) -> Opaque {
    let json = format!(r#"{{"text_bytes":{text_bytes},"calls":{calls},"block":{block}}}"#);
    opaque(family, &json)
}

fn request(tools: Vec<ToolDeclaration>) -> ModelRequest {
    let turn = vec![
        StepMessage::User("Un \"pan\"".to_owned()),
        StepMessage::Assistant {
            text: "Voy ya.".to_owned(),
            calls: vec![
                told("t1", Some("c1"), "crear pedido", json!({"n": 1})),
                told("t2", Some("functions.get:0"), "ver", json!(null)),
            ],
            opaque: vec![
                thought(0, 0, r#"{"type":"redacted_thinking","data":"eA=="}"#, FAMILY),
                thought(4, 0, r#"{"type":"thinking","thinking":"x","signature":"y"}"#, FAMILY),
                thought(7, 1, r#"{"type":"thinking","thinking":"","signature":"z"}"#, FAMILY),
                thought(7, 2, r#"{"type":"thinking","thinking":"at the end"}"#, FAMILY),
                thought(0, 0, r#"{"another":"provider's"}"#, "elsewhere"),
            ],
        },
        result("t2", json!("dos")),
        StepMessage::User("¿Sigues?".to_owned()),
        failure("t1", parsed(r#"{"id":7,"total":1.10}"#)),
        StepMessage::Note("Se cortó.".to_owned()),
    ];
    sample::request(" ", turn, tools)
}

fn options() -> CallOptions {
    CallOptions::new("https://api.anthropic.com", "claude-x")
}

fn text(request: &ModelRequest, options: &CallOptions) -> String {
    sample::body_text(&Messages::default(), request, options)
}

fn body(request: &ModelRequest, options: &CallOptions) -> Value {
    sample::body(&Messages::default(), request, options)
}

fn of_messages(messages: Vec<StepMessage>) -> ModelRequest {
    ModelRequest { history: Arc::default(), messages: Arc::new(messages), ..request(Vec::new()) }
}

#[test]
fn a_request_has_every_part_in_its_place() {
    let body = body(&request(vec![tool("crear pedido"), tool("ver")]), &options());
    insta::assert_snapshot!(serde_json::to_string_pretty(&body).unwrap());
}

#[test]
fn the_version_and_the_key_go_in_headers() {
    let request = request(Vec::new());
    let dialect = Messages::default();
    let wire = dialect.request(&request, &EncodedTools::default(), &options());
    assert_eq!(wire.headers, [("anthropic-version", "2023-06-01".to_owned())]);
    assert_eq!(wire.key, KeyPlace::Header("x-api-key"));
}

#[test]
fn a_base_url_leads_to_the_messages_with_a_version_or_without() {
    let cases = [
        ("https://api.anthropic.com", "https://api.anthropic.com/v1/messages"),
        ("https://api.anthropic.com/v1/", "https://api.anthropic.com/v1/messages"),
        ("https://x.test/anthropic", "https://x.test/anthropic/v1/messages"),
        (" http://127.0.0.1:1/v1/messages ", "http://127.0.0.1:1/v1/messages"),
        ("https://x.test/v1?k=1", "https://x.test/v1/messages?k=1"),
    ];
    for (base, expected) in cases {
        assert_eq!(url(base), expected);
    }
}

#[test]
fn options_stand_where_the_provider_reads_them() {
    let request = request(vec![tool("ver el menú")]);
    let cases = [
        (ToolChoice::Auto, None, Value::Null),
        (ToolChoice::Auto, Some(true), Value::Null),
        (ToolChoice::Auto, Some(false), json!({"type": "auto", "disable_parallel_tool_use": true})),
        (ToolChoice::Required, None, json!({"type": "any"})),
        (
            ToolChoice::Required,
            Some(false),
            json!({"type": "any", "disable_parallel_tool_use": true}),
        ),
        (
            ToolChoice::Named("ver el menú".to_owned()),
            None,
            json!({"type": "tool", "name": "ver_el_men_"}),
        ),
        (ToolChoice::None, Some(false), json!({"type": "none"})),
    ];
    for (tool_choice, parallel_tool_calls, expected) in cases {
        let why = format!("{tool_choice:?} {parallel_tool_calls:?}");
        let options = CallOptions { parallel_tool_calls, tool_choice, ..options() };
        let body = body(&request, &options);
        assert_eq!(body.get("tool_choice").cloned().unwrap_or_default(), expected, "{why}");
    }
    let options = CallOptions {
        max_output_tokens: Some(7),
        temperature: Some(0.into()),
        streaming: Streaming::Off,
        ..options()
    };
    let body = body(&request, &options);
    let (max, temperature) = (&body["max_tokens"], &body["temperature"]);
    assert_eq!((max, temperature, body.get("stream")), (&json!(7), &json!(0), None));
}

#[test]
fn tools_that_are_not_offered_any_more_are_still_declared() {
    let body = body(&request(Vec::new()), &options());
    let names: Vec<&Value> =
        body["tools"].as_array().unwrap().iter().map(|tool| &tool["name"]).collect();
    assert_eq!(names, ["crear_pedido", "ver"]);
    assert_eq!(body["tool_choice"], json!({"type": "none"}));
}

#[test]
fn without_tools_and_calls_none_are_sent() {
    let body = body(&of_messages(vec![StepMessage::User("Hola".to_owned())]), &options());
    assert_eq!((body.get("tools"), body.get("tool_choice")), (None, None));
}

#[test]
fn the_person_speaks_first_and_last() {
    let assistant = |text: &str| StepMessage::Assistant {
        text: text.to_owned(),
        calls: Vec::new(),
        opaque: Vec::new(),
    };
    let roles = |request: &ModelRequest| -> Vec<String> {
        let body = body(request, &options());
        let messages = body["messages"].as_array().unwrap().iter();
        messages.map(|message| message["role"].as_str().unwrap().to_owned()).collect()
    };
    let alone = of_messages(vec![assistant("Soy yo. \n")]);
    assert_eq!(roles(&alone), ["user", "assistant", "user"]);
    assert_eq!(roles(&of_messages(Vec::new())), ["user"]);
    assert_eq!(roles(&of_messages(vec![assistant(" \n")])), ["user"]);
}

#[test]
fn a_result_without_words_is_one_that_is_taken() {
    let assistant = |id: &str| StepMessage::Assistant {
        text: String::new(),
        calls: vec![told(id, None, "ver", json!({}))],
        opaque: Vec::new(),
    };
    for (failed, expected) in [
        (false, json!({"type": "tool_result", "tool_use_id": "t1"})),
        (
            true,
            json!({"type": "tool_result", "tool_use_id": "t1", "content": "failed", "is_error": true}),
        ),
    ] {
        let messages = vec![
            assistant("t1"),
            if failed { failure("t1", json!(" \n")) } else { result("t1", json!(" \n")) },
        ];
        let body = body(&of_messages(messages), &options());
        assert_eq!(body["messages"][2]["content"], json!([expected]));
    }
}

#[test]
fn what_the_provider_caches_does_not_change_from_turn_to_turn() {
    let offered = || vec![tool("crear pedido"), tool("ver")];
    let mut later = request(offered());
    later.system = "Eres amable.\nMartes.".to_owned();
    later.messages = Arc::new(vec![StepMessage::User("Otra cosa".to_owned())]);
    let (first, second) = (text(&request(offered()), &options()), text(&later, &options()));
    let tools = |body: &str| {
        let (start, end) =
            (body.find(r#""tools":"#).unwrap(), body.find(r#","messages":"#).unwrap());
        body[start..end].to_owned()
    };
    assert_eq!(tools(&first), tools(&second));
    let system = first.find("Lunes").unwrap();
    assert_eq!(first[..system], second[..system]);
    assert_eq!(first.matches("cache_control").count(), 2);
}

#[test]
fn one_line_of_instructions_is_no_part_that_stays() {
    for system in ["Lunes.", "\nLunes.", " \n\nLunes.\n"] {
        let mut request = of_messages(vec![StepMessage::User("Hola".to_owned())]);
        request.system = system.to_owned();
        let body = body(&request, &options());
        assert_eq!(body["system"], json!([{"type": "text", "text": system}]), "{system:?}");
    }
    let mut request = of_messages(vec![StepMessage::User("Hola".to_owned())]);
    request.system = " \n".to_owned();
    assert_eq!(body(&request, &options()).get("system"), None);
}

#[test]
fn whatever_happened_to_a_turn_the_provider_takes_what_is_sent() {
    every_turn_is_taken(&Messages::default(), None, complaints);
}

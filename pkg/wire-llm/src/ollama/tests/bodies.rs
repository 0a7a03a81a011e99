//! What goes out.

use std::time::Duration;

use manos_model::{ModelRequest, StepMessage, ToolDeclaration};
use serde_json::json;

use super::super::*;
use crate::KeepAlive;
use crate::sample::{self, every_turn_is_taken, opaque, parsed, result, told};

fn tool(name: &str) -> ToolDeclaration {
    sample::tool(name, r#"{"type":"object","properties":{"n":{"type":"integer"}}}"#)
}

fn request(tools: Vec<ToolDeclaration>) -> ModelRequest {
    let turn = vec![
        StepMessage::User("Un \"pan\"".to_owned()),
        StepMessage::Assistant {
            text: String::new(),
            calls: vec![
                told("t1", Some("c1"), "crear pedido", parsed(r#"{"n":1.10}"#)),
                told("t2", None, "ver", json!(null)),
            ],
            opaque: vec![
                opaque("elsewhere", r#"{"thinking":"another's"}"#),
                opaque(FAMILY, r#"{"thinking":"pensar"}"#),
            ],
        },
        result("t2", json!("dos")),
        result("t1", parsed(r#"{"id":7,"total":1.10}"#)),
        StepMessage::Note("Se cortó.".to_owned()),
    ];
    sample::request("", turn, tools)
}

fn body_with(request: &ModelRequest, options: &CallOptions) -> String {
    sample::body_text(&Ollama, request, options)
}

#[test]
fn a_request_has_every_part_in_its_place() {
    let request = request(vec![tool("crear pedido"), tool("ver")]);
    let body = parsed(&body_with(&request, &CallOptions::new("", "qwen3")));
    assert_eq!(complaints(&body), Vec::<String>::new());
    insta::assert_snapshot!(serde_json::to_string_pretty(&body).unwrap());
}

#[test]
fn what_the_api_cannot_be_told_is_done_by_what_it_is_shown() {
    let request = request(vec![tool("ver"), tool("pagar")]);
    let shown = |tool_choice: ToolChoice| {
        let options = CallOptions { tool_choice, ..CallOptions::new("", "qwen3") };
        let body = parsed(&body_with(&request, &options));
        assert_eq!(body.get("tool_choice"), None);
        let tools = body["tools"].as_array().cloned().unwrap_or_default();
        let names = tools.iter().map(|tool| tool["function"]["name"].as_str().unwrap().to_owned());
        names.collect::<Vec<String>>()
    };
    assert_eq!(shown(ToolChoice::Auto), ["ver", "pagar"]);
    assert_eq!(shown(ToolChoice::Required), ["ver", "pagar"]);
    assert_eq!(shown(ToolChoice::Named("pagar".into())), ["pagar"]);
    assert_eq!(shown(ToolChoice::Named("otra".into())), ["ver", "pagar"]);
    assert_eq!(shown(ToolChoice::None), Vec::<String>::new());
}

#[test]
fn limits_go_into_the_options() {
    let options = CallOptions {
        keep_alive: Some(KeepAlive::For(Duration::from_mins(10))),
        max_output_tokens: Some(99),
        num_ctx: Some(16_384),
        temperature: serde_json::from_str("0.10").unwrap(),
        streaming: crate::Streaming::Off,
        ..CallOptions::new("", "qwen3")
    };
    let body = body_with(&request(Vec::new()), &options);
    let end = r#","stream":false,"truncate":false,"shift":false,"keep_alive":"600000ms","options":{"num_ctx":16384,"num_predict":99,"temperature":0.10}}"#;
    assert!(body.ends_with(end), "{body}");
    let forever = CallOptions { keep_alive: Some(KeepAlive::Forever), ..options };
    let body = body_with(&request(Vec::new()), &forever);
    assert!(body.contains(r#","keep_alive":-1,"#), "{body}");
}

#[test]
fn a_base_url_leads_to_the_servers_own_chat() {
    let cases = [
        ("http://127.0.0.1:11434", "http://127.0.0.1:11434/api/chat"),
        (" http://127.0.0.1:11434/ ", "http://127.0.0.1:11434/api/chat"),
        ("http://127.0.0.1:11434/v1", "http://127.0.0.1:11434/api/chat"),
        ("http://127.0.0.1:11434/v1/", "http://127.0.0.1:11434/api/chat"),
        ("http://127.0.0.1:11434/api", "http://127.0.0.1:11434/api/chat"),
        ("http://127.0.0.1:11434/api/chat", "http://127.0.0.1:11434/api/chat"),
        ("https://gateway.test/ollama", "https://gateway.test/ollama/api/chat"),
    ];
    for (base, expected) in cases {
        let wire = Ollama.request(
            &request(Vec::new()),
            &EncodedTools::default(),
            &CallOptions::new(base, "qwen3"),
        );
        assert_eq!(wire.url, expected, "{base}");
    }
}

#[test]
fn whatever_happened_to_a_turn_the_server_takes_what_is_sent() {
    every_turn_is_taken(&Ollama, None, complaints);
}

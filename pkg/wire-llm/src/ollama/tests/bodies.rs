//! What goes out.

use std::sync::Arc;

use manos_model::{
    HistoryEntry, Opaque, Role, StepMessage, ToldCall, ToolCallId, ToolDeclaration, ToolResult,
};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::super::*;
use crate::histories::requests;

fn tool(name: &str) -> ToolDeclaration {
    ToolDeclaration {
        name: name.to_owned(),
        description: format!("Does {name}."),
        parameters: json!({"type": "object", "properties": {"n": {"type": "integer"}}}),
    }
}

/// Keeps the digits, which `json!` does not.
fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

fn request(tools: Vec<ToolDeclaration>) -> ModelRequest {
    let told = |id: &str, wire_id: Option<&str>, name: &str, arguments: Value| ToldCall {
        id: ToolCallId::new(id),
        wire_id: wire_id.map(str::to_owned),
        name: name.to_owned(),
        arguments,
    };
    let result = |id: &str, content: Value| {
        StepMessage::Result(ToolResult { call_id: ToolCallId::new(id), content, failed: false })
    };
    let opaque = |family: &str, json: &str| Opaque { family: family.into(), json: json.into() };
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
        ]),
        tools: Arc::new(ToolSet::new(tools)),
        step: 2,
    }
}

fn body_with(request: &ModelRequest, options: &CallOptions) -> String {
    let tools = Ollama.tools(&request.tools, options);
    String::from_utf8(Ollama.request(request, &tools, options).body).unwrap()
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
        max_output_tokens: Some(99),
        temperature: serde_json::from_str("0.10").unwrap(),
        streaming: crate::Streaming::Off,
        ..CallOptions::new("", "qwen3")
    };
    let body = body_with(&request(Vec::new()), &options);
    let end = r#","stream":false,"truncate":false,"shift":false,"options":{"num_predict":99,"temperature":0.10}}"#;
    assert!(body.ends_with(end), "{body}");
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

proptest! {
    #[test]
    fn whatever_happened_to_a_turn_the_server_takes_what_is_sent((request, options) in requests()) {
        let body = parsed(&body_with(&request, &options));
        prop_assert_eq!(complaints(&body), Vec::<String>::new(), "{}", body);
    }
}

//! What goes out.

use std::sync::Arc;

use manos_model::{ModelRequest, StepMessage, ToolDeclaration};
use serde_json::{Value, json};

use super::super::*;
use crate::sample::{self, every_turn_is_taken, failure, opaque, parsed, result, told};
use crate::{Streaming, ToolChoice};

fn tool(name: &str) -> ToolDeclaration {
    sample::tool(name, r#"{"type":"object","properties":{"z":{"type":"string"}}}"#)
}

fn request(tools: Vec<ToolDeclaration>) -> ModelRequest {
    let turn = vec![
        StepMessage::User("Un \"pan\"".to_owned()),
        StepMessage::Assistant {
            text: "Voy ya.".to_owned(),
            calls: vec![
                told("t1", Some("fc1"), "crear pedido", json!({"n": 1})),
                told("t2", None, "ver", json!(null)),
                told("t3", None, "ver", parsed(r#"{"id":12345678901234567890}"#)),
            ],
            opaque: vec![
                opaque(FAMILY, r#"{"from":4,"to":7,"thoughtSignature":"dGV4dG8="}"#),
                opaque(FAMILY, r#"{"call":0,"thoughtSignature":"cGFnbw=="}"#),
                opaque(FAMILY, r#"{"from":7,"to":7,"thoughtSignature":"Zmlu"}"#),
                opaque("elsewhere", r#"{"call":1,"thoughtSignature":"another's"}"#),
            ],
        },
        result("t2", json!("dos")),
        StepMessage::User("¿Sigues?".to_owned()),
        failure("t1", parsed(r#"{"id":7,"total":1.10}"#)),
        result("t3", json!([1, 2])),
        StepMessage::Note("Se cortó.".to_owned()),
    ];
    sample::request(" ", turn, tools)
}

fn options() -> CallOptions {
    CallOptions::new("https://x.test", "gemini-2.5-flash")
}

fn text(request: &ModelRequest, options: &CallOptions) -> String {
    sample::body_text(&GenerateContent::default(), request, options)
}

fn body(request: &ModelRequest, options: &CallOptions) -> Value {
    sample::body(&GenerateContent::default(), request, options)
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
fn an_address_leads_to_the_model_with_a_version_or_without() {
    let stream = ":streamGenerateContent?alt=sse";
    let cases = [
        ("https://x.test", "gemini-x", "https://x.test/v1beta/models/gemini-x"),
        ("https://x.test/v1/", "gemini-x", "https://x.test/v1/models/gemini-x"),
        (" https://x.test/v1beta/models ", "gemini-x", "https://x.test/v1beta/models/gemini-x"),
        ("https://x.test/v1beta", "models/gemini-x", "https://x.test/v1beta/models/gemini-x"),
        ("https://x.test/v1beta", "tunedModels/m-1", "https://x.test/v1beta/tunedModels/m-1"),
        (
            "https://x.test/v1/projects/p/locations/l/publishers/google",
            "gemini-x",
            "https://x.test/v1/projects/p/locations/l/publishers/google/models/gemini-x",
        ),
        ("https://x.test/vertex", "gemini-x", "https://x.test/vertex/v1beta/models/gemini-x"),
        ("https://x.test", "a?b#c d", "https://x.test/v1beta/models/abcd"),
    ];
    for (base, model, expected) in cases {
        let options = CallOptions::new(base, model);
        assert_eq!(url(&options), format!("{expected}{stream}"), "{base} {model}");
    }
    let mut options = CallOptions::new("https://x.test/v1?k=1", "gemini-x");
    let expected = "https://x.test/v1/models/gemini-x:streamGenerateContent?alt=sse&k=1";
    assert_eq!(url(&options), expected);
    options.streaming = Streaming::Off;
    assert_eq!(url(&options), "https://x.test/v1/models/gemini-x:generateContent?k=1");
}

#[test]
fn options_stand_where_the_provider_reads_them() {
    let request = request(vec![tool("ver el menú")]);
    let cases = [
        (ToolChoice::Auto, Value::Null),
        (ToolChoice::Required, json!({"mode": "ANY"})),
        (
            ToolChoice::Named("ver el menú".to_owned()),
            json!({"mode": "ANY", "allowedFunctionNames": ["ver_el_men_"]}),
        ),
        (ToolChoice::None, json!({"mode": "NONE"})),
    ];
    for (tool_choice, expected) in cases {
        let options = CallOptions { tool_choice: tool_choice.clone(), ..options() };
        let body = body(&request, &options);
        assert_eq!(body["toolConfig"]["functionCallingConfig"], expected, "{tool_choice:?}");
    }
    let options =
        CallOptions { max_output_tokens: Some(7), temperature: Some(0.into()), ..options() };
    let expected = json!({"maxOutputTokens": 7, "temperature": 0});
    assert_eq!(body(&request, &options)["generationConfig"], expected);
}

#[test]
fn a_call_of_another_providers_model_says_that_it_has_no_signature() {
    let mut request = request(vec![tool("ver")]);
    let mut messages = request.messages.to_vec();
    if let StepMessage::Assistant { opaque, .. } = &mut messages[1] {
        opaque.clear();
    }
    request.messages = Arc::new(messages);
    let cases = [
        ("gemini-3-pro-preview", true),
        ("gemini-flash-latest", true),
        ("models/gemini-4", true),
        ("gemini-2.5-pro", false),
        ("models/gemini-2.0-flash", false),
        ("gemma-3-27b-it", false),
    ];
    for (model, says) in cases {
        let body = body(&request, &CallOptions::new("https://x.test", model));
        let parts = body["contents"][3]["parts"].as_array().unwrap();
        let signed: Vec<&Value> = parts.iter().map(|part| &part["thoughtSignature"]).collect();
        let first = if says { json!("skip_thought_signature_validator") } else { Value::Null };
        let none = Value::Null;
        assert_eq!(signed, [&none, &first, &none, &none], "{model}");
    }
}

#[test]
fn tools_that_are_not_offered_any_more_are_still_declared() {
    let body = body(&request(Vec::new()), &options());
    let declared = json!([{"functionDeclarations": [{"name": "crear_pedido"}, {"name": "ver"}]}]);
    assert_eq!(body["tools"], declared);
    assert_eq!(body["toolConfig"]["functionCallingConfig"], json!({"mode": "NONE"}));
}

#[test]
fn without_tools_and_calls_none_are_sent() {
    let body = body(&of_messages(vec![StepMessage::User("Hola".to_owned())]), &options());
    assert_eq!((body.get("tools"), body.get("toolConfig")), (None, None));
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
        let contents = body["contents"].as_array().unwrap().iter();
        contents.map(|content| content["role"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(roles(&of_messages(vec![assistant("Soy yo.")])), ["user", "model", "user"]);
    assert_eq!(roles(&of_messages(Vec::new())), ["user"]);
    assert_eq!(roles(&of_messages(vec![assistant(" \n")])), ["user"]);
}

#[test]
fn a_request_is_the_last_one_and_more() {
    // What a provider caches is the common beginning: it must not change from step to step.
    let longer = request(vec![tool("ver")]);
    let mut shorter = longer.clone();
    shorter.messages = Arc::new(longer.messages[..1].to_vec());
    let (long, short) = (text(&longer, &options()), text(&shorter, &options()));
    let common = short.find("],\"tools\"").unwrap();
    assert_eq!(long[..common], short[..common]);
}

#[test]
fn whatever_happened_to_a_turn_the_provider_takes_what_is_sent() {
    for (model, signatures) in
        [("gemini-2.5-flash", Signatures::NotAsked), ("gemini-3-pro", Signatures::Asked)]
    {
        let complaints = |body: &Value| complaints(body, signatures);
        every_turn_is_taken(&GenerateContent::default(), Some(model), complaints);
    }
}

//! What goes out.

use std::sync::Arc;

use manos_model::{ModelRequest, Opaque, StepMessage, ToldCall, ToolDeclaration};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::super::*;
use crate::recorded::{decode, fixture};
use crate::sample::{self, every_turn_is_taken, parsed, result, told};
use crate::{Streaming, ToolChoice};

fn tool(name: &str) -> ToolDeclaration {
    sample::tool(name, r#"{"type":"object","properties":{"z":{},"a":{"maximum":1.10}}}"#)
}

fn request(messages: Vec<StepMessage>, tools: Vec<ToolDeclaration>) -> ModelRequest {
    sample::request("", messages, tools)
}

fn turn() -> Vec<StepMessage> {
    vec![
        StepMessage::User("Un \"pan\"".to_owned()),
        StepMessage::Assistant {
            text: "Miro.".to_owned(),
            calls: vec![
                told("t1", Some("c1"), "crear pedido", json!({"n": 1})),
                told("t2", None, "ver", json!(null)),
            ],
            opaque: vec![Opaque {
                family: "elsewhere".into(),
                json: r#"{"type":"reasoning"}"#.into(),
            }],
        },
        result("t2", json!("dos")),
        result("t1", parsed(r#"{"id":7,"total":1.10}"#)),
        StepMessage::Note("Se cortó.".to_owned()),
    ]
}

fn body_with(request: &ModelRequest, options: &CallOptions) -> String {
    sample::body_text(&Responses, request, options)
}

fn body(request: &ModelRequest) -> Value {
    parsed(&body_with(request, &CallOptions::new("", "gpt-5-mini")))
}

#[test]
fn a_request_has_every_part_in_its_place() {
    let body = body(&request(turn(), vec![tool("crear pedido"), tool("ver")]));
    assert_eq!(complaints(&body), Vec::<String>::new());
    insta::assert_snapshot!(serde_json::to_string_pretty(&body).unwrap());
}

#[test]
fn settings_are_said_in_the_words_of_this_api() {
    let request = request(turn(), vec![tool("ver menú"), tool("pagar")]);
    let base = CallOptions { streaming: Streaming::Off, ..CallOptions::new("", "gpt-5-mini") };
    let cases = [
        (
            "one tool is forced, by its name on the wire",
            CallOptions { tool_choice: ToolChoice::Named("ver menú".into()), ..base.clone() },
            r#","tool_choice":{"type":"function","name":"ver_men_"},"store":false"#,
        ),
        (
            "a tool that is not offered cannot be forced",
            CallOptions { tool_choice: ToolChoice::Named("otra".into()), ..base.clone() },
            r#""strict":false}],"store":false"#,
        ),
        (
            "any tool is forced, one at a time",
            CallOptions {
                tool_choice: ToolChoice::Required,
                parallel_tool_calls: Some(false),
                ..base.clone()
            },
            r#","tool_choice":"required","parallel_tool_calls":false,"store":false"#,
        ),
        (
            "no tool",
            CallOptions { tool_choice: ToolChoice::None, ..base.clone() },
            r#","tool_choice":"none","store":false"#,
        ),
        (
            "fewer tokens than the API takes",
            CallOptions { max_output_tokens: Some(1), ..base.clone() },
            r#","max_output_tokens":16,"store":false,"include""#,
        ),
        (
            "a temperature keeps its digits",
            CallOptions { temperature: serde_json::from_str("0.10").unwrap(), ..base.clone() },
            r#","temperature":0.10,"store":false"#,
        ),
        (
            "a model that does not reason is not asked for its reasoning",
            CallOptions { streaming: Streaming::On, ..CallOptions::new("", "openai/gpt-4.1-mini") },
            r#""store":false,"stream":true}"#,
        ),
        (
            "a model that may reason is",
            CallOptions { streaming: Streaming::On, ..CallOptions::new("", "o4-mini") },
            r#""store":false,"include":["reasoning.encrypted_content"],"stream":true}"#,
        ),
    ];
    for (why, options, expected) in cases {
        let body = body_with(&request, &options);
        assert!(body.contains(expected), "{why}: {body}");
    }
}

#[test]
fn a_reply_with_reasoning_goes_back_as_it_came() {
    for (name, bytes) in
        [fixture!("responses/reasoning-and-call.sse"), fixture!("responses/whole-reasoning.json")]
    {
        let reply = decode(&Responses, [bytes]).0.unwrap();
        let calls = reply
            .calls
            .iter()
            .map(|call| told("t1", call.wire_id.as_deref(), &call.name, json!({"amount": 5})));
        let back = StepMessage::Assistant {
            text: reply.text.clone(),
            calls: calls.collect(),
            opaque: reply.opaque.clone(),
        };
        let messages = vec![StepMessage::User("Paga".into()), back, result("t1", json!("ya"))];
        let body = body_with(&request(messages, Vec::new()), &CallOptions::new("", "gpt-5-mini"));
        let (reasoning, rest) = (reply.opaque[0].json.as_str(), parsed(&body));
        assert!(body.contains(reasoning), "{name}: {body}");
        assert_eq!(complaints(&rest), Vec::<String>::new(), "{name}");
        let input: Vec<Value> = rest["input"].as_array().unwrap()[3..].to_vec();
        let kinds: Vec<&str> = input.iter().map(|item| item["type"].as_str().unwrap()).collect();
        let ids: Vec<&Value> = input.iter().map(|item| &item["id"]).collect();
        if reply.text.is_empty() {
            assert_eq!(kinds, ["reasoning", "function_call", "function_call_output"]);
            assert_eq!(ids, [&json!("rs_1"), &json!("fc_a"), &Value::Null]);
        } else {
            assert_eq!(kinds, ["reasoning", "message", "function_call", "function_call_output"]);
            assert_eq!(ids, [&json!("rs_1"), &json!("msg_1"), &json!("fc_a"), &Value::Null]);
            assert_eq!(input[1]["phase"], "commentary");
            assert_eq!(input[1]["content"][0]["text"], "Miro eso.");
        }
    }
}

#[test]
fn a_reply_that_is_not_whole_any_more_goes_back_without_its_reasoning() {
    let reply = decode(&Responses, [fixture!("responses/reasoning-and-call.sse").1]).0.unwrap();
    let own = told("t1", Some("call_a"), "pay", json!({"amount": 5}));
    let cases = [
        ("another call", vec![own.clone(), told("t2", None, "ver", json!({}))], "Miro eso."),
        ("no call", Vec::new(), "Miro eso."),
        ("other words", vec![own.clone()], "Miro"),
        ("an id of ours", vec![ToldCall { wire_id: None, ..own }], "Miro eso."),
    ];
    for (why, calls, text) in cases {
        let opaque = reply.opaque.clone();
        let back = StepMessage::Assistant { text: text.into(), calls, opaque };
        let body = body(&request(vec![StepMessage::User("Paga".into()), back], Vec::new()));
        assert_eq!(complaints(&body), Vec::<String>::new(), "{why}");
        let input = body["input"].as_array().unwrap();
        assert!(input.iter().all(|item| item["type"] != "reasoning"), "{why}: {body}");
        assert!(input.iter().all(|item| item.get("id").is_none()), "{why}: {body}");
    }
}

#[test]
fn a_request_is_the_last_one_and_more() {
    // What a provider caches is the common beginning: it must not change from step to step.
    let longer = request(turn(), vec![tool("ver")]);
    let mut shorter = longer.clone();
    shorter.messages = Arc::new(longer.messages[..1].to_vec());
    let options = CallOptions::new("", "gpt-5-mini");
    let (long, short) = (body_with(&longer, &options), body_with(&shorter, &options));
    let common = short.find("],\"tools\"").unwrap();
    assert_eq!(long[..common], short[..common]);
}

/// An output item of kind 0 reasoning, 1 reasoning that is kept nowhere, 2 a message, 3 a call.
fn output_item(at: usize, kind: u8) -> String {
    match kind {
        0 => format!(
            r#"{{"type":"reasoning", "id":"rs_{at}","summary":[],"encrypted_content":"1.{at}0"}}"#
        ),
        1 => format!(r#"{{"type":"reasoning","id":"rs_{at}","summary":[]}}"#),
        2 => format!(
            r#"{{"type":"message","id":"msg_{at}","role":"assistant","content":[{{"type":"output_text","text":"Palabra {at}"}}]}}"#
        ),
        _ => format!(
            r#"{{"type":"function_call","id":"fc_{at}","call_id":"call_{at}","name":"ver","arguments":"{{}}"}}"#
        ),
    }
}

proptest! {
    // Whatever a reply is made of, it goes back in its order with its reasoning byte for byte, or
    // without any of it; the API takes both.
    #[test]
    fn any_reply_goes_back_whole_or_plain(kinds in prop::collection::vec(0_u8..4, 1..8)) {
        let items: Vec<String> =
            kinds.iter().enumerate().map(|(at, kind)| output_item(at, *kind)).collect();
        let response = format!(r#"{{"status":"completed","output":[{}]}}"#, items.join(","));
        let reply = decode(&Responses, [response.as_bytes()]).0.unwrap();
        let calls = reply.calls.iter().enumerate().map(|(at, call)| {
            told(&format!("t{at}"), call.wire_id.as_deref(), &call.name, json!({}))
        });
        let calls: Vec<ToldCall> = calls.collect();
        let results = calls.iter().map(|call| result(call.id.as_str(), json!("ya")));
        let mut messages = vec![StepMessage::User("Hola".into())];
        let results: Vec<StepMessage> = results.collect();
        messages.push(StepMessage::Assistant { text: reply.text, calls, opaque: reply.opaque });
        messages.extend(results);
        let body = body_with(&request(messages, Vec::new()), &CallOptions::new("", "gpt-5-mini"));
        prop_assert_eq!(complaints(&parsed(&body)), Vec::<String>::new(), "{}", body);
        let reasoning: Vec<&String> =
            items.iter().filter(|item| item.contains("encrypted")).collect();
        let is_whole = !kinds.contains(&1) && kinds.last() != Some(&0) && kinds.contains(&3);
        for item in &reasoning {
            prop_assert_eq!(body.contains(item.as_str()), is_whole, "{}: {}", item, body);
        }
        if is_whole && !reasoning.is_empty() {
            let sent = parsed(&body)["input"].clone();
            let ids = sent.as_array().unwrap().iter().filter_map(|item| item["id"].as_str());
            let ids: Vec<String> = ids.map(str::to_owned).collect();
            // What came before any reasoning needs no id.
            let behind = items.iter().skip_while(|item| !item.contains("encrypted"));
            let asked = behind.map(|item| parsed(item)["id"].as_str().unwrap().to_owned());
            prop_assert_eq!(ids, asked.collect::<Vec<String>>());
        }
    }
}

#[test]
fn whatever_happened_to_a_turn_the_api_takes_what_is_sent() {
    every_turn_is_taken(&Responses, None, complaints);
}

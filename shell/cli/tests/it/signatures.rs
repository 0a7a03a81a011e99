//! Orders at providers that sign what their models think: it goes back with the result, and not
//! after the turn.

use manos_wire_llm::gemini::Signatures;
use manos_wire_llm::{anthropic, gemini};
use serde_json::{Value, json};

use crate::environment::TestEnvironment;
use crate::model_server::{Asked, ModelServer, events};

/// Talks the model into an order of two coffees, says one thing more, and returns what the server
/// was asked.
fn order(answers: Vec<String>, provider: &str) -> Vec<Asked> {
    let server = ModelServer::start(answers);
    let model = format!("model: {{ {provider}, api_key: a-key, base_url: '{}' }}", server.address);
    let bakery = TestEnvironment::modelled(&model);
    let ran = bakery.chat(&["un pedido", "sí", "gracias"]);
    for expected in ["Voy a: Crear pedido\n• 2 × Café: $7.000", "Listo, son 7000.", "De nada."]
    {
        assert!(ran.stdout.contains(expected), "{ran}");
    }
    assert_eq!(bakery.orders(), ["P-1001 terminal:local confirmado 7000"]);
    let seen = server.seen();
    assert_eq!(seen.len(), 3);
    seen
}

#[test]
fn anthropic_gets_its_thinking_back_with_the_result_and_not_after_the_turn() {
    let arguments = json!({"items": [{"producto": "cafe", "cantidad": 2}]}).to_string();
    let begin = |at: u8, block: Value| json!({"type": "content_block_start", "index": at, "content_block": block});
    let delta =
        |at: u8, delta: Value| json!({"type": "content_block_delta", "index": at, "delta": delta});
    let end = |reason: &str| json!({"type": "message_delta", "delta": {"stop_reason": reason}});
    let (head, tail) = arguments.split_at(9);
    let asks = events(&[
        json!({"type": "message_start", "message": {}}),
        begin(0, json!({"type": "thinking", "thinking": ""})),
        delta(0, json!({"type": "thinking_delta", "thinking": "Dos \"cafés\"."})),
        delta(0, json!({"type": "signature_delta", "signature": "c2ln/bmF0+dXJl=="})),
        begin(1, json!({"type": "tool_use", "id": "toolu_1", "name": "crear_pedido", "input": {}})),
        delta(1, json!({"type": "input_json_delta", "partial_json": head})),
        delta(1, json!({"type": "input_json_delta", "partial_json": tail})),
        end("tool_use"),
        json!({"type": "message_stop"}),
    ]);
    let says = |text: &str| {
        events(&[
            begin(0, json!({"type": "text", "text": ""})),
            delta(0, json!({"type": "text_delta", "text": text})),
            end("end_turn"),
            json!({"type": "message_stop"}),
        ])
    };
    let answers = vec![asks, says("Listo, son 7000."), says("De nada.")];
    let seen = order(answers, "provider: anthropic, model: claude-sonnet-4-5");
    for asked in &seen {
        assert!(asked.head.starts_with("post /v1/messages http/1.1"), "{}", asked.head);
        assert!(asked.head.contains("x-api-key: a-key"), "{}", asked.head);
        let body: Value = serde_json::from_str(&asked.body).unwrap();
        assert_eq!(anthropic::complaints(&body), Vec::<String>::new(), "{body:#}");
    }
    let signed =
        r#"{"type":"thinking","thinking":"Dos \"cafés\".","signature":"c2ln/bmF0+dXJl=="}"#;
    let back: Vec<bool> = seen.iter().map(|asked| asked.body.contains(signed)).collect();
    assert_eq!(back, [false, true, false]);
    let body: Value = serde_json::from_str(&seen[1].body).unwrap();
    let result = &body["messages"].as_array().unwrap().last().unwrap()["content"][0];
    assert_eq!(result["tool_use_id"], "toolu_1");
    assert!(result["content"].as_str().unwrap().contains("P-1001"), "{result}");
    // What the provider caches is the same in every request, to the byte.
    let cached = |asked: &Asked| {
        let start = asked.body.find(r#""tools":"#).unwrap();
        asked.body[start..asked.body.find(r#","messages":"#).unwrap()].to_owned()
    };
    assert_eq!(cached(&seen[0]), cached(&seen[1]));
    assert_eq!(cached(&seen[0]), cached(&seen[2]));
}

#[test]
fn gemini_gets_its_signature_back_with_the_call_and_not_after_the_turn() {
    let chunk = |parts: Value, reason: Option<&str>| json!({"candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": reason}]});
    let call = json!({"name": "crear_pedido", "id": "fc1",
        "args": {"items": [{"producto": "cafe", "cantidad": 2}]}});
    let signed = json!([{"functionCall": call, "thoughtSignature": "c2ln/bmF0+dXJl=="}]);
    let asks = events(&[chunk(signed, None), chunk(json!([{"text": ""}]), Some("STOP"))]);
    let says = |text: &str| events(&[chunk(json!([{"text": text}]), Some("STOP"))]);
    let answers = vec![asks, says("Listo, son 7000."), says("De nada.")];
    let seen = order(answers, "provider: gemini, model: gemini-3-pro");
    for asked in &seen {
        let line = "post /v1beta/models/gemini-3-pro:streamgeneratecontent?alt=sse http/1.1";
        assert!(asked.head.starts_with(line), "{}", asked.head);
        assert!(asked.head.contains("x-goog-api-key: a-key"), "{}", asked.head);
        let body: Value = serde_json::from_str(&asked.body).unwrap();
        let complaints = gemini::complaints(&body, Signatures::Asked);
        assert_eq!(complaints, Vec::<String>::new(), "{body:#}");
    }
    let signature = r#""thoughtSignature":"c2ln/bmF0+dXJl==""#;
    let back: Vec<bool> = seen.iter().map(|asked| asked.body.contains(signature)).collect();
    assert_eq!(back, [false, true, false]);
    let body: Value = serde_json::from_str(&seen[1].body).unwrap();
    let response = &body["contents"].as_array().unwrap().last().unwrap()["parts"][0];
    assert_eq!(response["functionResponse"]["id"], "fc1");
    assert!(response.to_string().contains("P-1001"), "{response}");
}

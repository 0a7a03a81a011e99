//! Providers at a server of ours: what the command sends them, and an order that comes of it.

use std::net::TcpListener;

use manos_wire_llm::{ollama, responses};
use serde_json::{Value, json};

use crate::environment::TestEnvironment;
use crate::model_server::{ModelServer, events, lines};

/// Talks the model into an order of two coffees, and checks what came of it.
fn order(model: &str) {
    let bakery = TestEnvironment::modelled(model);
    let ran = bakery.chat(&["un pedido", "sí"]);
    for expected in ["Voy a: Crear pedido\n• 2 × Café: $7.000", "Listo, son 7000."] {
        assert!(ran.stdout.contains(expected), "{ran}");
    }
    assert_eq!(bakery.orders(), ["P-1001 terminal:local confirmado 7000"]);
}

#[test]
fn openai_responses_gets_its_reasoning_back_with_the_result() {
    // Not as any writer of JSON would write it: it must come back byte for byte.
    let reasoning =
        r#"{"id":"rs_1",  "type":"reasoning","summary":[ ],"encrypted_content":"c2VjcmV0"}"#;
    let arguments = r#"{"items":[{"producto":"cafe","cantidad":2}]}"#;
    let call = json!({"id": "fc_1", "type": "function_call", "status": "completed",
        "call_id": "call_1", "name": "crear_pedido", "arguments": arguments});
    let thought = format!(
        "data: {{\"type\":\"response.output_item.done\",\"output_index\":0,\"item\":{reasoning}}}\n\n"
    );
    let asks = events(&[
        json!({"type": "response.output_item.done", "output_index": 1, "item": call}),
        json!({"type": "response.completed", "response": {"status": "completed", "output": []}}),
    ]);
    let says = events(&[
        json!({"type": "response.output_text.delta", "output_index": 0, "delta": "Listo, son "}),
        json!({"type": "response.output_text.delta", "output_index": 0, "delta": "7000."}),
        json!({"type": "response.completed", "response": {"status": "completed"}}),
    ]);
    let server = ModelServer::start(vec![format!("{thought}{asks}"), says]);
    order(&format!(
        "model: {{ provider: openai-responses, model: gpt-5-mini, api_key: k, base_url: '{}/v1' }}",
        server.address
    ));
    let seen = server.seen();
    assert_eq!(seen.len(), 2);
    for asked in &seen {
        assert!(asked.head.starts_with("post /v1/responses http/1.1"), "{}", asked.head);
        let body: Value = serde_json::from_str(&asked.body).unwrap();
        assert_eq!(responses::complaints(&body), Vec::<String>::new(), "{body:#}");
    }
    assert!(seen[1].body.contains(reasoning), "{}", seen[1].body);
    let input: Value = serde_json::from_str(&seen[1].body).unwrap();
    let result = input["input"].as_array().unwrap().last().unwrap().clone();
    assert_eq!(
        (&result["type"], &result["call_id"]),
        (&json!("function_call_output"), &json!("call_1"))
    );
    assert!(result["output"].as_str().unwrap().contains("P-1001"), "{result}");
}

#[test]
fn ollama_gets_objects_and_the_name_of_the_tool_with_the_result() {
    let call = json!({"function": {"name": "crear_pedido",
        "arguments": {"items": [{"producto": "cafe", "cantidad": 2}]}}});
    let line = |message: Value, done: bool| json!({"message": message, "done": done});
    let end = json!({"message": {"role": "assistant", "content": ""}, "done": true,
        "done_reason": "stop", "prompt_eval_count": 9, "eval_count": 3});
    let asks = lines(&[
        line(json!({"role": "assistant", "content": "", "thinking": "dos cafés"}), false),
        line(json!({"role": "assistant", "content": "", "tool_calls": [call]}), false),
        end.clone(),
    ]);
    let says = lines(&[
        line(json!({"role": "assistant", "content": "Listo, son "}), false),
        line(json!({"role": "assistant", "content": "7000."}), false),
        end,
    ]);
    let server = ModelServer::start(vec![asks, says]);
    order(&format!("model: {{ provider: ollama, model: qwen3, base_url: '{}' }}", server.address));
    let seen = server.seen();
    assert_eq!(seen.len(), 2);
    for asked in &seen {
        assert!(asked.head.starts_with("post /api/chat http/1.1"), "{}", asked.head);
        let body: Value = serde_json::from_str(&asked.body).unwrap();
        assert_eq!(ollama::complaints(&body), Vec::<String>::new(), "{body:#}");
    }
    let body: Value = serde_json::from_str(&seen[1].body).unwrap();
    let messages = body["messages"].as_array().unwrap();
    let [.., asked, result] = messages.as_slice() else { panic!("{body:#}") };
    assert_eq!(asked["thinking"], "dos cafés");
    assert_eq!(asked["tool_calls"][0]["function"]["arguments"]["items"][0]["cantidad"], 2);
    assert_eq!(result["tool_name"], "crear_pedido");
    assert!(result["content"].as_str().unwrap().contains("P-1001"), "{result}");
}

#[test]
fn where_no_ollama_runs_the_trail_says_how_to_start_it() {
    let address = {
        let gone = TcpListener::bind("127.0.0.1:0").unwrap();
        gone.local_addr().unwrap()
    };
    let model = format!(
        "model: {{ provider: ollama, model: qwen3, base_url: 'http://{address}', timeout: 2s }}"
    );
    let bakery = TestEnvironment::modelled(&model);
    bakery.chat(&["hola"]);
    let trail = format!("{:?}", bakery.events());
    assert!(trail.contains("start it with `ollama serve`"), "{trail}");
}

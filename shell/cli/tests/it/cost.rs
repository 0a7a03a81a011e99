//! Several models, through the binary: which one answered, and what it cost.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::thread;

use crate::environment::TestEnvironment;

/// A model's server that gives every request the same answer.
fn server(status: &'static str, body: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let base = format!("http://{}/v1", listener.local_addr().unwrap());
    thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { return };
            let mut head = [0; 8192];
            let _read = stream.read(&mut head);
            let _written = write!(
                stream,
                "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
                body.len()
            );
        }
    });
    base
}

const HELLO: &str = r#"{"choices":[{"message":{"content":"Hola."},"finish_reason":"stop"}],
"usage":{"prompt_tokens":1000,"completion_tokens":50,"prompt_tokens_details":{"cached_tokens":400}}}"#;

#[test]
fn the_next_model_answers_and_the_trail_adds_up_what_it_cost() {
    let folder = TestEnvironment::empty();
    let wrong_key = server("401 Unauthorized", r#"{"error":{"message":"bad key"}}"#);
    let answers = server("200 OK", HELLO);
    folder.write(
        "agent.yaml",
        &format!(
            "name: a\nlanguage: es\nmodel: {{ provider: openai, model: gpt, base_url: \"{wrong_key}\" }}\n\
             fallback_models:\n  - provider: groq\n    model: llama\n    base_url: \"{answers}\"\n    \
             price: {{ input: 0.25, output: 2.00, cached: 0.025 }}\n"
        ),
    );
    insta::assert_snapshot!(folder.chat(&["hola", "otra vez"]), @r"
    Hola.
    Hola.
    ");
    insta::assert_snapshot!(folder.run(&["audit", "agent.yaml", "--cost"]), @r"
    MODEL       CALLS  INPUT  CACHED  OUTPUT  REASONING  COST
    groq/llama  2      2000   800     100     0          0.00052 USD
    all         2      2000   800     100     0          0.00052 USD
    ");
    let replied: Vec<serde_json::Value> =
        folder.events().into_iter().filter(|event| event["type"] == "model.replied").collect();
    assert_eq!(replied[0]["cost"]["USD"], "0.00026");
    let reason = replied[0]["instead_of"][0]["reason"].as_str().unwrap();
    assert!(reason.contains("refused the key (401)"), "{reason}");
    let later = replied[1]["instead_of"][0]["reason"].as_str().unwrap();
    assert!(later.contains("did not answer"), "{later}");
}

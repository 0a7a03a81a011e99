//! Several models, through the binary: which one answered, and what it cost.

use crate::environment::TestEnvironment;
use crate::model_server::{Answer, ModelServer};

const HELLO: &str = r#"{"choices":[{"message":{"content":"Hola."},"finish_reason":"stop"}],
"usage":{"prompt_tokens":1000,"completion_tokens":50,"prompt_tokens_details":{"cached_tokens":400},"completion_tokens_details":{"reasoning_tokens":20}}}"#;

#[test]
fn the_next_model_answers_and_the_trail_adds_up_what_it_cost() {
    let folder = TestEnvironment::empty();
    let wrong_key = ModelServer::always(Answer::new(401, r#"{"error":{"message":"bad key"}}"#));
    let answers = ModelServer::always(Answer::new(200, HELLO));
    let (wrong_key, answers) = (&wrong_key.address, &answers.address);
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
    groq/llama  2      2000   800     100     40         0.00052 USD
    all         2      2000   800     100     40         0.00052 USD
    ");
    let replied: Vec<serde_json::Value> =
        folder.events().into_iter().filter(|event| event["type"] == "model.replied").collect();
    assert_eq!(replied[0]["cost"]["USD"], "0.00026");
    let reason = replied[0]["instead_of"][0]["reason"].as_str().unwrap();
    assert!(reason.contains("refused the key (401)"), "{reason}");
    let later = replied[1]["instead_of"][0]["reason"].as_str().unwrap();
    assert!(later.contains("did not answer"), "{later}");
}

use manos_model::ModelFailureKind;
use manos_model::ModelFailureKind::{BadReply, Config, RefusedCall, TooLong, Unavailable};

use super::*;
use crate::Trouble;

#[test]
fn a_refusal_says_what_to_do() {
    let groq = r#"{"error":{"message":"Failed to call a function.","code":"tool_use_failed","failed_generation":"<function=pay{}>"}}"#;
    let quota = r#"{"error":{"message":"You exceeded your current quota","type":"insufficient_quota","code":"insufficient_quota"}}"#;
    let long = r#"{"error":{"message":"This model's maximum context length is 8192 tokens","code":"context_length_exceeded"}}"#;
    let model = r#"{"error":{"message":"The model `x` does not exist","code":"model_not_found"}}"#;
    let cases: &[(&str, u16, &str, ModelFailureKind, Trouble, &str)] = &[
        ("wrong key", 401, "{}", Config, Trouble::Final, "${OPENAI_API_KEY}"),
        ("not allowed", 403, "{}", Config, Trouble::Final, "model.api_key"),
        ("no model", 404, model, Config, Trouble::Final, "The model `x` does not exist"),
        ("no such address", 404, "<html>", Config, Trouble::Final, "model.base_url"),
        ("moved", 301, "", Config, Trouble::Final, "model.base_url"),
        ("the model's own call", 400, groq, RefusedCall, Trouble::Final, "Failed to call"),
        ("too long", 400, long, TooLong, Trouble::Final, "history.messages"),
        ("too large", 413, "", TooLong, Trouble::Final, "history.messages"),
        ("busy", 429, "", Unavailable, Trouble::Status(429), "429"),
        ("no credit", 429, quota, Config, Trouble::Final, "credit"),
        ("pay first", 402, "", Config, Trouble::Final, "credit"),
        ("down", 503, "upstream down", Unavailable, Trouble::Status(503), "upstream down"),
        ("a plain 500", 500, "", Unavailable, Trouble::Status(500), "500"),
        ("not implemented", 501, "", Config, Trouble::Final, "501"),
        ("bad request", 400, r#"{"detail":"no field x"}"#, Config, Trouble::Final, "no field x"),
        ("error as text", 422, r#"{"error":"bad field"}"#, Config, Trouble::Final, "bad field"),
        (
            "error in a list",
            400,
            r#"[{"error":{"message":"bad field"}}]"#,
            Config,
            Trouble::Final,
            "bad field",
        ),
    ];
    for (why, status, body, kind, trouble, words) in cases {
        let refusal = refusal(*status, body.as_bytes(), "gpt-5-mini", "OPENAI_API_KEY");
        assert_eq!((refusal.failure.kind, refusal.trouble), (*kind, *trouble), "{why}");
        let message = refusal.failure.message;
        assert!(message.contains(words), "{why}: {message}");
    }
}

#[test]
fn no_answer_repeats_a_key_or_a_page() {
    let key =
        r#"{"error":{"message":"Incorrect API key provided: sk-proj-12345678901234567890."}}"#;
    let page = "<html>".repeat(10_000);
    for status in [400, 401, 403, 404, 429, 500, 503] {
        for body in [key, page.as_str()] {
            let message = refusal(status, body.as_bytes(), "m", "OPENAI_API_KEY").failure.message;
            assert!(!message.contains("sk-proj") && !message.contains("<html>"), "{message}");
            assert!(message.len() < 700, "{message}");
        }
    }
}

#[test]
fn an_error_inside_a_success_is_read_by_its_words() {
    let cases: &[(&str, &str, ModelFailureKind, Trouble)] = &[
        (
            "a status as code",
            r#"{"error":{"code":429,"message":"slow"}}"#,
            Unavailable,
            Trouble::Status(429),
        ),
        (
            "a status as text",
            r#"{"error":{"code":"502","message":"bad gateway"}}"#,
            Unavailable,
            Trouble::Status(502),
        ),
        (
            "overloaded",
            r#"{"type":"overloaded_error","message":"x"}"#,
            Unavailable,
            Trouble::Status(503),
        ),
        (
            "the model's own call",
            r#"{"error":{"code":"tool_use_failed"}}"#,
            RefusedCall,
            Trouble::Final,
        ),
        ("too long", r#"{"error":"prompt is too long: 9 tokens"}"#, TooLong, Trouble::Final),
        ("no credit", r#"{"error":{"type":"insufficient_quota"}}"#, Config, Trouble::Final),
        ("anything else", r#"{"error":"boom"}"#, BadReply, Trouble::Final),
        ("plain words", "boom", BadReply, Trouble::Final),
    ];
    for (why, data, kind, trouble) in cases {
        let refusal = in_band(data.as_bytes());
        assert_eq!((refusal.failure.kind, refusal.trouble), (*kind, *trouble), "{why}");
    }
}

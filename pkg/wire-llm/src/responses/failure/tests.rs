use manos_model::ModelFailureKind;
use manos_model::ModelFailureKind::{BadReply, Config, TooLong, Unavailable};

use super::*;
use crate::Trouble;

#[test]
fn a_refusal_says_what_to_do() {
    let encrypted = r#"{"error":{"message":"Encrypted content is not supported with this model.","type":"invalid_request_error","param":"include","code":null}}"#;
    let foreign = r#"{"error":{"message":"The encrypted content for item rs_1 could not be verified.","code":"invalid_encrypted_content"}}"#;
    let verify = r#"{"error":{"message":"Your organization must be verified to stream this model.","code":"unsupported_value"}}"#;
    let flagged = r#"{"error":{"message":"Your prompt was flagged.","code":"invalid_prompt"}}"#;
    let model = r#"{"error":{"message":"The requested model 'x' does not exist.","code":"model_not_found"}}"#;
    let quota =
        r#"{"error":{"message":"You exceeded your current quota","code":"insufficient_quota"}}"#;
    let long = r#"{"error":{"message":"Your input exceeds the context window of this model.","code":"context_length_exceeded"}}"#;
    let region = r#"{"error":{"message":"Country, region, or territory not supported","code":"unsupported_country_region_territory"}}"#;
    let cases: &[(&str, u16, &str, ModelFailureKind, Trouble, &str)] = &[
        ("no reasoning", 400, encrypted, Config, Trouble::Final, "provider: openai"),
        ("another account's reasoning", 400, foreign, Config, Trouble::Final, "fallback_models"),
        ("not verified", 400, verify, Config, Trouble::Final, "verify it"),
        ("flagged", 400, flagged, Config, Trouble::Final, "reword"),
        ("wrong key", 401, "{}", Config, Trouble::Final, "${OPENAI_API_KEY}"),
        ("no model", 404, model, Config, Trouble::Final, "model.model"),
        ("no such address", 404, "Not Found", Config, Trouble::Final, "provider: openai"),
        ("a server without it", 405, "<html>", Config, Trouble::Final, "/responses"),
        ("no credit", 429, quota, Config, Trouble::Final, "credit"),
        ("too long", 400, long, TooLong, Trouble::Final, "history.messages"),
        ("not served there", 403, region, Config, Trouble::Final, "network.proxy"),
        ("busy", 429, "", Unavailable, Trouble::Status(429), "try later"),
        ("down", 503, "", Unavailable, Trouble::Status(503), "try later"),
    ];
    for (why, status, body, kind, trouble, words) in cases {
        let refusal = refusal(*status, body.as_bytes(), "gpt-5-mini");
        assert_eq!((refusal.failure.kind, refusal.trouble), (*kind, *trouble), "{why}");
        let message = refusal.failure.message;
        assert!(message.contains(words), "{why}: {message}");
    }
}

#[test]
fn an_error_inside_a_success_is_read_wherever_it_stands() {
    let cases: &[(&str, &str, ModelFailureKind, &str)] = &[
        (
            "an event",
            r#"{"type":"error","code":"server_error","message":"boom"}"#,
            Unavailable,
            "boom",
        ),
        (
            "inside it",
            r#"{"type":"error","error":{"code":"x","message":"boom"}}"#,
            BadReply,
            "boom",
        ),
        (
            "inside the response",
            r#"{"type":"response.failed","response":{"error":{"code":"rate_limit_exceeded","message":"slow"}}}"#,
            Unavailable,
            "slow",
        ),
        ("plain words", "boom", BadReply, "boom"),
    ];
    for (why, data, kind, words) in cases {
        let refusal = in_band(data.as_bytes());
        assert_eq!(refusal.failure.kind, *kind, "{why}: {}", refusal.failure.message);
        assert!(refusal.failure.message.contains(words), "{why}: {}", refusal.failure.message);
    }
}

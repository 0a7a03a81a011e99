use manos_model::ModelFailureKind;
use manos_model::ModelFailureKind::{BadReply, Config, TooLong, Unavailable};

use super::*;

fn error(kind: &str, message: &str) -> String {
    format!(
        r#"{{"type":"error","error":{{"type":"{kind}","message":"{message}"}},"request_id":"req_01"}}"#
    )
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table of cases")]
fn a_refusal_says_what_to_do() {
    let bad = "invalid_request_error";
    let cases: &[(&str, u16, String, ModelFailureKind, Trouble, &str)] = &[
        (
            "wrong key",
            401,
            error("authentication_error", "invalid x-api-key"),
            Config,
            Trouble::Final,
            "${ANTHROPIC_API_KEY}",
        ),
        (
            "no credit, said as a bad request",
            400,
            error(bad, "Your credit balance is too low to access the Anthropic API."),
            Config,
            Trouble::Final,
            "top it up",
        ),
        ("no credit", 402, error("billing_error", "x"), Config, Trouble::Final, "top it up"),
        (
            "the account's own limit",
            400,
            error(bad, "You have reached your specified API usage limits."),
            Config,
            Trouble::Final,
            "spend limit",
        ),
        (
            "not allowed",
            403,
            error("permission_error", "Your API key does not have permission to use it."),
            Config,
            Trouble::Final,
            "what its account may use",
        ),
        (
            "a country that is not served",
            403,
            error("forbidden", "Request not allowed"),
            Config,
            Trouble::Final,
            "does not serve the country",
        ),
        (
            "unknown model",
            404,
            error("not_found_error", "model: claude-nope"),
            Config,
            Trouble::Final,
            "knows no model claude-x",
        ),
        (
            "too long",
            400,
            error(bad, "prompt is too long: 210000 tokens > 200000 maximum"),
            TooLong,
            Trouble::Final,
            "history.messages",
        ),
        (
            "too large",
            413,
            error("request_too_large", "Request exceeds the maximum size"),
            TooLong,
            Trouble::Final,
            "history.messages",
        ),
        (
            "more asked for than the model writes",
            400,
            error(bad, "max_tokens: 20000 > 8192, which is the maximum allowed number"),
            Config,
            Trouble::Final,
            "how long the reply may be",
        ),
        (
            "the filter",
            400,
            error(bad, "Output blocked by content filtering policy"),
            Config,
            Trouble::Final,
            "content filter",
        ),
        (
            "anything else that is wrong",
            400,
            error(bad, "messages.0: bad"),
            Config,
            Trouble::Final,
            "messages.0: bad",
        ),
        (
            "busy",
            429,
            error("rate_limit_error", "This request would exceed the rate limit"),
            Unavailable,
            Trouble::Status(429),
            "raise the account's limits",
        ),
        (
            "overloaded",
            529,
            error("overloaded_error", "Overloaded"),
            Unavailable,
            Trouble::Status(529),
            "try later",
        ),
        ("down", 500, error("api_error", "x"), Unavailable, Trouble::Status(500), "try later"),
        ("a page", 502, "<html>".into(), Unavailable, Trouble::Status(502), "try later"),
    ];
    for (why, status, body, kind, trouble, words) in cases {
        let refusal = refusal(*status, body.as_bytes(), "claude-x");
        let message = refusal.failure.message;
        assert_eq!((refusal.failure.kind, refusal.trouble), (*kind, *trouble), "{why}: {message}");
        assert!(message.contains(words), "{why}: {message}");
    }
}

#[test]
fn no_answer_repeats_a_key() {
    let body = error("authentication_error", "invalid key sk-ant-api03-0123456789");
    for status in [400, 401, 403, 404, 429, 500, 529] {
        let message = refusal(status, body.as_bytes(), "m").failure.message;
        assert!(!message.contains("sk-ant"), "{message}");
    }
}

#[test]
fn an_error_inside_a_success_is_read_by_its_type() {
    let cases = [
        ("overloaded_error", Unavailable, Trouble::Status(529)),
        ("rate_limit_error", Unavailable, Trouble::Status(429)),
        ("api_error", Unavailable, Trouble::Status(500)),
        ("timeout_error", Unavailable, Trouble::Status(504)),
        ("authentication_error", Config, Trouble::Final),
        ("something_new", BadReply, Trouble::Final),
    ];
    for (kind, expected, trouble) in cases {
        for body in [error(kind, "x"), format!(r#"{{"type":"{kind}","message":"x"}}"#)] {
            let refusal = in_band(body.as_bytes());
            assert_eq!((refusal.failure.kind, refusal.trouble), (expected, trouble), "{body}");
        }
    }
}

use manos_model::ModelFailureKind;
use manos_model::ModelFailureKind::{BadReply, Config, TooLong, Unavailable};

use super::*;

fn error(code: u16, status: &str, message: &str, details: &str) -> String {
    format!(
        r#"{{"error":{{"code":{code},"message":"{message}","status":"{status}","details":[{details}]}}}}"#
    )
}

fn quota_failure(id: &str, value: &str) -> String {
    format!(
        r#"{{"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[{{"quotaId":"{id}","quotaValue":"{value}"}}]}},{{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"34s"}}"#
    )
}

const QUOTA: &str = "You exceeded your current quota, please check your plan and billing details.";

#[test]
#[expect(clippy::too_many_lines, reason = "a table of cases")]
fn a_refusal_says_what_to_do() {
    let bad = "INVALID_ARGUMENT";
    let wrong_key = r#"{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"API_KEY_INVALID","domain":"googleapis.com"}"#;
    let minute = quota_failure("GenerateRequestsPerMinutePerProjectPerModel-FreeTier", "15");
    let day = quota_failure("GenerateRequestsPerDayPerProjectPerModel-FreeTier", "250");
    let none = quota_failure("GenerateRequestsPerMinutePerProjectPerModel-FreeTier", "0");
    let exhausted = |details| error(429, "RESOURCE_EXHAUSTED", QUOTA, details);
    let cases: &[(&str, u16, String, ModelFailureKind, Trouble, &str)] = &[
        (
            "wrong key",
            400,
            error(400, bad, "API key not valid. Please pass a valid API key.", wrong_key),
            Config,
            Trouble::Final,
            "${GEMINI_API_KEY}",
        ),
        (
            "an old key, without details",
            400,
            error(400, bad, "API key expired. Please renew the API key.", ""),
            Config,
            Trouble::Final,
            "${GEMINI_API_KEY}",
        ),
        (
            "no key",
            403,
            error(403, "PERMISSION_DENIED", "Method doesn't allow unregistered callers", ""),
            Config,
            Trouble::Final,
            "model.api_key",
        ),
        (
            "a key that was found in public",
            403,
            error(403, "PERMISSION_DENIED", "Your API key was reported as leaked.", ""),
            Config,
            Trouble::Final,
            "make a new one",
        ),
        (
            "a project that does not use the API",
            403,
            error(
                403,
                "PERMISSION_DENIED",
                "Generative Language API has not been used in project 1 before",
                "",
            ),
            Config,
            Trouble::Final,
            "switch the Generative Language API on",
        ),
        (
            "a country that is not served",
            400,
            error(
                400,
                "FAILED_PRECONDITION",
                "User location is not supported for the API use.",
                "",
            ),
            Config,
            Trouble::Final,
            "does not serve the country",
        ),
        (
            "unknown model",
            404,
            error(404, "NOT_FOUND", "models/gemini-nope is not found for API version v1beta", ""),
            Config,
            Trouble::Final,
            "knows no model gemini-x",
        ),
        (
            "too long",
            400,
            error(
                400,
                bad,
                "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
                "",
            ),
            TooLong,
            Trouble::Final,
            "history.messages",
        ),
        (
            "no tools",
            400,
            error(400, bad, "Function calling is not enabled for models/x", ""),
            Config,
            Trouble::Final,
            "takes no tools",
        ),
        (
            "anything else that is wrong",
            400,
            error(400, bad, "Unable to submit", ""),
            Config,
            Trouble::Final,
            "Unable to submit",
        ),
        (
            "in a list",
            400,
            format!("[{}]", error(400, bad, "API key not valid", wrong_key)),
            Config,
            Trouble::Final,
            "${GEMINI_API_KEY}",
        ),
        ("busy", 429, exhausted(&minute), Unavailable, Trouble::Status(429), "try later"),
        (
            "busy, without details",
            429,
            exhausted(""),
            Unavailable,
            Trouble::Status(429),
            "try later",
        ),
        ("the day's quota", 429, exhausted(&day), Config, Trouble::Final, "for today"),
        ("no quota at all", 429, exhausted(&none), Config, Trouble::Final, "for today"),
        (
            "the day's quota, in a list",
            429,
            format!("[{}]", exhausted(&day)),
            Config,
            Trouble::Final,
            "for today",
        ),
        (
            "overloaded",
            503,
            error(503, "UNAVAILABLE", "The model is overloaded.", ""),
            Unavailable,
            Trouble::Status(503),
            "try later",
        ),
        (
            "down",
            500,
            error(500, "INTERNAL", "x", ""),
            Unavailable,
            Trouble::Status(500),
            "try later",
        ),
        ("a page", 502, "<html>".into(), Unavailable, Trouble::Status(502), "try later"),
    ];
    for (why, status, body, kind, trouble, words) in cases {
        let refusal = refusal(*status, body.as_bytes(), "gemini-x");
        let message = refusal.failure.message;
        assert_eq!((refusal.failure.kind, refusal.trouble), (*kind, *trouble), "{why}: {message}");
        assert!(message.contains(words), "{why}: {message}");
    }
}

#[test]
fn no_answer_repeats_a_key() {
    let body = error(400, "INVALID_ARGUMENT", "bad key AIzaSyA-0123456789", "");
    for status in [400, 401, 403, 404, 429, 500] {
        let message = refusal(status, body.as_bytes(), "m").failure.message;
        assert!(!message.contains("AIza"), "{message}");
    }
}

#[test]
fn an_error_inside_a_success_is_read_by_its_code() {
    let cases = [
        (r#"{"code":503,"message":"x","status":"UNAVAILABLE"}"#, Unavailable, Trouble::Status(503)),
        (r#"{"code":429,"message":"x"}"#, Unavailable, Trouble::Status(429)),
        (r#"{"code":400,"message":"x"}"#, Config, Trouble::Final),
        (r#"{"message":"x","status":"UNAVAILABLE"}"#, Unavailable, Trouble::Status(503)),
        (r#""boom""#, BadReply, Trouble::Final),
    ];
    for (body, kind, trouble) in cases {
        let refusal = in_band(body.as_bytes());
        assert_eq!((refusal.failure.kind, refusal.trouble), (kind, trouble), "{body}");
    }
}

#[test]
fn the_wait_that_a_quota_asks_for_is_read() {
    let busy = |details: &str| error(429, "RESOURCE_EXHAUSTED", QUOTA, details);
    let asked = |body: &str| refusal(429, body.as_bytes(), "m").asked;
    let minute = quota_failure("GenerateRequestsPerMinutePerProjectPerModel-FreeTier", "15");
    assert_eq!(asked(&busy(&minute)), Some(Duration::from_secs(34)));
    assert_eq!(asked(&format!("[{}]", busy(&minute))), Some(Duration::from_secs(34)));
    assert_eq!(asked(&busy(r#"{"retryDelay":"0.5s"}"#)), Some(Duration::from_millis(500)));
    for nonsense in ["", r#"{"retryDelay":"soon"}"#, r#"{"retryDelay":"-1s"}"#, "7"] {
        assert_eq!(asked(&busy(nonsense)), None, "{nonsense}");
    }
}

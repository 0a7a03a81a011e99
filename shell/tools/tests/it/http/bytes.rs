//! What arrives.

use manos_model::RunEnd;
use manos_testkit::endpoint::{EndpointServer, reply};
use manos_wire_tool::http::{Method, RequestFormat};
use serde_json::{Value, json};

use super::{API_KEY, RUN, Rig, assert_signed, once};

fn server() -> EndpointServer {
    EndpointServer::with_replies(vec![reply(200, "", r#"{"ok":true}"#)]).unwrap()
}

fn two() -> Value {
    json!({"service": "consultation", "date": "2025-01-02"})
}

/// Headers that are neither ours nor the tool's: how the bytes are carried.
const CARRYING: [&str; 6] =
    ["accept", "accept-encoding", "connection", "content-length", "host", "user-agent"];

#[tokio::test]
async fn every_method_and_format_arrives_as_it_was_signed() {
    use Method::{Delete, Get, Patch, Post, Put};
    use RequestFormat::{Retell, Standard, Vapi};
    let standard = r#"{"date":"2025-01-02","service":"consultation"}"#;
    let retell = r#"{"args":{"date":"2025-01-02","service":"consultation"},"call":{"call_id":"987654321"},"name":"tool"}"#;
    let query = "/a/x?k=v%20w&date=2025-01-02&service=consultation";
    let cases = [
        (Post, Standard, "/a/x?k=v%20w", Some(standard)),
        (Put, Standard, "/a/x?k=v%20w", Some(standard)),
        (Patch, Retell, "/a/x?k=v%20w", Some(retell)),
        (Post, Vapi, "/a/x?k=v%20w", None),
        (Get, Standard, query, Some("")),
        (Get, Vapi, query, Some("")),
        (Delete, Retell, query, Some("")),
    ];
    for (method, format, path, body) in cases {
        let server = server();
        let rig = Rig::new(method, format, &server.url("/a/x?k=v w"));
        let context = rig.context.clone();
        let (end, seen) = once(rig, &two(), &server).await;
        assert_eq!(end, RunEnd::Done(json!({"ok": true})), "{method:?}");
        assert_eq!((seen.method.as_str(), seen.path.as_str()), (method.as_str(), path));
        if let Some(body) = body {
            assert_eq!(seen.body_text(), body, "{method:?}");
        }
        assert_signed(&seen, "Manos", &context);
    }
}

#[tokio::test]
async fn the_headers_are_these_and_no_others() {
    let ours = ["x-manos-event", "x-manos-signature", "x-manos-signature-v2"];
    let cases = [
        (Method::Post, vec!["content-type", "idempotency-key", "x-manos-call-id"]),
        (Method::Put, vec!["content-type", "idempotency-key", "x-manos-call-id"]),
        (Method::Delete, vec!["idempotency-key", "x-manos-call-id"]),
        (Method::Get, vec!["x-manos-call-id"]),
    ];
    for (method, more) in cases {
        let server = server();
        let rig = Rig::new(method, RequestFormat::Standard, &server.url("/x"));
        let (_, seen) = once(rig, &json!({}), &server).await;
        let mut names: Vec<&str> = seen
            .headers
            .iter()
            .map(|(name, _)| name.as_str())
            .filter(|name| !CARRYING.contains(name))
            .collect();
        names.sort_unstable();
        assert_eq!(names, [more, ours.to_vec()].concat(), "{method:?}");
        assert_eq!(seen.header("x-manos-call-id"), Some("987654321"));
        assert_eq!(seen.header("x-manos-event"), Some("call"));
        if method != Method::Get {
            assert_eq!(seen.header("idempotency-key"), Some(RUN));
        }
    }
}

#[tokio::test]
async fn own_headers_are_sent_as_they_are_and_another_content_type_wins() {
    let server = server();
    let rig = Rig::post(&server.url("/x"))
        .header("X-Api-Key", API_KEY)
        .header("X-Other", "…")
        .header("Content-Type", "application/vnd.clinic+json; v=2")
        .header("X-Odd", "a  b;c=\"d\", e");
    let (_, seen) = once(rig, &json!({}), &server).await;
    assert_eq!(seen.header("x-api-key"), Some(API_KEY));
    assert_eq!(seen.header("x-other"), Some("…"));
    assert_eq!(seen.header("x-odd"), Some("a  b;c=\"d\", e"));
    let types: Vec<_> = seen.headers.iter().filter(|(name, _)| name == "content-type").collect();
    assert_eq!(types.len(), 1, "{types:?}");
    assert_eq!(types[0].1, "application/vnd.clinic+json; v=2");
}

#[tokio::test]
async fn without_a_secret_nothing_is_signed() {
    let server = server();
    let rig = Rig { secrets: Vec::new(), ..Rig::post(&server.url("/x")) };
    let (end, seen) = once(rig, &json!({}), &server).await;
    assert_eq!(end, RunEnd::Done(json!({"ok": true})));
    assert!(!seen.headers.iter().any(|(name, _)| name.contains("signature")), "{:?}", seen.headers);
    assert_eq!(seen.header("x-manos-call-id"), Some("987654321"));
}

#[tokio::test]
async fn with_another_prefix_an_endpoint_of_that_platform_works_unchanged() {
    let server = server();
    let rig = Rig { prefix: "ThunderPhone", ..Rig::post(&server.url("/x")) };
    let context = rig.context.clone();
    let (_, seen) = once(rig, &two(), &server).await;
    assert_eq!(seen.header("x-thunderphone-call-id"), Some("987654321"));
    assert_signed(&seen, "ThunderPhone", &context);
}

#[tokio::test]
async fn a_tool_without_an_endpoint_is_run_by_the_webhook() {
    let cases = [
        (
            "call:987654321",
            r#"{"data":{"arguments":{"a":1.50},"call_id":987654321,"from_number":null,"to_number":null,"tool_name":"tool"},"type":"telephony.tool"}"#,
        ),
        (
            "terminal:ana",
            r#"{"data":{"arguments":{"a":1.50},"call_id":"terminal:ana","channel":"terminal","chat_key":"terminal:ana","tool_name":"tool","user":"terminal:ana"},"type":"chat.tool"}"#,
        ),
    ];
    for (chat, body) in cases {
        let server = server();
        let mut rig = Rig::post(&server.url("/other"));
        rig.webhook = Some(server.url("/hook?k=v"));
        rig.context.chat = chat.into();
        rig.context.channel = rig.context.chat.channel();
        let context = rig.context.clone();
        let arguments = serde_json::from_str(r#"{"a":1.50}"#).unwrap();
        let (end, seen) = once(rig, &arguments, &server).await;
        assert_eq!(end, RunEnd::Done(json!({"ok": true})));
        assert_eq!((seen.path.as_str(), seen.body_text().as_str()), ("/hook?k=v", body));
        assert_eq!(seen.header("content-type"), Some("application/json"));
        assert_eq!(seen.header("idempotency-key"), Some(RUN));
        assert_eq!(seen.header("x-manos-call-id"), None);
        assert_signed(&seen, "Manos", &context);
    }
}

#[tokio::test]
async fn a_value_in_the_path_leaves_the_arguments() {
    let server = server();
    let rig = Rig::post(&server.url("/appointments/{id}/move"));
    let (_, seen) = once(rig, &json!({"id": "P 1?/".replace('/', ""), "to": "x"}), &server).await;
    assert_eq!(
        (seen.path.as_str(), seen.body_text().as_str()),
        ("/appointments/P%201%3F/move", r#"{"to":"x"}"#)
    );
}

#[tokio::test]
async fn calls_one_after_another_use_one_connection() {
    let server = EndpointServer::start(|_| reply(200, "", "{}")).unwrap();
    let rig = Rig::post(&server.url("/x"));
    let executor = rig.executor();
    for _ in 0..5 {
        let order = crate::order("tool", RUN, &json!({}));
        let cancel = tokio_util::sync::CancellationToken::new();
        let end = manos_ports::ToolExecutor::run(&executor, &order, &rig.context, &cancel).await;
        assert_eq!(end, RunEnd::Done(json!({})));
    }
    let seen = server.seen();
    assert_eq!(seen.len(), 5);
    assert!(seen.iter().all(|seen| seen.connection == 0), "{seen:?}");
}

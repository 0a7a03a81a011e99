use std::sync::Arc;

use manos_model::{CallArguments, ModelFailureKind};
use manos_providers::HttpModel;
use manos_wire_llm::Streaming;
use manos_wire_llm::anthropic::{Messages, complaints};
use serde_json::json;

use crate::asking::{self, KEY, ask, ask_and_stop};
use crate::server::{Act, Server, chunk, response, stream, stream_head};

const CALL: &str = include_str!("../../../../fixtures/llm/anthropic/one-call.sse");
const TEXT: &str = include_str!("../../../../fixtures/llm/anthropic/text.sse");
const OVERLOADED: &str = include_str!("../../../../fixtures/llm/anthropic/error-first.sse");
const OVERLOADED_LATE: &str =
    include_str!("../../../../fixtures/llm/anthropic/error-in-stream.sse");

fn provider(server: &Server, streaming: Streaming) -> HttpModel {
    asking::provider(Arc::new(Messages::default()), "claude-sonnet-4-5", server, streaming)
}

#[tokio::test]
async fn a_strict_server_takes_the_request_and_its_stream_is_read() {
    let server = Server::start(vec![stream(TEXT)]).await;
    let (reply, shown) = ask(&provider(&server, Streaming::On)).await;
    let words = "Hola, ¿qué más? 🥐".to_owned();
    assert_eq!((reply.unwrap().text, shown), (words.clone(), words));
    let seen = &server.seen()[0];
    assert!(seen.head.starts_with("post /v1/messages http/1.1"), "{}", seen.head);
    assert!(seen.head.contains(&format!("x-api-key: {KEY}")), "{}", seen.head);
    assert!(seen.head.contains("anthropic-version: 2023-06-01"), "{}", seen.head);
    assert!(!seen.head.contains("authorization"), "{}", seen.head);
    assert_eq!(complaints(&seen.body), Vec::<String>::new());
    assert_eq!(seen.body["stream"], true);
}

#[tokio::test]
async fn without_a_stream_the_reply_is_the_same() {
    let body = json!({
        "type": "message",
        "stop_reason": "tool_use",
        "content": [
            {"type": "text", "text": "Va."},
            {"type": "tool_use", "id": "toolu_1", "name": "calendar_create", "input": {"n": 1}}
        ]
    });
    let server = Server::start(vec![response(200, "", &body.to_string())]).await;
    let (reply, shown) = ask(&provider(&server, Streaming::Off)).await;
    let reply = reply.unwrap();
    assert_eq!((reply.text.as_str(), shown.as_str()), ("Va.", "Va."));
    assert_eq!(reply.calls[0].name, "calendar.create");
    assert_eq!(reply.calls[0].arguments, CallArguments::Value(json!({"n": 1})));
    assert_eq!(complaints(&server.seen()[0].body), Vec::<String>::new());
    assert_eq!(server.seen()[0].body.get("stream"), None);
}

#[tokio::test]
async fn overloaded_is_tried_again_in_whichever_way_it_is_said() {
    let overloaded =
        r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#;
    let server = Server::start(vec![
        response(529, "", overloaded),
        stream(OVERLOADED),
        response(200, "", overloaded),
        stream(CALL),
    ])
    .await;
    let reply = ask(&provider(&server, Streaming::On)).await.0.unwrap();
    assert_eq!((reply.calls.len(), server.seen().len()), (1, 4));
}

#[tokio::test]
async fn after_a_piece_of_the_reply_nothing_is_tried_again() {
    let cut = &CALL[..CALL.find("message_delta").unwrap()];
    let broken = vec![Act::Say(stream_head()), Act::Say(chunk(cut)), Act::Close];
    for acts in [broken, stream(cut), stream(OVERLOADED_LATE)] {
        let server = Server::start(vec![acts, stream(CALL)]).await;
        assert!(ask(&provider(&server, Streaming::On)).await.0.is_err());
        assert_eq!(server.seen().len(), 1);
    }
}

#[tokio::test]
async fn a_stopped_call_closes_the_socket() {
    for streaming in [Streaming::On, Streaming::Off] {
        let server = Server::start(vec![vec![Act::Say(stream_head()), Act::Hang]]).await;
        let failure = ask_and_stop(&provider(&server, streaming), &server).await;
        assert_eq!(failure.kind, ModelFailureKind::Cancelled);
        server.client_closed().await;
    }
}

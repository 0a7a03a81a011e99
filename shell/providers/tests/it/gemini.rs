use std::sync::Arc;

use manos_model::{CallArguments, ModelFailureKind};
use manos_providers::HttpModel;
use manos_wire_llm::Streaming;
use manos_wire_llm::gemini::{GenerateContent, Signatures, complaints};
use serde_json::json;

use crate::asking::{self, KEY, ask, ask_and_stop};
use crate::server::{Act, Server, chunk, response, stream, stream_head};

const CALL: &str = include_str!("../../../../fixtures/llm/gemini/one-call.sse");
const TEXT: &str = include_str!("../../../../fixtures/llm/gemini/text.sse");
const OVERLOADED: &str = include_str!("../../../../fixtures/llm/gemini/error-first.sse");
const OVERLOADED_LATE: &str = include_str!("../../../../fixtures/llm/gemini/error-in-stream.sse");
const MALFORMED: &str = include_str!("../../../../fixtures/llm/gemini/malformed-call.sse");

fn provider(server: &Server, streaming: Streaming) -> HttpModel {
    asking::provider(Arc::new(GenerateContent::default()), "gemini-3-pro", server, streaming)
}

#[tokio::test]
async fn a_strict_server_takes_the_request_and_its_stream_is_read() {
    let server = Server::start(vec![stream(TEXT)]).await;
    let (reply, shown) = ask(&provider(&server, Streaming::On)).await;
    let words = "Hola, ¿qué más? 🥐".to_owned();
    assert_eq!((reply.unwrap().text, shown), (words.clone(), words));
    let seen = &server.seen()[0];
    let line = "post /v1/models/gemini-3-pro:streamgeneratecontent?alt=sse http/1.1";
    assert!(seen.head.starts_with(line), "{}", seen.head);
    assert!(seen.head.contains(&format!("x-goog-api-key: {KEY}")), "{}", seen.head);
    assert!(!seen.head.contains("authorization"), "{}", seen.head);
    assert_eq!(complaints(&seen.body, Signatures::Asked), Vec::<String>::new());
}

#[tokio::test]
async fn without_a_stream_the_reply_is_the_same() {
    let body = json!({"candidates": [{"finishReason": "STOP", "content": {"parts": [
        {"text": "Va."},
        {"functionCall": {"name": "calendar_create", "args": {"n": 1}}}
    ]}}]});
    let server = Server::start(vec![response(200, "", &body.to_string())]).await;
    let (reply, shown) = ask(&provider(&server, Streaming::Off)).await;
    let reply = reply.unwrap();
    assert_eq!((reply.text.as_str(), shown.as_str()), ("Va.", "Va."));
    assert_eq!(reply.calls[0].name, "calendar.create");
    assert_eq!(reply.calls[0].arguments, CallArguments::Value(json!({"n": 1})));
    let seen = &server.seen()[0];
    let line = "post /v1/models/gemini-3-pro:generatecontent http/1.1";
    assert!(seen.head.starts_with(line), "{}", seen.head);
    assert_eq!(complaints(&seen.body, Signatures::Asked), Vec::<String>::new());
}

#[tokio::test]
async fn what_time_mends_is_tried_again_after_the_wait_that_the_body_asks_for() {
    let busy = |delay: &str| {
        let details = json!([{"retryDelay": delay}]);
        json!([{"error": {"code": 429, "message": "slow", "details": details}}]).to_string()
    };
    let server = Server::start(vec![
        response(429, "", &busy("0.01s")),
        stream(OVERLOADED),
        response(503, "", "busy"),
        stream(CALL),
    ])
    .await;
    let reply = ask(&provider(&server, Streaming::On)).await.0.unwrap();
    assert_eq!((reply.calls.len(), server.seen().len()), (1, 4));
    // A wait that does not fit into what is left is not waited.
    let server = Server::start(vec![response(429, "", &busy("60s"))]).await;
    let failure = ask(&provider(&server, Streaming::On)).await.0.unwrap_err();
    assert_eq!(failure.kind, ModelFailureKind::Unavailable);
    assert!(failure.message.contains("60 s"), "{}", failure.message);
}

#[tokio::test]
async fn a_call_that_the_server_threw_away_goes_back_to_the_model() {
    let server = Server::start(vec![stream(MALFORMED)]).await;
    let failure = ask(&provider(&server, Streaming::On)).await.0.unwrap_err();
    assert_eq!(failure.kind, ModelFailureKind::RefusedCall, "{}", failure.message);
}

#[tokio::test]
async fn after_a_piece_of_the_reply_nothing_is_tried_again() {
    let cut = &CALL[..CALL.rfind("data: ").unwrap()];
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

use std::sync::Arc;

use manos_model::{CallArguments, FinishReason, ModelFailureKind};
use manos_providers::HttpModel;
use manos_wire_llm::Streaming;
use manos_wire_llm::ollama::{Ollama, complaints};
use serde_json::json;

use crate::asking::{self, ask, ask_and_stop};
use crate::server::{Act, Server, chunk, response, stream, stream_head};

const CALL: &str = include_str!("../../../../fixtures/llm/ollama/one-call.ndjson");
const TEXT: &str = include_str!("../../../../fixtures/llm/ollama/text.ndjson");
const WHOLE: &str = include_str!("../../../../fixtures/llm/ollama/whole-text.json");

fn provider(server: &Server, streaming: Streaming) -> HttpModel {
    asking::provider(Arc::new(Ollama), "qwen3", server, streaming)
}

#[tokio::test]
async fn a_strict_server_takes_the_request_and_its_lines_are_read() {
    let server = Server::start(vec![stream(TEXT)]).await;
    let (reply, shown) = ask(&provider(&server, Streaming::On)).await;
    let words = "Hola, ¿qué más? 🥐".to_owned();
    assert_eq!((reply.unwrap().text, shown), (words.clone(), words));
    let seen = &server.seen()[0];
    // The path of the other API, which the server's address here ends in, is not this one's.
    assert!(seen.head.starts_with("post /api/chat http/1.1"), "{}", seen.head);
    assert_eq!(complaints(&seen.body), Vec::<String>::new());
    assert_eq!(seen.body["stream"], true);
}

#[tokio::test]
async fn streamed_or_not_is_the_servers_choice() {
    for asked in [Streaming::On, Streaming::Off] {
        let server = Server::start(vec![response(200, "", WHOLE), stream(CALL)]).await;
        let provider = provider(&server, asked);
        let (reply, shown) = ask(&provider).await;
        assert_eq!((reply.unwrap().text, shown), ("Hola".to_owned(), "Hola".to_owned()));
        let reply = ask(&provider).await.0.unwrap();
        assert_eq!(reply.finish, FinishReason::ToolCalls);
        assert_eq!(reply.calls[0].arguments, CallArguments::Value(json!({"amount": 5})));
        assert_eq!(server.seen()[0].body["stream"], asked == Streaming::On);
    }
}

#[tokio::test]
async fn what_only_a_command_mends_is_told_at_once() {
    let missing = response(404, "", r#"{"error":"model 'qwen3' not found"}"#);
    let server = Server::start(vec![missing]).await;
    let failure = ask(&provider(&server, Streaming::On)).await.0.unwrap_err();
    assert_eq!(failure.kind, ModelFailureKind::Config);
    assert!(failure.message.contains("`ollama pull qwen3`"), "{}", failure.message);
    assert_eq!(server.seen().len(), 1);
}

#[tokio::test]
async fn after_a_call_was_seen_nothing_is_tried_again() {
    let cut = CALL.lines().next().unwrap();
    let broken = vec![Act::Say(stream_head()), Act::Say(chunk(cut)), Act::Close];
    for acts in [broken, stream(cut), stream(&format!("{cut}\n{{\"error\":\"server busy\"}}\n"))] {
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

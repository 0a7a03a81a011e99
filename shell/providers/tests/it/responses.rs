use std::sync::Arc;

use manos_model::{CallArguments, FinishReason, ModelFailureKind};
use manos_providers::HttpModel;
use manos_wire_llm::Streaming;
use manos_wire_llm::responses::{Responses, complaints};

use crate::asking::{self, KEY, ask, ask_and_stop};
use crate::server::{Act, Server, chunk, response, stream, stream_head};

const CALL: &str = include_str!("../../../../fixtures/llm/responses/one-call.sse");
const TEXT: &str = include_str!("../../../../fixtures/llm/responses/text.sse");
const WHOLE: &str = include_str!("../../../../fixtures/llm/responses/whole-text.json");
const BUSY: &str = include_str!("../../../../fixtures/llm/responses/error-event.sse");

fn provider(server: &Server, streaming: Streaming) -> HttpModel {
    asking::provider(Arc::new(Responses), "gpt-5-mini", server, streaming)
}

#[tokio::test]
async fn a_strict_server_takes_the_request_and_its_stream_is_read() {
    let server = Server::start(vec![stream(TEXT)]).await;
    let (reply, shown) = ask(&provider(&server, Streaming::On)).await;
    let words = "Hola, ¿qué más? 🥐".to_owned();
    assert_eq!((reply.unwrap().text, shown), (words.clone(), words));
    let seen = &server.seen()[0];
    assert!(seen.head.starts_with("post /v1/responses http/1.1"), "{}", seen.head);
    assert!(seen.head.contains(&format!("authorization: bearer {KEY}")), "{}", seen.head);
    assert_eq!(complaints(&seen.body), Vec::<String>::new());
    assert_eq!(seen.body["stream"], true);
}

#[tokio::test]
async fn streamed_or_not_is_the_servers_choice() {
    for asked in [Streaming::On, Streaming::Off] {
        let whole = response(200, "", WHOLE);
        let server = Server::start(vec![whole, stream(CALL)]).await;
        let provider = provider(&server, asked);
        let (reply, shown) = ask(&provider).await;
        assert_eq!((reply.unwrap().text, shown), ("Hola".to_owned(), "Hola".to_owned()));
        let reply = ask(&provider).await.0.unwrap();
        assert_eq!(reply.finish, FinishReason::ToolCalls);
        assert_eq!(reply.calls[0].arguments, CallArguments::Text(r#"{"amount":5}"#.to_owned()));
        assert_eq!(server.seen()[0].body.get("stream").is_some(), asked == Streaming::On);
    }
}

#[tokio::test]
async fn busy_is_tried_again_in_whichever_way_it_is_said() {
    let server = Server::start(vec![
        response(429, "retry-after: 0\r\n", "{}"),
        stream(BUSY),
        vec![Act::Say(stream_head()), Act::Close],
        stream(TEXT),
    ])
    .await;
    assert!(ask(&provider(&server, Streaming::On)).await.0.is_ok());
    assert_eq!(server.seen().len(), 4);
}

#[tokio::test]
async fn after_a_call_was_seen_nothing_is_tried_again() {
    let cut = &CALL[..CALL.find("event: response.completed").unwrap()];
    let broken = vec![Act::Say(stream_head()), Act::Say(chunk(cut)), Act::Close];
    for acts in [broken, stream(cut), stream(&format!("{cut}{BUSY}"))] {
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

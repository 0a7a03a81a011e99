use std::sync::Arc;
use std::time::Duration;

use manos_model::{ModelFailure, ModelFailureKind, ModelReply};
use manos_net::{HttpClient, Proxy};
use manos_ports::Provider;
use manos_providers::{Candidate, Fallback, HttpModel, HttpModelConfig};
use manos_wire_llm::openai::Chat;
use manos_wire_llm::{CallOptions, RetryPolicy};
use tokio_util::sync::CancellationToken;

use crate::openai::{HELLO, Shown, request};
use crate::server::{Act, Server, chunk, response, stream, stream_head};

const SECONDS: Duration = Duration::from_secs(5);

fn candidate(server: &str, base_url: &str, timeout: Duration) -> Candidate {
    let config = HttpModelConfig {
        timeout,
        ..HttpModelConfig::new(server, CallOptions::new(base_url, "m"))
    };
    let policy =
        RetryPolicy { wait_first: Duration::from_millis(1), ..RetryPolicy::before_another() };
    let dialect = Arc::new(Chat::named(server));
    let provider = HttpModel::new(dialect, config, HttpClient::new(Proxy::Off));
    Candidate {
        provider_name: server.to_owned(),
        model: "m".to_owned(),
        provider: Arc::new(provider.with_retry_policy(policy)),
    }
}

async fn ask(fallback: &Fallback) -> (Result<ModelReply, ModelFailure>, String) {
    let shown = Shown::default();
    let reply = fallback.reply(request(), &shown, &CancellationToken::new()).await;
    (reply, shown.0.into_inner().unwrap())
}

#[tokio::test]
async fn when_a_model_does_not_answer_the_next_one_is_asked() {
    let down = response(503, "", "down");
    let long = r#"{"error":{"code":"context_length_exceeded","message":"x"}}"#;
    let quota = r#"{"error":{"code":"insufficient_quota"}}"#;
    let cases = [
        ("down", vec![down.clone(), down], 2),
        ("busy, and asks for a long wait", vec![response(429, "retry-after: 30\r\n", "")], 1),
        ("gone", vec![vec![Act::Close], vec![Act::Close]], 2),
        ("a wrong key", vec![response(401, "", "{}")], 1),
        ("no such model", vec![response(404, "", "{}")], 1),
        ("no credit", vec![response(429, "", quota)], 1),
        ("it takes less", vec![response(400, "", long)], 1),
    ];
    for (why, acts, tries) in cases {
        let (first, second) = (Server::start(acts).await, Server::start(vec![stream(HELLO)]).await);
        let fallback = Fallback::new(vec![
            candidate("openai", &first.base_url, SECONDS),
            candidate("mistral", &second.base_url, SECONDS),
        ]);
        let (reply, shown) = ask(&fallback).await;
        let reply = reply.unwrap_or_else(|error| panic!("{why}: {}", error.message));
        assert_eq!((reply.text.as_str(), shown.as_str()), ("Hola", "Hola"), "{why}");
        assert_eq!(first.seen().len(), tries, "{why}");
        let origin = reply.origin.unwrap();
        assert_eq!(origin.provider, "mistral", "{why}");
        assert_eq!(origin.instead_of[0].provider, "openai", "{why}");
        // What went to the second one is in its own form.
        let body = &second.seen()[0].body;
        let complaints = manos_wire_llm::openai::complaints(
            body,
            manos_wire_llm::openai::Server::named("mistral").unwrap(),
        );
        assert!(complaints.is_empty(), "{why}: {complaints:?}");
    }
}

#[tokio::test]
async fn once_anything_was_said_no_other_model_is_asked() {
    let piece = chunk("data: {\"choices\":[{\"delta\":{\"content\":\"Ho\"}}]}\n\n");
    let broken = vec![Act::Say(stream_head()), Act::Say(piece), Act::Hang];
    let (first, second) =
        (Server::start(vec![broken]).await, Server::start(vec![stream(HELLO)]).await);
    let fallback = Fallback::new(vec![
        candidate("openai", &first.base_url, Duration::from_millis(200)),
        candidate("groq", &second.base_url, SECONDS),
    ]);
    let (reply, shown) = ask(&fallback).await;
    assert_eq!(reply.unwrap_err().kind, ModelFailureKind::Timeout);
    assert_eq!(shown, "Ho");
    assert!(second.seen().is_empty());
}

#[tokio::test]
async fn a_dead_model_costs_its_time_once_and_is_tried_again_later() {
    let first = Server::start(vec![vec![Act::Hang], stream(HELLO)]).await;
    let second = Server::start(vec![stream(HELLO), stream(HELLO)]).await;
    let fallback = Fallback::new(vec![
        candidate("openai", &first.base_url, Duration::from_millis(300)),
        candidate("groq", &second.base_url, SECONDS),
    ]);
    for asked in [1, 1] {
        let origin = ask(&fallback).await.0.unwrap().origin.unwrap();
        assert_eq!(origin.provider, "groq");
        assert!(origin.instead_of[0].reason.contains("did not answer"), "{origin:?}");
        assert_eq!(first.seen().len(), asked, "the dead one is not asked each time");
    }
    let forgets = fallback.with_down_for(Duration::ZERO);
    let origin = ask(&forgets).await.0.unwrap().origin.unwrap();
    assert_eq!((origin.provider.as_str(), origin.instead_of.len()), ("openai", 0));
}

#[tokio::test]
async fn when_none_answers_all_are_asked_and_the_first_ones_failure_is_told() {
    let refused = || response(401, "", "{}");
    let (first, second) =
        (Server::start(vec![refused()]).await, Server::start(vec![refused(), refused()]).await);
    let fallback = Fallback::new(vec![
        candidate("openai", &first.base_url, SECONDS),
        candidate("groq", &second.base_url, SECONDS),
    ]);
    let failure = ask(&fallback).await.0.unwrap_err();
    assert_eq!(failure.kind, ModelFailureKind::Config);
    assert!(failure.message.contains("OPENAI_API_KEY"), "{}", failure.message);
    assert!(failure.message.contains("2 in all"), "{}", failure.message);
}

#[tokio::test]
async fn when_one_takes_a_shorter_chat_the_chat_is_what_is_too_long() {
    let long = r#"{"error":{"code":"context_length_exceeded"}}"#;
    let (first, second) = (
        Server::start(vec![response(401, "", "{}")]).await,
        Server::start(vec![response(400, "", long)]).await,
    );
    let fallback = Fallback::new(vec![
        candidate("openai", &first.base_url, SECONDS),
        candidate("groq", &second.base_url, SECONDS),
    ]);
    assert_eq!(ask(&fallback).await.0.unwrap_err().kind, ModelFailureKind::TooLong);
}

#[tokio::test]
async fn a_stopped_call_asks_no_other_model() {
    let (first, second) = (
        Server::start(vec![vec![Act::Say(stream_head()), Act::Hang]]).await,
        Server::start(vec![stream(HELLO)]).await,
    );
    let fallback = Fallback::new(vec![
        candidate("openai", &first.base_url, SECONDS),
        candidate("groq", &second.base_url, SECONDS),
    ]);
    let (shown, cancel) = (Shown::default(), CancellationToken::new());
    let call = fallback.reply(request(), &shown, &cancel);
    let stop = async {
        while first.seen().is_empty() {
            tokio::task::yield_now().await;
        }
        cancel.cancel();
    };
    let (reply, ()) = tokio::join!(call, stop);
    assert_eq!(reply.unwrap_err().kind, ModelFailureKind::Cancelled);
    assert!(second.seen().is_empty());
}

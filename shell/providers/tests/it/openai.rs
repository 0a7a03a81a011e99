use std::sync::{Arc, Mutex};
use std::time::Duration;

use manos_model::{
    CallArguments, ModelFailure, ModelFailureKind, ModelReply, ModelRequest, Price, Secret,
    StepMessage, ToldCall, ToolCallId, ToolDeclaration, ToolSet,
};
use manos_net::{HttpClient, Proxy};
use manos_ports::{Deltas, Provider};
use manos_providers::{HttpModel, HttpModelConfig};
use manos_wire_llm::openai::{Chat, OPENAI, complaints};
use manos_wire_llm::{CallOptions, RetryPolicy, Streaming, ToolChoice};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::server::{Act, Server, chunk, response, stream, stream_head};

const KEY: &str = "a-key-of-no-known-kind";

pub(crate) const HELLO: &str = "data: {\"choices\":[{\"delta\":{\"content\":\"Ho\"}}]}\n\n\
    data: {\"choices\":[{\"delta\":{\"content\":\"la\"},\"finish_reason\":\"stop\"}]}\n\n\
    data: [DONE]\n\n";

#[derive(Debug, Default)]
pub(crate) struct Shown(pub(crate) Mutex<String>);

impl Deltas for Shown {
    fn text(&self, piece: &str) {
        self.0.lock().unwrap().push_str(piece);
    }
}

fn provider(base_url: &str, timeout: Duration, stream: bool) -> HttpModel {
    let streaming = if stream { Streaming::On } else { Streaming::Off };
    let options = CallOptions { streaming, ..CallOptions::new(base_url, "gpt-5-mini") };
    let config = HttpModelConfig {
        api_key: Some(Secret::new(KEY.to_owned())),
        timeout,
        ..HttpModelConfig::new("openai", options)
    };
    let policy = RetryPolicy { wait_first: Duration::from_millis(2), ..RetryPolicy::default() };
    HttpModel::new(Arc::new(Chat::default()), config, HttpClient::new(Proxy::Off))
        .with_retry_policy(policy)
}

pub(crate) fn request() -> ModelRequest {
    let call = ToldCall {
        id: ToolCallId::new("t1"),
        wire_id: Some("c1".to_owned()),
        name: "invented tool!".to_owned(),
        arguments: json!(null),
    };
    let tool = ToolDeclaration {
        name: "calendar.create".to_owned(),
        description: String::new(),
        parameters: json!({"oneOf": [{}]}),
    };
    ModelRequest {
        system: "Breve.".to_owned(),
        history: Arc::default(),
        messages: Arc::new(vec![
            StepMessage::User("Hola".to_owned()),
            StepMessage::Assistant { text: String::new(), calls: vec![call], opaque: Vec::new() },
        ]),
        tools: Arc::new(ToolSet::new(vec![tool])),
        step: 2,
    }
}

async fn ask(provider: &HttpModel) -> (Result<ModelReply, ModelFailure>, String) {
    let shown = Shown::default();
    let reply = provider.reply(request(), &shown, &CancellationToken::new()).await;
    (reply, shown.0.into_inner().unwrap())
}

const SECONDS: Duration = Duration::from_secs(5);

#[tokio::test]
async fn a_strict_server_takes_the_request_and_its_stream_is_read() {
    let server = Server::start(vec![stream(HELLO)]).await;
    let (reply, shown) = ask(&provider(&server.base_url, SECONDS, true)).await;
    assert_eq!((reply.unwrap().text, shown), ("Hola".to_owned(), "Hola".to_owned()));
    let seen = &server.seen()[0];
    assert!(seen.head.starts_with("post /v1/chat/completions http/1.1"), "{}", seen.head);
    assert!(seen.head.contains(&format!("authorization: bearer {KEY}")), "{}", seen.head);
    assert_eq!(complaints(&seen.body, &OPENAI), Vec::<String>::new());
    assert_eq!(seen.body["stream"], true);
}

#[tokio::test]
async fn streamed_or_not_is_the_servers_choice() {
    let body = r#"{"choices":[{"message":{"content":"Hola"},"finish_reason":"stop"}]}"#;
    for asked in [true, false] {
        for (name, acts) in [("json", response(200, "", body)), ("stream", stream(HELLO))] {
            let server = Server::start(vec![acts]).await;
            let (reply, shown) = ask(&provider(&server.base_url, SECONDS, asked)).await;
            let got = (reply.unwrap().text, shown);
            assert_eq!(got, ("Hola".to_owned(), "Hola".to_owned()), "{name}, stream {asked}");
        }
    }
}

#[tokio::test]
async fn a_mapped_name_comes_back() {
    let body = r#"{"choices":[{"message":{"tool_calls":[{"function":{"name":"calendar_create","arguments":{"n":1}}}]}}]}"#;
    let server = Server::start(vec![response(200, "", body)]).await;
    let reply = ask(&provider(&server.base_url, SECONDS, true)).await.0.unwrap();
    assert_eq!(reply.calls[0].name, "calendar.create");
    assert_eq!(reply.calls[0].arguments, CallArguments::Value(json!({"n": 1})));
}

#[tokio::test]
async fn calls_share_a_connection() {
    let server = Server::start(vec![stream(HELLO), stream(HELLO), stream(HELLO)]).await;
    let provider = provider(&server.base_url, SECONDS, true);
    for _ in 0..3 {
        ask(&provider).await.0.unwrap();
    }
    let connections: Vec<usize> = server.seen().iter().map(|seen| seen.connection).collect();
    assert_eq!(connections, [0, 0, 0]);
}

#[tokio::test]
async fn what_time_mends_is_tried_again() {
    let server = Server::start(vec![
        response(429, "retry-after: 0\r\n", "{}"),
        response(503, "", "busy"),
        vec![Act::Close],
        vec![Act::Say(stream_head()), Act::Close],
        stream(HELLO),
    ])
    .await;
    let reply = ask(&provider(&server.base_url, SECONDS, true)).await.0;
    assert_eq!(reply.unwrap().text, "Hola");
    assert_eq!(server.seen().len(), 5);
}

#[tokio::test]
async fn what_time_does_not_mend_is_told_at_once_and_without_the_key() {
    let echo = format!(r#"{{"error":{{"message":"no such key {KEY}"}}}}"#);
    let cases = [
        (401, ModelFailureKind::Config, "model.api_key"),
        (404, ModelFailureKind::Config, "gpt-5-mini"),
        (400, ModelFailureKind::Config, "refused the request"),
    ];
    for (status, kind, words) in cases {
        let server = Server::start(vec![response(status, "", &echo)]).await;
        let failure = ask(&provider(&server.base_url, SECONDS, true)).await.0.unwrap_err();
        assert_eq!(failure.kind, kind, "{status}");
        assert!(failure.message.contains(words), "{status}: {}", failure.message);
        assert!(!failure.message.contains(KEY), "{status}: {}", failure.message);
        assert_eq!(server.seen().len(), 1, "{status}");
    }
}

#[tokio::test]
async fn a_wait_that_does_not_fit_is_not_waited() {
    let server = Server::start(vec![response(429, "retry-after: 60\r\n", "{}")]).await;
    let failure = ask(&provider(&server.base_url, SECONDS, true)).await.0.unwrap_err();
    assert_eq!(failure.kind, ModelFailureKind::Unavailable);
    assert!(failure.message.contains("60 s"), "{}", failure.message);
}

#[tokio::test]
async fn after_a_piece_of_the_reply_nothing_is_tried_again() {
    let pieces = [
        "data: {\"choices\":[{\"delta\":{\"content\":\"Ho\"}}]}\n\n",
        "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"id\":\"a\",\"function\":{\"name\":\"x\"}}]}}]}\n\n",
    ];
    for piece in pieces {
        let broken = vec![Act::Say(stream_head()), Act::Say(chunk(piece)), Act::Close];
        let ended = stream(piece);
        let in_band = stream(&format!("{piece}data: {{\"error\":{{\"code\":429}}}}\n\n"));
        for acts in [broken, ended, in_band] {
            let server = Server::start(vec![acts, stream(HELLO)]).await;
            let reply = ask(&provider(&server.base_url, SECONDS, true)).await.0;
            assert!(reply.is_err(), "{piece}");
            assert_eq!(server.seen().len(), 1, "{piece}");
        }
    }
}

#[tokio::test]
async fn an_error_in_place_of_a_reply_is_tried_again() {
    let busy = stream("data: {\"error\":{\"code\":429,\"message\":\"slow down\"}}\n\n");
    let server = Server::start(vec![busy, stream(HELLO)]).await;
    let reply = ask(&provider(&server.base_url, SECONDS, true)).await.0;
    assert_eq!(reply.unwrap().text, "Hola");
}

#[tokio::test]
async fn the_model_timeout_holds_whatever_the_server_does() {
    let piece = chunk("data: {\"choices\":[{\"delta\":{\"content\":\"Ho\"}}]}\n\n");
    let drip: Vec<Act> =
        std::iter::once(Act::Say(stream_head()))
            .chain((0..1000).flat_map(|_| {
                [Act::Say(chunk(": ping\n\n")), Act::Wait(Duration::from_millis(10))]
            }))
            .collect();
    let cases = [
        ("silent", vec![Act::Hang]),
        ("headers only", vec![Act::Say(stream_head()), Act::Hang]),
        ("half a reply", vec![Act::Say(stream_head()), Act::Say(piece), Act::Hang]),
        ("pings for ever", drip),
    ];
    for (why, acts) in cases {
        let server = Server::start(vec![acts]).await;
        let started = tokio::time::Instant::now();
        let timeout = Duration::from_millis(200);
        let failure = ask(&provider(&server.base_url, timeout, true)).await.0.unwrap_err();
        assert_eq!(failure.kind, ModelFailureKind::Timeout, "{why}: {}", failure.message);
        assert!(failure.message.contains("model.timeout"), "{why}: {}", failure.message);
        assert!(started.elapsed() < SECONDS, "{why}");
    }
}

#[tokio::test]
async fn a_stopped_call_closes_the_socket() {
    let acts = vec![Act::Say(stream_head()), Act::Hang];
    let server = Server::start(vec![acts]).await;
    let provider = provider(&server.base_url, SECONDS, true);
    let (shown, cancel) = (Shown::default(), CancellationToken::new());
    let call = provider.reply(request(), &shown, &cancel);
    let stop = async {
        while server.seen().is_empty() {
            tokio::task::yield_now().await;
        }
        cancel.cancel();
    };
    let (reply, ()) = tokio::join!(call, stop);
    assert_eq!(reply.unwrap_err().kind, ModelFailureKind::Cancelled);
    server.client_closed().await;
}

#[tokio::test]
async fn a_server_that_is_not_there_is_named() {
    let gone = {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        listener.local_addr().unwrap()
    };
    let cases = [
        (format!("http://{gone}/v1"), ModelFailureKind::Unavailable, "nothing listens there"),
        (
            "https://no-such-host.invalid/v1".to_owned(),
            ModelFailureKind::Unavailable,
            "has no address",
        ),
        ("http://models.example/v1".to_owned(), ModelFailureKind::Config, "network.allow_http"),
        ("localhost/v1".to_owned(), ModelFailureKind::Config, "model.base_url"),
    ];
    for (base_url, kind, words) in cases {
        let failure = ask(&provider(&base_url, SECONDS, true)).await.0.unwrap_err();
        assert_eq!(failure.kind, kind, "{base_url}: {}", failure.message);
        assert!(failure.message.contains(words), "{base_url}: {}", failure.message);
    }
}

#[tokio::test]
async fn plain_http_where_tls_is_due_is_named() {
    let hello = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base_url = format!("https://{}/v1", hello.local_addr().unwrap());
    let provider = provider(&base_url, SECONDS, true);
    let plain = async {
        use tokio::io::{AsyncReadExt, AsyncWriteExt};
        let (mut socket, _) = hello.accept().await.unwrap();
        socket.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").await.unwrap();
        let mut rest = Vec::new();
        socket.read_to_end(&mut rest).await.unwrap_or_default();
    };
    let ((reply, _), ()) = tokio::join!(ask(&provider), plain);
    let failure = reply.unwrap_err();
    assert_eq!(failure.kind, ModelFailureKind::Config, "{}", failure.message);
    assert!(failure.message.contains("does not speak TLS"), "{}", failure.message);
}

#[tokio::test]
async fn a_reply_that_does_not_begin_or_falls_silent_is_given_up() {
    let piece = chunk("data: {\"choices\":[{\"delta\":{\"content\":\"Ho\"}}]}\n\n");
    let short = Some(Duration::from_millis(50));
    let cases = [
        ("first byte", short, None, vec![Act::Say(stream_head()), Act::Hang]),
        ("idle", None, short, vec![Act::Say(stream_head()), Act::Say(piece), Act::Hang]),
    ];
    for (why, first_byte, idle, acts) in cases {
        let server = Server::start(vec![acts]).await;
        let options = CallOptions::new(&server.base_url, "m");
        let config = HttpModelConfig {
            first_byte,
            idle,
            timeout: SECONDS * 2,
            ..HttpModelConfig::new("openai", options)
        };
        let provider =
            HttpModel::new(Arc::new(Chat::default()), config, HttpClient::new(Proxy::Off));
        let started = tokio::time::Instant::now();
        let failure = ask(&provider).await.0.unwrap_err();
        assert_eq!(failure.kind, ModelFailureKind::Timeout, "{why}: {}", failure.message);
        assert!(started.elapsed() < SECONDS, "{why}");
        server.client_closed().await;
    }
}

#[tokio::test]
async fn a_reply_says_its_model_and_its_cost_to_the_last_digit() {
    let body = r#"{"choices":[{"message":{"content":"Hola"},"finish_reason":"stop"}],
        "usage":{"prompt_tokens":1000,"completion_tokens":50,"prompt_tokens_details":{"cached_tokens":400}}}"#;
    let server = Server::start(vec![response(200, "", body)]).await;
    let config = HttpModelConfig {
        price: Some(Price::new("EUR", "0.25", "2.00", Some("0.025")).unwrap()),
        ..HttpModelConfig::new("groq", CallOptions::new(&server.base_url, "llama"))
    };
    let provider = HttpModel::new(Arc::new(Chat::default()), config, HttpClient::new(Proxy::Off));
    let origin = ask(&provider).await.0.unwrap().origin.unwrap();
    assert_eq!((origin.provider.as_str(), origin.model.as_str()), ("groq", "llama"));
    let cost = origin.cost.unwrap();
    assert_eq!((cost.amount.to_string(), cost.currency.as_str()), ("0.00026".to_owned(), "EUR"));
}

#[tokio::test]
async fn a_tool_is_forced_at_the_beginning_of_a_turn_only() {
    let server = Server::start(vec![stream(HELLO), stream(HELLO)]).await;
    let options = CallOptions {
        tool_choice: ToolChoice::Required,
        ..CallOptions::new(&server.base_url, "m")
    };
    let config = HttpModelConfig::new("openai", options);
    let provider = HttpModel::new(Arc::new(Chat::default()), config, HttpClient::new(Proxy::Off));
    for step in [1, 2] {
        let request = ModelRequest { step, ..request() };
        provider.reply(request, &Shown::default(), &CancellationToken::new()).await.unwrap();
    }
    let seen = server.seen();
    assert_eq!(seen[0].body["tool_choice"], "required");
    assert_eq!(seen[1].body.get("tool_choice"), None);
}

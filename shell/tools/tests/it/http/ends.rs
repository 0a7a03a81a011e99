//! How a run ends, whatever the server does.

use std::io::Write as _;
use std::net::TcpListener;

use manos_model::{Failure, RunEnd};
use manos_testkit::endpoint::{Act, EndpointServer, reply};
use manos_wire_tool::http::{Method, RequestFormat};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::{API_KEY, RUN, Rig, SECRET};

/// The end as two words.
fn words(end: &RunEnd) -> (&'static str, String) {
    match end {
        RunEnd::Done(value) => ("done", value.to_string()),
        RunEnd::NotDone(failure) => ("not done", failure.code().to_owned()),
        RunEnd::Unknown(failure) => ("unknown", failure.code().to_owned()),
    }
}

async fn end_of(acts: Vec<Act>, rig: impl Fn(&str) -> Rig) -> (RunEnd, usize) {
    let server = EndpointServer::with_replies(vec![acts]).unwrap();
    let end = rig(&server.url("/x")).timeout_ms(400).run(&json!({})).await;
    (end, server.seen().len())
}

fn say(text: &str) -> Act {
    Act::Say(text.as_bytes().to_vec())
}

#[tokio::test]
async fn what_a_server_does_decides_how_the_run_ends() {
    let large = "x".repeat(100_000);
    let cases = [
        (reply(200, "", r#"{"n":1.50}"#), "done", r#"{"n":1.50}"#, "a result"),
        (
            reply(200, "content-type: text/plain\r\n", "two slots"),
            "done",
            r#"{"data":"two slots"}"#,
            "text",
        ),
        (reply(200, "content-type: text/html\r\n", "{}"), "done", "{}", "JSON by another name"),
        (reply(204, "", ""), "done", "{}", "nothing"),
        (reply(200, "", r#"{"error":"full"}"#), "not done", "said_no", "no"),
        (reply(404, "", "{}"), "not done", "http_status", "not there"),
        (reply(409, "", "{}"), "not done", "http_status", "refused"),
        (reply(503, "", "{}"), "not done", "http_status", "not now"),
        (reply(500, "", "{}"), "unknown", "http_status", "broken"),
        (reply(408, "", "{}"), "unknown", "http_status", "its own timeout"),
        (reply(302, "location: /y\r\n", ""), "not done", "redirect", "elsewhere"),
        (vec![Act::Close], "unknown", "connection", "closed without a word"),
        (vec![Act::Hang], "unknown", "timeout", "no word"),
        (
            vec![say("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{\"a\""), Act::Close],
            "unknown",
            "connection",
            "half a reply",
        ),
        (
            vec![say("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{\"a\""), Act::Hang],
            "unknown",
            "timeout",
            "half a reply and silence",
        ),
        (reply(200, "", &large), "unknown", "too_large", "more than is read"),
        (reply(200, "content-encoding: gzip\r\n", "\u{1f}"), "unknown", "bad_reply", "compressed"),
    ];
    for (acts, kind, code, why) in cases {
        let (end, requests) = end_of(acts, Rig::post).await;
        let (got_kind, got_code) = words(&end);
        assert_eq!((got_kind, got_code.as_str(), requests), (kind, code, 1), "{why}: {end:?}");
    }
}

#[tokio::test]
async fn what_never_left_was_not_done() {
    // A port on which nothing listens.
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let refused = Rig::post(&format!("http://{free}/x")).run(&json!({})).await;
    assert_eq!(words(&refused), ("not done", "connection".to_owned()));

    let plain = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = plain.local_addr().unwrap();
    // It answers in plain text whatever is said.
    std::thread::spawn(move || plain.accept().unwrap().0.write_all(b"HTTP/1.1 400 X\r\n\r\n"));
    let tls = Rig::post(&format!("https://{address}/x")).run(&json!({})).await;
    assert_eq!(words(&tls), ("not done", "tls".to_owned()), "{tls:?}");

    let server = EndpointServer::with_replies(vec![reply(200, "", "{}")]).unwrap();
    let cancel = CancellationToken::new();
    cancel.cancel();
    let end = Rig::post(&server.url("/x")).run_until(&json!({}), &cancel).await;
    assert_eq!(words(&end).0, "not done");
    let odd = Rig::post(&server.url("/{id}")).run(&json!({"id": "../x"})).await;
    assert_eq!(words(&odd), ("not done", "invalid_arguments".to_owned()));
    assert!(server.seen().is_empty());
}

#[tokio::test]
async fn a_timeout_names_the_limit_of_the_tool() {
    let (end, _) = end_of(vec![Act::Hang], Rig::post).await;
    assert_eq!(end, RunEnd::Unknown(Failure::Timeout { after_ms: 400 }));
}

#[tokio::test]
async fn a_run_that_is_stopped_may_have_been_done_and_the_socket_is_closed() {
    let server = EndpointServer::with_replies(vec![vec![Act::Hang]]).unwrap();
    let cancel = CancellationToken::new();
    let rig = Rig::post(&server.url("/x"));
    let arguments = json!({});
    let stop = async {
        while server.seen().is_empty() {
            tokio::task::yield_now().await;
        }
        cancel.cancel();
    };
    let (end, ()) = tokio::join!(rig.run_until(&arguments, &cancel), stop);
    assert_eq!(end, RunEnd::Unknown(Failure::Interrupted));
    let closed = tokio::task::spawn_blocking(move || server.client_closes()).await;
    assert!(closed.unwrap());
}

#[tokio::test]
async fn a_get_follows_its_server_three_times_and_signs_each_request() {
    let server = EndpointServer::start(|seen| match seen.path.as_str() {
        "/0?a=1" => reply(302, "location: /1?a=1\r\n", ""),
        "/1?a=1" => reply(301, "location: 2\r\n", ""),
        "/2" => reply(307, "location: /3?x=%C3%B1\r\n", ""),
        "/3?x=%C3%B1" => reply(200, "", r#"{"at":3}"#),
        _ => reply(308, "location: /round\r\n", ""),
    })
    .unwrap();
    let rig = Rig::get(&server.url("/0"));
    let context = rig.context.clone();
    assert_eq!(rig.run(&json!({"a": 1})).await, RunEnd::Done(json!({"at": 3})));
    let seen = server.seen();
    assert_eq!(seen.len(), 4);
    for one in &seen {
        super::assert_signed(one, "Manos", &context);
    }

    let round = Rig::get(&server.url("/round")).run(&json!({})).await;
    assert_eq!(words(&round), ("not done", "redirect".to_owned()));
    assert_eq!(server.seen().len(), 8);
}

#[tokio::test]
async fn nobody_is_followed_to_another_address() {
    let elsewhere = EndpointServer::with_replies(vec![]).unwrap();
    let location = format!("location: {}\r\n", elsewhere.url("/x"));
    for method in [Method::Get, Method::Post, Method::Put, Method::Patch, Method::Delete] {
        let server = EndpointServer::with_replies(vec![reply(307, &location, "")]).unwrap();
        let rig = Rig::new(method, RequestFormat::Standard, &server.url("/x"))
            .header("Authorization", API_KEY);
        let end = rig.run(&json!({})).await;
        assert_eq!(words(&end), ("not done", "redirect".to_owned()), "{method:?}");
        let RunEnd::NotDone(failure) = end else { unreachable!("it is not done") };
        assert_eq!(failure.to_value()["status"], 307);
        assert!(!failure.to_value().to_string().contains("127.0.0.1"));
    }
    assert!(elsewhere.seen().is_empty());
}

#[tokio::test]
async fn a_vapi_reply_is_matched_by_the_id_of_its_call() {
    let server = EndpointServer::start(|seen| {
        let body: serde_json::Value = serde_json::from_slice(&seen.body).unwrap();
        let id = body["message"]["toolCallList"][0]["id"].as_str().unwrap();
        reply(200, "", &json!({"results": [{"toolCallId": id, "result": "two slots"}]}).to_string())
    })
    .unwrap();
    let rig = Rig::new(Method::Post, RequestFormat::Vapi, &server.url("/x"));
    assert_eq!(rig.run(&json!({})).await, RunEnd::Done(json!("two slots")));
    assert!(server.seen()[0].body_text().contains(&format!("\"call_{RUN}\"")));
}

#[tokio::test]
async fn no_failure_repeats_a_secret_or_an_address() {
    let echo = format!("{{\"error\":\"bad key {API_KEY}\",\"secret\":\"{SECRET}\"}}");
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let server = EndpointServer::start(move |seen| match seen.path.as_str() {
        "/said" => reply(200, "", &echo),
        "/status" => reply(401, "", &echo),
        "/text" => reply(500, "", &format!("key {API_KEY}")),
        _ => vec![Act::Close],
    })
    .unwrap();
    let urls = ["/said", "/status", "/text", "/close"].map(|path| server.url(path));
    for url in urls.into_iter().chain([format!("http://{free}/refused")]) {
        let end = Rig::post(&url).header("X-Api-Key", API_KEY).run(&json!({})).await;
        let (RunEnd::NotDone(failure) | RunEnd::Unknown(failure)) = end else {
            unreachable!("{url} fails")
        };
        let told = failure.to_value().to_string();
        for secret in [API_KEY, SECRET, "127.0.0.1"] {
            assert!(!told.contains(secret), "{url}: {told}");
        }
    }
}

//! What is tried again, and what is not.

use std::time::Duration;

use manos_model::{Failure, RunEnd};
use manos_testkit::endpoint::{Act, EndpointServer, reply};
use serde_json::json;

use super::{RUN, Rig, assert_signed};

#[tokio::test]
async fn an_effect_is_asked_for_once_whatever_comes() {
    for acts in [reply(503, "", ""), reply(429, "", ""), reply(502, "", ""), vec![Act::Close]] {
        let server = EndpointServer::with_replies(vec![acts]).unwrap();
        let end = Rig::post(&server.url("/x")).run(&json!({})).await;
        assert!(!matches!(end, RunEnd::Done(_)));
        assert_eq!(server.seen().len(), 1);
    }
}

#[tokio::test]
async fn what_is_idempotent_is_tried_again_under_the_same_key() {
    let replies = vec![vec![Act::Close], reply(503, "", ""), reply(200, "", r#"{"ok":1}"#)];
    let server = EndpointServer::with_replies(replies).unwrap();
    let rig = Rig::post(&server.url("/x")).idempotent();
    assert_eq!(rig.run(&json!({"a": 1})).await, RunEnd::Done(json!({"ok": 1})));
    let seen = server.seen();
    assert_eq!(seen.len(), 3);
    for one in &seen {
        assert_eq!(
            (one.header("idempotency-key"), one.body_text().as_str()),
            (Some(RUN), r#"{"a":1}"#)
        );
        assert_signed(one, "Manos", &rig.context);
    }
}

#[tokio::test]
async fn a_get_is_tried_again_and_its_last_end_stands() {
    let server = EndpointServer::start(|_| reply(504, "", r#"{"a":1}"#)).unwrap();
    let end = Rig::get(&server.url("/x")).run(&json!({})).await;
    let failure = Failure::HttpStatus { status: 504, body: json!({"a": 1}) };
    assert_eq!(end, RunEnd::Unknown(failure));
    assert_eq!(server.seen().len(), 3);
}

#[tokio::test]
async fn what_will_not_pass_is_not_tried_again() {
    for acts in [
        reply(500, "", ""),
        reply(404, "", ""),
        reply(302, "location: /y\r\n", ""),
        reply(200, "", r#"{"error":"no"}"#),
    ] {
        let server = EndpointServer::with_replies(vec![acts]).unwrap();
        let end = Rig::post(&server.url("/x")).idempotent().run(&json!({})).await;
        assert!(!matches!(end, RunEnd::Done(_)));
        assert_eq!(server.seen().len(), 1, "{end:?}");
    }
}

#[tokio::test]
async fn all_tries_are_within_the_timeout_of_the_tool() {
    let later = reply(503, "retry-after: 60\r\n", "");
    let server = EndpointServer::with_replies(vec![later, reply(200, "", "{}")]).unwrap();
    let end = Rig::get(&server.url("/x")).timeout_ms(2_000).run(&json!({})).await;
    assert!(matches!(end, RunEnd::NotDone(Failure::HttpStatus { status: 503, .. })), "{end:?}");
    assert_eq!(server.seen().len(), 1, "waiting a minute is no use");

    let server = EndpointServer::with_replies(vec![reply(503, "", ""), vec![Act::Hang]]).unwrap();
    let rig = Rig::get(&server.url("/x")).timeout_ms(600);
    let started = tokio::time::Instant::now();
    let end = rig.run(&json!({})).await;
    assert_eq!(end, RunEnd::Unknown(Failure::Timeout { after_ms: 600 }));
    assert!(started.elapsed() < Duration::from_secs(5), "the second try has what the first left");
}

//! Connections that are used again, and those that are not.

use bytes::Bytes;
use manos_net::{HttpClient, HttpErrorKind, HttpLimits, HttpMethod, HttpRequest, POOL_IDLE_WAIT};

use crate::peer::Step::{AwaitClose, ReadHead};
use crate::peer::{Peer, Step};
use crate::{SHORT, fetch_with, get};

const OK: &str = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";

fn ok() -> Step {
    Step::send(OK)
}

/// Asks twice, one after the other, and returns both bodies.
async fn twice(peer: &Peer) -> [Vec<u8>; 2] {
    let client = HttpClient::default();
    let first = fetch_with(&client, get(&peer.url(), HttpLimits::default())).await.unwrap().1;
    // The peer's next step, such as a close, arrives.
    tokio::time::sleep(SHORT).await;
    let second = fetch_with(&client, get(&peer.url(), HttpLimits::default())).await.unwrap().1;
    [first, second]
}

#[tokio::test]
async fn a_connection_serves_again() {
    let chunked = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n";
    let trailers =
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\na: b\r\n\r\n";
    for answer in [OK, chunked, trailers] {
        let steps = vec![ReadHead, Step::send(answer), ReadHead, Step::send(answer), AwaitClose];
        let peer = Peer::always(steps).await;
        assert_eq!(twice(&peer).await, [b"ok", b"ok"]);
        assert_eq!(peer.connections(), 1, "{answer}");
    }
}

#[tokio::test]
async fn a_reader_who_stops_after_the_last_piece_gives_it_back() {
    let peer = Peer::always(vec![ReadHead, ok(), ReadHead, ok(), AwaitClose]).await;
    let client = HttpClient::default();
    for _ in 0..2 {
        let mut response = client.send(get(&peer.url(), HttpLimits::default())).await.unwrap();
        assert_eq!(response.chunk().await.unwrap().as_deref(), Some(&b"ok"[..]));
    }
    assert_eq!(peer.connections(), 1);
}

#[tokio::test]
async fn a_connection_that_was_closed_is_replaced() {
    let cases = [
        ("closed", vec![ReadHead, ok()]),
        ("reset", vec![ReadHead, ok(), Step::Reset]),
        ("half-closed", vec![ReadHead, ok(), Step::HalfClose, AwaitClose]),
        (
            "closed by its own word",
            vec![
                ReadHead,
                Step::send("HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\n\r\nok"),
                AwaitClose,
            ],
        ),
        (
            "a farewell nobody asked for",
            vec![ReadHead, ok(), Step::send("HTTP/1.1 408 Request Timeout\r\n\r\n"), AwaitClose],
        ),
    ];
    for (why, steps) in cases {
        let peer = Peer::start(vec![steps, vec![ReadHead, ok(), AwaitClose]]).await;
        assert_eq!(twice(&peer).await, [b"ok", b"ok"], "{why}");
        assert_eq!((peer.connections(), peer.heads().len()), (2, 2), "{why}");
    }
}

#[tokio::test]
async fn an_answer_that_nobody_asked_for_is_never_taken_for_the_next_one() {
    let two = format!("{OK}HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nevil");
    let poisoned = vec![ReadHead, Step::send(&two), AwaitClose];
    let peer = Peer::start(vec![poisoned, vec![ReadHead, ok(), AwaitClose]]).await;
    assert_eq!(twice(&peer).await, [b"ok", b"ok"]);
    assert_eq!(peer.connections(), 2);
}

#[tokio::test]
async fn what_may_have_been_heard_is_not_said_again() {
    for method in [HttpMethod::Get, HttpMethod::Post] {
        let first = vec![ReadHead, ok(), ReadHead];
        let peer = Peer::start(vec![first, vec![ReadHead, ok(), AwaitClose]]).await;
        let client = HttpClient::default();
        let request =
            HttpRequest { body: Bytes::from_static(b"{}"), ..HttpRequest::new(method, peer.url()) };
        fetch_with(&client, request.clone()).await.unwrap();
        let error = client.send(request).await.unwrap_err();
        assert_eq!((error.kind, error.never_sent), (HttpErrorKind::Connection, false), "{error}");
        assert_eq!((peer.connections(), peer.heads().len()), (1, 2), "{method:?}");
    }
}

#[tokio::test]
async fn requests_at_the_same_time_have_their_own_connections() {
    let peer = Peer::always(vec![ReadHead, ok(), ReadHead, ok(), AwaitClose]).await;
    let client = HttpClient::default();
    let ask = || fetch_with(&client, get(&peer.url(), HttpLimits::default()));
    let (a, b, c) = tokio::join!(ask(), ask(), ask());
    assert!(a.is_ok() && b.is_ok() && c.is_ok());
    let before = peer.connections();
    let (a, b, c) = tokio::join!(ask(), ask(), ask());
    assert!(a.is_ok() && b.is_ok() && c.is_ok());
    assert_eq!((before, peer.connections()), (3, 3), "and the second round opens none");
}

#[tokio::test]
async fn a_connection_that_waited_long_is_closed() {
    let mut peer = Peer::always(vec![ReadHead, ok(), AwaitClose]).await;
    let client = HttpClient::default();
    fetch_with(&client, get(&peer.url(), HttpLimits::default())).await.unwrap();
    tokio::time::pause();
    tokio::time::advance(POOL_IDLE_WAIT / 2).await;
    tokio::time::advance(POOL_IDLE_WAIT).await;
    tokio::time::resume();
    peer.was_closed().await;
    fetch_with(&client, get(&peer.url(), HttpLimits::default())).await.unwrap();
    assert_eq!(peer.connections(), 2);
}

#[tokio::test]
async fn a_connection_goes_with_its_client() {
    let mut peer = Peer::always(vec![ReadHead, ok(), AwaitClose]).await;
    let client = HttpClient::default();
    fetch_with(&client, get(&peer.url(), HttpLimits::default())).await.unwrap();
    drop(client);
    peer.was_closed().await;
}

//! Each way to misbehave ends in its own kind, within its limit, with bounded memory.

use std::time::Duration;

use manos_net::{HEADERS_BYTES_MAX, HttpErrorKind, HttpLimits};

use crate::peer::Step::{AwaitClose, Drip, Endless, HalfClose, ReadHead, Reset};
use crate::peer::{Peer, Step};
use crate::{SHORT, fetch};

const CHUNKED: &str = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";

/// How much may be under way in the two sockets' buffers beside what was read.
const IN_SOCKETS_BYTES_MAX: u64 = 16 * 1024 * 1024;

struct Case {
    why: &'static str,
    steps: Vec<Step>,
    limits: HttpLimits,
    kind: HttpErrorKind,
    words: &'static str,
}

fn case(
    why: &'static str,
    steps: Vec<Step>,
    limits: HttpLimits,
    kind: HttpErrorKind,
    words: &'static str,
) -> Case {
    Case { why, steps, limits, kind, words }
}

async fn all_end_so(cases: Vec<Case>) {
    for Case { why, steps, limits, kind, words } in cases {
        let peer = Peer::always(steps).await;
        let error = fetch(&peer.url(), limits).await.unwrap_err();
        assert_eq!(error.kind, kind, "{why}: {error}");
        assert!(error.sentence.contains(words), "{why}: {error}");
        assert!(error.sentence.contains("127.0.0.1"), "{why}: {error}");
        assert!(!format!("{error:?}").contains("secret"), "{why}: {error}");
        assert!(error.may_have_acted(), "{why}: the request was read");
    }
}

#[tokio::test]
async fn each_clock_ends_what_is_too_slow() {
    use HttpErrorKind::Timeout;
    let wide = HttpLimits::default();
    // Long enough for a head that comes at once, on a busy machine too.
    let first_byte = HttpLimits { first_byte: 5 * SHORT, ..wide };
    let idle = HttpLimits { idle: SHORT, ..wide };
    let total = HttpLimits { total: 6 * SHORT, ..wide };
    let drip = |text: &str| Drip(text.as_bytes().to_vec(), SHORT / 4);
    all_end_so(vec![
        case("no answer", vec![ReadHead, AwaitClose], first_byte, Timeout, "did not answer"),
        case(
            "an answer byte by byte",
            vec![ReadHead, drip("HTTP/1.1 200 OK\r\nx: a header that is long\r\n\r\n"), AwaitClose],
            first_byte,
            Timeout,
            "did not answer",
        ),
        case(
            "no byte of the body",
            vec![ReadHead, Step::send(CHUNKED), AwaitClose],
            first_byte,
            Timeout,
            "sent no byte",
        ),
        case(
            "silence in the middle",
            vec![ReadHead, Step::send(CHUNKED), Step::send("2\r\nab\r\n"), AwaitClose],
            idle,
            Timeout,
            "fell silent",
        ),
        case(
            "a body byte by byte",
            vec![ReadHead, Step::send(CHUNKED), drip(&"1\r\na\r\n".repeat(50)), AwaitClose],
            total,
            Timeout,
            "did not finish",
        ),
    ])
    .await;
}

#[tokio::test]
async fn what_has_no_end_is_cut_off() {
    use HttpErrorKind::TooLarge;
    let limits = HttpLimits { response_bytes_max: 100_000, ..HttpLimits::default() };
    let chunk = format!("4000\r\n{}\r\n", "a".repeat(0x4000)).into_bytes();
    let ok = |rest: &str| Step::send(&format!("HTTP/1.1 200 OK\r\n{rest}\r\n"));
    let cases = [
        ("chunks", vec![ReadHead, Step::send(CHUNKED), Endless(chunk)], "100000 bytes"),
        (
            "a gigabyte that is announced",
            vec![ReadHead, ok("content-length: 1000000000\r\n"), Endless(vec![b'a'; 65536])],
            "100000 bytes",
        ),
        (
            "a body that only the close ends",
            vec![ReadHead, ok("connection: close\r\n"), Endless(vec![b'a'; 65536])],
            "100000 bytes",
        ),
        (
            "headers",
            vec![ReadHead, Step::send("HTTP/1.1 200 OK\r\n"), Endless(b"x-a: b\r\n".repeat(512))],
            "headers of more than",
        ),
        (
            "one header",
            vec![ReadHead, Step::send("HTTP/1.1 200 OK\r\nx: "), Endless(vec![b'a'; 4096])],
            "headers of more than",
        ),
        (
            "a reason",
            vec![ReadHead, Step::send("HTTP/1.1 200 "), Endless(vec![b'a'; 4096])],
            "headers of more than",
        ),
        (
            "preliminary answers",
            vec![ReadHead, Endless(b"HTTP/1.1 100 Continue\r\n\r\n".repeat(64))],
            "no answer",
        ),
    ];
    for (why, steps, words) in cases {
        let peer = Peer::always(steps).await;
        let error = fetch(&peer.url(), limits).await.unwrap_err();
        assert_eq!(error.kind, TooLarge, "{why}: {error}");
        assert!(error.sentence.contains(words), "{why}: {error}");
        assert!(peer.bytes_sent() < IN_SOCKETS_BYTES_MAX, "{why}: {}", peer.bytes_sent());
    }
}

#[tokio::test]
async fn a_few_preliminary_answers_are_passed_over() {
    let early = "HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n";
    let steps = vec![
        ReadHead,
        Step::send(&early.repeat(20)),
        Step::send("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"),
        AwaitClose,
    ];
    assert!(early.len() * 20 < HEADERS_BYTES_MAX);
    let peer = Peer::always(steps).await;
    assert_eq!(fetch(&peer.url(), HttpLimits::default()).await.unwrap(), (200, b"ok".to_vec()));
}

#[tokio::test]
async fn what_is_no_http_is_named() {
    use HttpErrorKind::{BadReply, TooLarge};
    let wide = HttpLimits::default();
    let bad = |why, text: &str, words| {
        case(why, vec![ReadHead, Step::send(text), AwaitClose], wide, BadReply, words)
    };
    let chunk = |why, text: &str| bad(why, &format!("{CHUNKED}{text}"), "is no HTTP");
    let many_headers = format!("HTTP/1.1 200 OK\r\n{}\r\n", "a: b\r\n".repeat(1000));
    all_end_so(vec![
        bad("another protocol", "SSH-2.0-OpenSSH\r\n\r\n", "in HTTP"),
        bad("HTTP/0.9", "<html>hello</html>", "in HTTP"),
        bad("HTTP/2 unasked", "\0\0\x12\x04\0\0\0\0\0", "in HTTP"),
        bad("a version to come", "HTTP/3.0 200 OK\r\n\r\n", "in HTTP"),
        bad("a status that is none", "HTTP/1.1 99999 OK\r\n\r\n", "in HTTP"),
        bad("a header without a colon", "HTTP/1.1 200 OK\r\nnonsense\r\n\r\n", "in HTTP"),
        bad(
            "two lengths",
            "HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\nabc",
            "in HTTP",
        ),
        bad("no length", "HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n", "in HTTP"),
        bad(
            "another protocol unasked",
            "HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n",
            "another protocol",
        ),
        bad(
            "a compressed body",
            "HTTP/1.1 200 OK\r\ncontent-encoding: GZIP\r\ncontent-length: 2\r\n\r\n\x1f\x0b",
            "compressed",
        ),
        bad(
            "a body compressed twice",
            "HTTP/1.1 200 OK\r\ncontent-encoding: identity, br\r\ncontent-length: 1\r\n\r\na",
            "compressed",
        ),
        chunk("chunk sizes that are none", "zz\r\n"),
        chunk("a chunk size beyond all numbers", "ffffffffffffffffff\r\n"),
        chunk("a chunk that is longer than it says", "1\r\nabc\r\n"),
        case(
            "a thousand headers",
            vec![ReadHead, Step::send(&many_headers), AwaitClose],
            wide,
            TooLarge,
            "headers",
        ),
    ])
    .await;
}

#[tokio::test]
async fn what_breaks_off_is_a_lost_connection() {
    use HttpErrorKind::Connection;
    let wide = HttpLimits::default();
    let lost = |why, steps| case(why, steps, wide, Connection, "the connection to");
    let half = || Step::send("HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf");
    all_end_so(vec![
        lost("closed before the answer", vec![ReadHead]),
        lost("reset before the answer", vec![ReadHead, Reset]),
        lost("half-closed before the answer", vec![ReadHead, HalfClose, AwaitClose]),
        lost("closed in the head", vec![ReadHead, Step::send("HTTP/1.1 200 OK\r\nx: ")]),
        lost("closed in the body", vec![ReadHead, half()]),
        lost("half-closed in the body", vec![ReadHead, half(), HalfClose, AwaitClose]),
        lost(
            "closed between chunks",
            vec![ReadHead, Step::send(CHUNKED), Step::send("1\r\na\r\n")],
        ),
        lost("closed in a chunk", vec![ReadHead, Step::send(CHUNKED), Step::send("9\r\na")]),
    ])
    .await;
}

#[tokio::test]
async fn a_body_of_another_type_is_told_and_left_to_the_caller() {
    let html = "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 3\r\n\r\n<p>";
    let peer = Peer::always(vec![ReadHead, Step::send(html), AwaitClose]).await;
    let client = manos_net::HttpClient::default();
    let response = client.send(crate::get(&peer.url(), HttpLimits::default())).await.unwrap();
    assert_eq!(response.header("content-type"), Some("text/html"));
}

#[tokio::test]
async fn whom_nobody_waits_for_any_more_sees_the_socket_close() {
    let quiet = HttpLimits::default();
    let client = manos_net::HttpClient::default();

    let mut silent = Peer::always(vec![ReadHead, AwaitClose]).await;
    let asked = tokio::time::timeout(SHORT, client.send(crate::get(&silent.url(), quiet))).await;
    assert!(asked.is_err(), "there is no answer");
    silent.was_closed().await;

    let steps = vec![ReadHead, Step::send(CHUNKED), Step::send("1\r\na\r\n"), AwaitClose];
    let mut talking = Peer::always(steps).await;
    let mut response = client.send(crate::get(&talking.url(), quiet)).await.unwrap();
    assert_eq!(response.chunk().await.unwrap().as_deref(), Some(&b"a"[..]));
    drop(response);
    talking.was_closed().await;

    let mut large =
        Peer::always(vec![ReadHead, Step::send(CHUNKED), Step::send("9\r\n"), AwaitClose]).await;
    let limits = HttpLimits { idle: SHORT, first_byte: SHORT, ..quiet };
    let mut response = client.send(crate::get(&large.url(), limits)).await.unwrap();
    assert_eq!(response.chunk().await.unwrap_err().kind, HttpErrorKind::Timeout);
    large.was_closed().await;
    assert_eq!(response.chunk().await.unwrap(), None, "and nothing more comes");
}

#[tokio::test]
async fn a_connection_that_does_not_come_about_is_never_sent() {
    // Nothing accepts on it once its queue is full.
    let socket = tokio::net::TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let listener = socket.listen(1).unwrap();
    let address = listener.local_addr().unwrap();
    let mut queued = Vec::new();
    for _ in 0..4 {
        let connecting = tokio::net::TcpStream::connect(address);
        match tokio::time::timeout(Duration::from_millis(50), connecting).await {
            Ok(socket) => queued.push(socket.unwrap()),
            Err(_) => break,
        }
    }
    let limits = HttpLimits { connect: SHORT, ..HttpLimits::default() };
    let error = fetch(&format!("http://{address}/"), limits).await.unwrap_err();
    assert_eq!((error.kind, error.never_sent), (HttpErrorKind::Timeout, true), "{error}");
    drop((listener, queued));

    let error = fetch(&format!("http://{address}/"), limits).await.unwrap_err();
    assert_eq!((error.kind, error.never_sent), (HttpErrorKind::Connection, true), "{error}");
    assert!(error.sentence.contains("nothing listens"), "{error}");
}

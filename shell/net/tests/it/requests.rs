//! What goes out.

use manos_model::Secret;
use manos_net::{HttpClient, HttpErrorKind, HttpLimits, HttpMethod, HttpRequest};

use crate::peer::Step::{AwaitClose, ReadHead};
use crate::peer::{Peer, Step};
use crate::{fetch, fetch_with};

#[tokio::test]
async fn a_redirect_is_an_answer() {
    let moved =
        "HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 2\r\n\r\nno";
    let peer = Peer::always(vec![ReadHead, Step::send(moved), AwaitClose]).await;
    assert_eq!(fetch(&peer.url(), HttpLimits::default()).await.unwrap(), (302, b"no".to_vec()));
}

#[tokio::test]
async fn headers_go_out_as_given() {
    let ok = "HTTP/1.1 204 No Content\r\n\r\n";
    let peer = Peer::always(vec![ReadHead, Step::send(ok), AwaitClose]).await;
    let request = HttpRequest {
        headers: vec![("X-One".to_owned(), "1".to_owned())],
        secret_headers: vec![("x-key".to_owned(), Secret::new("k".to_owned()))],
        ..HttpRequest::new(HttpMethod::Post, peer.url())
    };
    assert!(!format!("{request:?}").contains("\"k\""));
    let client = HttpClient::default();
    assert_eq!(fetch_with(&client, request).await.unwrap(), (204, Vec::new()));
    let head = peer.heads().remove(0);
    for line in [
        "POST /path?key=secret HTTP/1.1\r\n",
        "x-one: 1\r\n",
        "x-key: k\r\n",
        "user-agent: manos/",
        "accept-encoding: identity\r\n",
        "content-length: 0\r\n",
        &format!("host: 127.0.0.1:{}\r\n", peer.port),
    ] {
        assert!(head.contains(line), "{line} in {head}");
    }
}

#[tokio::test]
async fn what_cannot_be_sent_is_never_sent() {
    let with = |headers: Vec<(String, String)>, url: &str| HttpRequest {
        headers,
        ..HttpRequest::new(HttpMethod::Post, url)
    };
    let header = |name: &str, value: &str| vec![(name.to_owned(), value.to_owned())];
    let cases = [
        ("no scheme", with(Vec::new(), "localhost:1/")),
        ("another scheme", with(Vec::new(), "file:///etc/passwd")),
        ("a user", with(Vec::new(), "http://user:secret@127.0.0.1:1/")),
        ("a header name", with(header("a b", "x"), "http://127.0.0.1:1/")),
        ("a header value", with(header("a", "x\ny: z"), "http://127.0.0.1:1/")),
        ("another host's name", with(header("Host", "a.example"), "http://127.0.0.1:1/")),
        ("a length", with(header("content-length", "5"), "http://127.0.0.1:1/")),
        ("a framing", with(header("transfer-encoding", "chunked"), "http://127.0.0.1:1/")),
    ];
    for (why, request) in cases {
        let error = HttpClient::default().send(request).await.unwrap_err();
        assert_eq!((error.kind, error.never_sent), (HttpErrorKind::BadRequest, true), "{why}");
        assert!(!error.sentence.contains("secret"), "{why}: {error}");
    }
}

//! Tries over HTTP, to servers on loopback.

use std::io::Write as _;
use std::net::TcpListener;
use std::sync::Arc;

use manos_model::{NoticeTrouble, Secret};
use manos_net::HttpClient;
use manos_notices::{Endpoint, HttpPost, Post as _, Posted};
use manos_testkit::contract::store::noon;
use manos_testkit::endpoint::{Act, EndpointServer, Seen, reply};
use manos_wire_tool::signing::{HeaderNames, Signed, Signer, verify};

use crate::world::endpoint;

fn post() -> HttpPost {
    HttpPost { client: HttpClient::default(), names: HeaderNames::new("Acme").unwrap() }
}

async fn posted(url: &str) -> Posted {
    post().post(&endpoint(url, &[]), "{}".to_owned(), noon(0)).await
}

#[tokio::test]
async fn a_notice_says_that_it_is_one_and_is_signed_over_path_and_body() {
    let server = EndpointServer::with_replies(vec![reply(204, "", "")]).unwrap();
    let secret = Secret::new("whsec_told".to_owned());
    let signer = Some(Signer::new(std::slice::from_ref(&secret)).unwrap());
    let url = server.url("/told?from=manos");
    let endpoint = Endpoint { signer, ..endpoint(&url, &[]) };
    let ended = post().post(&endpoint, r#"{"type":"x"}"#.to_owned(), noon(0)).await;
    assert_eq!(ended, Posted { trouble: None, http_status: Some(204) });
    let Seen { method, path, body, .. } = &server.seen()[0];
    assert_eq!((method.as_str(), path.as_str()), ("POST", "/told?from=manos"));
    let seen = &server.seen()[0];
    assert_eq!(seen.header("x-acme-event"), Some("notice"));
    assert_eq!(seen.header("content-type"), Some("application/json"));
    assert_eq!(seen.header("idempotency-key"), None);
    let signed = Signed { method, path, body };
    let now = noon(0).as_second();
    assert_eq!(verify(seen.header("x-acme-signature-v2"), &[secret], &signed, now), Ok(()));
}

/// The address of a server that takes a handshake for a request.
fn no_tls() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("https://{}/", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        let (mut client, _) = listener.accept().unwrap();
        client.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").unwrap();
    });
    url
}

#[tokio::test]
async fn each_trouble_has_its_category() {
    let cases = [
        (reply(200, "", "thanks"), None, Some(200)),
        (reply(500, "", ""), Some(NoticeTrouble::HttpError), Some(500)),
        (reply(410, "", "gone"), Some(NoticeTrouble::HttpError), Some(410)),
        (reply(302, "location: /elsewhere\r\n", ""), Some(NoticeTrouble::HttpError), Some(302)),
        (vec![Act::Close], Some(NoticeTrouble::Connection), None),
        (vec![Act::Say(b"nonsense\r\n\r\n".to_vec())], Some(NoticeTrouble::Other), None),
    ];
    for (acts, trouble, http_status) in cases {
        let server = EndpointServer::with_replies(vec![acts.clone()]).unwrap();
        let ended = posted(&server.url("/")).await;
        assert_eq!(ended, Posted { trouble, http_status }, "{acts:?}");
        assert_eq!(server.seen().len(), 1, "no redirect is followed");
    }
    let no_tls = no_tls();
    let elsewhere = [
        ("http://127.0.0.1:1/".to_owned(), NoticeTrouble::Connection),
        ("https://nobody.invalid/".to_owned(), NoticeTrouble::Dns),
        (no_tls, NoticeTrouble::Tls),
        ("http://192.0.2.1/".to_owned(), NoticeTrouble::Other),
    ];
    for (url, trouble) in elsewhere {
        assert_eq!(posted(&url).await, Posted::of_trouble(trouble), "{url}");
    }
}

#[tokio::test]
async fn an_answer_without_an_end_has_arrived_all_the_same() {
    let head = b"HTTP/1.1 200 X\r\ncontent-length: 100\r\n\r\n".to_vec();
    let server =
        Arc::new(EndpointServer::with_replies(vec![vec![Act::Say(head), Act::Hang]]).unwrap());
    assert_eq!(posted(&server.url("/")).await, Posted::of_status(200));
    let closes = tokio::task::spawn_blocking(move || server.client_closes());
    assert!(closes.await.unwrap(), "the connection is not kept");
}

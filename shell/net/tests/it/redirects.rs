//! Following, and not.

use std::sync::Arc;

use manos_model::Secret;
use manos_net::{
    AddressPolicy, HostPattern, HttpClient, HttpErrorKind, HttpLimits, HttpMethod, HttpRequest,
    Redirects,
};

use crate::peer::Step::{AwaitClose, ReadHead};
use crate::peer::{Peer, Step};
use crate::{fetch_with, get};

fn moved(location: &str) -> Step {
    let head = format!("HTTP/1.1 302 Found\r\nlocation: {location}\r\ncontent-length: 0\r\n\r\n");
    Step::Send(head.into_bytes())
}

fn ok() -> Step {
    Step::send("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok")
}

fn following(peer: &Peer, redirects: Redirects) -> HttpRequest {
    HttpRequest { redirects, ..get(&peer.url(), HttpLimits::default()) }
}

#[tokio::test]
async fn a_get_is_followed_at_its_origin() {
    let peer = Peer::always(vec![ReadHead, moved("../b?c#d"), ReadHead, ok(), AwaitClose]).await;
    let request = following(&peer, Redirects::SameOrigin { max: 3 });
    assert_eq!(fetch_with(&HttpClient::default(), request).await.unwrap().1, b"ok");
    assert!(peer.heads()[1].starts_with("GET /b?c HTTP/1.1\r\n"), "{:?}", peer.heads());
    assert_eq!(peer.connections(), 1, "over the same connection");
}

#[tokio::test]
async fn where_it_must_not_lead_is_not_gone() {
    let elsewhere = Peer::always(vec![ReadHead, ok(), AwaitClose]).await;
    let other = elsewhere.url();
    let same = Redirects::SameOrigin { max: 3 };
    let checked = Redirects::Checked { max: 3 };
    let cases = [
        ("another port", other.as_str(), same, HttpErrorKind::Redirect),
        ("another host", "https://b.example/", same, HttpErrorKind::Redirect),
        ("no address", "gopher://b.example/", same, HttpErrorKind::Redirect),
        ("itself, without end", "/path", same, HttpErrorKind::Redirect),
        ("itself, without end, checked", "/path", checked, HttpErrorKind::Redirect),
        ("this machine", other.as_str(), checked, HttpErrorKind::Blocked),
        ("metadata", "http://169.254.169.254/latest/", checked, HttpErrorKind::Blocked),
        ("metadata, hidden", "https://[::ffff:a9fe:a9fe]/", checked, HttpErrorKind::Blocked),
        ("a private network", "https://10.1.2.3/", checked, HttpErrorKind::Blocked),
    ];
    for (why, location, redirects, kind) in cases {
        let steps = vec![vec![ReadHead, moved(location)]; 5].concat();
        let peer = Peer::always(steps).await;
        let named = format!("127.0.0.1:{}", peer.port);
        let hosts = ["*".to_owned(), named];
        let policy = AddressPolicy::ModelChosen {
            allow_hosts: HostPattern::list(&hosts).unwrap(),
            allow_http: HostPattern::list(&hosts).unwrap(),
        };
        let policy = Some(Arc::new(policy));
        let request = HttpRequest { policy, ..following(&peer, redirects) };
        let error = HttpClient::default().send(request).await.unwrap_err();
        assert_eq!(error.kind, kind, "{why}: {error}");
        assert!(peer.heads().len() <= 4, "{why}: asked {} times", peer.heads().len());
    }
    assert_eq!(elsewhere.connections(), 0);
}

#[tokio::test]
async fn secrets_do_not_go_along_to_another_origin() {
    let elsewhere = Peer::always(vec![ReadHead, ok(), AwaitClose]).await;
    let steps = vec![ReadHead, moved("/here"), ReadHead, moved(&elsewhere.url()), AwaitClose];
    let peer = Peer::always(steps).await;
    let request = HttpRequest {
        secret_headers: vec![("authorization".to_owned(), Secret::new("Bearer k".to_owned()))],
        ..following(&peer, Redirects::Checked { max: 3 })
    };
    assert_eq!(fetch_with(&HttpClient::default(), request).await.unwrap().1, b"ok");
    let carried: Vec<bool> = [peer.heads(), elsewhere.heads()]
        .concat()
        .iter()
        .map(|head| head.contains("Bearer k"))
        .collect();
    assert_eq!(carried, [true, true, false]);
}

#[tokio::test]
async fn what_is_no_get_gets_the_redirect_as_its_answer() {
    for method in [HttpMethod::Post, HttpMethod::Put, HttpMethod::Patch, HttpMethod::Delete] {
        let peer = Peer::always(vec![ReadHead, moved("/b"), ReadHead, ok(), AwaitClose]).await;
        let request = HttpRequest { method, ..following(&peer, Redirects::SameOrigin { max: 3 }) };
        assert_eq!(fetch_with(&HttpClient::default(), request).await.unwrap().0, 302);
        assert_eq!(peer.heads().len(), 1, "{method:?}");
    }
}

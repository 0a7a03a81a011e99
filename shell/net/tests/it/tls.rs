//! Certificates and handshakes that are not as they should be.

use manos_net::{HttpErrorKind, HttpLimits};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::task::JoinSet;

use crate::peer::Step::{AwaitClose, ReadHead};
use crate::peer::{Peer, Step};
use crate::tls_peer::{Authority, Flaw, TlsListener};
use crate::{SHORT, fetch_with, get};

/// Answers one request on each connection.
async fn serve(listener: TlsListener) {
    loop {
        let Ok(mut socket) = listener.accept().await else { continue };
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            if socket.read_buf(&mut head).await.unwrap_or(0) == 0 {
                break;
            }
        }
        let ok = b"HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\n\r\nok";
        let _taken = socket.write_all(ok).await;
        let _closed = socket.shutdown().await;
    }
}

#[tokio::test]
async fn a_bad_certificate_is_named_before_anything_is_sent() {
    let authority = Authority::new();
    let cases = [
        (Flaw::Expired, "has expired"),
        (Flaw::NotYetValid, "not valid yet"),
        (Flaw::OtherName, "for another name"),
        (Flaw::SelfSigned, "SSL_CERT_FILE"),
    ];
    for (flaw, words) in cases {
        let (listener, port) = TlsListener::bind(authority.server(flaw, &["http/1.1"])).await;
        let mut tasks = JoinSet::new();
        tasks.spawn(serve(listener));
        let url = format!("https://tls.example:{port}/");
        let client = authority.client().build();
        let error = client.send(get(&url, HttpLimits::default())).await.unwrap_err();
        assert_eq!((error.kind, error.never_sent), (HttpErrorKind::Tls, true), "{flaw:?}: {error}");
        assert!(error.sentence.contains(words), "{flaw:?}: {error}");
        assert!(error.sentence.contains("tls.example"), "{flaw:?}: {error}");
    }
}

#[tokio::test]
async fn a_good_certificate_is_taken_and_an_unknown_issuer_is_not() {
    let authority = Authority::new();
    let (listener, port) = TlsListener::bind(authority.server(Flaw::None, &["http/1.1"])).await;
    let mut tasks = JoinSet::new();
    tasks.spawn(serve(listener));
    let url = format!("https://tls.example:{port}/");
    let client = authority.client().build();
    let limits = HttpLimits::default();
    assert_eq!(fetch_with(&client, get(&url, limits)).await.unwrap(), (200, b"ok".to_vec()));

    let stranger = Authority::new().client().build();
    let error = stranger.send(get(&url, limits)).await.unwrap_err();
    assert_eq!((error.kind, error.never_sent), (HttpErrorKind::Tls, true), "{error}");
    assert!(error.sentence.contains("trusted ones"), "{error}");
}

#[tokio::test]
async fn a_handshake_that_does_not_come_about_is_never_sent() {
    let authority = Authority::new();
    let client = authority.client().build();
    let cases = [
        ("closed at once", vec![], HttpErrorKind::Tls, "no safe connection"),
        ("reset at once", vec![Step::Reset], HttpErrorKind::Tls, "no safe connection"),
        (
            "closed in the middle",
            // The head of a handshake record that promises more.
            vec![Step::send("\x16\x03\x03\0\x7a\x02")],
            HttpErrorKind::Tls,
            "in the middle of the TLS handshake",
        ),
        (
            "plain HTTP",
            vec![Step::send("HTTP/1.1 400 Bad Request\r\n\r\n"), AwaitClose],
            HttpErrorKind::Tls,
            "does not speak TLS",
        ),
        ("silence", vec![AwaitClose], HttpErrorKind::Timeout, "did not take the connection"),
    ];
    for (why, steps, kind, words) in cases {
        // What the client says first is read, so that closing is no reset.
        let half_closes = matches!(why, "closed at once" | "closed in the middle");
        let steps =
            if half_closes { [steps, vec![Step::HalfClose, AwaitClose]].concat() } else { steps };
        let peer = Peer::always(steps).await;
        let url = format!("https://tls.example:{}/", peer.port);
        let mut limits = HttpLimits::default();
        if kind == HttpErrorKind::Timeout {
            limits.connect = SHORT;
        }
        let error = client.send(get(&url, limits)).await.unwrap_err();
        assert_eq!((error.kind, error.never_sent), (kind, true), "{why}: {error}");
        assert!(error.sentence.contains(words), "{why}: {error}");
    }
}

#[tokio::test]
async fn plain_http_is_not_mistaken_for_tls_on_the_way_back() {
    // A TLS server that is asked in plain HTTP answers with an alert.
    let peer =
        Peer::always(vec![ReadHead, Step::Send(vec![21, 3, 3, 0, 2, 2, 10]), AwaitClose]).await;
    let error = crate::fetch(&peer.url(), HttpLimits::default()).await.unwrap_err();
    assert_eq!(error.kind, HttpErrorKind::BadReply, "{error}");
}

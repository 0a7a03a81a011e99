//! The limits, against a server on raw sockets.
#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use std::time::Duration;

use manos_net::{HttpClient, HttpError, HttpErrorKind, HttpLimits, HttpMethod, HttpRequest, Proxy};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::task::JoinSet;

const SHORT: Duration = Duration::from_millis(60);

/// Answers one request with these pieces, a pause after each, and then keeps the connection open.
async fn server(pieces: &[&str], pause: Duration) -> (String, JoinSet<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/path?key=secret", listener.local_addr().unwrap());
    let pieces: Vec<String> = pieces.iter().map(|piece| (*piece).to_owned()).collect();
    let mut tasks = JoinSet::new();
    tasks.spawn(async move {
        let (mut socket, _) = listener.accept().await.unwrap();
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            socket.read_buf(&mut head).await.unwrap();
        }
        for piece in pieces {
            if socket.write_all(piece.as_bytes()).await.is_err() {
                break;
            }
            tokio::time::sleep(pause).await;
        }
        let mut rest = Vec::new();
        socket.read_to_end(&mut rest).await.unwrap_or_default();
        String::from_utf8(head).unwrap()
    });
    (url, tasks)
}

async fn get(url: &str, limits: HttpLimits) -> Result<(u16, Vec<u8>), HttpError> {
    let request = HttpRequest { limits, ..HttpRequest::new(HttpMethod::Get, url) };
    let mut response = HttpClient::new(Proxy::Off).send(request).await?;
    let body = response.body().await?;
    Ok((response.status(), body))
}

#[tokio::test]
async fn each_limit_is_named_and_holds() {
    const HEAD: &str = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
    let wide = HttpLimits::default();
    let first_byte = HttpLimits { first_byte: SHORT, ..wide };
    let idle = HttpLimits { idle: SHORT, ..wide };
    let total = HttpLimits { total: 3 * SHORT, ..wide };
    let size = HttpLimits { response_bytes_max: 5, ..wide };
    let drip = ["2\r\nab\r\n"; 50];
    let cases: Vec<(&str, Vec<&str>, HttpLimits, HttpErrorKind, &str)> = vec![
        ("no answer", vec![], first_byte, HttpErrorKind::Timeout, "did not answer"),
        ("no byte", vec![HEAD], first_byte, HttpErrorKind::Timeout, "sent no byte"),
        ("silence", vec![HEAD, "2\r\nab\r\n"], idle, HttpErrorKind::Timeout, "fell silent"),
        ("a drip", [&[HEAD], &drip[..]].concat(), total, HttpErrorKind::Timeout, "did not finish"),
        ("much", vec![HEAD, "6\r\nabcdef\r\n"], size, HttpErrorKind::TooLarge, "5 bytes"),
        ("no HTTP", vec!["SSH-2.0-OpenSSH\r\n\r\n"], wide, HttpErrorKind::BadReply, "127.0.0.1"),
    ];
    for (why, pieces, limits, kind, words) in cases {
        let (url, _tasks) = server(&pieces, SHORT / 6).await;
        let error = get(&url, limits).await.unwrap_err();
        assert_eq!(error.kind, kind, "{why}: {error}");
        assert!(error.sentence.contains(words), "{why}: {error}");
        assert!(!error.to_string().contains("secret"), "{why}: {error}");
    }
}

#[tokio::test]
async fn a_redirect_is_an_answer() {
    let moved =
        "HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 2\r\n\r\nno";
    let (url, _tasks) = server(&[moved], Duration::ZERO).await;
    assert_eq!(get(&url, HttpLimits::default()).await.unwrap(), (302, b"no".to_vec()));
}

#[tokio::test]
async fn headers_go_out_as_given() {
    let ok = "HTTP/1.1 204 No Content\r\n\r\n";
    let (url, mut tasks) = server(&[ok], Duration::ZERO).await;
    let request = HttpRequest {
        headers: vec![("X-One".to_owned(), "1".to_owned())],
        secret_headers: vec![("x-key".to_owned(), manos_model::Secret::new("k".to_owned()))],
        ..HttpRequest::new(HttpMethod::Get, url)
    };
    assert!(!format!("{request:?}").contains("\"k\""));
    let client = HttpClient::new(Proxy::Off);
    assert_eq!(client.send(request).await.unwrap().status(), 204);
    drop(client);
    let head = tasks.join_next().await.unwrap().unwrap();
    for line in ["GET /path?key=secret HTTP/1.1", "x-one: 1", "x-key: k", "user-agent: manos/"] {
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
        ("a header name", with(header("a b", "x"), "http://127.0.0.1:1/")),
        ("a header value", with(header("a", "x\ny: z"), "http://127.0.0.1:1/")),
    ];
    for (why, request) in cases {
        let error = HttpClient::new(Proxy::Off).send(request).await.unwrap_err();
        assert_eq!((error.kind, error.never_sent), (HttpErrorKind::BadRequest, true), "{why}");
    }
}

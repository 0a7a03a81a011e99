//! Through a proxy.

use std::sync::Arc;

use manos_model::Secret;
use manos_net::{
    AddressPolicy, HostPattern, HttpClient, HttpErrorKind, HttpLimits, HttpRequest, Proxy, Resolve,
};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

use crate::peer::Step::{AwaitClose, ReadHead};
use crate::peer::{Peer, Step};
use crate::tls_peer::{Authority, Flaw, TlsListener};
use crate::{fetch_with, get};

fn through(port: u16) -> Proxy {
    Proxy::Url(Secret::new(format!("http://user:pass%20word@127.0.0.1:{port}")))
}

/// `user:pass word`.
const BASIC: &str = "proxy-authorization: Basic dXNlcjpwYXNzIHdvcmQ=\r\n";

#[tokio::test]
async fn plain_requests_carry_the_whole_address() {
    let ok = Step::send("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok");
    let proxy = Peer::always(vec![ReadHead, ok.clone(), ReadHead, ok, AwaitClose]).await;
    let client = HttpClient::builder()
        .proxy(through(proxy.port))
        .allow_http(vec![HostPattern::parse("shop.example").unwrap()])
        .build();
    for _ in 0..2 {
        let request = get("http://shop.example:81/a?b", HttpLimits::default());
        assert_eq!(fetch_with(&client, request).await.unwrap().1, b"ok");
    }
    assert_eq!(proxy.connections(), 1);
    for head in proxy.heads() {
        for line in
            ["GET http://shop.example:81/a?b HTTP/1.1\r\n", "host: shop.example:81\r\n", BASIC]
        {
            assert!(head.contains(line), "{line} in {head}");
        }
    }
    assert!(!format!("{client:?}").contains("pass"), "{client:?}");
}

#[tokio::test]
async fn a_proxy_that_opens_no_way_is_named() {
    let cases = [
        ("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n", "network.proxy"),
        ("HTTP/1.1 502 Bad Gateway\r\n\r\n", "status 502"),
        ("SSH-2.0-OpenSSH\r\n\r\n", "no HTTP"),
        (&"x".repeat(10_000), "no HTTP"),
        ("HTTP/1.1 200", "broke"),
    ];
    for (reply, words) in cases {
        let proxy =
            Peer::always(vec![ReadHead, Step::send(reply), Step::HalfClose, AwaitClose]).await;
        let client = HttpClient::new(through(proxy.port));
        let request = get("https://shop.example/", HttpLimits::default());
        let error = client.send(request).await.unwrap_err();
        assert_eq!((error.kind, error.never_sent), (HttpErrorKind::Connection, true), "{error}");
        assert!(error.sentence.contains(words), "{error}");
        let head = proxy.heads().remove(0);
        assert!(head.starts_with("CONNECT shop.example:443 HTTP/1.1\r\n"), "{head}");
        assert!(head.contains(BASIC), "{head}");
    }
}

/// A proxy that opens the way it is asked for, to `to` whatever the name; returns what it was asked.
async fn tunnel(listener: TcpListener, to: u16) -> String {
    let (mut socket, _) = listener.accept().await.unwrap();
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        socket.read_buf(&mut head).await.unwrap();
    }
    socket.write_all(b"HTTP/1.1 200 Connection established\r\nx: y\r\n\r\n").await.unwrap();
    let mut other = TcpStream::connect(("127.0.0.1", to)).await.unwrap();
    let _ended = tokio::io::copy_bidirectional(&mut socket, &mut other).await;
    String::from_utf8(head).unwrap()
}

#[tokio::test]
async fn tls_goes_through_a_tunnel_to_the_named_host() {
    let authority = Authority::new();
    let (server, port) = TlsListener::bind(authority.server(Flaw::None, &["http/1.1"])).await;
    let proxy = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let proxy_port = proxy.local_addr().unwrap().port();
    let mut tasks = JoinSet::new();
    tasks.spawn(async move {
        let mut socket = server.accept().await.unwrap();
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            socket.read_buf(&mut head).await.unwrap();
        }
        socket.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok").await.unwrap();
        let _rest = socket.read_to_end(&mut Vec::new()).await;
        String::from_utf8(head).unwrap()
    });
    let mut proxied = JoinSet::new();
    proxied.spawn(tunnel(proxy, port));
    let client = authority.client().proxy(through(proxy_port)).build();
    let request = get("https://tls.example/a", HttpLimits::default());
    assert_eq!(fetch_with(&client, request).await.unwrap(), (200, b"ok".to_vec()));
    drop(client);
    let head = tasks.join_next().await.unwrap().unwrap();
    assert!(head.starts_with("GET /a HTTP/1.1\r\n"), "{head}");
    assert!(!head.contains("proxy-authorization"), "{head}");
    let connect = proxied.join_next().await.unwrap().unwrap();
    assert!(connect.starts_with("CONNECT tls.example:443 HTTP/1.1\r\n"), "{connect}");
}

/// Every name is on the public internet.
#[derive(Debug)]
struct Public;

#[async_trait::async_trait]
impl Resolve for Public {
    async fn resolve(&self, _name: &str) -> std::io::Result<Vec<std::net::IpAddr>> {
        Ok(vec![std::net::Ipv4Addr::new(93, 184, 215, 14).into()])
    }
}

#[tokio::test]
async fn a_model_s_address_goes_through_as_it_was_judged() {
    let ok = Step::send("HTTP/1.1 200 Connection established\r\n\r\n");
    let answer = Step::send("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok");
    let proxy = Peer::always(vec![ReadHead, ok, ReadHead, answer, AwaitClose]).await;
    let any = || vec![HostPattern::parse("*").unwrap()];
    let policy = Arc::new(AddressPolicy::ModelChosen { allow_hosts: any(), allow_http: any() });
    let request =
        HttpRequest { policy: Some(policy), ..get("http://shop.example/a", HttpLimits::default()) };
    let resolver: Arc<dyn Resolve> = Arc::new(Public);
    let client = HttpClient::builder().resolver(resolver).proxy(through(proxy.port)).build();
    assert_eq!(fetch_with(&client, request.clone()).await.unwrap().1, b"ok");
    let [connect, asked] = &proxy.heads()[..] else { unreachable!("two heads") };
    assert!(connect.starts_with("CONNECT 93.184.215.14:80 HTTP/1.1\r\n"), "no name: {connect}");
    assert!(asked.starts_with("GET /a HTTP/1.1\r\n"), "{asked}");
    assert!(asked.contains("host: shop.example\r\n") && !asked.contains(BASIC), "{asked}");

    let inside = Authority::new().client().proxy(through(proxy.port)).build();
    let error = inside.send(request).await.unwrap_err();
    assert_eq!(error.kind, HttpErrorKind::Blocked, "its address is this machine: {error}");
    assert_eq!(proxy.heads().len(), 2);
}

#[tokio::test]
async fn this_machine_is_reached_without_the_proxy() {
    let ok = Step::send("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok");
    let proxy = Peer::always(vec![AwaitClose]).await;
    let local = Peer::always(vec![ReadHead, ok, AwaitClose]).await;
    let client = HttpClient::new(through(proxy.port));
    let request = get(&local.url(), HttpLimits::default());
    assert_eq!(fetch_with(&client, request).await.unwrap().1, b"ok");
    assert_eq!(proxy.connections(), 0);
    assert!(local.heads()[0].starts_with("GET /path"), "{:?}", local.heads());
}

#[tokio::test]
async fn a_proxy_that_is_no_address_is_told_when_it_is_used() {
    let client = HttpClient::new(Proxy::Url(Secret::new("socks5://user:pass@proxy".to_owned())));
    let error = client.send(get("https://a.example/", HttpLimits::default())).await.unwrap_err();
    assert_eq!((error.kind, error.never_sent), (HttpErrorKind::BadRequest, true));
    assert!(
        error.sentence.contains("network.proxy") && !error.sentence.contains("pass"),
        "{error}"
    );
}

//! Where requests go, and where they do not, with names whose addresses change.

use std::io;
use std::net::IpAddr;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use manos_net::{
    AddressPolicy, HostPattern, HttpClient, HttpErrorKind, HttpLimits, HttpRequest, Resolve,
};

use crate::peer::Step::{AwaitClose, ReadHead};
use crate::peer::{Peer, Step};
use crate::{fetch_with, get};

/// Answers each look-up with the next of its answers, and the last one for ever.
#[derive(Debug)]
struct Changing {
    answers: Vec<&'static [&'static str]>,
    asked: Mutex<Vec<String>>,
}

impl Changing {
    fn new(answers: &[&'static [&'static str]]) -> Arc<Self> {
        Arc::new(Self { answers: answers.to_vec(), asked: Mutex::default() })
    }

    fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

#[async_trait]
impl Resolve for Changing {
    async fn resolve(&self, name: &str) -> io::Result<Vec<IpAddr>> {
        let mut asked = self.asked.lock().unwrap();
        let answer = self.answers.get(asked.len()).or(self.answers.last());
        asked.push(name.to_owned());
        let answer = answer.ok_or(io::Error::from(io::ErrorKind::NotFound))?;
        Ok(answer.iter().map(|ip| ip.parse().unwrap()).collect())
    }
}

fn patterns(texts: &[&str]) -> Vec<HostPattern> {
    texts.iter().map(|text| HostPattern::parse(text).unwrap()).collect()
}

fn client(resolver: &Arc<Changing>) -> HttpClient {
    let resolver: Arc<dyn Resolve> = Arc::<Changing>::clone(resolver);
    HttpClient::builder().resolver(resolver).allow_http(patterns(&["shop.example"])).build()
}

fn of_model(url: &str, allow_hosts: &[&str]) -> HttpRequest {
    let policy = AddressPolicy::ModelChosen {
        allow_hosts: patterns(allow_hosts),
        allow_http: patterns(&["*"]),
    };
    HttpRequest { policy: Some(Arc::new(policy)), ..get(url, HttpLimits::default()) }
}

async fn peer() -> Peer {
    let ok = Step::send("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok");
    Peer::always(vec![ReadHead, ok.clone(), ReadHead, ok, AwaitClose]).await
}

#[tokio::test]
async fn a_name_that_leads_inside_is_not_followed() {
    let peer = peer().await;
    let port = peer.port;
    let any = format!("*:{port}");
    let cases: [(&str, &[&str]); 6] = [
        ("shop.example", &["127.0.0.1"]),
        ("shop.example", &["93.184.215.14", "127.0.0.1"]),
        ("shop.example", &["::ffff:127.0.0.1"]),
        ("shop.example", &["169.254.169.254"]),
        ("metadata.google.internal", &["169.254.169.254"]),
        ("shop.example", &["0.0.0.0"]),
    ];
    for (name, answer) in cases {
        let resolver = Changing::new(&[answer]);
        let request = of_model(&format!("http://{name}:{port}/"), &[&any]);
        let error = client(&resolver).send(request).await.unwrap_err();
        assert_eq!((error.kind, error.never_sent), (HttpErrorKind::Blocked, true), "{error}");
        assert!(error.sentence.contains(name), "{error}");
    }
    assert_eq!(peer.connections(), 0);
}

#[tokio::test]
async fn an_address_that_is_refused_as_written_is_not_looked_up() {
    let peer = peer().await;
    let port = peer.port;
    let any = format!("*:{port}");
    for host in ["127.0.0.1", "0x7f.1", "2130706433", "[::1]", "localhost", "[::ffff:7f00:1]"] {
        let resolver = Changing::new(&[&["127.0.0.1"]]);
        let request = of_model(&format!("http://{host}:{port}/"), &[&any]);
        let error = client(&resolver).send(request).await.unwrap_err();
        assert_eq!(error.kind, HttpErrorKind::Blocked, "{host}: {error}");
        assert_eq!(resolver.asked(), Vec::<String>::new(), "{host}");
    }
    assert_eq!(peer.connections(), 0);
}

#[tokio::test]
async fn a_name_is_looked_up_once_and_the_answer_is_connected_to() {
    let peer = peer().await;
    let url = format!("http://localhost:{}/", peer.port);
    let named = format!("localhost:{}", peer.port);
    let resolver = Changing::new(&[&["127.0.0.1"], &["10.0.0.1"]]);
    let client = client(&resolver);
    for _ in 0..2 {
        fetch_with(&client, of_model(&url, &[&named])).await.unwrap();
    }
    assert_eq!(resolver.asked(), ["localhost"], "the second request goes over the same connection");

    let changed = Changing::new(&[&["10.0.0.1"], &["127.0.0.1"]]);
    let client = self::client(&changed);
    let error = client.send(of_model(&url, &[&named])).await.unwrap_err();
    assert_eq!(error.kind, HttpErrorKind::Blocked, "no second look-up mends the first");
    assert_eq!(changed.asked().len(), 1);
}

#[tokio::test]
async fn a_connection_of_the_operator_carries_nothing_of_a_model() {
    let peer = peer().await;
    let url = format!("http://shop.example:{}/", peer.port);
    let any = format!("*:{}", peer.port);
    let resolver = Changing::new(&[&["127.0.0.1"]]);
    let client = client(&resolver);
    fetch_with(&client, get(&url, HttpLimits::default())).await.unwrap();
    let error = client.send(of_model(&url, &[&any])).await.unwrap_err();
    assert_eq!(error.kind, HttpErrorKind::Blocked, "{error}");
    assert_eq!(peer.heads().len(), 1);
}

#[tokio::test]
async fn plain_http_goes_nowhere_but_where_it_is_allowed() {
    let resolver = Changing::new(&[&["127.0.0.1"]]);
    let request = get("http://other.example/", HttpLimits::default());
    let error = client(&resolver).send(request).await.unwrap_err();
    assert_eq!(error.kind, HttpErrorKind::Blocked);
    assert!(error.sentence.contains("network.allow_http"), "{error}");
    assert_eq!(resolver.asked(), Vec::<String>::new());
}

#[tokio::test]
async fn a_name_without_an_address_is_dns() {
    for answers in [&[][..], &[&[][..]]] {
        let resolver = Changing::new(answers);
        let request = get("https://shop.example/", HttpLimits::default());
        let error = client(&resolver).send(request).await.unwrap_err();
        assert_eq!((error.kind, error.never_sent), (HttpErrorKind::Dns, true), "{error}");
        assert!(error.sentence.contains("shop.example"), "{error}");
    }
}

#[tokio::test]
async fn the_next_address_is_tried_when_one_is_dead() {
    let peer = peer().await;
    // Nothing listens on the others.
    let resolver = Changing::new(&[&["127.0.0.9", "::1", "127.0.0.1"]]);
    let url = format!("http://shop.example:{}/", peer.port);
    fetch_with(&client(&resolver), get(&url, HttpLimits::default())).await.unwrap();
    let head = peer.heads().remove(0);
    assert!(head.contains(&format!("host: shop.example:{}\r\n", peer.port)), "{head}");
}

//! HTTP/2, from servers that keep to it and that do not.

use std::future::poll_fn;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use h2::{Reason, SendStream, server};
use hyper::Response;
use manos_net::{HttpClient, HttpErrorKind, HttpLimits};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio_rustls::server::TlsStream;

use crate::tls_peer::{Authority, Flaw, TlsListener};
use crate::{SHORT, fetch_with, get};

type Respond = server::SendResponse<Bytes>;

/// What is done with each request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Habit {
    /// `ok`.
    Answer,
    /// `ok`, and the connection takes nothing more.
    AnswerAndGo,
    /// Half an answer, then the connection is given up with an error.
    GoAwayInTheMiddle,
    /// Half an answer, then a reset of the stream.
    ResetInTheMiddle,
    /// The stream is refused.
    Refuse,
    /// Half an answer, then nothing, until the client gives up.
    Stop,
    /// Bytes that are no frames.
    Garbage,
}

struct Server {
    url: String,
    connections: Arc<AtomicUsize>,
    resets: mpsc::UnboundedReceiver<Reason>,
    client: HttpClient,
    _tasks: JoinSet<()>,
}

impl Server {
    async fn start(habit: Habit) -> Self {
        let authority = Authority::new();
        let config = authority.server(Flaw::None, &["h2"]);
        let (listener, port) = TlsListener::bind(config).await;
        let connections: Arc<AtomicUsize> = Arc::default();
        let (sender, resets) = mpsc::unbounded_channel();
        let mut tasks = JoinSet::new();
        let count = Arc::clone(&connections);
        tasks.spawn(async move {
            let mut running = JoinSet::new();
            loop {
                let socket = listener.accept().await.unwrap();
                count.fetch_add(1, Ordering::SeqCst);
                running.spawn(serve(socket, habit, sender.clone()));
            }
        });
        let url = format!("https://tls.example:{port}/path");
        let client = authority.client().build();
        Self { url, connections, resets, client, _tasks: tasks }
    }

    fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }
}

async fn serve(
    mut socket: TlsStream<TcpStream>,
    habit: Habit,
    resets: mpsc::UnboundedSender<Reason>,
) {
    if habit == Habit::Garbage {
        let mut preface = [0; 24];
        let _read = socket.read_exact(&mut preface).await;
        let _taken = socket.write_all(&[0xff; 64]).await;
        let _rest = socket.read_to_end(&mut Vec::new()).await;
        return;
    }
    let mut connection = server::handshake(socket).await.unwrap();
    let mut running = JoinSet::new();
    while let Some(Ok((request, mut respond))) = connection.accept().await {
        assert_eq!(request.uri().path(), "/path");
        match habit {
            Habit::Refuse => respond.send_reset(Reason::REFUSED_STREAM),
            Habit::AnswerAndGo => {
                answer(&mut respond);
                connection.graceful_shutdown();
            }
            Habit::GoAwayInTheMiddle => {
                let _half = half(&mut respond);
                // The half goes out before the farewell.
                let sending = poll_fn(|cx| connection.poll_closed(cx));
                let _passed = tokio::time::timeout(SHORT, sending).await;
                connection.abrupt_shutdown(Reason::INTERNAL_ERROR);
            }
            Habit::ResetInTheMiddle | Habit::Stop => {
                running.spawn(stop(respond, habit, resets.clone()));
            }
            Habit::Answer | Habit::Garbage => answer(&mut respond),
        }
    }
}

fn answer(respond: &mut Respond) {
    let mut body = respond.send_response(Response::new(()), false).unwrap();
    body.send_data(Bytes::from_static(b"ok"), true).unwrap();
}

fn half(respond: &mut Respond) -> SendStream<Bytes> {
    let mut body = respond.send_response(Response::new(()), false).unwrap();
    body.send_data(Bytes::from_static(b"half"), false).unwrap();
    body
}

async fn stop(mut respond: Respond, habit: Habit, resets: mpsc::UnboundedSender<Reason>) {
    let mut body = half(&mut respond);
    if habit == Habit::ResetInTheMiddle {
        tokio::time::sleep(SHORT).await;
        body.send_reset(Reason::INTERNAL_ERROR);
        return;
    }
    if let Ok(reason) = poll_fn(|cx| body.poll_reset(cx)).await {
        let _told = resets.send(reason);
    }
}

#[tokio::test]
async fn many_requests_share_one_connection() {
    let server = Server::start(Habit::Answer).await;
    let ask = || fetch_with(&server.client, get(&server.url, HttpLimits::default()));
    assert_eq!(ask().await.unwrap(), (200, b"ok".to_vec()));
    let (a, b, c) = tokio::join!(ask(), ask(), ask());
    assert!(a.is_ok() && b.is_ok() && c.is_ok());
    assert_eq!(server.connections(), 1);
}

#[tokio::test]
async fn a_connection_that_says_farewell_is_replaced() {
    let server = Server::start(Habit::AnswerAndGo).await;
    for _ in 0..3 {
        let asked = fetch_with(&server.client, get(&server.url, HttpLimits::default())).await;
        assert_eq!(asked.unwrap(), (200, b"ok".to_vec()));
        tokio::time::sleep(SHORT).await;
    }
    assert_eq!(server.connections(), 3);
}

#[tokio::test]
async fn what_breaks_in_the_middle_is_a_lost_connection() {
    for habit in [Habit::ResetInTheMiddle, Habit::GoAwayInTheMiddle] {
        let server = Server::start(habit).await;
        let error =
            fetch_with(&server.client, get(&server.url, HttpLimits::default())).await.unwrap_err();
        assert_eq!(error.kind, HttpErrorKind::Connection, "{habit:?}: {error}");
        assert!(error.may_have_acted(), "{habit:?}: {error}");
        assert!(error.sentence.contains("tls.example"), "{habit:?}: {error}");
    }
}

#[tokio::test]
async fn a_refused_stream_was_not_acted_upon() {
    let server = Server::start(Habit::Refuse).await;
    let error = server.client.send(get(&server.url, HttpLimits::default())).await.unwrap_err();
    assert_eq!((error.kind, error.never_sent), (HttpErrorKind::Connection, true), "{error}");
}

#[tokio::test]
async fn a_request_that_nobody_waits_for_is_reset_and_the_connection_stays() {
    let mut server = Server::start(Habit::Stop).await;
    let limits = HttpLimits { idle: SHORT, ..HttpLimits::default() };
    for _ in 0..2 {
        let mut response = server.client.send(get(&server.url, limits)).await.unwrap();
        assert_eq!(response.chunk().await.unwrap().as_deref(), Some(&b"half"[..]));
        assert_eq!(response.chunk().await.unwrap_err().kind, HttpErrorKind::Timeout);
        drop(response);
        assert_eq!(server.resets.recv().await, Some(Reason::CANCEL));
    }
    assert_eq!(server.connections(), 1);
}

#[tokio::test]
async fn bytes_that_are_no_frames_are_no_answer() {
    let server = Server::start(Habit::Garbage).await;
    let error = server.client.send(get(&server.url, HttpLimits::default())).await.unwrap_err();
    assert_eq!(error.kind, HttpErrorKind::BadReply, "{error}");
}

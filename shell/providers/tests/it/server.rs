//! A fake model server on raw sockets: it says exactly the bytes it is told to, in the pieces it is
//! told to, and checks each request as a strict provider would.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio::task::JoinSet;

/// What the server does with one request, piece by piece.
#[derive(Debug, Clone)]
pub(crate) enum Act {
    /// Closes the connection.
    Close,
    /// Waits until the client closes it.
    Hang,
    /// Says these bytes.
    Say(Vec<u8>),
    /// Waits.
    Wait(Duration),
}

/// One request as it came.
#[derive(Debug, Clone)]
pub(crate) struct Seen {
    pub(crate) head: String,
    pub(crate) body: Value,
    /// Which connection it came on, counted from 0.
    pub(crate) connection: usize,
}

#[derive(Debug, Default)]
struct Shared {
    replies: Mutex<VecDeque<Vec<Act>>>,
    seen: Mutex<Vec<Seen>>,
    client_closed: Notify,
}

/// A server on loopback; it goes when it is dropped.
pub(crate) struct Server {
    pub(crate) base_url: String,
    shared: Arc<Shared>,
    _tasks: JoinSet<()>,
}

impl Server {
    /// Starts; each request gets the next reply, and none is left over for one too many.
    pub(crate) async fn start(replies: Vec<Vec<Act>>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base_url = format!("http://{}/v1", listener.local_addr().unwrap());
        let shared = Arc::new(Shared { replies: Mutex::new(replies.into()), ..Shared::default() });
        let mut tasks = JoinSet::new();
        let at_work = Arc::clone(&shared);
        tasks.spawn(async move {
            let mut connections = JoinSet::new();
            for number in 0.. {
                let (socket, _) = listener.accept().await.unwrap();
                connections.spawn(serve(socket, number, Arc::clone(&at_work)));
            }
        });
        Self { base_url, shared, _tasks: tasks }
    }

    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.shared.seen.lock().unwrap().clone()
    }

    /// Waits until a client has closed a connection on which the server hangs.
    pub(crate) async fn client_closed(&self) {
        let wait = self.shared.client_closed.notified();
        tokio::time::timeout(Duration::from_secs(5), wait).await.unwrap();
    }
}

/// A whole streamed response, as a chunked body in one piece.
pub(crate) fn stream(body: &str) -> Vec<Act> {
    vec![Act::Say(stream_head()), Act::Say(chunk(body)), Act::Say(b"0\r\n\r\n".to_vec())]
}

pub(crate) fn stream_head() -> Vec<u8> {
    b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
        .to_vec()
}

pub(crate) fn chunk(text: &str) -> Vec<u8> {
    format!("{:x}\r\n{text}\r\n", text.len()).into_bytes()
}

/// A whole response that is not streamed.
pub(crate) fn response(status: u16, headers: &str, body: &str) -> Vec<Act> {
    let length = body.len();
    let text = format!(
        "HTTP/1.1 {status} X\r\n{headers}content-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}"
    );
    vec![Act::Say(text.into_bytes())]
}

async fn serve(mut socket: TcpStream, connection: usize, shared: Arc<Shared>) {
    let mut buffer = Vec::new();
    while let Some((head, body)) = read_request(&mut socket, &mut buffer).await {
        let body: Value = serde_json::from_slice(&body).unwrap();
        shared.seen.lock().unwrap().push(Seen { head, body, connection });
        let acts = shared.replies.lock().unwrap().pop_front();
        let acts = acts.unwrap_or_else(|| response(500, "", "one request too many"));
        for act in acts {
            match act {
                Act::Close => return,
                Act::Hang => {
                    let mut rest = [0; 64];
                    while socket.read(&mut rest).await.unwrap_or(0) > 0 {}
                    shared.client_closed.notify_one();
                    return;
                }
                Act::Say(bytes) => {
                    if socket.write_all(&bytes).await.is_err() {
                        return;
                    }
                    socket.flush().await.unwrap();
                }
                Act::Wait(time) => tokio::time::sleep(time).await,
            }
        }
    }
}

async fn read_request(socket: &mut TcpStream, buffer: &mut Vec<u8>) -> Option<(String, Vec<u8>)> {
    loop {
        if let Some(end) = buffer.windows(4).position(|w| w == b"\r\n\r\n") {
            let head = String::from_utf8(buffer[..end].to_vec()).unwrap().to_ascii_lowercase();
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
            let length: usize = length.map_or(0, |text| text.trim().parse().unwrap());
            let whole = end + 4 + length;
            if buffer.len() >= whole {
                let body = buffer[end + 4..whole].to_vec();
                buffer.drain(..whole);
                return Some((head, body));
            }
        }
        if socket.read_buf(buffer).await.ok()? == 0 {
            return None;
        }
    }
}

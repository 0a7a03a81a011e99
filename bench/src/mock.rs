//! The model's server: a process of its own, so that its work is not counted.
//!
//! It answers a request without a tool result by a call, and one with a result by a text, in
//! pieces below `/stream/` and whole elsewhere, and counts both. `GET /counts` tells the counts. It
//! prints its port, and ends when its standard input does.

use std::io::Read as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use serde::{Deserialize, Serialize};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

mod replies;

use replies::Replies;

/// What the server has been asked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Counts {
    /// Requests answered by a call.
    pub(crate) calls: u64,
    /// Requests answered by a text.
    pub(crate) texts: u64,
    /// Bytes of their bodies.
    pub(crate) bytes: u64,
}

#[derive(Debug, Default)]
struct Counters {
    calls: AtomicU64,
    texts: AtomicU64,
    bytes: AtomicU64,
}

/// Serves until standard input ends.
pub(crate) fn serve() -> anyhow::Result<()> {
    std::thread::spawn(|| {
        // Whoever started us has gone when this ends.
        let _end = std::io::stdin().read_to_end(&mut Vec::new());
        std::process::abort();
    });
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        println!("{}", listener.local_addr()?.port());
        let counters = Arc::new(Counters::default());
        let replies = Arc::new(Replies::new());
        loop {
            let (socket, _) = listener.accept().await?;
            socket.set_nodelay(true)?;
            let connection = Connection {
                socket,
                buffer: Vec::new(),
                counters: Arc::clone(&counters),
                replies: Arc::clone(&replies),
            };
            tokio::spawn(connection.run());
        }
    })
}

struct Connection {
    socket: TcpStream,
    buffer: Vec<u8>,
    counters: Arc<Counters>,
    replies: Arc<Replies>,
}

/// A request whose bytes are all here.
struct Request {
    stream: bool,
    counts: bool,
    body_from: usize,
    to: usize,
}

impl Connection {
    async fn run(mut self) {
        while let Some(request) = self.request().await {
            if self.answer(&request).await.is_err() {
                return;
            }
            self.buffer.drain(..request.to);
        }
    }

    async fn answer(&mut self, request: &Request) -> std::io::Result<()> {
        if request.counts {
            let counts = Counts {
                calls: self.counters.calls.load(Ordering::Relaxed),
                texts: self.counters.texts.load(Ordering::Relaxed),
                bytes: self.counters.bytes.load(Ordering::Relaxed),
            };
            let body = serde_json::to_string(&counts)?;
            return self.socket.write_all(replies::whole(&body).as_bytes()).await;
        }
        let body = &self.buffer[request.body_from..request.to];
        self.counters.bytes.fetch_add(body.len() as u64, Ordering::Relaxed);
        let told = contains(body, b"\"role\":\"tool\"");
        let counter = if told { &self.counters.texts } else { &self.counters.calls };
        counter.fetch_add(1, Ordering::Relaxed);
        self.socket.write_all(self.replies.to(request.stream, told)).await
    }

    /// Reads up to the end of the next request.
    async fn request(&mut self) -> Option<Request> {
        loop {
            if let Some(request) = whole_request(&self.buffer) {
                return Some(request);
            }
            let read = self.socket.read_buf(&mut self.buffer).await.ok()?;
            if read == 0 {
                return None;
            }
        }
    }
}

fn whole_request(buffer: &[u8]) -> Option<Request> {
    let end = buffer.windows(4).position(|window| window == b"\r\n\r\n")? + 4;
    let head = String::from_utf8_lossy(&buffer[..end]).to_ascii_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length:"));
    let length: usize = length.and_then(|text| text.trim().parse().ok()).unwrap_or(0);
    (buffer.len() >= end + length).then(|| Request {
        stream: head.starts_with("post /stream/"),
        counts: head.starts_with("get /counts"),
        body_from: end,
        to: end + length,
    })
}

fn contains(body: &[u8], text: &[u8]) -> bool {
    String::from_utf8_lossy(body).contains(&*String::from_utf8_lossy(text))
}

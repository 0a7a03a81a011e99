//! A server on raw sockets that does exactly what it is told, well behaved or not.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::task::JoinSet;

/// One thing that a peer does on a connection.
#[derive(Debug, Clone)]
pub(crate) enum Step {
    /// Reads a request, and keeps its head.
    ReadHead,
    /// Writes this.
    Send(Vec<u8>),
    /// Writes this a byte at a time, with a pause after each.
    Drip(Vec<u8>, Duration),
    /// Writes this again and again, as fast as it is taken.
    Endless(Vec<u8>),
    /// Says that nothing more comes, and goes on listening.
    HalfClose,
    /// Drops the connection so that the other side gets a reset.
    Reset,
    /// Waits until the other side has closed; then says so.
    AwaitClose,
}

impl Step {
    pub(crate) fn send(text: &str) -> Self {
        Self::Send(text.as_bytes().to_vec())
    }
}

/// A running server; each connection goes through its own list of steps, the last list serves all
/// further ones.
#[derive(Debug)]
pub(crate) struct Peer {
    pub(crate) port: u16,
    seen: Arc<Seen>,
    closed: mpsc::UnboundedReceiver<()>,
    _tasks: JoinSet<()>,
}

#[derive(Debug, Default)]
struct Seen {
    connections: AtomicUsize,
    heads: std::sync::Mutex<Vec<String>>,
    bytes_sent: AtomicU64,
}

impl Peer {
    pub(crate) async fn start(connections: Vec<Vec<Step>>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let seen: Arc<Seen> = Arc::default();
        let (closed_sender, closed) = mpsc::unbounded_channel();
        let mut tasks = JoinSet::new();
        let at = Arc::clone(&seen);
        tasks.spawn(async move {
            let mut running = JoinSet::new();
            loop {
                let (socket, _) = listener.accept().await.unwrap();
                let number = at.connections.fetch_add(1, Ordering::SeqCst);
                let steps = connections.get(number).or(connections.last()).cloned();
                let (at, closed) = (Arc::clone(&at), closed_sender.clone());
                running.spawn(async move {
                    // What the other side no longer takes is not this side's trouble.
                    let _ended = go(socket, steps.unwrap_or_default(), &at, &closed).await;
                });
            }
        });
        Self { port, seen, closed, _tasks: tasks }
    }

    /// One connection's steps for all of them.
    pub(crate) async fn always(steps: Vec<Step>) -> Self {
        Self::start(vec![steps]).await
    }

    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}/path?key=secret", self.port)
    }

    pub(crate) fn connections(&self) -> usize {
        self.seen.connections.load(Ordering::SeqCst)
    }

    pub(crate) fn heads(&self) -> Vec<String> {
        self.seen.heads.lock().unwrap().clone()
    }

    pub(crate) fn bytes_sent(&self) -> u64 {
        self.seen.bytes_sent.load(Ordering::SeqCst)
    }

    /// Waits until an `AwaitClose` has seen the other side close.
    pub(crate) async fn was_closed(&mut self) {
        let limit = Duration::from_secs(10);
        tokio::time::timeout(limit, self.closed.recv()).await.unwrap().unwrap();
    }
}

async fn go(
    mut socket: TcpStream,
    steps: Vec<Step>,
    seen: &Seen,
    closed: &mpsc::UnboundedSender<()>,
) -> std::io::Result<()> {
    for step in steps {
        match step {
            Step::ReadHead => {
                let Some(head) = read_request(&mut socket).await? else { return Ok(()) };
                seen.heads.lock().unwrap().push(head);
            }
            Step::Send(bytes) => socket.write_all(&bytes).await?,
            Step::Drip(bytes, pause) => {
                for byte in bytes {
                    socket.write_all(&[byte]).await?;
                    tokio::time::sleep(pause).await;
                }
            }
            Step::Endless(bytes) => loop {
                socket.write_all(&bytes).await?;
                let sent = u64::try_from(bytes.len()).unwrap();
                seen.bytes_sent.fetch_add(sent, Ordering::SeqCst);
            },
            Step::HalfClose => socket.shutdown().await?,
            Step::Reset => {
                socket.set_zero_linger()?;
                return Ok(());
            }
            Step::AwaitClose => {
                let mut rest = Vec::new();
                // A reset is a close as well.
                let _ended = socket.read_to_end(&mut rest).await;
                let _told = closed.send(());
            }
        }
    }
    Ok(())
}

/// Reads a whole request and returns its head, or `None` when there is none.
async fn read_request(socket: &mut TcpStream) -> std::io::Result<Option<String>> {
    let mut read = Vec::new();
    let end = loop {
        if let Some(at) = read.windows(4).position(|four| four == b"\r\n\r\n") {
            break at + 4;
        }
        if socket.read_buf(&mut read).await? == 0 {
            return Ok(None);
        }
    };
    let head = String::from_utf8(read[..end].to_vec()).unwrap();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
    let length: usize = length.map_or(0, |digits| digits.parse().unwrap());
    while read.len() < end + length {
        if socket.read_buf(&mut read).await? == 0 {
            return Ok(None);
        }
    }
    Ok(Some(head))
}

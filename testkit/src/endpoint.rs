//! An HTTP server on loopback for tests of whatever calls one: it records each request byte by
//! byte and answers with exactly the bytes it is told to, or not at all.
//!
//! It speaks HTTP/1.1 without TLS, on threads of its own, so that it serves tests of programs as
//! well as tests of futures. It goes when it is dropped.

use std::collections::VecDeque;
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// What the server does with one request, piece by piece.
#[derive(Debug, Clone)]
pub enum Act {
    /// Closes the connection.
    Close,
    /// Waits until the client closes it.
    Hang,
    /// Says these bytes.
    Say(Vec<u8>),
}

/// One request as it came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    /// The method.
    pub method: String,
    /// Path and query, as they stood in the request.
    pub path: String,
    /// The headers in their order, names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
    /// Which connection it came on, counted from 0.
    pub connection: usize,
}

impl Seen {
    /// Returns a header; its name in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Returns the body as text, with what is no UTF-8 replaced.
    pub fn body_text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
}

/// Returns a whole reply; `headers` are lines with their ends.
pub fn reply(status: u16, headers: &str, body: &str) -> Vec<Act> {
    let length = body.len();
    let head = format!("HTTP/1.1 {status} X\r\n{headers}content-length: {length}\r\n\r\n");
    vec![Act::Say([head.as_bytes(), body.as_bytes()].concat())]
}

type Answer = Box<dyn Fn(&Seen) -> Vec<Act> + Send + Sync>;

struct Shared {
    answer: Answer,
    seen: Mutex<Vec<Seen>>,
    closed: Sender<()>,
    over: AtomicBool,
}

/// The server.
pub struct EndpointServer {
    address: SocketAddr,
    shared: Arc<Shared>,
    closed: Mutex<Receiver<()>>,
}

impl std::fmt::Debug for EndpointServer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EndpointServer").field("address", &self.address).finish_non_exhaustive()
    }
}

impl EndpointServer {
    /// Starts a server whose requests get one of the replies each, in their order. One request too
    /// many gets the status 599.
    ///
    /// # Errors
    ///
    /// When no port is free.
    pub fn with_replies(replies: Vec<Vec<Act>>) -> std::io::Result<Self> {
        let replies = Mutex::new(VecDeque::from(replies));
        Self::start(move |_| {
            let next = replies.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
            next.unwrap_or_else(|| reply(599, "", "one request too many"))
        })
    }

    /// Starts a server that answers by a function.
    ///
    /// # Errors
    ///
    /// When no port is free.
    pub fn start(
        answer: impl Fn(&Seen) -> Vec<Act> + Send + Sync + 'static,
    ) -> std::io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = listener.local_addr()?;
        let (closed, receiver) = channel();
        let shared = Arc::new(Shared {
            answer: Box::new(answer),
            seen: Mutex::default(),
            closed,
            over: AtomicBool::new(false),
        });
        let at_work = Arc::clone(&shared);
        std::thread::spawn(move || accept(&listener, &at_work));
        Ok(Self { address, shared, closed: Mutex::new(receiver) })
    }

    /// Returns the address of a path, which begins with `/`.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Returns all requests so far.
    pub fn seen(&self) -> Vec<Seen> {
        self.shared.seen.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Whether the client closes a connection on which the server hangs, within a few seconds.
    pub fn client_closes(&self) -> bool {
        let closed = self.closed.lock().unwrap_or_else(PoisonError::into_inner);
        closed.recv_timeout(Duration::from_secs(5)).is_ok()
    }
}

impl Drop for EndpointServer {
    fn drop(&mut self) {
        self.shared.over.store(true, Ordering::SeqCst);
        // Wakes the listener, which then ends.
        drop(TcpStream::connect(self.address));
    }
}

fn accept(listener: &TcpListener, shared: &Arc<Shared>) {
    for (connection, socket) in listener.incoming().enumerate() {
        let (Ok(socket), false) = (socket, shared.over.load(Ordering::SeqCst)) else { return };
        let shared = Arc::clone(shared);
        std::thread::spawn(move || serve(socket, connection, &shared));
    }
}

fn serve(mut socket: TcpStream, connection: usize, shared: &Shared) {
    let mut buffer = Vec::new();
    while let Some(seen) = read_request(&mut socket, &mut buffer, connection) {
        shared.seen.lock().unwrap_or_else(PoisonError::into_inner).push(seen.clone());
        for act in (shared.answer)(&seen) {
            match act {
                Act::Close => return,
                Act::Hang => {
                    let mut rest = [0; 64];
                    while socket.read(&mut rest).unwrap_or(0) > 0 {}
                    // Whoever would hear of it may be gone.
                    let _gone = shared.closed.send(());
                    return;
                }
                Act::Say(bytes) => {
                    if socket.write_all(&bytes).and_then(|()| socket.flush()).is_err() {
                        return;
                    }
                }
            }
        }
    }
}

fn read_request(socket: &mut TcpStream, buffer: &mut Vec<u8>, connection: usize) -> Option<Seen> {
    loop {
        if let Some(end) = buffer.windows(4).position(|window| window == b"\r\n\r\n") {
            let head = String::from_utf8_lossy(&buffer[..end]).into_owned();
            let mut seen = read_head(&head, connection)?;
            let length: usize =
                seen.header("content-length").map_or(Some(0), |text| text.parse().ok())?;
            let whole = end + 4 + length;
            if buffer.len() >= whole {
                seen.body = buffer[end + 4..whole].to_vec();
                buffer.drain(..whole);
                return Some(seen);
            }
        }
        let mut piece = [0; 4096];
        match socket.read(&mut piece) {
            Ok(0) | Err(_) => return None,
            Ok(count) => buffer.extend_from_slice(&piece[..count]),
        }
    }
}

fn read_head(head: &str, connection: usize) -> Option<Seen> {
    let mut lines = head.split("\r\n");
    let mut first = lines.next()?.split(' ');
    let (method, path) = (first.next()?.to_owned(), first.next()?.to_owned());
    let headers = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
        .collect();
    Some(Seen { method, path, headers, body: Vec::new(), connection })
}

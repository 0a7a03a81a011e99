//! A model's server of ours, which the command is sent to.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

/// One request as it came.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    /// All lines before the body, in small letters.
    pub(crate) head: String,
    pub(crate) body: String,
}

/// A server that gives these answers one after the other, and keeps what it was asked.
pub(crate) struct ModelServer {
    pub(crate) address: String,
    seen: Arc<Mutex<Vec<Asked>>>,
}

impl ModelServer {
    pub(crate) fn start(answers: Vec<String>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let seen = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&seen);
        thread::spawn(move || {
            for answer in answers {
                let Ok((stream, _)) = listener.accept() else { return };
                let asked = serve(stream, &answer);
                kept.lock().unwrap().push(asked);
            }
        });
        Self { address, seen }
    }

    pub(crate) fn seen(&self) -> Vec<Asked> {
        self.seen.lock().unwrap().clone()
    }
}

fn serve(stream: TcpStream, answer: &str) -> Asked {
    let mut reader = BufReader::new(stream);
    let (mut head, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        if line.trim().is_empty() {
            break;
        }
        let line = line.to_ascii_lowercase();
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        head.push_str(&line);
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    let mut stream = reader.into_inner();
    let length = answer.len();
    let status = "HTTP/1.1 200 OK\r\nconnection: close";
    write!(stream, "{status}\r\ncontent-length: {length}\r\n\r\n{answer}").unwrap();
    Asked { head, body: String::from_utf8(body).unwrap() }
}

//! A model's server of ours, which the command is sent to.

use std::io::{BufReader, Read, Write};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};
use std::thread;

use rcgen::{CertificateParams, KeyPair};
use rustls::pki_types::PrivateKeyDer;
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use serde_json::Value;

/// One request as it came.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    /// All lines before the body, in small letters.
    pub(crate) head: String,
    pub(crate) body: String,
}

/// What the server says to one request.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    status: u16,
    headers: String,
    body: Vec<u8>,
}

impl Answer {
    pub(crate) fn new(status: u16, body: impl Into<Vec<u8>>) -> Self {
        Self { status, headers: String::new(), body: body.into() }
    }

    pub(crate) fn header(mut self, line: &str) -> Self {
        self.headers.push_str(line);
        self.headers.push_str("\r\n");
        self
    }
}

impl From<String> for Answer {
    fn from(body: String) -> Self {
        Self::new(200, body)
    }
}

/// A server that keeps what it was asked.
pub(crate) struct ModelServer {
    /// Without a path.
    pub(crate) address: String,
    seen: Arc<Mutex<Vec<Asked>>>,
}

impl ModelServer {
    /// Gives these answers one after the other, and is gone after them.
    pub(crate) fn start(answers: Vec<String>) -> Self {
        let mut answers = answers.into_iter();
        Self::answering(move |_| answers.next().map(Answer::from))
    }

    /// Gives every request the same answer.
    pub(crate) fn always(answer: Answer) -> Self {
        Self::answering(move |_| Some(answer.clone()))
    }

    /// Gives each request the answer to it; is gone when there is none.
    pub(crate) fn answering(
        mut answer: impl FnMut(&Asked) -> Option<Answer> + Send + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let seen = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&seen);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let mut reader = BufReader::new(stream.unwrap());
                let asked = read(&mut reader);
                kept.lock().unwrap().push(asked.clone());
                let Some(answer) = answer(&asked) else { return };
                write(reader.get_mut(), &answer);
            }
        });
        Self { address, seen }
    }

    /// Shows a certificate that nobody has signed but itself, as what stands between a machine and
    /// the network does.
    pub(crate) fn between() -> Self {
        let params = CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
        let key = KeyPair::generate().unwrap();
        let certificate = params.self_signed(&key).unwrap();
        let key = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![certificate.der().clone()], key)
            .unwrap();
        let config = Arc::new(config);
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("https://localhost:{}", listener.local_addr().unwrap().port());
        thread::spawn(move || {
            for stream in listener.incoming() {
                let connection = ServerConnection::new(Arc::clone(&config)).unwrap();
                let mut tls = StreamOwned::new(connection, stream.unwrap());
                // Whoever trusts it not has gone before the first byte.
                let _gone = tls.read(&mut [0; 1]);
            }
        });
        Self { address, seen: Arc::default() }
    }

    pub(crate) fn seen(&self) -> Vec<Asked> {
        self.seen.lock().unwrap().clone()
    }
}

/// Data as the events of a stream.
pub(crate) fn events(events: &[Value]) -> String {
    let events: Vec<String> = events.iter().map(|event| format!("data: {event}\n\n")).collect();
    events.concat()
}

/// Data as the lines of a stream.
pub(crate) fn lines(lines: &[Value]) -> String {
    let lines: Vec<String> = lines.iter().map(|line| format!("{line}\n")).collect();
    lines.concat()
}

fn read(reader: &mut impl std::io::BufRead) -> Asked {
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
    Asked { head, body: String::from_utf8(body).unwrap() }
}

fn write(stream: &mut impl Write, answer: &Answer) {
    let Answer { status, headers, body } = answer;
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status} X\r\nconnection: close\r\n{headers}content-length: {length}\r\n\r\n"
    );
    // Whoever was cut off in the middle of a question is not there any more.
    let _gone = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body));
}

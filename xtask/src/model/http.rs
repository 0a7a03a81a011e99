//! One question to a server on the loopback; a client library would be built for nothing else.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use anyhow::{Context as _, Result, bail};

/// How long a server may take to connect, and to go on with its answer.
const PATIENCE: Duration = Duration::from_secs(5);

/// Asks for a path and returns the body of a 200.
pub(super) fn get(address: SocketAddr, path: &str) -> Result<String> {
    let mut stream = TcpStream::connect_timeout(&address, PATIENCE)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    write!(stream, "GET {path} HTTP/1.0\r\nHost: {address}\r\n\r\n")?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer)?;
    body(&String::from_utf8_lossy(&answer))
}

fn body(answer: &str) -> Result<String> {
    let (head, body) = answer.split_once("\r\n\r\n").context("the answer has no body")?;
    let status = head.lines().next().unwrap_or_default();
    if status.split(' ').nth(1) != Some("200") {
        bail!("the answer is {status}");
    }
    Ok(body.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_200_has_a_body() {
        assert_eq!(body("HTTP/1.1 200 OK\r\nA: b\r\n\r\n{}").unwrap(), "{}");
        assert_eq!(
            body("HTTP/1.1 503 Busy\r\n\r\n{}").unwrap_err().to_string(),
            "the answer is HTTP/1.1 503 Busy"
        );
        assert!(body("HTTP/1.1 200 OK\r\n").is_err());
    }
}

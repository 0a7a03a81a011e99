//! A server of its own for each test, and a client that sends exactly what it is told to.

use std::cell::RefCell;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command};

use manos::model::Secret;
use manos::ports::Clock as _;
use manos::runtime::SystemClock;
use manos::signing::{Signed, Signer};
use serde_json::Value;

use crate::environment::{Ran, TestEnvironment};

/// A running `manos serve`. It is killed when it is dropped.
pub(crate) struct Running {
    child: std::sync::Mutex<RefCell<Option<Child>>>,
    pid: u32,
    address: String,
    key: Option<String>,
}

/// What a server answered.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    headers: Vec<(String, String)>,
    pub(crate) body: String,
}

impl Reply {
    fn read(text: &str) -> Self {
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((text, ""));
        let mut lines = head.lines();
        let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
        let headers = lines.filter_map(|line| line.split_once(": "));
        let headers =
            headers.map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned())).collect();
        Self { status, headers, body: body.to_owned() }
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    pub(crate) fn json(&self) -> Value {
        let read = serde_json::from_str(&self.body);
        assert!(read.is_ok(), "{self:?}");
        read.unwrap()
    }

    /// The code of a problem.
    pub(crate) fn code(&self) -> String {
        self.json()["code"].as_str().unwrap_or_default().to_owned()
    }
}

impl Running {
    /// Starts the folder's agent, and others, and waits until they are served.
    pub(crate) fn start(folder: &TestEnvironment, others: &[&str]) -> Self {
        let mut arguments = vec!["serve", "agent.yaml"];
        arguments.extend(others);
        arguments.extend(["--listen", "127.0.0.1:0"]);
        let mut child = folder.spawn(&arguments);
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut address = None;
        let mut key = None;
        for _ in 0..=others.len() {
            let line = lines.next().transpose().unwrap().unwrap_or_default();
            address = line.split_once(" at http://").map(|(_, address)| address.to_owned());
        }
        let has_keys = folder.read("agent.yaml").contains("api_keys") && others.is_empty();
        if !has_keys {
            let line = lines.next().unwrap().unwrap();
            key = line.strip_prefix("API key for this run: ").map(str::to_owned);
        }
        let pid = child.id();
        let child = std::sync::Mutex::new(RefCell::new(Some(child)));
        Self { child, pid, address: address.unwrap(), key }
    }

    /// The key that was made at start.
    pub(crate) fn key(&self) -> &str {
        self.key.as_deref().unwrap()
    }

    pub(crate) fn post(&self, path: &str, headers: &[(String, String)], body: &str) -> Reply {
        self.try_post(path, headers, body).unwrap()
    }

    pub(crate) fn try_post(
        &self,
        path: &str,
        headers: &[(String, String)],
        body: &str,
    ) -> std::io::Result<Reply> {
        let mut request = format!("POST {path} HTTP/1.1\r\nhost: {}\r\n", self.address);
        for (name, value) in headers {
            request.extend([name, ": ", value, "\r\n"]);
        }
        let length = body.len().to_string();
        let head_end = "\r\nconnection: close\r\n\r\n";
        request.extend(["content-length: ", &length, head_end, body]);
        self.exchange(&request)
    }

    /// Sends these bytes.
    pub(crate) fn raw(&self, request: &str) -> Reply {
        self.exchange(request).unwrap()
    }

    fn exchange(&self, request: &str) -> std::io::Result<Reply> {
        let mut stream = TcpStream::connect(&self.address)?;
        // A server that refuses early may have closed its side.
        let _refused = stream.write_all(request.as_bytes());
        let mut reply = Vec::new();
        let read = stream.read_to_end(&mut reply);
        if reply.is_empty() {
            read?;
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        Ok(Reply::read(&String::from_utf8_lossy(&reply)))
    }

    /// Kills it at once.
    pub(crate) fn kill(&self) {
        if let Some(mut child) = self.child.lock().unwrap().borrow_mut().take() {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }

    /// Asks it to end.
    pub(crate) fn terminate(&self) {
        let pid = self.pid.to_string();
        assert!(Command::new("kill").arg(pid).status().unwrap().success());
    }

    /// Waits for its end.
    pub(crate) fn wait(&self) -> Ran {
        let mut child = self.child.lock().unwrap().borrow_mut().take().unwrap();
        // Its output was read already.
        child.stdout = None;
        let status = child.wait().unwrap();
        let mut stderr = String::new();
        child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
        Ran { stdout: String::new(), stderr, code: status.code() }
    }

    /// Asks it to end and waits for that.
    pub(crate) fn end(&self) -> Ran {
        self.terminate();
        self.wait()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.kill();
    }
}

pub(crate) fn now() -> i64 {
    SystemClock.now().as_second()
}

/// The headers of a request that is signed now.
pub(crate) fn signed_now(secret: &str, path: &str, body: &str) -> Vec<(String, String)> {
    signed_at(secret, path, body, now())
}

/// The headers of a request that is signed at a time.
pub(crate) fn signed_at(secret: &str, path: &str, body: &str, at: i64) -> Vec<(String, String)> {
    let signer = Signer::new(&[Secret::new(secret.to_owned())]).unwrap();
    let made = signer.sign(&Signed { method: "POST", path, body: body.as_bytes() }, at);
    vec![
        ("X-Manos-Signature-V2".to_owned(), made.v2),
        ("X-Manos-Signature".to_owned(), made.legacy),
    ]
}

/// The header that Retell's own SDK makes: `v=<ms>,d=<hex>` over body and milliseconds. The older of
/// our signatures is an HMAC over nothing but a body, so it can sign that.
pub(crate) fn retell_signed(secret: &str, body: &str) -> Vec<(String, String)> {
    let milliseconds = now() * 1_000;
    let over = format!("{body}{milliseconds}");
    let signer = Signer::new(&[Secret::new(secret.to_owned())]).unwrap();
    let hex = signer.sign(&Signed { method: "POST", path: "/", body: over.as_bytes() }, 0).legacy;
    vec![("X-Retell-Signature".to_owned(), format!("v={milliseconds},d={hex}"))]
}

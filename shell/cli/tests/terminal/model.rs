//! A model that answers slowly, for one test.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::thread;

use serde_json::{Value, json};

use super::window::pause;

/// Text that comes beside a call.
pub(crate) const INTERIM: &str = "Let me see what I can do";

/// The answer to everything else, in pieces.
pub(crate) const PIECES: [&str; 5] = ["There ", "is bread, ", "cake ", "and ", "coffee."];

/// Starts it and returns its address. `order` asks for the tool `order`, `count` for `count`, and
/// `wait` gets no answer.
pub(crate) fn start() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/v1", listener.local_addr().unwrap());
    thread::spawn(move || {
        for stream in listener.incoming() {
            thread::spawn(move || {
                // The other side may have gone, as it does on Ctrl-C.
                let _gone = answer(stream.unwrap());
            });
        }
    });
    address
}

fn answer(stream: TcpStream) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream);
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        if line.trim().is_empty() {
            break;
        }
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    let request: Value = serde_json::from_slice(&body).unwrap();
    let last = request["messages"].as_array().unwrap().last().unwrap();
    let words = if last["role"] == "user" { last["content"].as_str().unwrap() } else { "" };
    let mut stream = reader.into_inner();
    write!(
        stream,
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n"
    )?;
    stream.flush()?;
    pause(300);
    match words {
        "order" => {
            delta(&mut stream, &json!({"content": INTERIM}), None)?;
            pause(1_000);
            call(&mut stream, "order", &json!({"product": "cake", "amount": 2}))?;
        }
        "count" => call(&mut stream, "count", &json!({}))?,
        "wait" => pause(60_000),
        _ => {
            for piece in PIECES {
                delta(&mut stream, &json!({"content": piece}), None)?;
                pause(200);
            }
            delta(&mut stream, &json!({}), Some("stop"))?;
        }
    }
    write!(stream, "data: [DONE]\n\n")?;
    stream.flush()
}

fn call(stream: &mut TcpStream, tool: &str, arguments: &Value) -> std::io::Result<()> {
    let function = json!({"name": tool, "arguments": arguments.to_string()});
    let call = json!({"index": 0, "id": "call_1", "type": "function", "function": function});
    delta(stream, &json!({"tool_calls": [call]}), None)?;
    delta(stream, &json!({}), Some("tool_calls"))
}

fn delta(stream: &mut TcpStream, delta: &Value, end: Option<&str>) -> std::io::Result<()> {
    let choice = json!({"index": 0, "delta": delta, "finish_reason": end});
    let chunk = json!({
        "id": "1", "object": "chat.completion.chunk", "created": 1, "model": "m",
        "choices": [choice],
    });
    write!(stream, "data: {chunk}\n\n")?;
    stream.flush()
}

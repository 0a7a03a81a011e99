//! What the server says.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::workload::{ANSWER, ARGUMENTS, TOOL};

/// Pieces of a streamed text.
const TEXT_PIECES: usize = 24;

/// Pieces of a streamed call's arguments.
const CALL_PIECES: usize = 8;

/// The four answers as ready bytes.
#[derive(Debug)]
pub(super) struct Replies {
    call: Vec<u8>,
    call_stream: Vec<u8>,
    text: Vec<u8>,
    text_stream: Vec<u8>,
}

impl Replies {
    pub(super) fn new() -> Self {
        Self {
            call: whole(&whole_call().to_string()).into_bytes(),
            call_stream: stream(&call_chunks()),
            text: whole(&whole_text().to_string()).into_bytes(),
            text_stream: stream(&text_chunks()),
        }
    }

    /// The answer to a request.
    pub(super) fn to(&self, stream: bool, told: bool) -> &[u8] {
        match (stream, told) {
            (false, false) => &self.call,
            (false, true) => &self.text,
            (true, false) => &self.call_stream,
            (true, true) => &self.text_stream,
        }
    }
}

/// A response with a body.
pub(super) fn whole(body: &str) -> String {
    format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )
}

fn usage() -> Value {
    json!({"prompt_tokens": 120, "completion_tokens": 40, "total_tokens": 160})
}

fn whole_call() -> Value {
    json!({
        "id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "bench",
        "choices": [{
            "index": 0,
            "message": {
                "role": "assistant", "content": null,
                "tool_calls": [{
                    "id": "call_1", "type": "function",
                    "function": {"name": TOOL, "arguments": ARGUMENTS}
                }]
            },
            "finish_reason": "tool_calls"
        }],
        "usage": usage(),
    })
}

fn whole_text() -> Value {
    json!({
        "id": "chatcmpl-2", "object": "chat.completion", "created": 1, "model": "bench",
        "choices": [{
            "index": 0,
            "message": {"role": "assistant", "content": ANSWER},
            "finish_reason": "stop"
        }],
        "usage": usage(),
    })
}

fn chunk(delta: &Value, finish: Option<&str>) -> Value {
    json!({
        "id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "bench",
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]
    })
}

fn last_chunk() -> Value {
    json!({
        "id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "bench",
        "choices": [], "usage": usage(),
    })
}

fn call_chunks() -> Vec<Value> {
    let opening = json!({"role": "assistant", "content": null, "tool_calls": [{
        "index": 0, "id": "call_1", "type": "function",
        "function": {"name": TOOL, "arguments": ""}
    }]});
    let mut chunks = vec![chunk(&opening, None)];
    for piece in pieces(ARGUMENTS, CALL_PIECES) {
        let delta = json!({"tool_calls": [{"index": 0, "function": {"arguments": piece}}]});
        chunks.push(chunk(&delta, None));
    }
    chunks.push(chunk(&json!({}), Some("tool_calls")));
    chunks.push(last_chunk());
    chunks
}

fn text_chunks() -> Vec<Value> {
    let mut chunks = vec![chunk(&json!({"role": "assistant", "content": ""}), None)];
    chunks.extend(
        pieces(ANSWER, TEXT_PIECES).iter().map(|piece| chunk(&json!({"content": piece}), None)),
    );
    chunks.push(chunk(&json!({}), Some("stop")));
    chunks.push(last_chunk());
    chunks
}

fn pieces(text: &str, count: usize) -> Vec<String> {
    let characters: Vec<char> = text.chars().collect();
    let size = characters.len().div_ceil(count).max(1);
    characters.chunks(size).map(|piece| piece.iter().collect()).collect()
}

/// Each event in a chunk of its own, all sent at once.
fn stream(chunks: &[Value]) -> Vec<u8> {
    let mut text = String::from(
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n",
    );
    let events = chunks.iter().map(|chunk| format!("data: {chunk}\n\n"));
    for event in events.chain(["data: [DONE]\n\n".to_owned()]) {
        // Writing to a String cannot fail.
        let _ = write!(text, "{:x}\r\n{event}\r\n", event.len());
    }
    text.push_str("0\r\n\r\n");
    text.into_bytes()
}

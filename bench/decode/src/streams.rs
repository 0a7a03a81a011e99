//! Long replies in the form of each dialect.

use std::ops::Range;
use std::sync::Arc;

use manos_wire_llm::Dialect;
use manos_wire_llm::anthropic::Messages;
use manos_wire_llm::gemini::GenerateContent;
use manos_wire_llm::ollama::Ollama;
use manos_wire_llm::openai::Chat;
use manos_wire_llm::responses::Responses;
use serde_json::{Value, json};

/// A whole response, and where its JSON is.
pub(crate) struct Stream {
    pub(crate) name: &'static str,
    pub(crate) dialect: Arc<dyn Dialect>,
    pub(crate) bytes: Vec<u8>,
    pub(crate) payloads: Vec<Range<usize>>,
}

/// Words of a piece, one of them escaped.
const WORDS: &str = " panes, \"café\" y";

/// How an event is wrapped.
#[derive(Debug, Clone, Copy)]
enum Form {
    Event,
    Line,
    NamedEvent,
}

/// Makes one stream for each dialect.
pub(crate) fn all(texts: usize, calls: usize, pieces: usize) -> Vec<Stream> {
    let arguments = arguments(pieces);
    vec![
        stream(
            "Chat Completions",
            Arc::new(Chat::default()),
            Form::Event,
            &chat(texts, calls, &arguments),
        ),
        stream(
            "Responses",
            Arc::new(Responses),
            Form::NamedEvent,
            &responses(texts, calls, &arguments),
        ),
        stream(
            "Anthropic",
            Arc::new(Messages::default()),
            Form::NamedEvent,
            &anthropic(texts, calls, &arguments),
        ),
        stream(
            "Gemini",
            Arc::new(GenerateContent::default()),
            Form::Event,
            &gemini(texts, calls, &arguments),
        ),
        stream("Ollama", Arc::new(Ollama), Form::Line, &ollama(texts, calls, &arguments)),
    ]
}

fn stream(name: &'static str, dialect: Arc<dyn Dialect>, form: Form, events: &[Value]) -> Stream {
    let (mut bytes, mut payloads) = (Vec::new(), Vec::new());
    for event in events {
        let json = event.to_string();
        match form {
            Form::Event => bytes.extend_from_slice(b"data: "),
            Form::Line => {}
            Form::NamedEvent => {
                let kind = event["type"].as_str().unwrap_or_default();
                bytes.extend_from_slice(format!("event: {kind}\ndata: ").as_bytes());
            }
        }
        payloads.push(bytes.len()..bytes.len() + json.len());
        bytes.extend_from_slice(json.as_bytes());
        bytes.extend_from_slice(if matches!(form, Form::Line) { b"\n" } else { b"\n\n" });
    }
    Stream { name, dialect, bytes, payloads }
}

/// Arguments in pieces as they come, a few letters each.
fn arguments(pieces: usize) -> Vec<String> {
    let mut all = vec!["{\"items\":[0".to_owned()];
    all.extend((0..pieces.saturating_sub(2)).map(|at| format!(",{{\"n\":{at}}}")));
    all.push("]}".to_owned());
    all
}

fn whole(arguments: &[String]) -> Value {
    serde_json::from_str(&arguments.concat()).unwrap_or_default()
}

fn chat(texts: usize, calls: usize, arguments: &[String]) -> Vec<Value> {
    let chunk = |delta: Value| {
        json!({"id": "chatcmpl-9abcdef", "object": "chat.completion.chunk", "created": 1_764_547_200,
            "model": "bench", "choices": [{"index": 0, "delta": delta, "finish_reason": null}]})
    };
    let mut events = vec![chunk(json!({"role": "assistant", "content": ""}))];
    events.extend((0..texts).map(|_| chunk(json!({"content": WORDS}))));
    for index in 0..calls {
        let id = format!("call_{index}");
        events.push(chunk(json!({"tool_calls": [{"index": index, "id": id, "type": "function",
            "function": {"name": "order", "arguments": ""}}]})));
        events.extend(arguments.iter().map(|piece| {
            chunk(json!({"tool_calls": [{"index": index, "function": {"arguments": piece}}]}))
        }));
    }
    events.push(json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}));
    events
}

fn responses(texts: usize, calls: usize, arguments: &[String]) -> Vec<Value> {
    let mut events = vec![json!({"type": "response.output_item.added", "output_index": 0,
        "item": {"id": "msg_1", "type": "message", "status": "in_progress", "content": []}})];
    events.extend((0..texts).map(|at| {
        json!({"type": "response.output_text.delta", "sequence_number": at, "item_id": "msg_1",
            "output_index": 0, "content_index": 0, "delta": WORDS, "logprobs": []})
    }));
    for call in 0..calls {
        let (id, index) = (format!("fc_{call}"), call + 1);
        let item = |arguments: &str, status: &str| {
            json!({"id": id, "type": "function_call", "status": status, "name": "order",
                "call_id": format!("call_{call}"), "arguments": arguments})
        };
        events.push(json!({"type": "response.output_item.added", "output_index": index,
            "item": item("", "in_progress")}));
        events.extend(arguments.iter().map(|piece| {
            json!({"type": "response.function_call_arguments.delta", "item_id": id,
                "output_index": index, "delta": piece})
        }));
        events.push(json!({"type": "response.output_item.done", "output_index": index,
            "item": item(&arguments.concat(), "completed")}));
    }
    events.push(json!({"type": "response.completed", "response": {"status": "completed"}}));
    events
}

fn anthropic(texts: usize, calls: usize, arguments: &[String]) -> Vec<Value> {
    let begin = |index: usize, block: Value| json!({"type": "content_block_start", "index": index, "content_block": block});
    let delta = |index: usize, delta: Value| json!({"type": "content_block_delta", "index": index, "delta": delta});
    let end = |index: usize| json!({"type": "content_block_stop", "index": index});
    let mut events = vec![
        json!({"type": "message_start", "message": {"usage": {"input_tokens": 1}}}),
        begin(0, json!({"type": "text", "text": ""})),
    ];
    events.extend((0..texts).map(|_| delta(0, json!({"type": "text_delta", "text": WORDS}))));
    events.push(end(0));
    for index in 1..=calls {
        let id = format!("toolu_{index}");
        events.push(begin(
            index,
            json!({"type": "tool_use", "id": id, "name": "order", "input": {}}),
        ));
        events.extend(
            arguments.iter().map(|piece| {
                delta(index, json!({"type": "input_json_delta", "partial_json": piece}))
            }),
        );
        events.push(end(index));
    }
    events.push(json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}}));
    events.push(json!({"type": "message_stop"}));
    events
}

fn gemini(texts: usize, calls: usize, arguments: &[String]) -> Vec<Value> {
    let chunk = |part: Value| {
        json!({"candidates": [{"content": {"parts": [part], "role": "model"}, "index": 0}],
            "usageMetadata": {"promptTokenCount": 9, "totalTokenCount": 20},
            "modelVersion": "bench", "responseId": "9abcdef"})
    };
    let mut events: Vec<Value> = (0..texts).map(|_| chunk(json!({"text": WORDS}))).collect();
    let args = whole(arguments);
    events.extend(
        (0..calls).map(|_| chunk(json!({"functionCall": {"name": "order", "args": args}}))),
    );
    events.push(json!({"candidates": [{"finishReason": "STOP", "index": 0}]}));
    events
}

fn ollama(texts: usize, calls: usize, arguments: &[String]) -> Vec<Value> {
    let line = |message: Value| json!({"model": "bench", "created_at": "2026-12-01T00:00:00.0Z", "message": message, "done": false});
    let mut lines: Vec<Value> =
        (0..texts).map(|_| line(json!({"role": "assistant", "content": WORDS}))).collect();
    let args = whole(arguments);
    lines.extend((0..calls).map(|_| {
        line(json!({"role": "assistant", "content": "",
            "tool_calls": [{"function": {"name": "order", "arguments": args}}]}))
    }));
    lines.push(json!({"message": {"role": "assistant", "content": ""}, "done": true, "done_reason": "stop"}));
    lines
}

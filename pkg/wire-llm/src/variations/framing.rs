//! Events in every form that a server may give them: the reply does not change.

use crate::Dialect;
use crate::anthropic::Messages;
use crate::gemini::GenerateContent;
use crate::ollama::Ollama;
use crate::openai::Chat;
use crate::recorded::{Fixture, decode, decode_every_way, fixture};
use crate::responses::Responses;

/// Puts something before each event.
fn before_each(stream: &str, what: &str) -> String {
    stream.split_inclusive("\n\n").flat_map(|event| [what, event]).collect()
}

/// A stream in other forms, each with its reason.
fn forms(stream: &str) -> Vec<(&'static str, String)> {
    let after = |what: &str| format!("{stream}{what}");
    vec![
        ("CRLF", stream.replace('\n', "\r\n")),
        ("CR", stream.replace('\n', "\r")),
        ("a byte-order mark", format!("\u{feff}{stream}")),
        ("a byte-order mark and CRLF", format!("\u{feff}{}", stream.replace('\n', "\r\n"))),
        ("no blank after the field", stream.replace("data: ", "data:")),
        ("two blanks after the field", stream.replace("data: ", "data:  ")),
        ("blanks after the JSON", stream.replace("}\n", "} \t\n")),
        ("JSON over two lines", stream.replace("data: {", "data: {\ndata: ")),
        ("JSON after an empty line of data", stream.replace("data: ", "data\ndata: ")),
        ("comments between the events", before_each(stream, ": PROCESSING\n\n")),
        ("comments inside the events", before_each(stream, ": PROCESSING\n")),
        ("a comment of nothing", before_each(stream, ":\n\n")),
        ("ids and times to come again", before_each(stream, "id: 7\nretry: 100\n")),
        ("unknown fields", before_each(stream, "trace: {}\nx\n")),
        ("a field with a blank in its name is another", before_each(stream, "data : 1\n")),
        ("lines between the events", before_each(stream, "\n\n")),
        ("lines before the first event", format!("\n\n  \n{stream}")),
        ("no line after the last event", stream.trim_end().to_owned()),
        ("one line after the last event", format!("{}\n", stream.trim_end())),
        ("events of nothing", before_each(stream, "data:\n\n")),
        ("events of null", before_each(stream, "data: null\n\n")),
        ("events of an empty list", before_each(stream, "data: []\n\n")),
        ("events of an empty object", before_each(stream, "data: {}\n\n")),
        ("pings with a name", before_each(stream, "event: ping\ndata: {\"type\":\"ping\"}\n\n")),
        ("other events in JSON", before_each(stream, "event: trace\ndata: {\"a\":1}\n\n")),
        ("other events in words", before_each(stream, "event: trace\ndata: working\n\n")),
        ("a mark at the end", after("data: [DONE]\n\n")),
        ("a mark with blanks", after("data:   [DONE]  \n\n")),
        ("a mark in quotes", after("data: \"[DONE]\"\n\n")),
        ("two marks", after("data: [DONE]\n\ndata: [DONE]\n\n")),
        ("a mark without a line after it", after("data: [DONE]")),
    ]
}

#[test]
fn a_stream_of_any_form_makes_the_same_reply() {
    let streams: [(&dyn Dialect, Fixture); 8] = [
        (&Chat::default(), fixture!("openai/one-call.sse")),
        (&Chat::default(), fixture!("openai/text.sse")),
        (&Messages::default(), fixture!("anthropic/one-call.sse")),
        (&Messages::default(), fixture!("anthropic/text.sse")),
        (&GenerateContent::default(), fixture!("gemini/one-call.sse")),
        (&GenerateContent::default(), fixture!("gemini/text.sse")),
        (&Responses, fixture!("responses/one-call.sse")),
        (&Responses, fixture!("responses/text.sse")),
    ];
    for (dialect, (name, bytes)) in streams {
        let expected = decode(dialect, [bytes]);
        assert!(expected.0.is_ok(), "{name}");
        for (why, stream) in forms(std::str::from_utf8(bytes).unwrap()) {
            let got = decode(dialect, [stream.as_bytes()]);
            assert_eq!(got, expected, "{name}: {why}");
            let single = decode(dialect, stream.as_bytes().chunks(1));
            assert_eq!(single, expected, "{name}: {why}, byte by byte");
        }
    }
}

#[test]
fn lines_of_any_form_make_the_same_reply() {
    let (name, bytes) = fixture!("ollama/calls-in-chunks.ndjson");
    let expected = decode(&Ollama, [bytes]);
    let text = std::str::from_utf8(bytes).unwrap();
    let events: String = text.lines().flat_map(|line| ["data: ", line, "\n\n"]).collect();
    let forms = [
        ("CRLF", text.replace('\n', "\r\n")),
        ("CR", text.replace('\n', "\r")),
        ("no line after the last", text.trim_end().to_owned()),
        ("lines between", text.replace('\n', "\n\n")),
        ("no lines at all", text.replace('\n', "")),
        ("blanks before and after", format!(" \t{}", text.replace('\n', " \n "))),
        ("a byte-order mark", format!("\u{feff}{text}")),
        ("in events", events.clone()),
        ("in events with a mark", events + "data: [DONE]\n\n"),
    ];
    for (why, lines) in forms {
        assert_eq!(decode_every_way(&Ollama, why, lines.as_bytes()), expected, "{name}: {why}");
    }
}

#[test]
fn a_whole_body_may_begin_with_a_mark_and_blanks() {
    let bodies: [(&dyn Dialect, Fixture); 5] = [
        (&Chat::default(), fixture!("openai/whole-text.json")),
        (&Messages::default(), fixture!("anthropic/whole-text.json")),
        (&GenerateContent::default(), fixture!("gemini/whole-text.json")),
        (&Responses, fixture!("responses/whole-text.json")),
        (&Ollama, fixture!("ollama/whole-text.json")),
    ];
    for (dialect, (name, bytes)) in bodies {
        let expected = decode(dialect, [bytes]);
        assert!(expected.0.is_ok(), "{name}");
        let text = std::str::from_utf8(bytes).unwrap();
        for (why, body) in [
            ("a mark", format!("\u{feff}{text}")),
            ("a mark and lines", format!("\u{feff}\r\n \r\n{text}")),
            ("lines after it", format!("{text}\r\n\r\n")),
        ] {
            assert_eq!(decode_every_way(dialect, why, body.as_bytes()), expected, "{name}: {why}");
        }
    }
}

#[test]
fn a_compressed_body_is_named() {
    let gzip = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03";
    let (reply, shown) = decode_every_way(&Chat::default(), "gzip", gzip);
    assert!(reply.unwrap_err().to_string().contains("compressed") && shown.is_empty());
}

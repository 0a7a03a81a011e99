//! The recorded cases, each cut at every byte, and the body of a request as a snapshot.

use manos_model::{
    CallArguments, FinishReason, ModelFailureKind, ModelReply, ToolDeclaration, Usage,
};
use serde_json::json;

use super::*;
use crate::DecodeError;

macro_rules! fixture {
    ($name:literal) => {
        (
            $name,
            include_bytes!(concat!(
                env!("CARGO_MANIFEST_DIR"),
                "/../../fixtures/llm/openai/",
                $name
            ))
            .as_slice(),
        )
    };
}

// After the macro, which they use.
mod bodies;
mod damage;
mod servers;
mod shapes;

/// Name and bytes.
type Fixture = (&'static str, &'static [u8]);

type Decoded = (Result<ModelReply, DecodeError>, String);

fn decode<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> Decoded {
    let mut shown = String::new();
    let mut decoder = Chat::default().decoder(&EncodedTools::default());
    for piece in pieces {
        if let Err(error) = decoder.push(piece, &mut |text| shown.push_str(text)) {
            return (Err(error), shown);
        }
    }
    let reply = decoder.finish(&mut |text| shown.push_str(text));
    (reply, shown)
}

/// Decodes whole, cut at every byte, and byte by byte; all must agree.
fn decode_every_way(name: &str, bytes: &[u8]) -> Decoded {
    let whole = decode([bytes]);
    for cut in 0..=bytes.len() {
        let (head, tail) = bytes.split_at(cut);
        assert_eq!(decode([head, tail]), whole, "{name} cut at {cut}");
    }
    assert_eq!(decode(bytes.chunks(1)), whole, "{name} byte by byte");
    whole
}

/// A reply in few words: its text, its calls as `id name arguments`, why it ended.
fn brief(reply: &ModelReply) -> (String, Vec<String>, FinishReason) {
    let calls = reply.calls.iter().map(|call| {
        let arguments = match &call.arguments {
            CallArguments::Missing => "-".to_owned(),
            CallArguments::Text(text) => format!("text {text}"),
            CallArguments::Value(value) => format!("value {value}"),
        };
        format!("{} {} {arguments}", call.wire_id.as_deref().unwrap_or("-"), call.name)
    });
    (reply.text.clone(), calls.collect(), reply.finish.clone())
}

#[test]
fn recorded_replies_decode_alike_wherever_they_are_cut() {
    use FinishReason::{ContentFilter, Length, Stop, ToolCalls};
    let pay = "call_a pay text {\"amount\":5}";
    let cases: &[(Fixture, &str, &[&str], FinishReason)] = &[
        (fixture!("text.sse"), "Hola, ¿qué más? 🥐", &[], Stop),
        (fixture!("one-call.sse"), "", &[pay], ToolCalls),
        (fixture!("first-index-1.sse"), "", &[pay], ToolCalls),
        (fixture!("first-index-3.sse"), "", &[pay], ToolCalls),
        (fixture!("index-missing.sse"), "", &[pay], ToolCalls),
        (fixture!("no-done.sse"), "", &[pay], ToolCalls),
        (fixture!("no-last-line.sse"), "Hola", &[], Stop),
        (
            fixture!("index-reused.sse"),
            "",
            &["call_a pay text {\"amount\":1}", "call_b ver text {\"n\":2}"],
            ToolCalls,
        ),
        (
            fixture!("object-no-id-and-nothing.sse"),
            "",
            &["- pay value {\"amount\":5}", "- now -", "- now -"],
            ToolCalls,
        ),
        (fixture!("length-in-arguments.sse"), "", &["call_a pay text {\"amount\":5"], Length),
        (fixture!("two-in-one-chunk.sse"), "", &["a x text {}", "b y text {}"], ToolCalls),
        (fixture!("interleaved.sse"), "", &["a x text {\"n\":1}", "b y text {\"m\":2}"], ToolCalls),
        (fixture!("before-announcement.sse"), "", &["a pay text {\"amount\":5}"], ToolCalls),
        (fixture!("pings-crlf.sse"), "Hola", &[], Stop),
        (fixture!("carriage-returns.sse"), "Hola", &[], Stop),
        (fixture!("odd-shapes.sse"), "Hola", &[], FinishReason::Other("eos_token".into())),
        (fixture!("empty-finish-reason.sse"), "", &[pay], ToolCalls),
        (fixture!("legacy-function-call.sse"), "", &["- pay text {\"amount\":5}"], ToolCalls),
        (fixture!("refusal.sse"), "No puedo.", &[], Stop),
        (fixture!("content-filter.sse"), "Ho", &[], ContentFilter),
        (fixture!("cut-surrogates.sse"), "pan 🥐!", &["a x text {\"e\":\"🥐\"}"], ToolCalls),
        (fixture!("whole-repeated-at-the-end.sse"), "Hola", &[], Stop),
        (fixture!("id-repeated.sse"), "", &["c1 a text {}", "c1 b text {}"], ToolCalls),
        (fixture!("empty-id-goes-on.sse"), "", &["a pay text {\"amount\":5}"], ToolCalls),
        (fixture!("reasoning.sse"), "", &["a x text {}"], ToolCalls),
        (fixture!("whole-text.json"), "Hola", &[], Stop),
        (
            fixture!("whole-calls.json"),
            "",
            &["c1 a text {\"n\":1.10}", "c1 a value {\"n\":2}", "- b -"],
            ToolCalls,
        ),
        (fixture!("whole-legacy.json"), "", &["- pay text {}"], ToolCalls),
    ];
    for ((name, bytes), text, calls, finish) in cases {
        let (reply, shown) = decode_every_way(name, bytes);
        let reply = reply.unwrap_or_else(|error| panic!("{name}: {error}"));
        let calls = calls.iter().map(|call| (*call).to_owned()).collect();
        assert_eq!(brief(&reply), ((*text).to_owned(), calls, finish.clone()), "{name}");
        assert_eq!(shown, reply.text, "{name}: what was shown is what is kept");
    }
}

#[test]
fn recorded_troubles_are_named() {
    use ModelFailureKind::{BadReply, Config, Unavailable};
    let cases: &[(Fixture, ModelFailureKind, &str)] = &[
        (fixture!("early-end.sse"), BadReply, "broke off"),
        (fixture!("error-in-stream.sse"), Unavailable, "The server had an error"),
        (fixture!("error-event.sse"), Unavailable, "overloaded"),
        (fixture!("whole-error.json"), Unavailable, "429"),
        (fixture!("whole-error-list.json"), Unavailable, "503"),
        (fixture!("whole-no-reply.json"), BadReply, "model.base_url"),
        (fixture!("page.html"), Config, "model.base_url"),
        (("nothing", b" \n"), BadReply, "nothing"),
        (("no JSON", b"data: {\"choices\"=1}\n\n"), BadReply, "no JSON"),
        (("a cut event", b"data: {\"choices\":[{\"del"), BadReply, "broke off"),
        (("a cut body", b"{\"choices\":[{\"message\":"), BadReply, "broke off"),
        (("plain words", b"Internal Server Error"), BadReply, "broke off"),
    ];
    for ((name, bytes), kind, words) in cases {
        let failure = decode_every_way(name, bytes).0.unwrap_err().failure();
        assert_eq!(failure.kind, *kind, "{name}: {}", failure.message);
        assert!(failure.message.contains(words), "{name}: {}", failure.message);
    }
}

#[test]
fn no_prefix_of_a_stream_is_taken_for_the_whole() {
    let (name, bytes) = fixture!("one-call.sse");
    let text = std::str::from_utf8(bytes).unwrap();
    let end = text.find(r#""finish_reason":"tool_calls""#).unwrap();
    for cut in 0..end {
        let (reply, _) = decode([&bytes[..cut]]);
        assert!(reply.is_err(), "{name} ended at {cut}");
    }
}

#[test]
fn usage_is_read_where_it_is_sent() {
    let usage = |fixture: Fixture| decode([fixture.1]).0.unwrap().usage;
    let full = Usage { tokens_input: 12, tokens_output: 7, tokens_cached: 4, tokens_reasoning: 2 };
    assert_eq!(usage(fixture!("text.sse")), Some(full));
    assert_eq!(usage(fixture!("one-call.sse")), None);
    assert_eq!(usage(fixture!("odd-shapes.sse")).map(|u| u.tokens_input), Some(3));
}

#[test]
fn state_that_goes_back_is_kept_word_for_word() {
    let reply = decode([fixture!("reasoning.sse").1]).0.unwrap();
    let items: Vec<&str> = reply.opaque.iter().map(|item| item.json.as_str()).collect();
    assert_eq!(
        items,
        [
            r#"{"reasoning_content":"pensar"}"#,
            r#"{"call":0,"extra_content":{"google":{"thought_signature":"c2ln"}}}"#
        ]
    );
}

#[test]
fn a_mapped_name_comes_back_as_the_tools_own() {
    let tool = ToolDeclaration {
        name: "calendar.create".to_owned(),
        description: String::new(),
        parameters: json!({}),
    };
    let options = CallOptions::new("", "m");
    let tools = Chat::default().tools(&ToolSet::new(vec![tool]), &options);
    let mut decoder = Chat::default().decoder(&tools);
    let body = json!({"choices": [{"message": {"tool_calls": [
        {"id": "a", "function": {"name": "calendar_create", "arguments": "{}"}},
        {"id": "b", "function": {"name": "invented tool", "arguments": "{}"}}
    ]}}]});
    decoder.push(body.to_string().as_bytes(), &mut |_| {}).unwrap();
    let reply = decoder.finish(&mut |_| {}).unwrap();
    let names: Vec<&str> = reply.calls.iter().map(|call| call.name.as_str()).collect();
    assert_eq!(names, ["calendar.create", "invented tool"]);
}

#[test]
fn the_decoder_says_when_content_came_and_when_all_is_said() {
    let mut decoder = Chat::default().decoder(&EncodedTools::default());
    let mut push = |text: &str| {
        decoder.push(text.as_bytes(), &mut |_| {}).unwrap();
        (decoder.has_content(), decoder.is_done())
    };
    assert_eq!(push(": ping\n\n"), (false, false));
    assert_eq!(
        push("data: {\"choices\":[{\"delta\":{\"role\":\"assistant\"}}]}\n\n"),
        (false, false)
    );
    assert_eq!(push("data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\n"), (true, false));
    assert_eq!(push("data: [DONE]\n\n"), (true, true));
}

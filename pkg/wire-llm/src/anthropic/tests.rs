//! The recorded cases, each cut at every byte.

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
                "/../../fixtures/llm/anthropic/",
                $name
            ))
            .as_slice(),
        )
    };
}

// After the macro, which they use.
mod bodies;
mod damage;

/// Name and bytes.
type Fixture = (&'static str, &'static [u8]);

type Decoded = (Result<ModelReply, DecodeError>, String);

fn decode<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> Decoded {
    let mut shown = String::new();
    let mut decoder = Messages::default().decoder(&EncodedTools::default());
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
    use FinishReason::{ContentFilter, Length, Other, Stop, ToolCalls};
    let pay = "toolu_01a pay text {\"amount\":5}";
    let read_write =
        &["toolu_01a read text {\"p\":1}", "toolu_01b write text {\"p\":2}"].as_slice();
    let cases: &[(Fixture, &str, &[&str], FinishReason)] = &[
        (fixture!("text.sse"), "Hola, ¿qué más? 🥐", &[], Stop),
        (
            fixture!("one-call.sse"),
            "Voy a cobrar.",
            &["toolu_01a pay text {\"amount\": 5}"],
            ToolCalls,
        ),
        (fixture!("two-calls.sse"), "", read_write, ToolCalls),
        (fixture!("interleaved.sse"), "", read_write, ToolCalls),
        (fixture!("no-arguments.sse"), "", &["toolu_01a now -", "toolu_01b now -"], ToolCalls),
        (
            fixture!("input-at-the-start.sse"),
            "",
            &["toolu_01a pay value {\"amount\":5}"],
            ToolCalls,
        ),
        (fixture!("thinking.sse"), "Un momento.", &[pay], ToolCalls),
        (fixture!("interleaved-thinking.sse"), "", read_write, ToolCalls),
        (fixture!("length-in-arguments.sse"), "", &["toolu_01a pay text {\"amount\":5"], Length),
        (fixture!("pause-turn.sse"), "Hola", &[], Other("pause_turn".into())),
        (fixture!("refusal.sse"), "No ", &[], ContentFilter),
        (fixture!("stop-sequence.sse"), "Hola", &[], Stop),
        (fixture!("context-window.sse"), "Hola", &[], Length),
        (fixture!("no-stop-event.sse"), "Hola", &[], Stop),
        (fixture!("nothing-said.sse"), "", &[], Stop),
        (fixture!("crlf-and-unknown.sse"), "Hola", &[], Stop),
        (fixture!("no-event-names.sse"), "Hola", &[], Stop),
        (
            fixture!("index-reused.sse"),
            "",
            &["toolu_01a pay text {\"amount\":1}", "toolu_01b read text {\"p\":2}"],
            ToolCalls,
        ),
        (fixture!("index-missing.sse"), "", &[pay, "toolu_01b read text {\"p\":2}"], ToolCalls),
        (fixture!("before-announcement.sse"), "", &[pay], ToolCalls),
        (
            fixture!("cut-surrogates.sse"),
            "pan 🥐!",
            &["toolu_01a x text {\"e\":\"🥐\"}"],
            ToolCalls,
        ),
        (fixture!("usage-at-the-end.sse"), "Hola", &[], Stop),
        (fixture!("whole-text.json"), "Hola", &[], Stop),
        (
            fixture!("whole-calls.json"),
            "Voy.",
            &[
                "toolu_01a pay value {\"amount\":1.10}",
                "toolu_01a pay value {\"amount\":2}",
                "toolu_01c now value {}",
            ],
            ToolCalls,
        ),
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
        (fixture!("error-in-stream.sse"), Unavailable, "overloaded (529)"),
        (fixture!("error-first.sse"), Unavailable, "overloaded (529)"),
        (fixture!("rate-limit-in-stream.sse"), Unavailable, "429"),
        (fixture!("arguments-in-a-text-block.sse"), BadReply, "mixes up"),
        (fixture!("whole-error.json"), Unavailable, "overloaded (529)"),
        (fixture!("whole-no-reply.json"), BadReply, "model.base_url"),
        (fixture!("page.html"), Config, "model.base_url"),
        (("nothing", b" \n"), BadReply, "nothing"),
        (("no JSON", b"data: {\"type\"=1}\n\n"), BadReply, "no JSON"),
        (("a cut event", b"data: {\"type\":\"con"), BadReply, "broke off"),
        (("a cut body", b"{\"type\":\"message\",\"content\":"), BadReply, "broke off"),
        (("plain words", b"Internal Server Error"), BadReply, "broke off"),
        (
            ("a list with an error", b"[{\"error\":{\"type\":\"api_error\",\"message\":\"x\"}}]"),
            Unavailable,
            "500",
        ),
        (("a list", b"[1]"), BadReply, "model.base_url"),
        (
            ("Chat Completions", b"data: {\"choices\":[]}\n\ndata: [DONE]\n\n"),
            BadReply,
            "broke off",
        ),
    ];
    for ((name, bytes), kind, words) in cases {
        let failure = decode_every_way(name, bytes).0.unwrap_err().failure();
        assert_eq!(failure.kind, *kind, "{name}: {}", failure.message);
        assert!(failure.message.contains(words), "{name}: {}", failure.message);
    }
}

#[test]
fn usage_counts_what_the_cache_took_and_gave() {
    let usage = |fixture: Fixture| decode([fixture.1]).0.unwrap().usage.unwrap();
    let counts = |tokens_input, tokens_output, tokens_cached| Usage {
        tokens_input,
        tokens_output,
        tokens_cached,
        tokens_reasoning: 0,
    };
    assert_eq!(usage(fixture!("text.sse")), counts(21 + 100 + 2048, 15, 2048));
    assert_eq!(usage(fixture!("usage-at-the-end.sse")), counts(47, 9, 7));
    assert_eq!(usage(fixture!("whole-text.json")), counts(29, 9, 4));
}

#[test]
fn thinking_is_kept_word_for_word_and_with_its_place() {
    let items = |fixture: Fixture| -> Vec<String> {
        let reply = decode([fixture.1]).0.unwrap();
        assert!(reply.opaque.iter().all(|item| item.family == FAMILY));
        reply.opaque.into_iter().map(|item| item.json).collect()
    };
    assert_eq!(
        items(fixture!("thinking.sse")),
        [
            r#"{"text_bytes":0,"calls":0,"block":{"type":"thinking","thinking":"Piden \"pan\".","signature":"c2lnbmF0dXJl"}}"#,
            r#"{"text_bytes":0,"calls":0,"block":{"type":"redacted_thinking","data":"b3BhcXVl"}}"#,
        ]
    );
    assert_eq!(
        items(fixture!("interleaved-thinking.sse")),
        [
            r#"{"text_bytes":0,"calls":0,"block":{"type":"thinking","thinking":"Uno.","signature":"dW5v"}}"#,
            r#"{"text_bytes":0,"calls":1,"block":{"type":"thinking","thinking":"","signature":"ZG9z"}}"#,
        ]
    );
    // What we do not know of a block goes back with it.
    assert_eq!(
        items(fixture!("whole-calls.json")),
        [
            r#"{"text_bytes":0,"calls":0,"block":{"type":"thinking","thinking":"Dos.","signature":"ZG9z","later":1}}"#
        ]
    );
}

#[test]
fn too_much_thinking_stays_behind() {
    let thought = |text: &str| {
        let start = json!({"type": "content_block_start", "index": 0, "content_block": {"type": "thinking"}});
        let delta = json!({"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": text}});
        format!("data: {start}\n\ndata: {delta}\n\n")
    };
    let call = json!({"type": "content_block_start", "index": 1, "content_block": {"type": "tool_use", "id": "a", "name": "x"}});
    let end = json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}});
    for (many, kept) in [(3, 3), (30, 0)] {
        let body = thought(&"x".repeat(64 * 1024)).repeat(many);
        let body = format!("{body}data: {call}\n\ndata: {end}\n\n");
        assert_eq!(decode([body.as_bytes()]).0.unwrap().opaque.len(), kept, "{many}");
    }
}

#[test]
fn a_mapped_name_comes_back_as_the_tools_own() {
    let tool = ToolDeclaration {
        name: "calendar.create".to_owned(),
        description: String::new(),
        parameters: json!({}),
    };
    let options = CallOptions::new("https://api.anthropic.com", "m");
    let tools = Messages::default().tools(&ToolSet::new(vec![tool]), &options);
    let mut decoder = Messages::default().decoder(&tools);
    let body = json!({"type": "message", "stop_reason": "tool_use", "content": [
        {"type": "tool_use", "id": "a", "name": "calendar_create", "input": {}},
        {"type": "tool_use", "id": "b", "name": "invented tool", "input": {}}
    ]});
    decoder.push(body.to_string().as_bytes(), &mut |_| {}).unwrap();
    let reply = decoder.finish(&mut |_| {}).unwrap();
    let names: Vec<&str> = reply.calls.iter().map(|call| call.name.as_str()).collect();
    assert_eq!(names, ["calendar.create", "invented tool"]);
}

#[test]
fn the_decoder_says_when_content_came_and_when_all_is_said() {
    let mut decoder = Messages::default().decoder(&EncodedTools::default());
    let mut push = |value: serde_json::Value| {
        decoder.push(format!("data: {value}\n\n").as_bytes(), &mut |_| {}).unwrap();
        (decoder.has_content(), decoder.is_done())
    };
    let block = |kind: &str| json!({"type": "content_block_start", "index": 0, "content_block": {"type": kind}});
    assert_eq!(push(json!({"type": "message_start", "message": {}})), (false, false));
    assert_eq!(push(json!({"type": "ping"})), (false, false));
    assert_eq!(push(block("thinking")), (false, false));
    assert_eq!(push(block("text")), (false, false));
    let piece = json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "a"}});
    assert_eq!(push(piece), (true, false));
    let end = json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}});
    assert_eq!(push(end), (true, false));
    assert_eq!(push(json!({"type": "message_stop"})), (true, true));
}

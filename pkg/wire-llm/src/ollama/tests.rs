//! The recorded cases, each cut at every byte.

use manos_model::{FinishReason, ModelFailureKind, Usage};

use super::*;
use crate::recorded::{Fixture, brief, decode, decode_every_way};

macro_rules! fixture {
    ($name:literal) => {
        (
            $name,
            include_bytes!(concat!(
                env!("CARGO_MANIFEST_DIR"),
                "/../../fixtures/llm/ollama/",
                $name
            ))
            .as_slice(),
        )
    };
}

// After the macro, which they use.
mod bodies;
mod damage;

#[test]
fn recorded_replies_decode_alike_wherever_they_are_cut() {
    use FinishReason::{Length, Stop, ToolCalls};
    let pay = "- pay value {\"amount\":5}";
    let ver = "- ver value {\"n\":2}";
    let cases: &[(Fixture, &str, &[&str], FinishReason)] = &[
        (fixture!("text.ndjson"), "Hola, ¿qué más? 🥐", &[], Stop),
        (fixture!("one-call.ndjson"), "", &["call_lyywui55 pay value {\"amount\":5}"], ToolCalls),
        (fixture!("one-call-old.ndjson"), "", &[pay], ToolCalls),
        (
            fixture!("calls-in-chunks.ndjson"),
            "Miro.",
            &[
                "call_a pay value {\"amount\":5}",
                "call_b pay value {\"amount\":7}",
                "call_c ver value {}",
            ],
            ToolCalls,
        ),
        (fixture!("two-in-one-chunk.ndjson"), "", &[pay, ver], ToolCalls),
        (fixture!("call-in-the-last-line.ndjson"), "", &[pay], ToolCalls),
        (fixture!("thinking.ndjson"), "", &[pay], ToolCalls),
        (fixture!("length.ndjson"), "Ho", &[pay], Length),
        (fixture!("no-last-line-crlf.ndjson"), "Hola", &[], Stop),
        (fixture!("in-events.sse"), "Hola", &[], Stop),
        (
            fixture!("arguments-as-text.ndjson"),
            "",
            &["- pay text {\"amount\":5}", "- now -"],
            ToolCalls,
        ),
        (
            fixture!("digits.ndjson"),
            "",
            &["- pay value {\"amount\":1.10,\"id\":12345678901234567890}"],
            ToolCalls,
        ),
        (fixture!("cut-surrogates.ndjson"), "pan 🥐!", &[], Stop),
        (fixture!("odd-shapes.ndjson"), "Hola", &[], Stop),
        (fixture!("whole-text.json"), "Hola", &[], Stop),
        (fixture!("whole-calls.json"), "", &["- pay value {\"amount\":1.5}", ver], ToolCalls),
        (fixture!("whole-no-reason.json"), "Hola", &[], Stop),
        (fixture!("whole-load.json"), "", &[], FinishReason::Other("load".into())),
    ];
    for ((name, bytes), text, calls, finish) in cases {
        let (reply, shown) = decode_every_way(&Ollama, (name, bytes));
        let reply = reply.unwrap_or_else(|error| panic!("{name}: {error}"));
        let calls = calls.iter().map(|call| (*call).to_owned()).collect();
        assert_eq!(brief(&reply), ((*text).to_owned(), calls, finish.clone()), "{name}");
        assert_eq!(shown, reply.text, "{name}: what was shown is what is kept");
    }
}

#[test]
fn recorded_troubles_are_named() {
    use ModelFailureKind::{BadReply, Config, RefusedCall};
    let cases: &[(Fixture, ModelFailureKind, &str)] = &[
        (fixture!("early-end.ndjson"), BadReply, "broke off"),
        (fixture!("error-in-stream.ndjson"), BadReply, "unexpected EOF"),
        (fixture!("refused-call-in-stream.ndjson"), RefusedCall, "error parsing tool call"),
        (fixture!("whole-error.json"), BadReply, "not found"),
        (fixture!("whole-no-reply.json"), BadReply, "model.base_url"),
        (("a page", b"<!doctype html><title>Sign in</title>"), Config, "model.base_url"),
        (("nothing", b" \n"), BadReply, "nothing"),
        (("no JSON", b"{\"message\"=1}\n"), BadReply, "no JSON"),
        (("a cut line", b"{\"message\":{\"cont"), BadReply, "broke off"),
        (("plain words", b"Ollama is running"), BadReply, "broke off"),
        (("an error event", b"event: error\ndata: boom\n\n"), BadReply, "boom"),
    ];
    for ((name, bytes), kind, words) in cases {
        let failure = decode_every_way(&Ollama, (name, bytes)).0.unwrap_err().failure();
        assert_eq!(failure.kind, *kind, "{name}: {}", failure.message);
        assert!(failure.message.contains(words), "{name}: {}", failure.message);
    }
}

#[test]
fn no_prefix_of_a_stream_is_taken_for_the_whole() {
    for (name, bytes) in [fixture!("calls-in-chunks.ndjson"), fixture!("text.ndjson")] {
        // The last line counts once its bracket is closed.
        for cut in 0..bytes.len() - 1 {
            let (reply, _) = decode(&Ollama, [&bytes[..cut]]);
            assert!(reply.is_err(), "{name} ended at {cut}");
        }
    }
}

#[test]
fn usage_and_thinking_are_read() {
    let reply = decode(&Ollama, [fixture!("thinking.ndjson").1]).0.unwrap();
    let full =
        Usage { tokens_input: 26, tokens_output: 282, tokens_cached: 0, tokens_reasoning: 0 };
    assert_eq!(reply.usage, Some(full));
    assert_eq!(reply.opaque.len(), 1);
    assert_eq!(reply.opaque[0].json, r#"{"thinking":"Pensar \"1.10\""}"#);
    let text = decode(&Ollama, [fixture!("text.ndjson").1]).0.unwrap();
    assert!(text.opaque.is_empty(), "only a reply with calls goes back");
    let none = decode(&Ollama, [fixture!("whole-no-reason.json").1]).0.unwrap();
    assert_eq!(none.usage, None);
}

#[test]
fn the_decoder_says_when_content_came_and_when_all_is_said() {
    let mut decoder = Ollama.decoder(&EncodedTools::default());
    let mut push = |text: &str| {
        decoder.push(text.as_bytes(), &mut |_| {}).unwrap();
        (decoder.has_content(), decoder.is_done())
    };
    assert_eq!(push("{\"message\":{\"thinking\":\"a\"}}\n"), (false, false));
    assert_eq!(push("{\"message\":{\"content\":\"a\"}}\n"), (true, false));
    assert_eq!(push("{\"done\":true}\n"), (true, true));
}

//! The recorded cases, each cut at every byte.

use manos_model::{FinishReason, ModelFailureKind, Usage};

use super::*;
use crate::recorded::{
    Reply, Trouble, check_replies, check_troubles, fixture, kept, no_prefix_is_the_whole, progress,
    usage,
};

mod bodies;
mod damage;

#[test]
fn recorded_replies_decode_alike_wherever_they_are_cut() {
    use FinishReason::{Length, Stop, ToolCalls};
    let pay = "- pay value {\"amount\":5}";
    let ver = "- ver value {\"n\":2}";
    let cases: &[Reply<'_>] = &[
        (fixture!("ollama/text.ndjson"), "Hola, ¿qué más? 🥐", &[], Stop),
        (
            fixture!("ollama/one-call.ndjson"),
            "",
            &["call_lyywui55 pay value {\"amount\":5}"],
            ToolCalls,
        ),
        (fixture!("ollama/one-call-old.ndjson"), "", &[pay], ToolCalls),
        (
            fixture!("ollama/calls-in-chunks.ndjson"),
            "Miro.",
            &[
                "call_a pay value {\"amount\":5}",
                "call_b pay value {\"amount\":7}",
                "call_c ver value {}",
            ],
            ToolCalls,
        ),
        (fixture!("ollama/two-in-one-chunk.ndjson"), "", &[pay, ver], ToolCalls),
        (fixture!("ollama/call-in-the-last-line.ndjson"), "", &[pay], ToolCalls),
        (fixture!("ollama/thinking.ndjson"), "", &[pay], ToolCalls),
        (fixture!("ollama/length.ndjson"), "Ho", &[pay], Length),
        (fixture!("ollama/no-last-line-crlf.ndjson"), "Hola", &[], Stop),
        (fixture!("ollama/in-events.sse"), "Hola", &[], Stop),
        (
            fixture!("ollama/arguments-as-text.ndjson"),
            "",
            &["- pay text {\"amount\":5}", "- now -"],
            ToolCalls,
        ),
        (
            fixture!("ollama/digits.ndjson"),
            "",
            &["- pay value {\"amount\":1.10,\"id\":12345678901234567890}"],
            ToolCalls,
        ),
        (fixture!("ollama/cut-surrogates.ndjson"), "pan 🥐!", &[], Stop),
        (fixture!("ollama/odd-shapes.ndjson"), "Hola", &[], Stop),
        (fixture!("ollama/whole-text.json"), "Hola", &[], Stop),
        (
            fixture!("ollama/whole-calls.json"),
            "",
            &["- pay value {\"amount\":1.5}", ver],
            ToolCalls,
        ),
        (fixture!("ollama/whole-no-reason.json"), "Hola", &[], Stop),
        (fixture!("ollama/whole-load.json"), "", &[], FinishReason::Other("load".into())),
    ];
    check_replies(&Ollama, cases);
}

#[test]
fn recorded_troubles_are_named() {
    use ModelFailureKind::{BadReply, Config, RefusedCall};
    let cases: &[Trouble<'_>] = &[
        (fixture!("ollama/early-end.ndjson"), BadReply, "broke off"),
        (fixture!("ollama/error-in-stream.ndjson"), BadReply, "unexpected EOF"),
        (fixture!("ollama/refused-call-in-stream.ndjson"), RefusedCall, "error parsing tool call"),
        (fixture!("ollama/whole-error.json"), BadReply, "not found"),
        (fixture!("ollama/whole-no-reply.json"), BadReply, "model.base_url"),
        (("a page", b"<!doctype html><title>Sign in</title>"), Config, "model.base_url"),
        (("nothing", b" \n"), BadReply, "nothing"),
        (("no JSON", b"{\"message\"=1}\n"), BadReply, "no JSON"),
        (("a cut line", b"{\"message\":{\"cont"), BadReply, "broke off"),
        (("plain words", b"Ollama is running"), BadReply, "broke off"),
        (("an error event", b"event: error\ndata: boom\n\n"), BadReply, "boom"),
    ];
    check_troubles(&Ollama, cases);
}

#[test]
fn no_prefix_of_a_stream_is_taken_for_the_whole() {
    for stream in [fixture!("ollama/calls-in-chunks.ndjson"), fixture!("ollama/text.ndjson")] {
        // The last line counts once its bracket is closed.
        no_prefix_is_the_whole(&Ollama, stream, stream.1.len() - 1);
    }
}

#[test]
fn usage_and_thinking_are_read() {
    let full =
        Usage { tokens_input: 26, tokens_output: 282, tokens_cached: 0, tokens_reasoning: 0 };
    assert_eq!(usage(&Ollama, fixture!("ollama/thinking.ndjson")), Some(full));
    assert_eq!(usage(&Ollama, fixture!("ollama/whole-no-reason.json")), None);
    let thinking = kept(&Ollama, fixture!("ollama/thinking.ndjson"));
    assert_eq!(thinking, [r#"{"thinking":"Pensar \"1.10\""}"#]);
    let none = kept(&Ollama, fixture!("ollama/text.ndjson"));
    assert!(none.is_empty(), "only a reply with calls goes back");
}

#[test]
fn the_decoder_says_when_content_came_and_when_all_is_said() {
    let pieces = [
        "{\"message\":{\"thinking\":\"a\"}}\n",
        "{\"message\":{\"content\":\"a\"}}\n",
        "{\"done\":true}\n",
    ];
    assert_eq!(
        progress(&Ollama, pieces.map(str::to_owned)),
        [(false, false), (true, false), (true, true)]
    );
}

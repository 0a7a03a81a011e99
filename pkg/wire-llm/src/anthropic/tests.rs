//! The recorded cases, each cut at every byte.

use manos_model::{FinishReason, ModelFailureKind, Usage};
use serde_json::json;

use super::*;
use crate::recorded::{
    Fixture, Reply, Trouble, check_replies, check_troubles, decode, event, fixture, kept,
    names_are_led_back, progress, usage,
};

mod bodies;
mod damage;

#[test]
fn recorded_replies_decode_alike_wherever_they_are_cut() {
    use FinishReason::{ContentFilter, Length, Other, Stop, ToolCalls};
    let pay = "toolu_01a pay text {\"amount\":5}";
    let read_write =
        &["toolu_01a read text {\"p\":1}", "toolu_01b write text {\"p\":2}"].as_slice();
    let cases: &[Reply<'_>] = &[
        (fixture!("anthropic/text.sse"), "Hola, ¿qué más? 🥐", &[], Stop),
        (
            fixture!("anthropic/one-call.sse"),
            "Voy a cobrar.",
            &["toolu_01a pay text {\"amount\": 5}"],
            ToolCalls,
        ),
        (fixture!("anthropic/two-calls.sse"), "", read_write, ToolCalls),
        (fixture!("anthropic/interleaved.sse"), "", read_write, ToolCalls),
        (
            fixture!("anthropic/no-arguments.sse"),
            "",
            &["toolu_01a now -", "toolu_01b now -"],
            ToolCalls,
        ),
        (
            fixture!("anthropic/input-at-the-start.sse"),
            "",
            &["toolu_01a pay value {\"amount\":5}"],
            ToolCalls,
        ),
        (fixture!("anthropic/thinking.sse"), "Un momento.", &[pay], ToolCalls),
        (fixture!("anthropic/interleaved-thinking.sse"), "", read_write, ToolCalls),
        (
            fixture!("anthropic/length-in-arguments.sse"),
            "",
            &["toolu_01a pay text {\"amount\":5"],
            Length,
        ),
        (fixture!("anthropic/pause-turn.sse"), "Hola", &[], Other("pause_turn".into())),
        (fixture!("anthropic/refusal.sse"), "No ", &[], ContentFilter),
        (fixture!("anthropic/stop-sequence.sse"), "Hola", &[], Stop),
        (fixture!("anthropic/context-window.sse"), "Hola", &[], Length),
        (fixture!("anthropic/no-stop-event.sse"), "Hola", &[], Stop),
        (fixture!("anthropic/nothing-said.sse"), "", &[], Stop),
        (fixture!("anthropic/crlf-and-unknown.sse"), "Hola", &[], Stop),
        (fixture!("anthropic/no-event-names.sse"), "Hola", &[], Stop),
        (
            fixture!("anthropic/index-reused.sse"),
            "",
            &["toolu_01a pay text {\"amount\":1}", "toolu_01b read text {\"p\":2}"],
            ToolCalls,
        ),
        (
            fixture!("anthropic/index-missing.sse"),
            "",
            &[pay, "toolu_01b read text {\"p\":2}"],
            ToolCalls,
        ),
        (fixture!("anthropic/before-announcement.sse"), "", &[pay], ToolCalls),
        (
            fixture!("anthropic/cut-surrogates.sse"),
            "pan 🥐!",
            &["toolu_01a x text {\"e\":\"🥐\"}"],
            ToolCalls,
        ),
        (fixture!("anthropic/usage-at-the-end.sse"), "Hola", &[], Stop),
    ];
    check_replies(&Messages::default(), cases);
}

#[test]
fn bodies_that_are_not_streamed_make_the_same_replies() {
    use FinishReason::{Stop, ToolCalls};
    let cases: &[Reply<'_>] = &[
        (fixture!("anthropic/whole-text.json"), "Hola", &[], Stop),
        (
            fixture!("anthropic/whole-calls.json"),
            "Voy.",
            &[
                "toolu_01a pay value {\"amount\":1.10}",
                "toolu_01a pay value {\"amount\":2}",
                "toolu_01c now value {}",
            ],
            ToolCalls,
        ),
    ];
    check_replies(&Messages::default(), cases);
}

#[test]
fn recorded_troubles_are_named() {
    use ModelFailureKind::{BadReply, Config, Unavailable};
    let cases: &[Trouble<'_>] = &[
        (fixture!("anthropic/early-end.sse"), BadReply, "broke off"),
        (fixture!("anthropic/error-in-stream.sse"), Unavailable, "overloaded (529)"),
        (fixture!("anthropic/error-first.sse"), Unavailable, "overloaded (529)"),
        (fixture!("anthropic/rate-limit-in-stream.sse"), Unavailable, "429"),
        (fixture!("anthropic/arguments-in-a-text-block.sse"), BadReply, "mixes up"),
        (fixture!("anthropic/whole-error.json"), Unavailable, "overloaded (529)"),
        (fixture!("anthropic/whole-no-reply.json"), BadReply, "model.base_url"),
        (fixture!("anthropic/page.html"), Config, "model.base_url"),
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
    check_troubles(&Messages::default(), cases);
}

#[test]
fn usage_counts_what_the_cache_took_and_gave() {
    let usage = |fixture: Fixture| usage(&Messages::default(), fixture).unwrap();
    let counts = |tokens_input, tokens_output, tokens_cached| Usage {
        tokens_input,
        tokens_output,
        tokens_cached,
        tokens_reasoning: 0,
    };
    assert_eq!(usage(fixture!("anthropic/text.sse")), counts(21 + 100 + 2048, 15, 2048));
    assert_eq!(usage(fixture!("anthropic/usage-at-the-end.sse")), counts(47, 9, 7));
    assert_eq!(usage(fixture!("anthropic/whole-text.json")), counts(29, 9, 4));
}

#[test]
fn thinking_is_kept_word_for_word_and_with_its_place() {
    let items = |fixture: Fixture| kept(&Messages::default(), fixture);
    assert_eq!(
        items(fixture!("anthropic/thinking.sse")),
        [
            r#"{"text_bytes":0,"calls":0,"block":{"type":"thinking","thinking":"Piden \"pan\".","signature":"c2lnbmF0dXJl"}}"#,
            r#"{"text_bytes":0,"calls":0,"block":{"type":"redacted_thinking","data":"b3BhcXVl"}}"#,
        ]
    );
    assert_eq!(
        items(fixture!("anthropic/interleaved-thinking.sse")),
        [
            r#"{"text_bytes":0,"calls":0,"block":{"type":"thinking","thinking":"Uno.","signature":"dW5v"}}"#,
            r#"{"text_bytes":0,"calls":1,"block":{"type":"thinking","thinking":"","signature":"ZG9z"}}"#,
        ]
    );
    // What we do not know of a block goes back with it.
    assert_eq!(
        items(fixture!("anthropic/whole-calls.json")),
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
        event(&start) + &event(&delta)
    };
    let call = json!({"type": "content_block_start", "index": 1, "content_block": {"type": "tool_use", "id": "a", "name": "x"}});
    let end = json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}});
    for (many, kept) in [(3, 3), (30, 0)] {
        let body = thought(&"x".repeat(64 * 1024)).repeat(many);
        let body = format!("{body}data: {call}\n\ndata: {end}\n\n");
        assert_eq!(
            decode(&Messages::default(), [body.as_bytes()]).0.unwrap().opaque.len(),
            kept,
            "{many}"
        );
    }
}

#[test]
fn a_mapped_name_comes_back_as_the_tools_own() {
    let body = json!({"type": "message", "stop_reason": "tool_use", "content": [
        {"type": "tool_use", "id": "a", "name": "calendar_create", "input": {}},
        {"type": "tool_use", "id": "b", "name": "invented tool", "input": {}}
    ]});
    names_are_led_back(&Messages::default(), &body);
}

#[test]
fn the_decoder_says_when_content_came_and_when_all_is_said() {
    let block = |kind: &str| json!({"type": "content_block_start", "index": 0, "content_block": {"type": kind}});
    let piece = json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "a"}});
    let pieces = [
        json!({"type": "message_start", "message": {}}),
        json!({"type": "ping"}),
        block("thinking"),
        block("text"),
        piece,
        json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}}),
        json!({"type": "message_stop"}),
    ];
    let nothing = (false, false);
    assert_eq!(
        progress(&Messages::default(), pieces.map(|data| event(&data))),
        [nothing, nothing, nothing, nothing, (true, false), (true, false), (true, true)]
    );
}

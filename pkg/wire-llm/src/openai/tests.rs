//! The recorded cases, each cut at every byte, and the body of a request as a snapshot.

use manos_model::{FinishReason, ModelFailureKind, Usage};
use serde_json::json;

use super::*;
use crate::recorded::{
    Fixture, Reply, Trouble, check_replies, check_troubles, event, fixture, kept,
    names_are_led_back, no_prefix_is_the_whole, place_of, progress, usage,
};

mod bodies;
mod damage;
mod servers;
mod shapes;

#[test]
fn recorded_replies_decode_alike_wherever_they_are_cut() {
    use FinishReason::{ContentFilter, Length, Stop, ToolCalls};
    let pay = "call_a pay text {\"amount\":5}";
    let cases: &[Reply<'_>] = &[
        (fixture!("openai/text.sse"), "Hola, ¿qué más? 🥐", &[], Stop),
        (fixture!("openai/one-call.sse"), "", &[pay], ToolCalls),
        (fixture!("openai/first-index-1.sse"), "", &[pay], ToolCalls),
        (fixture!("openai/first-index-3.sse"), "", &[pay], ToolCalls),
        (fixture!("openai/index-missing.sse"), "", &[pay], ToolCalls),
        (fixture!("openai/no-done.sse"), "", &[pay], ToolCalls),
        (fixture!("openai/no-last-line.sse"), "Hola", &[], Stop),
        (
            fixture!("openai/index-reused.sse"),
            "",
            &["call_a pay text {\"amount\":1}", "call_b ver text {\"n\":2}"],
            ToolCalls,
        ),
        (
            fixture!("openai/object-no-id-and-nothing.sse"),
            "",
            &["- pay value {\"amount\":5}", "- now -", "- now -"],
            ToolCalls,
        ),
        (
            fixture!("openai/length-in-arguments.sse"),
            "",
            &["call_a pay text {\"amount\":5"],
            Length,
        ),
        (fixture!("openai/two-in-one-chunk.sse"), "", &["a x text {}", "b y text {}"], ToolCalls),
        (
            fixture!("openai/interleaved.sse"),
            "",
            &["a x text {\"n\":1}", "b y text {\"m\":2}"],
            ToolCalls,
        ),
        (fixture!("openai/before-announcement.sse"), "", &["a pay text {\"amount\":5}"], ToolCalls),
        (fixture!("openai/pings-crlf.sse"), "Hola", &[], Stop),
        (fixture!("openai/carriage-returns.sse"), "Hola", &[], Stop),
        (fixture!("openai/odd-shapes.sse"), "Hola", &[], FinishReason::Other("eos_token".into())),
        (fixture!("openai/empty-finish-reason.sse"), "", &[pay], ToolCalls),
        (
            fixture!("openai/legacy-function-call.sse"),
            "",
            &["- pay text {\"amount\":5}"],
            ToolCalls,
        ),
        (fixture!("openai/refusal.sse"), "No puedo.", &[], Stop),
        (fixture!("openai/content-filter.sse"), "Ho", &[], ContentFilter),
        (fixture!("openai/cut-surrogates.sse"), "pan 🥐!", &["a x text {\"e\":\"🥐\"}"], ToolCalls),
        (fixture!("openai/whole-repeated-at-the-end.sse"), "Hola", &[], Stop),
        (fixture!("openai/id-repeated.sse"), "", &["c1 a text {}", "c1 b text {}"], ToolCalls),
        (fixture!("openai/empty-id-goes-on.sse"), "", &["a pay text {\"amount\":5}"], ToolCalls),
        (fixture!("openai/reasoning.sse"), "", &["a x text {}"], ToolCalls),
        (fixture!("openai/whole-text.json"), "Hola", &[], Stop),
        (
            fixture!("openai/whole-calls.json"),
            "",
            &["c1 a text {\"n\":1.10}", "c1 a value {\"n\":2}", "- b -"],
            ToolCalls,
        ),
        (fixture!("openai/whole-legacy.json"), "", &["- pay text {}"], ToolCalls),
    ];
    check_replies(&Chat::default(), cases);
}

#[test]
fn recorded_troubles_are_named() {
    use ModelFailureKind::{BadReply, Config, Unavailable};
    let cases: &[Trouble<'_>] = &[
        (fixture!("openai/early-end.sse"), BadReply, "broke off"),
        (fixture!("openai/error-in-stream.sse"), Unavailable, "The server had an error"),
        (fixture!("openai/error-event.sse"), Unavailable, "overloaded"),
        (fixture!("openai/whole-error.json"), Unavailable, "429"),
        (fixture!("openai/whole-error-list.json"), Unavailable, "503"),
        (fixture!("openai/whole-no-reply.json"), BadReply, "model.base_url"),
        (fixture!("openai/page.html"), Config, "model.base_url"),
        (("nothing", b" \n"), BadReply, "nothing"),
        (("no JSON", b"data: {\"choices\"=1}\n\n"), BadReply, "no JSON"),
        (("a cut event", b"data: {\"choices\":[{\"del"), BadReply, "broke off"),
        (("a cut body", b"{\"choices\":[{\"message\":"), BadReply, "broke off"),
        (("plain words", b"Internal Server Error"), BadReply, "broke off"),
    ];
    check_troubles(&Chat::default(), cases);
}

#[test]
fn no_prefix_of_a_stream_is_taken_for_the_whole() {
    let stream = fixture!("openai/one-call.sse");
    let end = place_of(r#""finish_reason":"tool_calls""#, stream);
    no_prefix_is_the_whole(&Chat::default(), stream, end);
}

#[test]
fn usage_is_read_where_it_is_sent() {
    let usage = |fixture: Fixture| usage(&Chat::default(), fixture);
    let full = Usage { tokens_input: 12, tokens_output: 7, tokens_cached: 4, tokens_reasoning: 2 };
    assert_eq!(usage(fixture!("openai/text.sse")), Some(full));
    assert_eq!(usage(fixture!("openai/one-call.sse")), None);
    assert_eq!(usage(fixture!("openai/odd-shapes.sse")).map(|u| u.tokens_input), Some(3));
}

#[test]
fn state_that_goes_back_is_kept_word_for_word() {
    assert_eq!(
        kept(&Chat::default(), fixture!("openai/reasoning.sse")),
        [
            r#"{"reasoning_content":"pensar"}"#,
            r#"{"call":0,"extra_content":{"google":{"thought_signature":"c2ln"}}}"#
        ]
    );
}

#[test]
fn a_mapped_name_comes_back_as_the_tools_own() {
    let body = json!({"choices": [{"message": {"tool_calls": [
        {"id": "a", "function": {"name": "calendar_create", "arguments": "{}"}},
        {"id": "b", "function": {"name": "invented tool", "arguments": "{}"}}
    ]}}]});
    names_are_led_back(&Chat::default(), &body);
}

#[test]
fn the_decoder_says_when_content_came_and_when_all_is_said() {
    let delta = |delta| event(&json!({"choices": [{"delta": delta}]}));
    let pieces = [
        ": ping\n\n".to_owned(),
        delta(json!({"role": "assistant"})),
        delta(json!({"content": "a"})),
        "data: [DONE]\n\n".to_owned(),
    ];
    assert_eq!(
        progress(&Chat::default(), pieces),
        [(false, false), (false, false), (true, false), (true, true)]
    );
}

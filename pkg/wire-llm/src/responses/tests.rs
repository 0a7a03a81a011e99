//! The recorded cases, each cut at every byte.

use manos_model::{FinishReason, ModelFailureKind, Usage};

use super::*;
use crate::DecodeError;
use crate::recorded::{
    Fixture, Reply, Trouble, check_replies, check_troubles, decode, fixture, kept,
    no_prefix_is_the_whole, place_of, progress, usage,
};

mod bodies;
mod damage;

fn check(cases: &[Reply<'_>]) {
    check_replies(&Responses, cases);
}

const PAY: &str = "call_a pay text {\"amount\":5}";
const VER: &str = "call_b ver text {\"n\":2}";

#[test]
fn recorded_replies_decode_alike_wherever_they_are_cut() {
    use FinishReason::{ContentFilter, Length, Stop, ToolCalls};
    check(&[
        (fixture!("responses/text.sse"), "Hola, ¿qué más? 🥐", &[], Stop),
        (fixture!("responses/one-call.sse"), "", &[PAY], ToolCalls),
        (fixture!("responses/parallel-calls.sse"), "", &[PAY, VER], ToolCalls),
        (fixture!("responses/reasoning-and-call.sse"), "Miro eso.", &[PAY], ToolCalls),
        (fixture!("responses/two-messages.sse"), "Miro.\n\nHola", &[], Stop),
        (fixture!("responses/refusal.sse"), "No puedo.", &[], Stop),
        (fixture!("responses/content-filter.sse"), "Ho", &[], ContentFilter),
        (
            fixture!("responses/cut-in-arguments.sse"),
            "",
            &["call_a pay text {\"amount\":5"],
            Length,
        ),
        (fixture!("responses/cut-but-named-completed.sse"), "", &[PAY], Length),
        (fixture!("responses/cut-for-no-reason.sse"), "", &[PAY], Length),
        (
            fixture!("responses/custom-tool-call.sse"),
            "",
            &["call_c pay text five euros"],
            ToolCalls,
        ),
        (fixture!("responses/unknown-events-crlf.sse"), "Hola", &[], Stop),
        (fixture!("responses/done-mark-after-end.sse"), "Hola", &[], Stop),
        (
            fixture!("responses/cut-surrogates.sse"),
            "pan 🥐!",
            &["call_a pay text {\"e\":\"🥐\"}"],
            ToolCalls,
        ),
        (fixture!("responses/odd-shapes.sse"), "Hola", &[], Stop),
    ]);
}

#[test]
fn events_that_are_out_of_order_or_left_out_make_the_same_calls() {
    use FinishReason::ToolCalls;
    check(&[
        (fixture!("responses/interleaved.sse"), "", &[PAY, VER], ToolCalls),
        (fixture!("responses/ids-that-change.sse"), "", &[PAY, VER], ToolCalls),
        (fixture!("responses/no-item-ids.sse"), "", &[PAY], ToolCalls),
        (fixture!("responses/one-index-for-all.sse"), "Miro.", &[PAY, VER], ToolCalls),
        (fixture!("responses/arguments-only-whole.sse"), "", &[PAY], ToolCalls),
        (fixture!("responses/arguments-only-in-pieces.sse"), "", &[PAY], ToolCalls),
        (fixture!("responses/never-announced.sse"), "", &[PAY], ToolCalls),
        (fixture!("responses/only-at-the-end.sse"), "Hola", &[PAY], ToolCalls),
        (fixture!("responses/before-announcement.sse"), "", &[PAY], ToolCalls),
        (fixture!("responses/late-piece.sse"), "", &[PAY], ToolCalls),
        (fixture!("responses/announced-late.sse"), "", &[PAY, VER], ToolCalls),
    ]);
}

#[test]
fn bodies_that_are_not_streamed_make_the_same_replies() {
    use FinishReason::{Length, Stop, ToolCalls};
    check(&[
        (fixture!("responses/whole-text.json"), "Hola", &[], Stop),
        (fixture!("responses/whole-no-status.json"), "Hola", &[], Stop),
        (
            fixture!("responses/whole-calls.json"),
            "",
            &["call_a pay text {\"amount\":1.10}", "call_a pay value {\"amount\":2}", "- now -"],
            ToolCalls,
        ),
        (fixture!("responses/whole-reasoning.json"), "", &[PAY], ToolCalls),
        (fixture!("responses/whole-reasoning-kept-there.json"), "", &[PAY], ToolCalls),
        (fixture!("responses/whole-cut.json"), "Ho", &[], Length),
    ]);
}

#[test]
fn recorded_troubles_are_named() {
    use ModelFailureKind::{BadReply, Config, TooLong, Unavailable};
    let cases: &[Trouble<'_>] = &[
        (fixture!("responses/early-end.sse"), BadReply, "broke off"),
        (fixture!("responses/done-mark-without-end.sse"), BadReply, "broke off"),
        (fixture!("responses/failed.sse"), Unavailable, "failed to generate"),
        (fixture!("responses/error-event.sse"), Unavailable, "Rate limit reached"),
        (fixture!("responses/error-nested.sse"), TooLong, "history.messages"),
        (fixture!("responses/arguments-that-disagree.sse"), BadReply, "mixes up"),
        (fixture!("responses/end-that-disagrees.sse"), BadReply, "mixes up"),
        (fixture!("responses/whole-failed.json"), Unavailable, "The server had an error"),
        (fixture!("responses/whole-error.json"), Unavailable, "429"),
        (fixture!("responses/whole-at-work.json"), BadReply, "no reply"),
        (fixture!("responses/whole-no-reply.json"), BadReply, "model.base_url"),
        (("a page", b"<!doctype html><title>Sign in</title>"), Config, "model.base_url"),
        (("nothing", b" \n"), BadReply, "nothing"),
        (("no JSON", b"event: response.created\ndata: {\"type\"=1}\n\n"), BadReply, "no JSON"),
        (("a cut event", b"data: {\"type\":\"respo"), BadReply, "broke off"),
        (("a cut body", b"{\"output\":[{\"type\":"), BadReply, "broke off"),
        (("plain words", b"Internal Server Error"), BadReply, "broke off"),
        (("an error of no kind", b"data: {\"error\":\"boom\"}\n\n"), BadReply, "boom"),
        (
            ("stopped elsewhere", b"{\"status\":\"cancelled\",\"output\":[]}"),
            BadReply,
            "in place of a reply",
        ),
    ];
    check_troubles(&Responses, cases);
}

#[test]
fn no_prefix_of_a_stream_is_taken_for_the_whole() {
    for stream in [
        fixture!("responses/one-call.sse"),
        fixture!("responses/parallel-calls.sse"),
        fixture!("responses/text.sse"),
    ] {
        let end = place_of("data: {\"type\":\"response.completed\"", stream);
        // The last event counts once its JSON is whole.
        no_prefix_is_the_whole(&Responses, stream, end + 100);
    }
}

#[test]
fn usage_is_read_where_it_is_sent() {
    let usage = |fixture: Fixture| usage(&Responses, fixture);
    let full = Usage { tokens_input: 12, tokens_output: 7, tokens_cached: 4, tokens_reasoning: 2 };
    for fixture in [
        fixture!("responses/text.sse"),
        fixture!("responses/whole-text.json"),
        fixture!("responses/cut-in-arguments.sse"),
    ] {
        assert_eq!(usage(fixture), Some(full), "{}", fixture.0);
    }
    assert_eq!(usage(fixture!("responses/whole-cut.json")), None);
    assert_eq!(usage(fixture!("responses/odd-shapes.sse")).map(|u| u.tokens_input), Some(3));
}

#[test]
fn reasoning_is_kept_byte_for_byte_and_in_its_order() {
    let reasoning = concat!(
        r#"{"id":"rs_1","type":"reasoning","summary":[{"type":"summary_text","#,
        r#""text":"Pensar \u00bf1.10?"}],"encrypted_content":"gAAAAAB-1.10=="}"#
    );
    let kept = |fixture: Fixture| kept(&Responses, fixture);
    assert_eq!(
        kept(fixture!("responses/reasoning-and-call.sse")),
        [
            reasoning,
            r#"{"from":0,"to":9,"id":"msg_1","phase":"commentary"}"#,
            r#"{"call":0,"id":"fc_a"}"#,
        ]
    );
    assert_eq!(
        kept(fixture!("responses/whole-reasoning.json")),
        [reasoning, r#"{"call":0,"id":"fc_a"}"#]
    );
    let none: [Fixture; 4] = [
        // Nothing but words and calls; a name of what is kept nowhere; no call to go back with.
        fixture!("responses/parallel-calls.sse"),
        fixture!("responses/whole-reasoning-kept-there.json"),
        fixture!("responses/two-messages.sse"),
        fixture!("responses/unknown-events-crlf.sse"),
    ];
    for fixture in none {
        assert_eq!(kept(fixture), Vec::<String>::new(), "{}", fixture.0);
    }
}

#[test]
fn what_is_too_much_is_an_error() {
    let event = |json: String| format!("data: {json}\n\n");
    let added = |at: usize| {
        event(format!(
            r#"{{"type":"response.output_item.added","output_index":{at},"item":{{"type":"function_call","call_id":"c{at}","name":"x"}}}}"#
        ))
    };
    let delta = |at: usize, bytes: usize| {
        let piece = "x".repeat(bytes);
        event(format!(
            r#"{{"type":"response.function_call_arguments.delta","output_index":{at},"delta":"{piece}"}}"#
        ))
    };
    let words = |bytes: usize| {
        let piece = "x".repeat(bytes);
        event(format!(
            r#"{{"type":"response.output_text.delta","output_index":0,"delta":"{piece}"}}"#
        ))
    };
    let many =
        |count: usize, one: &dyn Fn(usize) -> String| (0..count).map(one).collect::<String>();
    let cases = [
        ("calls", many(crate::CALLS_MAX + 1, &added)),
        ("arguments of one call", delta(0, crate::CALL_BYTES_MAX + 1)),
        ("arguments of all", many(17, &|at| delta(at, crate::CALL_BYTES_MAX))),
        ("text", many(17, &|_| words(crate::EVENT_BYTES_MAX / 2))),
    ];
    for (why, stream) in cases {
        let error = decode(&Responses, [stream.as_bytes()]).0.unwrap_err();
        assert!(
            matches!(error, DecodeError::Assemble(_) | DecodeError::TooLarge { .. }),
            "{why}: {error}"
        );
    }
}

#[test]
fn the_decoder_says_when_content_came_and_when_all_is_said() {
    let pieces = [
        "data: {\"type\":\"response.created\",\"response\":{}}\n\n",
        "data: {\"type\":\"response.output_text.delta\",\"delta\":\"a\"}\n\n",
        "data: {\"type\":\"response.completed\",\"response\":{\"status\":\"completed\"}}\n\n",
    ];
    assert_eq!(
        progress(&Responses, pieces.map(str::to_owned)),
        [(false, false), (true, false), (true, true)]
    );
}

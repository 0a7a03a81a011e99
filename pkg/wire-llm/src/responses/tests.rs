//! The recorded cases, each cut at every byte.

use manos_model::{FinishReason, ModelFailureKind, Usage};

use super::*;
use crate::DecodeError;
use crate::recorded::{Fixture, brief, decode, decode_every_way};

macro_rules! fixture {
    ($name:literal) => {
        (
            $name,
            include_bytes!(concat!(
                env!("CARGO_MANIFEST_DIR"),
                "/../../fixtures/llm/responses/",
                $name
            ))
            .as_slice(),
        )
    };
}

// After the macro, which they use.
mod bodies;
mod damage;

/// Fixture, text, calls, why it ended.
type Case = (Fixture, &'static str, &'static [&'static str], FinishReason);

fn check(cases: &[Case]) {
    for ((name, bytes), text, calls, finish) in cases {
        let (reply, shown) = decode_every_way(&Responses, (name, bytes));
        let reply = reply.unwrap_or_else(|error| panic!("{name}: {error}"));
        let calls = calls.iter().map(|call| (*call).to_owned()).collect();
        assert_eq!(brief(&reply), ((*text).to_owned(), calls, finish.clone()), "{name}");
        assert_eq!(shown, reply.text, "{name}: what was shown is what is kept");
    }
}

const PAY: &str = "call_a pay text {\"amount\":5}";
const VER: &str = "call_b ver text {\"n\":2}";

#[test]
fn recorded_replies_decode_alike_wherever_they_are_cut() {
    use FinishReason::{ContentFilter, Length, Stop, ToolCalls};
    check(&[
        (fixture!("text.sse"), "Hola, ¿qué más? 🥐", &[], Stop),
        (fixture!("one-call.sse"), "", &[PAY], ToolCalls),
        (fixture!("parallel-calls.sse"), "", &[PAY, VER], ToolCalls),
        (fixture!("reasoning-and-call.sse"), "Miro eso.", &[PAY], ToolCalls),
        (fixture!("two-messages.sse"), "Miro.\n\nHola", &[], Stop),
        (fixture!("refusal.sse"), "No puedo.", &[], Stop),
        (fixture!("content-filter.sse"), "Ho", &[], ContentFilter),
        (fixture!("cut-in-arguments.sse"), "", &["call_a pay text {\"amount\":5"], Length),
        (fixture!("cut-but-named-completed.sse"), "", &[PAY], Length),
        (fixture!("cut-for-no-reason.sse"), "", &[PAY], Length),
        (fixture!("custom-tool-call.sse"), "", &["call_c pay text five euros"], ToolCalls),
        (fixture!("unknown-events-crlf.sse"), "Hola", &[], Stop),
        (fixture!("done-mark-after-end.sse"), "Hola", &[], Stop),
        (fixture!("cut-surrogates.sse"), "pan 🥐!", &["call_a pay text {\"e\":\"🥐\"}"], ToolCalls),
        (fixture!("odd-shapes.sse"), "Hola", &[], Stop),
    ]);
}

#[test]
fn events_that_are_out_of_order_or_left_out_make_the_same_calls() {
    use FinishReason::ToolCalls;
    check(&[
        (fixture!("interleaved.sse"), "", &[PAY, VER], ToolCalls),
        (fixture!("ids-that-change.sse"), "", &[PAY, VER], ToolCalls),
        (fixture!("no-item-ids.sse"), "", &[PAY], ToolCalls),
        (fixture!("one-index-for-all.sse"), "Miro.", &[PAY, VER], ToolCalls),
        (fixture!("arguments-only-whole.sse"), "", &[PAY], ToolCalls),
        (fixture!("arguments-only-in-pieces.sse"), "", &[PAY], ToolCalls),
        (fixture!("never-announced.sse"), "", &[PAY], ToolCalls),
        (fixture!("only-at-the-end.sse"), "Hola", &[PAY], ToolCalls),
        (fixture!("before-announcement.sse"), "", &[PAY], ToolCalls),
        (fixture!("late-piece.sse"), "", &[PAY], ToolCalls),
        (fixture!("announced-late.sse"), "", &[PAY, VER], ToolCalls),
    ]);
}

#[test]
fn bodies_that_are_not_streamed_make_the_same_replies() {
    use FinishReason::{Length, Stop, ToolCalls};
    check(&[
        (fixture!("whole-text.json"), "Hola", &[], Stop),
        (fixture!("whole-no-status.json"), "Hola", &[], Stop),
        (
            fixture!("whole-calls.json"),
            "",
            &["call_a pay text {\"amount\":1.10}", "call_a pay value {\"amount\":2}", "- now -"],
            ToolCalls,
        ),
        (fixture!("whole-reasoning.json"), "", &[PAY], ToolCalls),
        (fixture!("whole-reasoning-kept-there.json"), "", &[PAY], ToolCalls),
        (fixture!("whole-cut.json"), "Ho", &[], Length),
    ]);
}

#[test]
fn recorded_troubles_are_named() {
    use ModelFailureKind::{BadReply, Config, TooLong, Unavailable};
    let cases: &[(Fixture, ModelFailureKind, &str)] = &[
        (fixture!("early-end.sse"), BadReply, "broke off"),
        (fixture!("done-mark-without-end.sse"), BadReply, "broke off"),
        (fixture!("failed.sse"), Unavailable, "failed to generate"),
        (fixture!("error-event.sse"), Unavailable, "Rate limit reached"),
        (fixture!("error-nested.sse"), TooLong, "history.messages"),
        (fixture!("arguments-that-disagree.sse"), BadReply, "mixes up"),
        (fixture!("end-that-disagrees.sse"), BadReply, "mixes up"),
        (fixture!("whole-failed.json"), Unavailable, "The server had an error"),
        (fixture!("whole-error.json"), Unavailable, "429"),
        (fixture!("whole-at-work.json"), BadReply, "no reply"),
        (fixture!("whole-no-reply.json"), BadReply, "model.base_url"),
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
    for ((name, bytes), kind, words) in cases {
        let failure = decode_every_way(&Responses, (name, bytes)).0.unwrap_err().failure();
        assert_eq!(failure.kind, *kind, "{name}: {}", failure.message);
        assert!(failure.message.contains(words), "{name}: {}", failure.message);
    }
}

#[test]
fn no_prefix_of_a_stream_is_taken_for_the_whole() {
    for (name, bytes) in
        [fixture!("one-call.sse"), fixture!("parallel-calls.sse"), fixture!("text.sse")]
    {
        let text = std::str::from_utf8(bytes).unwrap();
        let end = text.find("data: {\"type\":\"response.completed\"").unwrap();
        // The last event counts once its JSON is whole.
        for cut in 0..end + 100 {
            let (reply, _) = decode(&Responses, [&bytes[..cut]]);
            assert!(reply.is_err(), "{name} ended at {cut}");
        }
    }
}

#[test]
fn usage_is_read_where_it_is_sent() {
    let usage = |fixture: Fixture| decode(&Responses, [fixture.1]).0.unwrap().usage;
    let full = Usage { tokens_input: 12, tokens_output: 7, tokens_cached: 4, tokens_reasoning: 2 };
    for fixture in
        [fixture!("text.sse"), fixture!("whole-text.json"), fixture!("cut-in-arguments.sse")]
    {
        assert_eq!(usage(fixture), Some(full), "{}", fixture.0);
    }
    assert_eq!(usage(fixture!("whole-cut.json")), None);
    assert_eq!(usage(fixture!("odd-shapes.sse")).map(|u| u.tokens_input), Some(3));
}

#[test]
fn reasoning_is_kept_byte_for_byte_and_in_its_order() {
    let reasoning = concat!(
        r#"{"id":"rs_1","type":"reasoning","summary":[{"type":"summary_text","#,
        r#""text":"Pensar \u00bf1.10?"}],"encrypted_content":"gAAAAAB-1.10=="}"#
    );
    let kept = |fixture: Fixture| {
        let reply = decode(&Responses, [fixture.1]).0.unwrap();
        let items = reply.opaque.iter().map(|item| item.json.clone());
        items.collect::<Vec<String>>()
    };
    assert_eq!(
        kept(fixture!("reasoning-and-call.sse")),
        [
            reasoning,
            r#"{"from":0,"to":9,"id":"msg_1","phase":"commentary"}"#,
            r#"{"call":0,"id":"fc_a"}"#,
        ]
    );
    assert_eq!(kept(fixture!("whole-reasoning.json")), [reasoning, r#"{"call":0,"id":"fc_a"}"#]);
    let none: [Fixture; 4] = [
        // Nothing but words and calls; a name of what is kept nowhere; no call to go back with.
        fixture!("parallel-calls.sse"),
        fixture!("whole-reasoning-kept-there.json"),
        fixture!("two-messages.sse"),
        fixture!("unknown-events-crlf.sse"),
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
    let mut decoder = Responses.decoder(&EncodedTools::default());
    let mut push = |text: &str| {
        decoder.push(text.as_bytes(), &mut |_| {}).unwrap();
        (decoder.has_content(), decoder.is_done())
    };
    assert_eq!(push("data: {\"type\":\"response.created\",\"response\":{}}\n\n"), (false, false));
    assert_eq!(
        push("data: {\"type\":\"response.output_text.delta\",\"delta\":\"a\"}\n\n"),
        (true, false)
    );
    let end = "data: {\"type\":\"response.completed\",\"response\":{\"status\":\"completed\"}}\n\n";
    assert_eq!(push(end), (true, true));
}

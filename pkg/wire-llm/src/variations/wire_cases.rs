//! The nine cases in which crates of the field lose, double, glue or invent calls.

use manos_model::FinishReason::{Length, Stop, ToolCalls};
use manos_model::ModelFailureKind::BadReply;

use crate::anthropic::Messages;
use crate::openai::Chat;
use crate::recorded::{brief, check_replies, check_troubles, decode, fixture};
use crate::responses::Responses;

const PAY: &[&str] = &["call_a pay text {\"amount\":5}"];

#[test]
fn a_first_index_of_1_is_one_call() {
    check_replies(&Chat::default(), &[(fixture!("openai/first-index-1.sse"), "", PAY, ToolCalls)]);
}

#[test]
fn a_first_index_of_3_is_one_call() {
    check_replies(&Chat::default(), &[(fixture!("openai/first-index-3.sse"), "", PAY, ToolCalls)]);
}

#[test]
fn a_missing_index_loses_no_call() {
    check_replies(&Chat::default(), &[(fixture!("openai/index-missing.sse"), "", PAY, ToolCalls)]);
}

#[test]
fn a_missing_mark_at_the_end_is_no_error() {
    check_replies(&Chat::default(), &[(fixture!("openai/no-done.sse"), "", PAY, ToolCalls)]);
}

#[test]
fn a_new_id_on_one_index_is_a_second_call() {
    let calls = &["call_a pay text {\"amount\":1}", "call_b ver text {\"n\":2}"];
    check_replies(&Chat::default(), &[(fixture!("openai/index-reused.sse"), "", calls, ToolCalls)]);
}

#[test]
fn an_object_no_id_and_no_arguments_are_kept_as_they_came() {
    let calls = &["- pay value {\"amount\":5}", "- now -", "- now -"];
    let stream = fixture!("openai/object-no-id-and-nothing.sse");
    check_replies(&Chat::default(), &[(stream, "", calls, ToolCalls)]);
}

#[test]
fn arguments_cut_by_the_length_are_never_closed() {
    let calls = &["call_a pay text {\"amount\":5"];
    let stream = fixture!("openai/length-in-arguments.sse");
    check_replies(&Chat::default(), &[(stream, "", calls, Length)]);
}

#[test]
fn a_chunk_that_ends_between_cr_and_lf_loses_nothing() {
    let (_, bytes) = fixture!("anthropic/crlf-and-unknown.sse");
    let pairs = bytes.windows(2).enumerate().filter(|(_, pair)| pair == b"\r\n");
    for (at, _) in pairs {
        let (head, tail) = bytes.split_at(at + 1);
        let reply = decode(&Messages::default(), [head, tail]).0.unwrap();
        assert_eq!(brief(&reply), ("Hola".to_owned(), Vec::new(), Stop), "cut at {at}");
    }
}

#[test]
fn a_connection_that_ends_early_is_an_error_in_every_dialect() {
    let broke = |fixture| [(fixture, BadReply, "broke off")];
    check_troubles(&Messages::default(), &broke(fixture!("anthropic/early-end.sse")));
    check_troubles(&Responses, &broke(fixture!("responses/early-end.sse")));
    check_troubles(&Chat::default(), &broke(fixture!("openai/early-end.sse")));
}

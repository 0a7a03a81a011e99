//! Damaged bytes: no panic, the same outcome wherever they are cut, and no call out of half a reply.

use manos_model::CallArguments;
use proptest::prelude::*;

use super::super::Responses;
use crate::recorded::{Fixture, any_bytes_are_taken_alike, damage_is_taken_alike, decode, fixture};

const STREAMS: [Fixture; 5] = [
    fixture!("responses/interleaved.sse"),
    fixture!("responses/one-index-for-all.sse"),
    fixture!("responses/unknown-events-crlf.sse"),
    fixture!("responses/cut-surrogates.sse"),
    fixture!("responses/reasoning-and-call.sse"),
];

#[test]
fn damage_is_taken_alike_wherever_it_is_cut() {
    damage_is_taken_alike(&Responses, &STREAMS);
}

#[test]
fn any_bytes_are_taken() {
    any_bytes_are_taken_alike(&Responses);
}

proptest! {
    // Events lost, doubled or swapped on the way: a call is one of those that were sent, or there is
    // an error; never one with half its arguments, never one more.
    #[test]
    fn lost_and_swapped_events_never_make_another_call(
        order in prop::collection::vec(0_usize..64, 1..24),
    ) {
        let text = std::str::from_utf8(STREAMS[0].1).unwrap();
        let events: Vec<&str> = text.split_inclusive("\n\n").collect();
        let (last, rest) = events.split_last().unwrap();
        let mut stream: String = order.iter().filter_map(|at| rest.get(*at).copied()).collect();
        stream.push_str(last);
        if let Ok(reply) = decode(&Responses, [stream.as_bytes()]).0 {
            let sent = [("call_a", r#"{"amount":5}"#), ("call_b", r#"{"n":2}"#)];
            let got: Vec<(&str, &str)> = reply.calls.iter().map(|call| {
                let arguments = match &call.arguments {
                    CallArguments::Text(text) => text.as_str(),
                    CallArguments::Missing | CallArguments::Value(_) => "",
                };
                (call.wire_id.as_deref().unwrap_or_default(), arguments)
            }).collect();
            prop_assert_eq!(got.len(), 2, "{:?}", got);
            prop_assert!(sent.iter().all(|call| got.contains(call)), "{:?}", got);
        }
    }
}

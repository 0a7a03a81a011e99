//! Damaged bytes: no panic, the same outcome wherever they are cut, and no call out of half a reply.

use super::super::Messages;
use crate::recorded::{
    Fixture, any_bytes_are_taken_alike, damage_is_taken_alike, fixture, no_prefix_is_the_whole,
    place_of,
};

const STREAMS: [Fixture; 5] = [
    fixture!("anthropic/interleaved.sse"),
    fixture!("anthropic/thinking.sse"),
    fixture!("anthropic/crlf-and-unknown.sse"),
    fixture!("anthropic/cut-surrogates.sse"),
    fixture!("anthropic/length-in-arguments.sse"),
];

#[test]
fn no_prefix_of_a_stream_is_taken_for_the_whole() {
    let more = [fixture!("anthropic/one-call.sse"), fixture!("anthropic/text.sse")];
    for stream in STREAMS.into_iter().chain(more) {
        let end = place_of(r#""stop_reason":""#, stream);
        no_prefix_is_the_whole(&Messages::default(), stream, end);
    }
}

#[test]
fn no_prefix_of_a_body_is_taken_for_the_whole() {
    for body in [fixture!("anthropic/whole-text.json"), fixture!("anthropic/whole-calls.json")] {
        no_prefix_is_the_whole(&Messages::default(), body, body.1.trim_ascii_end().len());
    }
}

#[test]
fn damage_is_taken_alike_wherever_it_is_cut() {
    damage_is_taken_alike(&Messages::default(), &STREAMS);
}

#[test]
fn any_bytes_are_taken() {
    any_bytes_are_taken_alike(&Messages::default());
}

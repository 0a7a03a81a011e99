//! Damaged bytes: no panic, the same outcome wherever they are cut, and no call out of half a reply.

use super::super::GenerateContent;
use crate::recorded::{
    Fixture, any_bytes_are_taken_alike, damage_is_taken_alike, fixture, no_prefix_is_the_whole,
    place_of,
};

const STREAMS: [Fixture; 4] = [
    fixture!("gemini/first-signed.sse"),
    fixture!("gemini/unknown-parts.sse"),
    fixture!("gemini/cut-surrogates.sse"),
    fixture!("gemini/length.sse"),
];

#[test]
fn no_prefix_of_a_stream_is_taken_for_the_whole() {
    let more = [fixture!("gemini/one-call.sse"), fixture!("gemini/text.sse")];
    for stream in STREAMS.into_iter().chain(more) {
        let end = place_of(r#""finishReason":""#, stream);
        no_prefix_is_the_whole(&GenerateContent::default(), stream, end);
    }
}

#[test]
fn no_prefix_of_a_body_is_taken_for_the_whole() {
    for body in [fixture!("gemini/whole-text.json"), fixture!("gemini/whole-calls.json")] {
        no_prefix_is_the_whole(&GenerateContent::default(), body, body.1.trim_ascii_end().len());
    }
}

#[test]
fn damage_is_taken_alike_wherever_it_is_cut() {
    damage_is_taken_alike(&GenerateContent::default(), &STREAMS);
}

#[test]
fn any_bytes_are_taken() {
    any_bytes_are_taken_alike(&GenerateContent::default());
}

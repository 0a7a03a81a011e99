//! Damaged bytes: no panic, the same outcome wherever they are cut, and no call out of half a reply.

use super::super::Chat;
use crate::recorded::{Fixture, any_bytes_are_taken_alike, damage_is_taken_alike, fixture};

const STREAMS: [Fixture; 4] = [
    fixture!("openai/interleaved.sse"),
    fixture!("openai/odd-shapes.sse"),
    fixture!("openai/pings-crlf.sse"),
    fixture!("openai/cut-surrogates.sse"),
];

#[test]
fn damage_is_taken_alike_wherever_it_is_cut() {
    damage_is_taken_alike(&Chat::default(), &STREAMS);
}

#[test]
fn any_bytes_are_taken() {
    any_bytes_are_taken_alike(&Chat::default());
}

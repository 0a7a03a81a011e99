//! Damaged bytes: no panic, the same outcome wherever they are cut, and no call out of half a reply.

use super::super::Ollama;
use crate::recorded::{Fixture, any_bytes_are_taken_alike, damage_is_taken_alike, fixture};

const STREAMS: [Fixture; 4] = [
    fixture!("ollama/calls-in-chunks.ndjson"),
    fixture!("ollama/odd-shapes.ndjson"),
    fixture!("ollama/in-events.sse"),
    fixture!("ollama/cut-surrogates.ndjson"),
];

#[test]
fn damage_is_taken_alike_wherever_it_is_cut() {
    damage_is_taken_alike(&Ollama, &STREAMS);
}

#[test]
fn any_bytes_are_taken() {
    any_bytes_are_taken_alike(&Ollama);
}

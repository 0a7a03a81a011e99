//! Damaged bytes: no panic, the same outcome wherever they are cut, and no call out of half a reply.

use proptest::prelude::*;

use super::{Fixture, decode};

const STREAMS: [Fixture; 5] = [
    fixture!("interleaved.sse"),
    fixture!("thinking.sse"),
    fixture!("crlf-and-unknown.sse"),
    fixture!("cut-surrogates.sse"),
    fixture!("length-in-arguments.sse"),
];

#[test]
fn no_prefix_of_a_stream_is_taken_for_the_whole() {
    for (name, bytes) in STREAMS.into_iter().chain([fixture!("one-call.sse"), fixture!("text.sse")])
    {
        let text = std::str::from_utf8(bytes).unwrap();
        let end = text.find(r#""stop_reason":""#).unwrap();
        for cut in 0..end {
            let (reply, _) = decode([&bytes[..cut]]);
            assert!(reply.is_err(), "{name} ended at {cut}");
        }
    }
}

#[test]
fn no_prefix_of_a_body_is_taken_for_the_whole() {
    for (name, bytes) in [fixture!("whole-text.json"), fixture!("whole-calls.json")] {
        for cut in 0..bytes.trim_ascii_end().len() {
            assert!(decode([&bytes[..cut]]).0.is_err(), "{name} ended at {cut}");
        }
    }
}

proptest! {
    #[test]
    fn damage_is_taken_alike_wherever_it_is_cut(
        which in 0..STREAMS.len(),
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
        cut in any::<prop::sample::Index>(),
    ) {
        let mut bytes = STREAMS[which].1.to_vec();
        for (at, byte) in damage {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        let whole = decode([bytes.as_slice()]);
        let (head, tail) = bytes.split_at(cut.index(bytes.len()));
        prop_assert_eq!(&decode([head, tail]), &whole);
        prop_assert_eq!(&decode(bytes.chunks(1)), &whole);
    }

    #[test]
    fn any_bytes_are_taken(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        prop_assert_eq!(decode([bytes.as_slice()]), decode(bytes.chunks(1)));
    }
}

//! Damaged bytes: no panic, and the same outcome wherever they are cut.

use proptest::prelude::*;

use super::super::Ollama;
use crate::recorded::decode;

const STREAMS: [(&str, &[u8]); 4] = [
    fixture!("calls-in-chunks.ndjson"),
    fixture!("odd-shapes.ndjson"),
    fixture!("in-events.sse"),
    fixture!("cut-surrogates.ndjson"),
];

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
        let whole = decode(&Ollama, [bytes.as_slice()]);
        let (head, tail) = bytes.split_at(cut.index(bytes.len()));
        prop_assert_eq!(&decode(&Ollama, [head, tail]), &whole);
        prop_assert_eq!(&decode(&Ollama, bytes.chunks(1)), &whole);
    }

    #[test]
    fn any_bytes_are_taken(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let whole = decode(&Ollama, [bytes.as_slice()]);
        prop_assert_eq!(decode(&Ollama, bytes.chunks(1)), whole);
    }
}

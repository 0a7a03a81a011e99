//! Damaged bytes: no panic, and the same outcome wherever they are cut.

use manos_model::CallArguments;
use proptest::prelude::*;

use super::super::Responses;
use crate::recorded::decode;

const STREAMS: [(&str, &[u8]); 5] = [
    fixture!("interleaved.sse"),
    fixture!("one-index-for-all.sse"),
    fixture!("unknown-events-crlf.sse"),
    fixture!("cut-surrogates.sse"),
    fixture!("reasoning-and-call.sse"),
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
        let whole = decode(&Responses, [bytes.as_slice()]);
        let (head, tail) = bytes.split_at(cut.index(bytes.len()));
        prop_assert_eq!(&decode(&Responses, [head, tail]), &whole);
        prop_assert_eq!(&decode(&Responses, bytes.chunks(1)), &whole);
    }

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

    #[test]
    fn any_bytes_are_taken(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let whole = decode(&Responses, [bytes.as_slice()]);
        prop_assert_eq!(decode(&Responses, bytes.chunks(1)), whole);
    }
}

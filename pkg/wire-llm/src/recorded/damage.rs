//! Damaged bytes: no panic, and the same outcome wherever they are cut.

use proptest::prelude::*;
use proptest::sample::Index;

use super::{Fixture, decode};
use crate::Dialect;

/// Checks that a stream with bytes changed comes to the same however it arrives.
pub(crate) fn damage_is_taken_alike(dialect: &dyn Dialect, streams: &[Fixture]) {
    proptest!(|(
        which in 0..streams.len(),
        damage in prop::collection::vec((any::<Index>(), any::<u8>()), 0..6),
        cut in any::<Index>(),
    )| {
        let mut bytes = streams[which].1.to_vec();
        for (at, byte) in damage {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        let whole = decode(dialect, [bytes.as_slice()]);
        let (head, tail) = bytes.split_at(cut.index(bytes.len()));
        prop_assert_eq!(&decode(dialect, [head, tail]), &whole);
        prop_assert_eq!(&decode(dialect, bytes.chunks(1)), &whole);
    });
}

/// Checks that bytes of any kind come to the same however they arrive.
pub(crate) fn any_bytes_are_taken_alike(dialect: &dyn Dialect) {
    proptest!(|(bytes in prop::collection::vec(any::<u8>(), 0..200))| {
        let whole = decode(dialect, [bytes.as_slice()]);
        prop_assert_eq!(decode(dialect, bytes.chunks(1)), whole);
    });
}

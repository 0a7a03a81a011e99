//! Writing JSON into a body, piece by piece.

use serde::Serialize;
use serde_json::value::RawValue;

/// Writes JSON; text and values into memory cannot fail.
pub(crate) fn push_json<T: Serialize + ?Sized>(body: &mut Vec<u8>, value: &T) {
    serde_json::to_writer(body, value).unwrap_or_default();
}

/// Writes a list, each item by `push`.
pub(crate) fn push_list<T>(
    body: &mut Vec<u8>,
    items: impl IntoIterator<Item = T>,
    mut push: impl FnMut(&mut Vec<u8>, T),
) {
    body.push(b'[');
    for (at, item) in items.into_iter().enumerate() {
        if at > 0 {
            body.push(b',');
        }
        push(body, item);
    }
    body.push(b']');
}

/// Writes `,"key":value` where there is a value.
pub(crate) fn push_field(body: &mut Vec<u8>, key: &str, value: Option<&RawValue>) {
    if let Some(value) = value {
        body.push(b',');
        push_json(body, key);
        body.push(b':');
        body.extend_from_slice(value.get().as_bytes());
    }
}

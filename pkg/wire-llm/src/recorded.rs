//! Recorded bodies, decoded in every way they may arrive: for the tests of the dialects.

use manos_model::{CallArguments, FinishReason, ModelReply};

use crate::{DecodeError, Dialect, EncodedTools};

/// Name and bytes.
pub(crate) type Fixture = (&'static str, &'static [u8]);

/// What came of a body, and the text that was shown meanwhile.
pub(crate) type Decoded = (Result<ModelReply, DecodeError>, String);

/// Decodes a body that comes in these pieces.
pub(crate) fn decode<'a>(
    dialect: &dyn Dialect,
    pieces: impl IntoIterator<Item = &'a [u8]>,
) -> Decoded {
    let mut shown = String::new();
    let mut decoder = dialect.decoder(&EncodedTools::default());
    for piece in pieces {
        if let Err(error) = decoder.push(piece, &mut |text| shown.push_str(text)) {
            return (Err(error), shown);
        }
    }
    let reply = decoder.finish(&mut |text| shown.push_str(text));
    (reply, shown)
}

/// Decodes whole, cut at every byte, and byte by byte; all must agree.
pub(crate) fn decode_every_way(dialect: &dyn Dialect, (name, bytes): Fixture) -> Decoded {
    let whole = decode(dialect, [bytes]);
    for cut in 0..=bytes.len() {
        let (head, tail) = bytes.split_at(cut);
        assert_eq!(decode(dialect, [head, tail]), whole, "{name} cut at {cut}");
    }
    assert_eq!(decode(dialect, bytes.chunks(1)), whole, "{name} byte by byte");
    whole
}

/// A reply in few words: its text, its calls as `id name arguments`, why it ended.
pub(crate) fn brief(reply: &ModelReply) -> (String, Vec<String>, FinishReason) {
    let calls = reply.calls.iter().map(|call| {
        let arguments = match &call.arguments {
            CallArguments::Missing => "-".to_owned(),
            CallArguments::Text(text) => format!("text {text}"),
            CallArguments::Value(value) => format!("value {value}"),
        };
        format!("{} {} {arguments}", call.wire_id.as_deref().unwrap_or("-"), call.name)
    });
    (reply.text.clone(), calls.collect(), reply.finish.clone())
}

//! Recorded bodies, decoded in every way they may arrive: what the tests of all dialects share.

use manos_model::{
    CallArguments, FinishReason, ModelFailureKind, ModelReply, Opaque, ToolDeclaration, ToolSet,
    Usage,
};
use serde_json::{Value, json};

use crate::{CallOptions, DecodeError, Dialect, EncodedTools};

mod damage;

pub(crate) use damage::{any_bytes_are_taken_alike, damage_is_taken_alike};

/// Name and bytes of a file of `fixtures/llm`.
macro_rules! fixture {
    ($name:literal) => {
        (
            $name,
            include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/llm/", $name))
                .as_slice(),
        )
    };
}
pub(crate) use fixture;

/// Name and bytes.
pub(crate) type Fixture = (&'static str, &'static [u8]);

/// What came of a body, and the text that was shown meanwhile.
pub(crate) type Decoded = (Result<ModelReply, DecodeError>, String);

/// Body, text, calls as [`brief`] has them, why it ended.
pub(crate) type Reply<'a> = (Fixture, &'a str, &'a [&'a str], FinishReason);

/// Body, kind of the failure, what its message must hold.
pub(crate) type Trouble<'a> = (Fixture, ModelFailureKind, &'a str);

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
pub(crate) fn decode_every_way(dialect: &dyn Dialect, name: &str, bytes: &[u8]) -> Decoded {
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

/// Checks that each body makes its reply, wherever it is cut.
pub(crate) fn check_replies(dialect: &dyn Dialect, cases: &[Reply<'_>]) {
    for ((name, bytes), text, calls, finish) in cases {
        let (reply, shown) = decode_every_way(dialect, name, bytes);
        let reply = reply.unwrap_or_else(|error| panic!("{name}: {error}"));
        let calls = calls.iter().map(|call| (*call).to_owned()).collect();
        assert_eq!(brief(&reply), ((*text).to_owned(), calls, finish.clone()), "{name}");
        assert_eq!(shown, reply.text, "{name}: what was shown is what is kept");
    }
}

/// Checks that each body makes its failure, wherever it is cut.
pub(crate) fn check_troubles(dialect: &dyn Dialect, cases: &[Trouble<'_>]) {
    for ((name, bytes), kind, words) in cases {
        let failure = decode_every_way(dialect, name, bytes).0.unwrap_err().failure();
        assert_eq!(failure.kind, *kind, "{name}: {}", failure.message);
        assert!(failure.message.contains(words), "{name}: {}", failure.message);
    }
}

/// Checks that nothing of a body before `end` is taken for the whole of it.
pub(crate) fn no_prefix_is_the_whole(dialect: &dyn Dialect, (name, bytes): Fixture, end: usize) {
    for cut in 0..end {
        assert!(decode(dialect, [&bytes[..cut]]).0.is_err(), "{name} ended at {cut}");
    }
}

/// Where a mark stands in a body.
pub(crate) fn place_of(mark: &str, (_, bytes): Fixture) -> usize {
    std::str::from_utf8(bytes).unwrap().find(mark).unwrap()
}

/// The usage that a body tells.
pub(crate) fn usage(dialect: &dyn Dialect, fixture: Fixture) -> Option<Usage> {
    decode(dialect, [fixture.1]).0.unwrap().usage
}

/// The items that go back with a body's reply, all of them the dialect's own.
pub(crate) fn kept(dialect: &dyn Dialect, fixture: Fixture) -> Vec<String> {
    let own = |item: &Opaque| item.family == dialect.family();
    let reply = decode(dialect, [fixture.1]).0.unwrap();
    assert!(reply.opaque.iter().all(own), "{}", fixture.0);
    reply.opaque.into_iter().map(|item| item.json).collect()
}

/// Checks that a body's call of `calendar_create` is one of `calendar.create`, and that a name
/// nobody knows stays as it is.
pub(crate) fn names_are_led_back(dialect: &dyn Dialect, body: &Value) {
    let tool = ToolDeclaration {
        name: "calendar.create".to_owned(),
        description: String::new(),
        parameters: json!({}),
    };
    let options = CallOptions::new("https://provider.test", "m");
    let tools = dialect.tools(&ToolSet::new(vec![tool]), &options);
    let mut decoder = dialect.decoder(&tools);
    decoder.push(body.to_string().as_bytes(), &mut |_| {}).unwrap();
    let reply = decoder.finish(&mut |_| {}).unwrap();
    let names: Vec<&str> = reply.calls.iter().map(|call| call.name.as_str()).collect();
    assert_eq!(names, ["calendar.create", "invented tool"]);
}

/// Whether content has come and all is said, after each of these pieces.
pub(crate) fn progress<const N: usize>(
    dialect: &dyn Dialect,
    pieces: [String; N],
) -> [(bool, bool); N] {
    let mut decoder = dialect.decoder(&EncodedTools::default());
    pieces.map(|piece| {
        decoder.push(piece.as_bytes(), &mut |_| {}).unwrap();
        (decoder.has_content(), decoder.is_done())
    })
}

/// An event of a stream.
pub(crate) fn event(data: &Value) -> String {
    format!("data: {data}\n\n")
}

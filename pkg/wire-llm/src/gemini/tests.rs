//! The recorded cases, each cut at every byte.

use manos_model::{
    CallArguments, FinishReason, ModelFailureKind, ModelReply, ToolDeclaration, Usage,
};
use serde_json::json;

use super::*;
use crate::DecodeError;

macro_rules! fixture {
    ($name:literal) => {
        (
            $name,
            include_bytes!(concat!(
                env!("CARGO_MANIFEST_DIR"),
                "/../../fixtures/llm/gemini/",
                $name
            ))
            .as_slice(),
        )
    };
}

// After the macro, which they use.
mod bodies;
mod damage;

/// Name and bytes.
type Fixture = (&'static str, &'static [u8]);

type Decoded = (Result<ModelReply, DecodeError>, String);

fn decode<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> Decoded {
    let mut shown = String::new();
    let mut decoder = GenerateContent::default().decoder(&EncodedTools::default());
    for piece in pieces {
        if let Err(error) = decoder.push(piece, &mut |text| shown.push_str(text)) {
            return (Err(error), shown);
        }
    }
    let reply = decoder.finish(&mut |text| shown.push_str(text));
    (reply, shown)
}

/// Decodes whole, cut at every byte, and byte by byte; all must agree.
fn decode_every_way(name: &str, bytes: &[u8]) -> Decoded {
    let whole = decode([bytes]);
    for cut in 0..=bytes.len() {
        let (head, tail) = bytes.split_at(cut);
        assert_eq!(decode([head, tail]), whole, "{name} cut at {cut}");
    }
    assert_eq!(decode(bytes.chunks(1)), whole, "{name} byte by byte");
    whole
}

/// A reply in few words: its text, its calls as `id name arguments`, why it ended.
fn brief(reply: &ModelReply) -> (String, Vec<String>, FinishReason) {
    let calls = reply.calls.iter().map(|call| {
        let arguments = match &call.arguments {
            CallArguments::Missing => "-".to_owned(),
            CallArguments::Text(text) => format!("text {text}"),
            CallArguments::Value(value) => value.to_string(),
        };
        format!("{} {} {arguments}", call.wire_id.as_deref().unwrap_or("-"), call.name)
    });
    (reply.text.clone(), calls.collect(), reply.finish.clone())
}

#[test]
fn recorded_replies_decode_alike_wherever_they_are_cut() {
    use FinishReason::{ContentFilter, Length, Other, Stop, ToolCalls};
    let cases: &[(Fixture, &str, &[&str], FinishReason)] = &[
        (fixture!("text.sse"), "Hola, ¿qué más? 🥐", &[], Stop),
        (fixture!("one-call.sse"), "", &["fc01 pay {\"amount\":5}"], ToolCalls),
        (
            fixture!("first-signed.sse"),
            "",
            &["fc01 read {\"p\":1}", "fc02 read {\"p\":2}", "fc03 write {\"p\":3}"],
            ToolCalls,
        ),
        (fixture!("text-and-call-signed.sse"), "Voy ya.", &["fc01 pay {\"amount\":5}"], ToolCalls),
        (fixture!("same-name-no-ids.sse"), "", &["- now {}", "- now {}", "- now -"], ToolCalls),
        (fixture!("thoughts.sse"), "Hola", &[], Stop),
        (fixture!("length.sse"), "Ho", &["- pay {\"amount\":5}"], Length),
        (fixture!("length-in-thoughts.json"), "", &[], Length),
        (fixture!("safety.sse"), "Ho", &[], ContentFilter),
        (fixture!("recitation.sse"), "Ho", &[], ContentFilter),
        (fixture!("finish-in-every-chunk.sse"), "Hola", &[], Stop),
        (fixture!("nothing-said.sse"), "", &[], Stop),
        (fixture!("unknown-parts.sse"), "Hola", &[], Stop),
        (fixture!("other.sse"), "Ho", &[], Other("OTHER".into())),
        (fixture!("cut-surrogates.sse"), "pan 🥐!", &[], Stop),
        (fixture!("two-candidates.sse"), "Hola", &[], Stop),
        (fixture!("whole-text.json"), "Hola", &[], Stop),
        (
            fixture!("whole-calls.json"),
            "",
            &["- pay {\"amount\":1.10}", "- pay {\"amount\":2}", "- now {}"],
            ToolCalls,
        ),
        (fixture!("whole-list.json"), "Hola", &["- pay {\"amount\":5}"], ToolCalls),
    ];
    for ((name, bytes), text, calls, finish) in cases {
        let (reply, shown) = decode_every_way(name, bytes);
        let reply = reply.unwrap_or_else(|error| panic!("{name}: {error}"));
        let calls = calls.iter().map(|call| (*call).to_owned()).collect();
        assert_eq!(brief(&reply), ((*text).to_owned(), calls, finish.clone()), "{name}");
        assert_eq!(shown, reply.text, "{name}: what was shown is what is kept");
    }
}

#[test]
fn recorded_troubles_are_named() {
    use ModelFailureKind::{BadReply, Config, RefusedCall, Unavailable};
    let cases: &[(Fixture, ModelFailureKind, &str)] = &[
        (fixture!("early-end.sse"), BadReply, "broke off"),
        (fixture!("malformed-call.sse"), RefusedCall, "print(default_api.pay(amount=5"),
        (fixture!("malformed-after-a-call.sse"), RefusedCall, "MALFORMED_FUNCTION_CALL"),
        (fixture!("unexpected-call.json"), RefusedCall, "UNEXPECTED_TOOL_CALL"),
        (fixture!("blocked-prompt.json"), Config, "PROHIBITED_CONTENT"),
        (fixture!("blocked-prompt.sse"), Config, "SAFETY"),
        (fixture!("error-in-stream.sse"), Unavailable, "503"),
        (fixture!("error-first.sse"), Unavailable, "500"),
        (fixture!("whole-error-list.json"), Unavailable, "503"),
        (fixture!("whole-no-reply.json"), BadReply, "model.base_url"),
        (fixture!("page.html"), Config, "model.base_url"),
        (("nothing", b" \n"), BadReply, "nothing"),
        (("no JSON", b"data: {\"candidates\"=1}\n\n"), BadReply, "no JSON"),
        (("a cut event", b"data: {\"candi"), BadReply, "broke off"),
        (("a cut body", b"{\"candidates\":"), BadReply, "broke off"),
        (("a list of nothing", b"[]"), BadReply, "model.base_url"),
        (("plain words", b"Internal Server Error"), BadReply, "broke off"),
    ];
    for ((name, bytes), kind, words) in cases {
        let failure = decode_every_way(name, bytes).0.unwrap_err().failure();
        assert_eq!(failure.kind, *kind, "{name}: {}", failure.message);
        assert!(failure.message.contains(words), "{name}: {}", failure.message);
    }
}

#[test]
fn usage_counts_thoughts_as_output_and_the_last_word_wins() {
    let usage = |fixture: Fixture| decode([fixture.1]).0.unwrap().usage.unwrap();
    let full = Usage { tokens_input: 12, tokens_output: 10, tokens_cached: 4, tokens_reasoning: 3 };
    assert_eq!(usage(fixture!("text.sse")), full);
    assert_eq!(usage(fixture!("thoughts.sse")).tokens_reasoning, 30);
    let cut = usage(fixture!("length-in-thoughts.json"));
    assert_eq!((cut.tokens_output, cut.tokens_reasoning), (256, 256));
}

#[test]
fn signatures_are_kept_word_for_word_and_with_their_parts() {
    let items = |fixture: Fixture| -> Vec<String> {
        let reply = decode([fixture.1]).0.unwrap();
        assert!(reply.opaque.iter().all(|item| item.family == FAMILY));
        reply.opaque.into_iter().map(|item| item.json).collect()
    };
    assert_eq!(
        items(fixture!("first-signed.sse")),
        [r#"{"call":0,"thoughtSignature":"cHJpbWVybw=="}"#]
    );
    assert_eq!(
        items(fixture!("text-and-call-signed.sse")),
        [
            r#"{"from":4,"to":7,"thoughtSignature":"dGV4dG8="}"#,
            r#"{"call":0,"thoughtSignature":"cGFnbw=="}"#,
            r#"{"from":7,"to":7,"thoughtSignature":"Zmlu"}"#,
        ]
    );
    // A reply without calls is never sent back within its turn.
    assert_eq!(items(fixture!("text.sse")), Vec::<String>::new());
}

#[test]
fn too_many_signatures_stay_behind() {
    for (many, kept) in [(3, 3), (30, 0)] {
        let part =
            json!({"functionCall": {"name": "x"}, "thoughtSignature": "x".repeat(64 * 1024)});
        let parts = vec![part; many];
        let body = json!({"candidates": [{"content": {"parts": parts}, "finishReason": "STOP"}]});
        let reply = decode([body.to_string().as_bytes()]).0.unwrap();
        assert_eq!(reply.opaque.len(), kept, "{many}");
    }
}

#[test]
fn a_mapped_name_comes_back_as_the_tools_own() {
    let tool = ToolDeclaration {
        name: "calendar.create".to_owned(),
        description: String::new(),
        parameters: json!({}),
    };
    let options = CallOptions::new("", "m");
    let tools = GenerateContent::default().tools(&ToolSet::new(vec![tool]), &options);
    let mut decoder = GenerateContent::default().decoder(&tools);
    let body = json!({"candidates": [{"finishReason": "STOP", "content": {"parts": [
        {"functionCall": {"name": "calendar_create", "args": {}}},
        {"functionCall": {"name": "invented tool", "args": {}}}
    ]}}]});
    decoder.push(body.to_string().as_bytes(), &mut |_| {}).unwrap();
    let reply = decoder.finish(&mut |_| {}).unwrap();
    let names: Vec<&str> = reply.calls.iter().map(|call| call.name.as_str()).collect();
    assert_eq!(names, ["calendar.create", "invented tool"]);
}

#[test]
fn the_decoder_says_when_content_came() {
    let mut decoder = GenerateContent::default().decoder(&EncodedTools::default());
    let mut push = |part: serde_json::Value| {
        let chunk = json!({"candidates": [{"content": {"parts": [part]}}]});
        decoder.push(format!("data: {chunk}\n\n").as_bytes(), &mut |_| {}).unwrap();
        decoder.has_content()
    };
    assert!(!push(json!({"text": "", "thoughtSignature": "x"})));
    assert!(!push(json!({"text": "Pensar", "thought": true})));
    assert!(push(json!({"functionCall": {"name": "x"}})));
}

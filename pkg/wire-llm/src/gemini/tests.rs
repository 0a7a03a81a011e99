//! The recorded cases, each cut at every byte.

use manos_model::{FinishReason, ModelFailureKind, Usage};
use serde_json::json;

use super::*;
use crate::recorded::{
    Fixture, Reply, Trouble, check_replies, check_troubles, decode, event, fixture, kept,
    names_are_led_back, progress, usage,
};

mod bodies;
mod damage;

#[test]
fn recorded_replies_decode_alike_wherever_they_are_cut() {
    use FinishReason::{ContentFilter, Length, Other, Stop, ToolCalls};
    let cases: &[Reply<'_>] = &[
        (fixture!("gemini/text.sse"), "Hola, ¿qué más? 🥐", &[], Stop),
        (fixture!("gemini/one-call.sse"), "", &["fc01 pay value {\"amount\":5}"], ToolCalls),
        (
            fixture!("gemini/first-signed.sse"),
            "",
            &[
                "fc01 read value {\"p\":1}",
                "fc02 read value {\"p\":2}",
                "fc03 write value {\"p\":3}",
            ],
            ToolCalls,
        ),
        (
            fixture!("gemini/text-and-call-signed.sse"),
            "Voy ya.",
            &["fc01 pay value {\"amount\":5}"],
            ToolCalls,
        ),
        (
            fixture!("gemini/same-name-no-ids.sse"),
            "",
            &["- now value {}", "- now value {}", "- now -"],
            ToolCalls,
        ),
        (fixture!("gemini/thoughts.sse"), "Hola", &[], Stop),
        (fixture!("gemini/length.sse"), "Ho", &["- pay value {\"amount\":5}"], Length),
        (fixture!("gemini/length-in-thoughts.json"), "", &[], Length),
        (fixture!("gemini/safety.sse"), "Ho", &[], ContentFilter),
        (fixture!("gemini/recitation.sse"), "Ho", &[], ContentFilter),
        (fixture!("gemini/finish-in-every-chunk.sse"), "Hola", &[], Stop),
        (fixture!("gemini/nothing-said.sse"), "", &[], Stop),
        (fixture!("gemini/unknown-parts.sse"), "Hola", &[], Stop),
        (fixture!("gemini/other.sse"), "Ho", &[], Other("OTHER".into())),
        (fixture!("gemini/cut-surrogates.sse"), "pan 🥐!", &[], Stop),
        (fixture!("gemini/two-candidates.sse"), "Hola", &[], Stop),
        (fixture!("gemini/whole-text.json"), "Hola", &[], Stop),
        (
            fixture!("gemini/whole-calls.json"),
            "",
            &["- pay value {\"amount\":1.10}", "- pay value {\"amount\":2}", "- now value {}"],
            ToolCalls,
        ),
        (fixture!("gemini/whole-list.json"), "Hola", &["- pay value {\"amount\":5}"], ToolCalls),
    ];
    check_replies(&GenerateContent::default(), cases);
}

#[test]
fn recorded_troubles_are_named() {
    use ModelFailureKind::{BadReply, Config, RefusedCall, Unavailable};
    let cases: &[Trouble<'_>] = &[
        (fixture!("gemini/early-end.sse"), BadReply, "broke off"),
        (fixture!("gemini/malformed-call.sse"), RefusedCall, "print(default_api.pay(amount=5"),
        (fixture!("gemini/malformed-after-a-call.sse"), RefusedCall, "MALFORMED_FUNCTION_CALL"),
        (fixture!("gemini/unexpected-call.json"), RefusedCall, "UNEXPECTED_TOOL_CALL"),
        (fixture!("gemini/blocked-prompt.json"), Config, "PROHIBITED_CONTENT"),
        (fixture!("gemini/blocked-prompt.sse"), Config, "SAFETY"),
        (fixture!("gemini/error-in-stream.sse"), Unavailable, "503"),
        (fixture!("gemini/error-first.sse"), Unavailable, "500"),
        (fixture!("gemini/whole-error-list.json"), Unavailable, "503"),
        (fixture!("gemini/whole-no-reply.json"), BadReply, "model.base_url"),
        (fixture!("gemini/page.html"), Config, "model.base_url"),
        (("nothing", b" \n"), BadReply, "nothing"),
        (("no JSON", b"data: {\"candidates\"=1}\n\n"), BadReply, "no JSON"),
        (("a cut event", b"data: {\"candi"), BadReply, "broke off"),
        (("a cut body", b"{\"candidates\":"), BadReply, "broke off"),
        (("a list of nothing", b"[]"), BadReply, "model.base_url"),
        (("plain words", b"Internal Server Error"), BadReply, "broke off"),
    ];
    check_troubles(&GenerateContent::default(), cases);
}

#[test]
fn usage_counts_thoughts_as_output_and_the_last_word_wins() {
    let usage = |fixture: Fixture| usage(&GenerateContent::default(), fixture).unwrap();
    let full = Usage { tokens_input: 12, tokens_output: 10, tokens_cached: 4, tokens_reasoning: 3 };
    assert_eq!(usage(fixture!("gemini/text.sse")), full);
    assert_eq!(usage(fixture!("gemini/thoughts.sse")).tokens_reasoning, 30);
    let cut = usage(fixture!("gemini/length-in-thoughts.json"));
    assert_eq!((cut.tokens_output, cut.tokens_reasoning), (256, 256));
}

#[test]
fn signatures_are_kept_word_for_word_and_with_their_parts() {
    let items = |fixture: Fixture| kept(&GenerateContent::default(), fixture);
    assert_eq!(
        items(fixture!("gemini/first-signed.sse")),
        [r#"{"call":0,"thoughtSignature":"cHJpbWVybw=="}"#]
    );
    assert_eq!(
        items(fixture!("gemini/text-and-call-signed.sse")),
        [
            r#"{"from":4,"to":7,"thoughtSignature":"dGV4dG8="}"#,
            r#"{"call":0,"thoughtSignature":"cGFnbw=="}"#,
            r#"{"from":7,"to":7,"thoughtSignature":"Zmlu"}"#,
        ]
    );
    // A reply without calls is never sent back within its turn.
    assert_eq!(items(fixture!("gemini/text.sse")), Vec::<String>::new());
}

#[test]
fn too_many_signatures_stay_behind() {
    for (many, kept) in [(3, 3), (30, 0)] {
        let part =
            json!({"functionCall": {"name": "x"}, "thoughtSignature": "x".repeat(64 * 1024)});
        let parts = vec![part; many];
        let body = json!({"candidates": [{"content": {"parts": parts}, "finishReason": "STOP"}]});
        let reply = decode(&GenerateContent::default(), [body.to_string().as_bytes()]).0.unwrap();
        assert_eq!(reply.opaque.len(), kept, "{many}");
    }
}

#[test]
fn a_mapped_name_comes_back_as_the_tools_own() {
    let body = json!({"candidates": [{"finishReason": "STOP", "content": {"parts": [
        {"functionCall": {"name": "calendar_create", "args": {}}},
        {"functionCall": {"name": "invented tool", "args": {}}}
    ]}}]});
    names_are_led_back(&GenerateContent::default(), &body);
}

#[test]
fn the_decoder_says_when_content_came() {
    let pieces = [
        json!({"text": "", "thoughtSignature": "x"}),
        json!({"text": "Pensar", "thought": true}),
        json!({"functionCall": {"name": "x"}}),
    ];
    let chunk = |part| event(&json!({"candidates": [{"content": {"parts": [part]}}]}));
    assert_eq!(
        progress(&GenerateContent::default(), pieces.map(chunk)),
        [(false, false), (false, false), (true, false)]
    );
}

//! Streams in the shape of each named server.

use manos_model::FinishReason;

use super::super::*;
use crate::recorded::{Fixture, brief, decode_every_way, fixture};

/// Server, stream, calls, tokens: cached and of reasoning.
type Case<'a> = (&'a str, Fixture, &'a [&'a str], (u64, u64));

#[test]
fn the_streams_of_named_servers_decode_alike_wherever_they_are_cut() {
    let pay = "call_a pay text {\"amount\":5}";
    let ver = "call_b ver text {\"n\":2}";
    let cases: &[Case<'_>] = &[
        ("groq", fixture!("openai/shape-groq.sse"), &[pay], (0, 0)),
        ("deepseek", fixture!("openai/shape-deepseek.sse"), &[pay], (4, 2)),
        (
            "mistral",
            fixture!("openai/shape-mistral.sse"),
            &["a1B2c3D4e pay text {\"amount\":5}"],
            (0, 0),
        ),
        ("openrouter", fixture!("openai/shape-openrouter.sse"), &[pay], (0, 0)),
        (
            "vllm",
            fixture!("openai/shape-vllm.sse"),
            &["chatcmpl-tool-a pay text {\"amount\": 5}"],
            (0, 0),
        ),
        (
            "llamacpp",
            fixture!("openai/shape-llamacpp.sse"),
            &["a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6 pay text {\"amount\":5}"],
            (0, 0),
        ),
        ("xai", fixture!("openai/shape-xai.sse"), &[pay, ver], (4, 2)),
        ("together", fixture!("openai/shape-together.sse"), &[pay], (0, 0)),
    ];
    for (server, fixture, calls, (cached, reasoning)) in cases {
        let reply = decode_every_way(&Chat::named(server), fixture.0, fixture.1).0.unwrap();
        let calls = calls.iter().map(|call| (*call).to_owned()).collect();
        assert_eq!(brief(&reply), (String::new(), calls, FinishReason::ToolCalls), "{server}");
        let usage = reply.usage.unwrap();
        let counts = (usage.tokens_input, usage.tokens_output);
        assert_eq!(counts, (12, 7), "{server}");
        let parts = (usage.tokens_cached, usage.tokens_reasoning);
        assert_eq!(parts, (*cached, *reasoning), "{server}");
    }
}

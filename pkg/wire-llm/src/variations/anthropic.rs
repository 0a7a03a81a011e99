//! Anthropic Messages.

use manos_model::FinishReason;
use serde_json::{Value, json};

use super::{check, check_refused, check_whole};
use crate::anthropic::Messages;

fn begin(index: Value, block: Value) -> Value {
    json!({"type": "content_block_start", "index": index, "content_block": block})
}

fn tool(index: Value, id: &str) -> Value {
    begin(index, json!({"type": "tool_use", "id": id, "name": "pay", "input": {}}))
}

fn piece(index: Value, json: Value) -> Value {
    json!({"type": "content_block_delta", "index": index, "delta": {"type": "input_json_delta", "partial_json": json}})
}

fn words(index: Value, text: Value) -> Value {
    json!({"type": "content_block_delta", "index": index, "delta": {"type": "text_delta", "text": text}})
}

fn end() -> Vec<Value> {
    vec![
        json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}}),
        json!({"type": "message_stop"}),
    ]
}

const PAY: &str = "a pay text {\"n\":1}";

#[test]
fn blocks_come_in_many_kinds() {
    let n = || json!("{\"n\":1}");
    check(
        &Messages::default(),
        &[
            ("one call", vec![tool(json!(0), "a"), piece(json!(0), n())], "", &[PAY]),
            (
                "an empty piece first",
                vec![tool(json!(0), "a"), piece(json!(0), json!("")), piece(json!(0), n())],
                "",
                &[PAY],
            ),
            (
                "an empty piece alone",
                vec![tool(json!(0), "a"), piece(json!(0), json!(""))],
                "",
                &["a pay -"],
            ),
            (
                "null for a piece",
                vec![tool(json!(0), "a"), piece(json!(0), json!(null))],
                "",
                &["a pay -"],
            ),
            (
                "a piece that is a value",
                vec![tool(json!(0), "a"), piece(json!(0), json!({"n": 1}))],
                "",
                &["a pay value {\"n\":1}"],
            ),
            ("no piece", vec![tool(json!(0), "a")], "", &["a pay -"]),
            ("no index", vec![tool(json!(null), "a"), piece(json!(null), n())], "", &[PAY]),
            ("a negative index", vec![tool(json!(-1), "a"), piece(json!(-1), n())], "", &[PAY]),
            ("an index in quotes", vec![tool(json!("0"), "a"), piece(json!("0"), n())], "", &[PAY]),
            (
                "a huge index",
                vec![tool(json!(u64::MAX), "a"), piece(json!(u64::MAX), n())],
                "",
                &[PAY],
            ),
            (
                "input null",
                vec![
                    begin(
                        json!(0),
                        json!({"type": "tool_use", "id": "a", "name": "pay", "input": null}),
                    ),
                    piece(json!(0), n()),
                ],
                "",
                &[PAY],
            ),
            (
                "input as text",
                vec![
                    begin(
                        json!(0),
                        json!({"type": "tool_use", "id": "a", "name": "pay", "input": ""}),
                    ),
                    piece(json!(0), n()),
                ],
                "",
                &[PAY],
            ),
            (
                "one index for two calls",
                vec![
                    tool(json!(0), "a"),
                    piece(json!(0), n()),
                    tool(json!(0), "b"),
                    piece(json!(0), json!("{}")),
                ],
                "",
                &[PAY, "b pay text {}"],
            ),
            (
                "one id for two calls",
                vec![
                    tool(json!(0), "a"),
                    piece(json!(0), n()),
                    tool(json!(1), "a"),
                    piece(json!(1), json!("{}")),
                ],
                "",
                &[PAY, "a pay text {}"],
            ),
            (
                "words in the start of a block",
                vec![
                    begin(json!(0), json!({"type": "text", "text": "Ho"})),
                    words(json!(0), json!("la")),
                ],
                "Hola",
                &[],
            ),
            (
                "words of a block that never began",
                vec![words(json!(0), json!("Hola"))],
                "Hola",
                &[],
            ),
            (
                "words that are null",
                vec![words(json!(0), json!(null)), words(json!(0), json!("Hola"))],
                "Hola",
                &[],
            ),
            (
                "a block of another kind",
                vec![
                    begin(
                        json!(0),
                        json!({"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}}),
                    ),
                    piece(json!(0), n()),
                    words(json!(1), json!("Hola")),
                ],
                "Hola",
                &[],
            ),
            (
                "a block that is null",
                vec![begin(json!(0), json!(null)), words(json!(0), json!("Hola"))],
                "Hola",
                &[],
            ),
            (
                "deltas of another kind",
                vec![
                    json!({"type": "content_block_delta", "index": 0, "delta": {"type": "citations_delta", "citation": {}}}),
                    words(json!(0), json!("Hola")),
                ],
                "Hola",
                &[],
            ),
            (
                "a delta that is null",
                vec![
                    json!({"type": "content_block_delta", "index": 0, "delta": null}),
                    words(json!(0), json!("Hola")),
                ],
                "Hola",
                &[],
            ),
            (
                "events of another kind",
                vec![
                    json!({"type": "later", "x": {}}),
                    json!({"x": 1}),
                    words(json!(0), json!("Hola")),
                ],
                "Hola",
                &[],
            ),
            (
                "an error of nothing",
                vec![json!({"type": "ping", "error": null}), words(json!(0), json!("Hola"))],
                "Hola",
                &[],
            ),
            (
                "markup in the name stays",
                vec![begin(
                    json!(0),
                    json!({"type": "tool_use", "id": "a", "name": "pay</invoke>", "input": {}}),
                )],
                "",
                &["a pay</invoke> -"],
            ),
            (
                "a stop reason of null first",
                vec![
                    words(json!(0), json!("Hola")),
                    json!({"type": "message_delta", "delta": {"stop_reason": null}, "usage": null}),
                ],
                "Hola",
                &[],
            ),
        ],
        &end(),
    );
}

#[test]
fn errors_in_mid_stream_are_errors_in_every_form() {
    let begun = || words(json!(0), json!("Ho"));
    check_refused(
        &Messages::default(),
        &[
            (
                "overloaded",
                vec![
                    begun(),
                    json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}),
                ],
                "overloaded",
            ),
            (
                "a type that is new",
                vec![
                    begun(),
                    json!({"type": "error", "error": {"type": "later_error", "message": "Later"}}),
                ],
                "Later",
            ),
            ("without a type", vec![begun(), json!({"error": {"message": "boom"}})], "boom"),
            ("words alone", vec![begun(), json!({"error": "boom"})], "boom"),
            (
                "arguments in a block of words",
                vec![
                    begin(json!(0), json!({"type": "text", "text": ""})),
                    piece(json!(0), json!("{}")),
                ],
                "mixes up",
            ),
        ],
        &end(),
    );
}

#[test]
fn whole_bodies_come_in_many_kinds() {
    use FinishReason::{ContentFilter, Length, Stop, ToolCalls};
    let body = |content: Value, reason: Value| json!({"type": "message", "content": content, "stop_reason": reason});
    let call = json!({"type": "tool_use", "id": "a", "name": "pay", "input": {"n": 1}});
    let pay = "a pay value {\"n\":1}";
    check_whole(
        &Messages::default(),
        &[
            (
                "no reason",
                body(json!([{"type": "text", "text": "Hola"}]), json!(null)),
                "Hola",
                &[],
                Stop,
            ),
            ("no content", body(json!(null), json!("end_turn")), "", &[], Stop),
            (
                "blocks that are none",
                body(
                    json!([null, 1, {}, {"type": "later"}, {"type": "text", "text": "Hola"}]),
                    json!("end_turn"),
                ),
                "Hola",
                &[],
                Stop,
            ),
            ("a call without a reason", body(json!([call]), json!(null)), "", &[pay], ToolCalls),
            ("a call that was cut", body(json!([call]), json!("max_tokens")), "", &[pay], Length),
            (
                "a refusal beside a call",
                body(json!([call]), json!("refusal")),
                "",
                &[pay],
                ContentFilter,
            ),
            (
                "one id twice",
                body(json!([call, call]), json!("tool_use")),
                "",
                &[pay, pay],
                ToolCalls,
            ),
            (
                "input as text",
                body(
                    json!([{"type": "tool_use", "id": "a", "name": "pay", "input": "{\"n\":1}"}]),
                    json!("tool_use"),
                ),
                "",
                &["a pay text {\"n\":1}"],
                ToolCalls,
            ),
        ],
    );
}

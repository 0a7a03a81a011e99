//! Ollama's own API, its lines in events as gateways put them.

use serde_json::{Value, json};

use super::{check, check_refused};
use crate::ollama::Ollama;

fn line(message: Value) -> Value {
    json!({"model": "m", "message": message, "done": false})
}

fn call(function: Value) -> Vec<Value> {
    vec![line(json!({"role": "assistant", "content": "", "tool_calls": [{"function": function}]}))]
}

fn end() -> Vec<Value> {
    vec![
        json!({"message": {"role": "assistant", "content": ""}, "done": true, "done_reason": "stop"}),
    ]
}

const PAY: &str = "- pay value {\"n\":1}";

#[test]
fn lines_come_in_many_kinds() {
    let pay = |arguments: Value| call(json!({"name": "pay", "arguments": arguments}));
    let indexed = |index: Value| {
        vec![line(
            json!({"tool_calls": [{"function": {"index": index, "name": "pay", "arguments": {"n": 1}}}, {"function": {"index": index, "name": "pay", "arguments": {"n": 1}}}]}),
        )]
    };
    check(
        &Ollama,
        &[
            ("an object", pay(json!({"n": 1})), "", &[PAY]),
            ("text", pay(json!("{\"n\":1}")), "", &["- pay text {\"n\":1}"]),
            ("null", pay(json!(null)), "", &["- pay -"]),
            ("empty text", pay(json!("")), "", &["- pay -"]),
            ("a number", pay(json!(5)), "", &["- pay value 5"]),
            ("no arguments", call(json!({"name": "pay"})), "", &["- pay -"]),
            ("two calls of one index", indexed(json!(0)), "", &[PAY, PAY]),
            ("two calls of no index", indexed(json!(null)), "", &[PAY, PAY]),
            ("two calls of a negative index", indexed(json!(-1)), "", &[PAY, PAY]),
            (
                "the same call in two lines",
                [pay(json!({"n": 1})), pay(json!({"n": 1}))].concat(),
                "",
                &[PAY, PAY],
            ),
            (
                "an id",
                vec![line(
                    json!({"tool_calls": [{"id": "a", "function": {"name": "pay", "arguments": {"n": 1}}}]}),
                )],
                "",
                &["a pay value {\"n\":1}"],
            ),
            (
                "one id for two calls",
                vec![line(
                    json!({"tool_calls": [{"id": "a", "function": {"name": "pay"}}, {"id": "a", "function": {"name": "ver"}}]}),
                )],
                "",
                &["a pay -", "a ver -"],
            ),
            (
                "calls that are none",
                vec![line(
                    json!({"content": "Hola", "tool_calls": [null, 1, {}, {"function": null}]}),
                )],
                "Hola",
                &[],
            ),
            (
                "null for no calls",
                vec![line(json!({"content": "Hola", "tool_calls": null}))],
                "Hola",
                &[],
            ),
            (
                "one call without a list",
                vec![line(
                    json!({"tool_calls": {"function": {"name": "pay", "arguments": {"n": 1}}}}),
                )],
                "",
                &[PAY],
            ),
            (
                "content that is null",
                vec![line(json!({"content": null})), line(json!({"content": "Hola"}))],
                "Hola",
                &[],
            ),
            (
                "a message that is null",
                vec![line(json!(null)), line(json!({"content": "Hola"}))],
                "Hola",
                &[],
            ),
            (
                "thinking",
                vec![
                    line(json!({"thinking": "Pensar", "content": ""})),
                    line(json!({"content": "Hola"})),
                ],
                "Hola",
                &[],
            ),
            (
                "fields that are new",
                vec![
                    json!({"later": {}, "message": {"content": "Hola", "images": null}, "done": false}),
                ],
                "Hola",
                &[],
            ),
            (
                "a done that is text is none",
                vec![
                    json!({"message": {"content": "Ho"}, "done": "false"}),
                    line(json!({"content": "la"})),
                ],
                "Hola",
                &[],
            ),
            (
                "an error of nothing",
                vec![
                    json!({"error": null}),
                    json!({"error": ""}),
                    line(json!({"content": "Hola"})),
                ],
                "Hola",
                &[],
            ),
            (
                "lines after the end say nothing",
                [
                    vec![line(json!({"content": "Hola"}))],
                    end(),
                    vec![line(json!({"content": "!"}))],
                ]
                .concat(),
                "Hola",
                &[],
            ),
            (
                "markup in the name stays",
                call(json!({"name": "pay<|channel|>", "arguments": {}})),
                "",
                &["- pay<|channel|> value {}"],
            ),
        ],
        &end(),
    );
}

#[test]
fn errors_in_mid_stream_are_errors_in_every_form() {
    let begun = || line(json!({"content": "Ho"}));
    check_refused(
        &Ollama,
        &[
            (
                "words",
                vec![
                    begun(),
                    json!({"error": "an error was encountered while running the model: CUDA error"}),
                ],
                "CUDA error",
            ),
            ("an object", vec![begun(), json!({"error": {"message": "boom"}})], "boom"),
            (
                "a call that it could not read",
                vec![
                    begun(),
                    json!({"error": "error parsing tool call: raw='{', err=unexpected end of JSON input"}),
                ],
                "refused the call",
            ),
            ("a list", vec![begun(), json!([{"error": "boom"}])], "boom"),
        ],
        &end(),
    );
}

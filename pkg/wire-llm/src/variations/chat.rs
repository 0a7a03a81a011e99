//! Chat Completions.

use manos_model::FinishReason;
use serde_json::{Value, json};

use super::{check, check_refused, check_whole};
use crate::openai::Chat;

/// A chunk with this delta.
fn d(delta: Value) -> Value {
    json!({"id": "c", "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": delta, "finish_reason": null}]})
}

/// A chunk with this piece of a call.
fn c(call: Value) -> Value {
    d(json!({"tool_calls": [call]}))
}

fn end(reason: &str) -> Vec<Value> {
    vec![json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]})]
}

const PAY: &str = "a pay text {\"n\":1}";

#[test]
fn arguments_come_in_many_kinds() {
    let call = |arguments: Value| {
        vec![c(
            json!({"index": 0, "id": "a", "type": "function", "function": {"name": "pay", "arguments": arguments}}),
        )]
    };
    check(
        &Chat::default(),
        &[
            ("text", call(json!("{\"n\":1}")), "", &[PAY]),
            ("an object", call(json!({"n": 1})), "", &["a pay value {\"n\":1}"]),
            ("a list", call(json!([1])), "", &["a pay value [1]"]),
            ("a number", call(json!(5)), "", &["a pay value 5"]),
            ("false", call(json!(false)), "", &["a pay value false"]),
            ("null", call(json!(null)), "", &["a pay -"]),
            ("empty text", call(json!("")), "", &["a pay -"]),
            ("an empty object", call(json!({})), "", &["a pay value {}"]),
            ("blanks", call(json!(" ")), "", &["a pay text  "]),
            ("the word null", call(json!("null")), "", &["a pay text null"]),
            ("text twice encoded", call(json!("\"{}\"")), "", &["a pay text \"{}\""]),
            ("one brace", call(json!("{")), "", &["a pay text {"]),
            ("a fence", call(json!("json\n{\"n\":1}")), "", &["a pay text json\n{\"n\":1}"]),
            ("braces in text", call(json!("{\"n\":\"}{\"")), "", &["a pay text {\"n\":\"}{\""]),
            (
                "a cut list",
                call(json!("{\"c\":[\"a\",\"dele")),
                "",
                &["a pay text {\"c\":[\"a\",\"dele"],
            ),
            (
                "digits",
                call(json!("{\"n\":12345678901234567890}")),
                "",
                &["a pay text {\"n\":12345678901234567890}"],
            ),
            (
                "a name without arguments",
                vec![c(json!({"index": 0, "id": "a", "function": {"name": "pay"}}))],
                "",
                &["a pay -"],
            ),
            ("no function", vec![c(json!({"index": 0, "id": "a", "name": "pay"}))], "", &["a  -"]),
            (
                "an object and nothing more",
                vec![
                    c(
                        json!({"index": 0, "id": "a", "function": {"name": "pay", "arguments": {"n": 1}}}),
                    ),
                    c(json!({"index": 0, "function": {"arguments": ""}})),
                    c(json!({"index": 0, "function": {"arguments": null}})),
                ],
                "",
                &["a pay value {\"n\":1}"],
            ),
        ],
        &end("tool_calls"),
    );
}

#[test]
fn indices_come_in_many_kinds() {
    let two = |first: Value, second: Value| {
        vec![
            c(
                json!({"index": first, "id": "a", "function": {"name": "pay", "arguments": "{\"n\":"}}),
            ),
            c(json!({"index": first, "function": {"arguments": "1}"}})),
            c(json!({"index": second, "id": "b", "function": {"name": "ver", "arguments": "{}"}})),
        ]
    };
    let both: &[&str] = &[PAY, "b ver text {}"];
    check(
        &Chat::default(),
        &[
            ("numbers", two(json!(0), json!(1)), "", both),
            ("text", two(json!("0"), json!("1")), "", both),
            ("negative", two(json!(-1), json!(-2)), "", both),
            ("the same negative", two(json!(-1), json!(-1)), "", both),
            ("huge", two(json!(4_294_967_295_u32), json!(u64::MAX)), "", both),
            ("with a fraction", two(json!(0.0), json!(1.0)), "", both),
            ("null", two(json!(null), json!(null)), "", both),
            ("objects", two(json!({}), json!([])), "", both),
            ("backwards", two(json!(9), json!(3)), "", both),
            ("the same", two(json!(0), json!(0)), "", both),
            ("words", two(json!("first"), json!("second")), "", both),
        ],
        &end("tool_calls"),
    );
}

#[test]
fn ids_and_names_come_in_many_kinds() {
    let piece = |id: Value, name: Value, arguments: &str| {
        c(json!({"index": 0, "id": id, "function": {"name": name, "arguments": arguments}}))
    };
    let (none, a, pay) = (json!(null), json!("a"), json!("pay"));
    check(
        &Chat::default(),
        &[
            (
                "null after the first",
                vec![
                    piece(a.clone(), pay.clone(), "{\"n\":"),
                    piece(none.clone(), none.clone(), "1}"),
                ],
                "",
                &[PAY],
            ),
            (
                "empty after the first",
                vec![piece(a.clone(), pay.clone(), "{\"n\":"), piece(json!(""), json!(""), "1}")],
                "",
                &[PAY],
            ),
            (
                "said every time",
                vec![piece(a.clone(), pay.clone(), "{\"n\":"), piece(a.clone(), pay.clone(), "1}")],
                "",
                &[PAY],
            ),
            (
                "the name every time, no id",
                vec![
                    piece(none.clone(), pay.clone(), "{\"n\":"),
                    piece(none.clone(), pay.clone(), "1}"),
                ],
                "",
                &["- pay text {\"n\":1}"],
            ),
            (
                "a number as id",
                vec![piece(json!(7), pay.clone(), "{\"n\":1}")],
                "",
                &["7 pay text {\"n\":1}"],
            ),
            (
                "an object as id",
                vec![piece(json!({}), pay.clone(), "{\"n\":1}")],
                "",
                &["- pay text {\"n\":1}"],
            ),
            (
                "the id late",
                vec![
                    piece(none.clone(), pay.clone(), "{\"n\":"),
                    piece(a.clone(), none.clone(), "1}"),
                ],
                "",
                &[PAY],
            ),
            (
                "the name late",
                vec![
                    piece(a.clone(), none.clone(), "{\"n\":"),
                    piece(none.clone(), pay.clone(), "1}"),
                ],
                "",
                &[PAY],
            ),
            (
                "id, name and arguments apart",
                vec![
                    piece(a.clone(), none.clone(), ""),
                    piece(none.clone(), pay.clone(), ""),
                    piece(none.clone(), none.clone(), "{\"n\":1}"),
                ],
                "",
                &[PAY],
            ),
            (
                "one id for two calls of one tool",
                vec![
                    piece(a.clone(), pay.clone(), "{\"n\":1}"),
                    piece(a.clone(), pay.clone(), "{\"n\":2}"),
                ],
                "",
                &[PAY, "a pay text {\"n\":2}"],
            ),
            (
                "markup in the name stays",
                vec![piece(a.clone(), json!("pay<|channel|>commentary"), "{}")],
                "",
                &["a pay<|channel|>commentary text {}"],
            ),
            (
                "a name that no tool can have",
                vec![piece(a.clone(), json!("send email!"), "{}")],
                "",
                &["a send email! text {}"],
            ),
            (
                "another id in mid-call is another call",
                vec![
                    piece(a.clone(), pay.clone(), "{\"n\":"),
                    piece(json!("b"), none.clone(), "1}"),
                ],
                "",
                &["a pay text {\"n\":", "b  text 1}"],
            ),
        ],
        &end("tool_calls"),
    );
}

#[test]
fn deltas_come_in_many_kinds() {
    let pay =
        || c(json!({"index": 0, "id": "a", "function": {"name": "pay", "arguments": "{\"n\":1}"}}));
    let text = |content: Value| vec![d(json!({"content": content}))];
    check(
        &Chat::default(),
        &[
            ("text", text(json!("Hola")), "Hola", &[]),
            ("null", text(json!(null)), "", &[]),
            (
                "a list of parts",
                text(json!([{"type": "text", "text": "Ho"}, {"type": "text", "text": "la"}])),
                "Hola",
                &[],
            ),
            (
                "parts of another kind",
                text(
                    json!([{"type": "thinking", "thinking": []}, {"type": "text", "text": "Hola"}, null, 1]),
                ),
                "Hola",
                &[],
            ),
            ("a number", text(json!(5)), "", &[]),
            (
                "no delta",
                vec![
                    json!({"choices": [{"index": 0, "delta": null}]}),
                    d(json!({"content": "Hola"})),
                ],
                "Hola",
                &[],
            ),
            (
                "no choices",
                vec![
                    json!({"choices": []}),
                    json!({"choices": null}),
                    json!({}),
                    d(json!({"content": "Hola"})),
                ],
                "Hola",
                &[],
            ),
            (
                "null for no calls",
                vec![d(
                    json!({"content": "Hola", "tool_calls": null, "function_call": null, "refusal": null}),
                )],
                "Hola",
                &[],
            ),
            (
                "an empty list for no calls",
                vec![d(json!({"content": "Hola", "tool_calls": []}))],
                "Hola",
                &[],
            ),
            (
                "calls that are none",
                vec![d(json!({"content": "Hola", "tool_calls": [null, 1, {}]}))],
                "Hola",
                &[],
            ),
            (
                "one call without a list",
                vec![d(
                    json!({"tool_calls": {"index": 0, "id": "a", "function": {"name": "pay", "arguments": "{\"n\":1}"}}}),
                )],
                "",
                &[PAY],
            ),
            (
                "several choices",
                vec![
                    json!({"choices": [{"index": 1, "delta": {"content": "No"}}, {"index": 0, "delta": {"content": "Sí"}}]}),
                ],
                "Sí",
                &[],
            ),
            (
                "several choices without numbers",
                vec![
                    json!({"choices": [{"delta": {"content": "Sí"}}, {"delta": {"content": "No"}}]}),
                ],
                "Sí",
                &[],
            ),
            (
                "usage alone",
                vec![
                    pay(),
                    json!({"choices": [], "usage": {"prompt_tokens": 1, "completion_tokens": 2}}),
                ],
                "",
                &[PAY],
            ),
            (
                "the end before the last piece",
                [end("tool_calls"), vec![pay()]].concat(),
                "",
                &[PAY],
            ),
            ("the end twice", [vec![pay()], end("tool_calls"), end("stop")].concat(), "", &[PAY]),
            (
                "calls only in the whole at the end",
                vec![
                    d(json!({"content": "Voy."})),
                    json!({"choices": [{"index": 0, "message": {"content": "Voy.", "tool_calls": [{"id": "a", "function": {"name": "pay", "arguments": "{\"n\":1}"}}]}}]}),
                ],
                "Voy.",
                &[PAY],
            ),
            (
                "calls again in the whole at the end",
                vec![
                    pay(),
                    json!({"choices": [{"index": 0, "message": {"content": null, "tool_calls": [{"id": "a", "function": {"name": "pay", "arguments": "{\"n\":1}"}}]}}]}),
                ],
                "",
                &[PAY],
            ),
            (
                "the old form, in pieces",
                vec![
                    d(json!({"function_call": {"name": "pay", "arguments": "{\"n\":"}})),
                    d(json!({"function_call": {"arguments": "1}"}})),
                ],
                "",
                &["- pay text {\"n\":1}"],
            ),
            (
                "both forms",
                vec![d(
                    json!({"function_call": {"name": "pay", "arguments": ""}, "tool_calls": [{"index": 0, "id": "a", "function": {"name": "pay", "arguments": "{\"n\":1}"}}]}),
                )],
                "",
                &[PAY],
            ),
            (
                "words between the pieces of a call",
                vec![
                    c(
                        json!({"index": 0, "id": "a", "function": {"name": "pay", "arguments": "{\"n\":"}}),
                    ),
                    d(json!({"content": "Un momento."})),
                    c(json!({"index": 0, "function": {"arguments": "1}"}})),
                ],
                "Un momento.",
                &[PAY],
            ),
            (
                "the filters' results first",
                vec![
                    json!({"choices": [], "prompt_filter_results": [{"prompt_index": 0}]}),
                    d(json!({"content": "Hola"})),
                ],
                "Hola",
                &[],
            ),
            (
                "an error of nothing",
                vec![
                    json!({"error": null, "choices": []}),
                    json!({"error": {}, "choices": []}),
                    d(json!({"content": "Hola"})),
                ],
                "Hola",
                &[],
            ),
        ],
        &end("tool_calls"),
    );
}

#[test]
fn errors_in_mid_stream_are_errors_in_every_form() {
    let begun = || d(json!({"content": "Ho"}));
    check_refused(
        &Chat::default(),
        &[
            (
                "OpenAI",
                vec![
                    begun(),
                    json!({"error": {"message": "The server had an error", "type": "server_error", "code": null}}),
                ],
                "The server had an error",
            ),
            (
                "OpenRouter",
                vec![
                    begun(),
                    json!({"error": {"code": 502, "message": "Provider disconnected"}, "choices": [{"index": 0, "delta": {"content": ""}, "finish_reason": "error"}]}),
                ],
                "Provider disconnected",
            ),
            ("words alone", vec![begun(), json!({"error": "overloaded"})], "overloaded"),
            (
                "vLLM, older",
                vec![
                    begun(),
                    json!({"object": "error", "message": "EngineCore died", "type": "InternalServerError", "param": null, "code": 500}),
                ],
                "EngineCore died",
            ),
            (
                "Groq",
                vec![
                    begun(),
                    json!({"error": {"message": "Failed to call a function.", "type": "invalid_request_error", "code": "tool_use_failed", "failed_generation": "<function=x"}}),
                ],
                "refused the call",
            ),
            ("a list", vec![begun(), json!([{"error": {"message": "quota"}}])], "quota"),
            ("only named as the end", [vec![begun()], end("error")].concat(), "ended in an error"),
            (
                "a name in pieces",
                vec![
                    c(json!({"index": 0, "id": "a", "function": {"name": "delete_"}})),
                    c(json!({"index": 0, "function": {"name": "order", "arguments": "{}"}})),
                ],
                "mixes up",
            ),
        ],
        &end("stop"),
    );
}

#[test]
fn whole_bodies_come_in_many_kinds() {
    use FinishReason::{Length, Stop, ToolCalls};
    let body = |message: Value, reason: Value| json!({"choices": [{"message": message, "finish_reason": reason}]});
    let call = json!({"id": "a", "type": "function", "function": {"name": "pay", "arguments": "{\"n\":1}"}});
    check_whole(
        &Chat::default(),
        &[
            ("no reason", body(json!({"content": "Hola"}), json!(null)), "Hola", &[], Stop),
            (
                "calls and no reason",
                body(json!({"tool_calls": [call]}), json!(null)),
                "",
                &[PAY],
                ToolCalls,
            ),
            (
                "calls and another reason",
                body(json!({"tool_calls": [call]}), json!("stop")),
                "",
                &[PAY],
                Stop,
            ),
            (
                "a cut with a whole call",
                body(json!({"tool_calls": [call]}), json!("length")),
                "",
                &[PAY],
                Length,
            ),
            (
                "one id twice",
                body(json!({"tool_calls": [call, call]}), json!("tool_calls")),
                "",
                &[PAY, PAY],
                ToolCalls,
            ),
            (
                "one call without a list",
                body(json!({"tool_calls": call}), json!("tool_calls")),
                "",
                &[PAY],
                ToolCalls,
            ),
            (
                "parts",
                body(json!({"content": [{"type": "text", "text": "Hola"}]}), json!("stop")),
                "Hola",
                &[],
                Stop,
            ),
            (
                "a delta in place of the message",
                json!({"choices": [{"delta": {"content": "Hola"}, "finish_reason": "stop"}]}),
                "Hola",
                &[],
                Stop,
            ),
        ],
    );
}

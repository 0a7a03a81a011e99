//! OpenAI Responses.

use manos_model::FinishReason;
use serde_json::{Value, json};

use super::{check, check_refused, check_whole};
use crate::responses::Responses;

fn item(kind: &str, index: Value, item: Value) -> Value {
    json!({"type": format!("response.output_item.{kind}"), "output_index": index, "item": item})
}

fn call(arguments: Value) -> Value {
    json!({"type": "function_call", "id": "fc_1", "call_id": "a", "name": "pay", "arguments": arguments})
}

fn piece(index: Value, delta: Value) -> Value {
    json!({"type": "response.function_call_arguments.delta", "item_id": "fc_1", "output_index": index, "delta": delta})
}

fn words(delta: Value) -> Value {
    json!({"type": "response.output_text.delta", "item_id": "msg_1", "output_index": 0, "content_index": 0, "delta": delta})
}

fn end() -> Vec<Value> {
    vec![json!({"type": "response.completed", "response": {"status": "completed"}})]
}

const PAY: &str = "a pay text {\"n\":1}";

#[test]
fn items_come_in_many_kinds() {
    let n = || json!("{\"n\":1}");
    let added = |index: Value| item("added", index, call(json!("")));
    check(
        &Responses,
        &[
            (
                "in pieces",
                vec![
                    added(json!(0)),
                    piece(json!(0), json!("{\"n\":")),
                    piece(json!(0), json!("1}")),
                ],
                "",
                &[PAY],
            ),
            (
                "whole at the end",
                vec![added(json!(0)), item("done", json!(0), call(n()))],
                "",
                &[PAY],
            ),
            ("never announced", vec![item("done", json!(0), call(n()))], "", &[PAY]),
            (
                "arguments as an object",
                vec![item("done", json!(0), call(json!({"n": 1})))],
                "",
                &["a pay value {\"n\":1}"],
            ),
            (
                "arguments as null",
                vec![item("done", json!(0), call(json!(null)))],
                "",
                &["a pay -"],
            ),
            (
                "arguments as empty text",
                vec![item("done", json!(0), call(json!("")))],
                "",
                &["a pay -"],
            ),
            (
                "arguments as a number",
                vec![item("done", json!(0), call(json!(5)))],
                "",
                &["a pay value 5"],
            ),
            (
                "a piece that is null",
                vec![added(json!(0)), piece(json!(0), json!(null)), piece(json!(0), n())],
                "",
                &[PAY],
            ),
            ("an index in quotes", vec![added(json!("0")), piece(json!("0"), n())], "", &[PAY]),
            ("a negative index", vec![added(json!(-1)), piece(json!(-1), n())], "", &[PAY]),
            ("no index", vec![added(json!(null)), piece(json!(null), n())], "", &[PAY]),
            ("a huge index", vec![added(json!(u64::MAX)), piece(json!(u64::MAX), n())], "", &[PAY]),
            (
                "said again in the end",
                vec![
                    added(json!(0)),
                    piece(json!(0), n()),
                    item("done", json!(0), call(n())),
                    json!({"type": "response.completed", "response": {"status": "completed", "output": [call(n())]}}),
                ],
                "",
                &[PAY],
            ),
            (
                "said again with other blanks",
                vec![
                    added(json!(0)),
                    piece(json!(0), n()),
                    item("done", json!(0), call(json!("{ \"n\": 1 }"))),
                ],
                "",
                &[PAY],
            ),
            (
                "announced twice",
                vec![added(json!(0)), added(json!(0)), piece(json!(0), n())],
                "",
                &[PAY],
            ),
            (
                "an item that is null",
                vec![item("added", json!(0), json!(null)), words(json!("Hola"))],
                "Hola",
                &[],
            ),
            (
                "an item of another kind",
                vec![
                    item("added", json!(1), json!({"type": "web_search_call", "id": "ws"})),
                    item("done", json!(1), json!({"type": "web_search_call", "id": "ws"})),
                    words(json!("Hola")),
                ],
                "Hola",
                &[],
            ),
            ("words that are null", vec![words(json!(null)), words(json!("Hola"))], "Hola", &[]),
            (
                "events of another kind",
                vec![
                    json!({"type": "response.later.delta", "delta": "x"}),
                    json!({"type": "keepalive"}),
                    words(json!("Hola")),
                ],
                "Hola",
                &[],
            ),
            (
                "an error of nothing",
                vec![
                    json!({"type": "response.in_progress", "response": {"error": null}}),
                    words(json!("Hola")),
                ],
                "Hola",
                &[],
            ),
            (
                "words said whole after pieces",
                vec![
                    words(json!("Ho")),
                    json!({"type": "response.output_text.done", "item_id": "msg_1", "output_index": 0, "content_index": 0, "text": "Hola"}),
                ],
                "Hola",
                &[],
            ),
            (
                "markup in the name stays",
                vec![item(
                    "done",
                    json!(0),
                    json!({"type": "function_call", "call_id": "a", "name": "pay<|channel|>", "arguments": "{}"}),
                )],
                "",
                &["a pay<|channel|> text {}"],
            ),
            (
                "a reply without words",
                vec![json!({"type": "response.created", "response": {}})],
                "",
                &[],
            ),
        ],
        &end(),
    );
}

#[test]
fn errors_in_mid_stream_are_errors_in_every_form() {
    let begun = || words(json!("Ho"));
    check_refused(
        &Responses,
        &[
            (
                "an error event",
                vec![begun(), json!({"type": "error", "code": "server_error", "message": "boom"})],
                "boom",
            ),
            (
                "a failed response",
                vec![
                    begun(),
                    json!({"type": "response.failed", "response": {"status": "failed", "error": {"code": "server_error", "message": "boom"}}}),
                ],
                "boom",
            ),
            ("an error of no type", vec![begun(), json!({"error": {"message": "boom"}})], "boom"),
            ("words alone", vec![begun(), json!({"error": "boom"})], "boom"),
            (
                "stopped elsewhere",
                vec![
                    begun(),
                    json!({"type": "response.cancelled", "response": {"status": "cancelled"}}),
                ],
                "in place of a reply",
            ),
            (
                "arguments that disagree",
                vec![
                    item("added", json!(0), call(json!(""))),
                    piece(json!(0), json!("{\"n\":1}")),
                    item("done", json!(0), call(json!("{\"n\":2}"))),
                ],
                "mixes up",
            ),
            (
                "a name that changes",
                vec![
                    item("added", json!(0), call(json!(""))),
                    item(
                        "done",
                        json!(0),
                        json!({"type": "function_call", "id": "fc_1", "call_id": "a", "name": "ver", "arguments": "{}"}),
                    ),
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
    let text = json!({"type": "message", "content": [{"type": "output_text", "text": "Hola"}]});
    let asks = call(json!("{\"n\":1}"));
    let cut = |reason: &str| json!({"status": "incomplete", "incomplete_details": {"reason": reason}, "output": [asks]});
    check_whole(
        &Responses,
        &[
            ("text", json!({"status": "completed", "output": [text]}), "Hola", &[], Stop),
            (
                "items that are none",
                json!({"status": "completed", "output": [null, 1, {}, text]}),
                "Hola",
                &[],
                Stop,
            ),
            ("a call", json!({"status": "completed", "output": [asks]}), "", &[PAY], ToolCalls),
            ("a call that was cut", cut("max_output_tokens"), "", &[PAY], Length),
            ("a call that was filtered", cut("content_filter"), "", &[PAY], ContentFilter),
            ("a call that was cut for a reason that is new", cut("later"), "", &[PAY], Length),
            (
                "an error of null",
                json!({"status": "completed", "error": null, "output": [text]}),
                "Hola",
                &[],
                Stop,
            ),
        ],
    );
}

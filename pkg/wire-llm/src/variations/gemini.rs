//! Gemini generateContent.

use manos_model::FinishReason;
use serde_json::{Value, json};

use super::{check, check_refused, check_whole};
use crate::gemini::GenerateContent;

fn parts(parts: Value) -> Value {
    json!({"candidates": [{"content": {"parts": parts, "role": "model"}, "index": 0}]})
}

fn call(args: Value) -> Vec<Value> {
    vec![parts(json!([{"functionCall": {"name": "pay", "args": args}}]))]
}

fn end(reason: &str) -> Vec<Value> {
    vec![json!({"candidates": [{"finishReason": reason, "index": 0}]})]
}

const PAY: &str = "- pay value {\"n\":1}";

#[test]
fn parts_come_in_many_kinds() {
    check(
        &GenerateContent::default(),
        &[
            ("arguments", call(json!({"n": 1})), "", &[PAY]),
            (
                "no arguments",
                vec![parts(json!([{"functionCall": {"name": "pay"}}]))],
                "",
                &["- pay -"],
            ),
            ("null for arguments", call(json!(null)), "", &["- pay -"]),
            ("text for arguments", call(json!("{\"n\":1}")), "", &["- pay text {\"n\":1}"]),
            ("a list for arguments", call(json!([1])), "", &["- pay value [1]"]),
            (
                "two calls in one chunk",
                vec![parts(
                    json!([{"functionCall": {"name": "pay", "args": {"n": 1}}}, {"functionCall": {"name": "pay", "args": {"n": 1}}}]),
                )],
                "",
                &[PAY, PAY],
            ),
            (
                "the same call in two chunks",
                [call(json!({"n": 1})), call(json!({"n": 1}))].concat(),
                "",
                &[PAY, PAY],
            ),
            (
                "one id for two calls",
                vec![parts(
                    json!([{"functionCall": {"id": "a", "name": "pay"}}, {"functionCall": {"id": "a", "name": "ver"}}]),
                )],
                "",
                &["a pay -", "a ver -"],
            ),
            (
                "an empty id",
                vec![parts(json!([{"functionCall": {"id": "", "name": "pay", "args": {"n": 1}}}]))],
                "",
                &[PAY],
            ),
            (
                "a call without a name",
                vec![parts(json!([{"functionCall": {"args": {"n": 1}}}]))],
                "",
                &["-  value {\"n\":1}"],
            ),
            (
                "a call that is none",
                vec![parts(
                    json!([{"functionCall": null}, {"functionCall": {}}, {"text": "Hola"}]),
                )],
                "Hola",
                &[],
            ),
            (
                "words beside a call in one part",
                vec![parts(
                    json!([{"functionCall": {"name": "pay", "args": {"n": 1}}, "text": ""}]),
                )],
                "",
                &[PAY],
            ),
            (
                "no parts",
                vec![
                    json!({"candidates": [{"content": {"role": "model"}}]}),
                    parts(json!(null)),
                    parts(json!([])),
                    parts(json!([{"text": "Hola"}])),
                ],
                "Hola",
                &[],
            ),
            (
                "no content",
                vec![json!({"candidates": [{"content": null}]}), parts(json!([{"text": "Hola"}]))],
                "Hola",
                &[],
            ),
            (
                "no candidates",
                vec![
                    json!({"candidates": []}),
                    json!({"candidates": null}),
                    json!({"usageMetadata": {"promptTokenCount": 1}}),
                    parts(json!([{"text": "Hola"}])),
                ],
                "Hola",
                &[],
            ),
            (
                "parts that are none",
                vec![parts(
                    json!([null, 1, {}, {"inlineData": {}}, {"executableCode": {}}, {"text": "Hola"}]),
                )],
                "Hola",
                &[],
            ),
            (
                "thoughts",
                vec![parts(json!([{"text": "Pensar", "thought": true}, {"text": "Hola"}]))],
                "Hola",
                &[],
            ),
            (
                "what says that it is no thought",
                vec![parts(json!([{"text": "Hola", "thought": false}]))],
                "Hola",
                &[],
            ),
            (
                "text that is null",
                vec![parts(json!([{"text": null}, {"text": "Hola"}]))],
                "Hola",
                &[],
            ),
            (
                "another candidate",
                vec![
                    json!({"candidates": [{"index": 1, "content": {"parts": [{"text": "No"}]}}, {"index": 0, "content": {"parts": [{"text": "Sí"}]}}]}),
                ],
                "Sí",
                &[],
            ),
            (
                "two candidates without numbers",
                vec![
                    json!({"candidates": [{"content": {"parts": [{"text": "Sí"}]}}, {"content": {"parts": [{"text": "No"}]}}]}),
                ],
                "Sí",
                &[],
            ),
            (
                "the end before the last part",
                [end("STOP"), call(json!({"n": 1}))].concat(),
                "",
                &[PAY],
            ),
            (
                "an end of nothing",
                [
                    vec![json!({"candidates": [{"finishReason": "", "index": 0}]})],
                    call(json!({"n": 1})),
                ]
                .concat(),
                "",
                &[PAY],
            ),
            (
                "feedback without a block",
                vec![
                    json!({"promptFeedback": {"safetyRatings": []}}),
                    parts(json!([{"text": "Hola"}])),
                ],
                "Hola",
                &[],
            ),
            (
                "digits",
                call(serde_json::from_str("{\"n\":12345678901234567890.10}").unwrap()),
                "",
                &["- pay value {\"n\":12345678901234567890.10}"],
            ),
        ],
        &end("STOP"),
    );
}

#[test]
fn errors_in_mid_stream_are_errors_in_every_form() {
    let begun = || parts(json!([{"text": "Ho"}]));
    check_refused(
        &GenerateContent::default(),
        &[
            (
                "a status",
                vec![
                    begun(),
                    json!({"error": {"code": 503, "message": "The model is overloaded.", "status": "UNAVAILABLE"}}),
                ],
                "overloaded",
            ),
            (
                "a list",
                vec![
                    begun(),
                    json!([{"error": {"code": 500, "message": "An internal error", "status": "INTERNAL"}}]),
                ],
                "internal error",
            ),
            ("words alone", vec![begun(), json!({"error": "boom"})], "boom"),
            (
                "a malformed call",
                vec![
                    begun(),
                    json!({"candidates": [{"finishReason": "MALFORMED_FUNCTION_CALL", "finishMessage": "print(pay("}]}),
                ],
                "print(pay(",
            ),
            (
                "a blocked question",
                vec![json!({"promptFeedback": {"blockReason": "BLOCKLIST"}})],
                "BLOCKLIST",
            ),
        ],
        &end("STOP"),
    );
}

#[test]
fn whole_bodies_come_in_many_kinds() {
    use FinishReason::{ContentFilter, Length, Other, Stop, ToolCalls};
    let body = |parts: Value, reason: Value| json!({"candidates": [{"content": {"parts": parts}, "finishReason": reason}]});
    let call = json!([{"functionCall": {"name": "pay", "args": {"n": 1}}}]);
    check_whole(
        &GenerateContent::default(),
        &[
            ("no reason", body(json!([{"text": "Hola"}]), json!(null)), "Hola", &[], Stop),
            ("a call without a reason", body(call.clone(), json!(null)), "", &[PAY], ToolCalls),
            ("a call that was cut", body(call.clone(), json!("MAX_TOKENS")), "", &[PAY], Length),
            (
                "a call that was filtered",
                body(call.clone(), json!("SAFETY")),
                "",
                &[PAY],
                ContentFilter,
            ),
            (
                "a reason that is new",
                body(json!([{"text": "Hola"}]), json!("LATER")),
                "Hola",
                &[],
                Other("LATER".into()),
            ),
        ],
    );
}

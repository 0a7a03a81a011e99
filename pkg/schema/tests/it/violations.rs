//! What the model reads about arguments that do not fit.

use manos_schema::{GOT_BYTES_MAX, VIOLATIONS_MAX};
use serde_json::{Value, json};

use crate::{invalid, one, schema, told};

#[test]
fn every_keyword_has_its_words() {
    let cases = [
        (json!({"type": "integer"}), r#""x""#, "type integer"),
        (json!({"type": ["integer", "null"]}), r#""x""#, "type integer or null"),
        (json!({"minimum": 1}), "0", "minimum 1"),
        (json!({"maximum": 2.50}), "3", "maximum 2.5"),
        (json!({"exclusiveMinimum": 0}), "0", "more than 0"),
        (json!({"exclusiveMaximum": 9}), "9", "less than 9"),
        (json!({"multipleOf": 5}), "3", "multiple of 5"),
        (json!({"enum": ["a", "b", 3]}), r#""c""#, r#"one of "a", "b", 3"#),
        (json!({"const": "a"}), r#""c""#, r#"exactly "a""#),
        (json!({"minLength": 3}), r#""a""#, "at least 3 characters"),
        (json!({"maxLength": 1}), r#""ab""#, "at most 1 characters"),
        (json!({"pattern": "^x"}), r#""a""#, "pattern ^x"),
        (json!({"minItems": 1}), "[]", "at least 1 items"),
        (json!({"maxItems": 1}), "[1,2]", "at most 1 items"),
        (json!({"uniqueItems": true}), "[1,1.0]", "no two equal items"),
        (json!({"contains": {"const": 1}}), "[2]", "an item that fits `contains`"),
        (
            json!({"contains": {"const": 1}, "minContains": 2}),
            "[1]",
            "more items that fit `contains`",
        ),
        (
            json!({"contains": {"const": 1}, "maxContains": 1}),
            "[1,1]",
            "fewer items that fit `contains`",
        ),
        (json!({"minProperties": 1}), "{}", "at least 1 properties"),
        (json!({"maxProperties": 0}), r#"{"a":1}"#, "at most 0 properties"),
        (json!({"not": {"type": "string"}}), r#""a""#, r#"not {"type":"string"}"#),
        (json!(false), "1", "nothing here"),
        (json!({"prefixItems": [{}], "items": false}), "[1,2]", "nothing here"),
        (json!({"prefixItems": [{}], "unevaluatedItems": false}), "[1,2]", "1 items fewer"),
        (
            json!({"propertyNames": {"maxLength": 1}}),
            r#"{"ab":1}"#,
            r#"property names with at most 1 characters, unlike "ab""#,
        ),
    ];
    for (property, sent, expected) in cases {
        let violations = invalid(&one(&property), &format!(r#"{{"v":{sent}}}"#)).violations();
        let words: Vec<&str> = violations.iter().map(|one| one.expected.as_str()).collect();
        assert_eq!(words, [expected], "{property}");
    }
}

#[test]
fn every_violation_is_reported_at_its_own_place() {
    let order = schema(&json!({
        "type": "object",
        "properties": {
            "cliente": {"type": "string"},
            "items": {"type": "array", "minItems": 1, "items": {
                "type": "object",
                "properties": {"producto": {"type": "string"}, "cantidad": {"type": "integer", "minimum": 1}},
                "required": ["producto", "cantidad"],
                "additionalProperties": false,
            }},
        },
        "required": ["cliente", "items"],
    }));
    let text =
        r#"{"items":[{"producto":"torta","cantidad":0},{"product":"café","cantidad":"dos"}]}"#;
    let mut told = told(&order, text);
    told.sort();
    assert_eq!(
        told,
        [
            r#"/cliente: required property "cliente", got null"#,
            "/items/0/cantidad: minimum 1, got 0",
            r#"/items/1/cantidad: type integer, got "dos""#,
            r#"/items/1/product: no property "product" (did you mean "producto"?), got "café""#,
            r#"/items/1/producto: required property "producto", got null"#,
        ]
    );
}

#[test]
fn the_alternative_that_was_meant_is_reported_from_inside() {
    let pay = one(&json!({"oneOf": [
        {"properties": {"kind": {"const": "card"}, "digits": {"type": "string", "minLength": 4}}, "required": ["kind", "digits"]},
        {"properties": {"kind": {"const": "cash"}, "amount": {"type": "number"}}, "required": ["kind", "amount"]},
    ]}));
    assert_eq!(
        told(&pay, r#"{"v":{"kind":"card","digits":"1"}}"#),
        [r#"/v/digits: at least 4 characters, got "1""#]
    );
    assert_eq!(
        told(&pay, r#"{"v":{"kind":"coin"}}"#),
        [concat!(
            r#"/v: kind exactly "card" and required property "digits", or "#,
            r#"kind exactly "cash" and required property "amount", got {"kind":"coin"}"#
        )]
    );
    let by_type = one(
        &json!({"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "integer"}}]}),
    );
    assert_eq!(told(&by_type, r#"{"v":[1,true]}"#), ["/v/1: type integer, got true"]);
    let both = one(&json!({"oneOf": [{"minimum": 1}, {"maximum": 9}]}));
    assert_eq!(
        told(&both, r#"{"v":5}"#),
        ["/v: exactly one of the alternatives; more than one fits, got 5"]
    );
}

#[test]
fn the_side_of_if_that_holds_is_reported() {
    let delivery = schema(&json!({
        "properties": {"delivery": {"type": "boolean"}, "address": {"type": "string"}},
        "if": {"properties": {"delivery": {"const": true}}, "required": ["delivery"]},
        "then": {"required": ["address"]},
    }));
    assert_eq!(
        told(&delivery, r#"{"delivery":true}"#),
        [r#"/address: required property "address", got null"#]
    );
}

#[test]
fn a_list_of_violations_is_bounded_and_says_how_many_more_there_are() {
    let numbers = one(&json!({"type": "array", "items": {"type": "integer"}}));
    let text = |count: usize| format!(r#"{{"v":[{}]}}"#, vec![r#""x""#; count].join(","));
    assert_eq!(told(&numbers, &text(VIOLATIONS_MAX)).len(), VIOLATIONS_MAX);
    let many = told(&numbers, &text(5_000));
    assert_eq!(many.len(), VIOLATIONS_MAX);
    assert_eq!(many.last().unwrap(), ": 4981 more are wrong, got null");
}

#[test]
fn what_came_and_what_was_expected_are_bounded() {
    let long = "ñ".repeat(10_000);
    let violations =
        invalid(&one(&json!({"enum": [long]})), &format!(r#"{{"v":"{long}x"}}"#)).violations();
    let violation = violations.first().unwrap();
    assert!(violation.got.as_str().unwrap().len() <= GOT_BYTES_MAX);
    assert!(violation.got.as_str().unwrap().ends_with('…'));
    assert!(violation.expected.len() <= manos_schema::EXPECTED_BYTES_MAX);

    let name = "k".repeat(5_000);
    let closed = schema(&json!({"additionalProperties": false}));
    let said = invalid(&closed, &format!(r#"{{"{name}":1}}"#)).violations();
    assert!(said.first().unwrap().expected.len() < 100);
    let object: Value = json!({"a": "b".repeat(500)});
    let said =
        invalid(&one(&json!({"maxProperties": 0})), &json!({"v": object}).to_string()).violations();
    assert!(said.first().unwrap().got.as_str().unwrap().len() <= GOT_BYTES_MAX);
}

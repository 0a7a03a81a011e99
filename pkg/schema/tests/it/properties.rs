//! What holds for any input.

use manos_schema::{Checked, MendOptions, RawArguments, ToolSchema};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::schema;

/// Every keyword that mends look at, in one schema.
fn busy() -> ToolSchema {
    schema(&json!({
        "type": "object",
        "$defs": {"tree": {
            "type": "object",
            "properties": {"a": {"type": "integer"}, "b": {"type": "array", "items": {"$ref": "#/$defs/tree"}}},
        }},
        "properties": {
            "a": {"type": "integer", "minimum": 0},
            "b": {"type": ["string", "null"], "maxLength": 5},
            "c": {"type": "boolean"},
            "d": {"type": "array", "items": {"type": ["integer", "boolean"]}},
            "e": {"$ref": "#/$defs/tree"},
            "f": {"anyOf": [{"type": "integer"}, {"type": "array"}, {"$ref": "#/$defs/tree"}]},
            "g": {"oneOf": [{"type": "string", "pattern": "^[0-9]+$"}, {"type": "object", "required": ["a"]}]},
        },
        "additionalProperties": {"type": "string"},
    }))
}

fn leaf() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        any::<i64>().prop_map(Value::from),
        (-1000i32..1000).prop_map(|tenths| json!(f64::from(tenths) / 10.0)),
        prop_oneof![
            Just("null"),
            Just("true"),
            Just("5"),
            Just("-1.5"),
            Just("[1,\"2\"]"),
            Just("{\"a\":\"1\"}"),
            Just("\"[]\""),
            Just("x"),
            Just("")
        ]
        .prop_map(Value::from),
    ]
}

fn value() -> impl Strategy<Value = Value> {
    leaf().prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
            prop::collection::btree_map("[a-h]", inner, 0..5)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

fn object() -> impl Strategy<Value = Map<String, Value>> {
    prop::collection::btree_map("[a-h]", value(), 0..6).prop_map(|map| map.into_iter().collect())
}

fn options() -> impl Strategy<Value = MendOptions> {
    any::<bool>().prop_map(|single_as_array| MendOptions { single_as_array })
}

proptest! {
    #[test]
    fn any_text_is_valid_or_refused_with_something_to_say(text in ".{0,80}", options in options()) {
        if let Checked::Invalid(error) = busy().check(RawArguments::Text(&text), options) {
            prop_assert!(!error.violations().is_empty());
        }
    }

    #[test]
    fn text_that_is_nearly_json_is_valid_or_refused(text in r#"[\[\]{}":,0-9a-z\\ .eE+-]{0,60}"#) {
        let accepts_all = schema(&Value::Null);
        let checked = accepts_all.check(RawArguments::Text(&text), MendOptions::default());
        let other = serde_json::from_str::<Value>(&text);
        if let Checked::Valid { arguments, mends } = checked
            && mends.is_empty()
            && !text.trim().is_empty()
        {
            let other = other.unwrap();
            prop_assert!(other.is_null() || other == Value::Object(arguments));
        }
    }

    #[test]
    fn what_is_valid_validates_and_stays_so(arguments in object(), options in options()) {
        let schema = busy();
        let sent = Value::Object(arguments.clone());
        if let Checked::Valid { arguments: found, mends } = schema.check(RawArguments::Value(&sent), options) {
            let text = Value::Object(found.clone()).to_string();
            let again = schema.check(RawArguments::Text(&text), options);
            prop_assert_eq!(again, Checked::Valid { arguments: found.clone(), mends: Vec::new() });
            if mends.is_empty() {
                prop_assert_eq!(found, arguments);
            } else {
                prop_assert_ne!(found, arguments);
            }
        }
    }

    #[test]
    fn text_and_value_are_checked_alike(arguments in object(), options in options()) {
        let schema = busy();
        let sent = Value::Object(arguments);
        let text = sent.to_string();
        prop_assert_eq!(
            schema.check(RawArguments::Text(&text), options),
            schema.check(RawArguments::Value(&sent), options)
        );
    }

    #[test]
    fn a_prefix_of_arguments_is_never_valid(arguments in object(), cut in 1usize..40) {
        let text = Value::Object(arguments).to_string();
        let end = text.len().saturating_sub(cut);
        if end > 0 && text.is_char_boundary(end) {
            let checked = busy().check(RawArguments::Text(&text[..end]), MendOptions::default());
            prop_assert!(matches!(checked, Checked::Invalid(_)));
        }
    }

    #[test]
    fn masking_leaves_no_secret_and_touches_nothing_else(secret in "[A-Z]{8}", other in "[a-z]{1,8}") {
        let schema = schema(&json!({"properties": {"s": {"writeOnly": true}}}));
        let shown = schema.mask(&json!({"s": {"deep": [secret.clone()]}, "o": other.clone()}));
        prop_assert!(!shown.to_string().contains(&secret));
        prop_assert_eq!(&shown["o"], &json!(other));
    }
}

#[test]
fn the_largest_arguments_with_everything_to_mend_are_mended() {
    let list =
        schema(&json!({"properties": {"v": {"type": "array", "items": {"type": "integer"}}}}));
    let items = vec![r#""1""#; 16_000].join(",");
    let text = format!(r#"{{"v":[{items}]}}"#);
    let checked = list.check(RawArguments::Text(&text), MendOptions::default());
    assert!(matches!(checked, Checked::Valid { mends, .. } if mends.len() == 16_000));
}

#[test]
fn alternatives_inside_alternatives_come_to_an_end() {
    let twice = schema(&json!({
        "$defs": {"node": {"type": "object", "properties": {
            "a": {"anyOf": [{"$ref": "#/$defs/node"}, {"allOf": [{"$ref": "#/$defs/node"}, {"maxProperties": 1}]}]},
            "n": {"type": "boolean"},
        }}},
        "$ref": "#/$defs/node",
    }));
    for leaf in [r#"{"n":"x"}"#, r#"{"n":"true"}"#] {
        let text = format!("{}{leaf}{}", r#"{"a":"#.repeat(40), "}".repeat(40));
        let checked = twice.check(RawArguments::Text(&text), MendOptions::default());
        if let Checked::Invalid(error) = checked {
            assert!(!error.violations().is_empty());
        }
    }
}

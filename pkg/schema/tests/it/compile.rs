//! Which schemas can be used, and what is said about the others.

use manos_schema::{SCHEMA_DEPTH_MAX, SchemaError, ToolSchema};
use serde_json::{Value, json};

use crate::{schema, told, valid};

fn refused(source: &Value) -> SchemaError {
    ToolSchema::compile(source).unwrap_err()
}

#[test]
fn no_schema_stands_for_a_tool_without_parameters() {
    for source in [Value::Null, json!({})] {
        let compiled = schema(&source);
        assert_eq!(compiled.source(), &json!({"type": "object", "properties": {}}));
    }
    let source = json!({"properties": {"a": {}}, "x-mine": 1});
    assert_eq!(schema(&source).source(), &source);
}

#[test]
fn what_cannot_be_used_is_named_with_its_place() {
    let cases = [
        ("no object", json!([]), ""),
        ("a text at the root", json!({"type": "string"}), "/type"),
        ("nothing but null at the root", json!({"type": ["null"]}), "/type"),
        ("an unknown type", json!({"properties": {"a": {"type": "strin"}}}), "/properties/a/type"),
        ("a keyword of the wrong kind", json!({"required": "a"}), "/required"),
        (
            "a negative length",
            json!({"properties": {"a": {"minLength": -1}}}),
            "/properties/a/minLength",
        ),
        (
            "a broken pattern",
            json!({"properties": {"a": {"pattern": "("}}}),
            "/properties/a/pattern",
        ),
        (
            "look-around",
            json!({"properties": {"a": {"pattern": "^(?=.*x)"}}}),
            "/properties/a/pattern",
        ),
        (
            "a back reference",
            json!({"properties": {"a": {"pattern": r"(a)\1"}}}),
            "/properties/a/pattern",
        ),
        (
            "a pattern that grows",
            json!({"properties": {"a": {"pattern": "((a{100}){100}){100}"}}}),
            "/properties/a/pattern",
        ),
        ("an unknown draft", json!({"$schema": "https://example.com/mine"}), "/$schema"),
        ("a circle in allOf", json!({"allOf": [{"$ref": "#"}]}), ""),
        (
            "a circle of two",
            json!({"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"anyOf": [{"$ref": "#/$defs/a"}]}}, "properties": {"x": {"$ref": "#/$defs/a"}}}),
            "/$defs/a",
        ),
    ];
    for (why, source, pointer) in cases {
        let error = refused(&source);
        assert_eq!(error.pointer(), pointer, "{why}: {error:?}");
        assert!(!error.advice().is_empty() && !error.to_string().ends_with('.'), "{why}");
    }
}

#[test]
fn nothing_is_fetched_for_a_reference() {
    let places = [
        "https://example.com/order.json",
        "http://127.0.0.1:1/x",
        "file:///etc/hostname",
        "other.json",
        "#/$defs/none",
    ];
    for reference in places {
        let error = refused(&json!({"properties": {"a": {"$ref": reference}}}));
        assert!(matches!(error, SchemaError::Reference { .. }), "{reference}: {error:?}");
    }
}

#[test]
fn drafts_are_read_by_their_own_rules() {
    let tuple = |draft: &str| json!({"$schema": draft, "properties": {"v": {"items": [{"type": "integer"}]}}});
    let old = schema(&tuple("http://json-schema.org/draft-07/schema#"));
    assert_eq!(told(&old, r#"{"v":[true]}"#), ["/v/0: type integer, got true"]);
    // In 2020-12 a list under `items` is no schema.
    assert!(ToolSchema::compile(&tuple("https://json-schema.org/draft/2020-12/schema")).is_err());
    let four = schema(&json!({
        "$schema": "http://json-schema.org/draft-04/schema#",
        "properties": {"v": {"minimum": 0, "exclusiveMinimum": true}},
    }));
    assert_eq!(told(&four, r#"{"v":0}"#), ["/v: more than 0, got 0"]);
}

#[test]
fn format_is_not_asserted_in_any_draft() {
    for draft in
        ["http://json-schema.org/draft-07/schema#", "https://json-schema.org/draft/2020-12/schema"]
    {
        let date = schema(&json!({"$schema": draft, "properties": {"v": {"format": "date"}}}));
        assert!(valid(&date, r#"{"v":"tomorrow"}"#).1.is_empty(), "{draft}");
    }
}

#[test]
fn a_whole_number_with_a_fraction_of_zero_is_an_integer_and_keeps_its_digits() {
    let source = json!({"properties": {"v": {"type": "integer"}, "w": {"enum": [1, 2.50]}, "x": {"const": 1.0}}});
    let text = r#"{"v":5.0,"w":1.0,"x":1}"#;
    assert_eq!(valid(&schema(&source), text).0.to_string(), text);
    assert_eq!(valid(&schema(&source), r#"{"w":2.5}"#).0.to_string(), r#"{"w":2.5}"#);
}

#[test]
fn a_schema_of_any_depth_is_compiled_or_refused_on_a_small_stack() {
    let nested = |levels: usize| {
        (0..levels).fold(json!({"type": "integer"}), |inner, _| json!({"properties": {"a": inner}}))
    };
    let chain = |links: usize| {
        let mut defs = serde_json::Map::new();
        for link in 0..links {
            let next = format!("#/$defs/a{}", link + 1);
            defs.insert(format!("a{link}"), json!({"properties": {"b": {"$ref": next}}}));
        }
        defs.insert(format!("a{links}"), json!({"type": "integer"}));
        json!({"$defs": defs, "properties": {"x": {"$ref": "#/$defs/a0"}}})
    };
    let run = move || {
        assert!(ToolSchema::compile(&nested(SCHEMA_DEPTH_MAX)).is_ok());
        assert!(matches!(refused(&nested(SCHEMA_DEPTH_MAX + 1)), SchemaError::TooDeep { .. }));
        assert!(matches!(refused(&nested(400)), SchemaError::TooDeep { .. }));
        assert!(ToolSchema::compile(&chain(40)).is_ok());
        assert!(matches!(refused(&chain(5_000)), SchemaError::TooDeep { .. }));
    };
    std::thread::Builder::new().stack_size(2 * 1024 * 1024).spawn(run).unwrap().join().unwrap();
}

#[test]
fn properties_come_in_their_order_through_references_and_all_of() {
    let source = json!({
        "properties": {"b": {"type": "string"}, "a": {}},
        "allOf": [{"$ref": "#/$defs/more"}, {"properties": {"d": {}, "a": {"type": "null"}}}],
        "$defs": {"more": {"properties": {"c": {}}}},
    });
    let compiled = schema(&source);
    let names: Vec<&str> = compiled.properties().map(|(name, _)| name).collect();
    assert_eq!(names, ["b", "a", "c", "d"]);
    assert_eq!(compiled.properties().next().unwrap().1, &json!({"type": "string"}));
}

#[test]
fn a_compiled_schema_is_shared_between_threads() {
    fn shared<T: Send + Sync + std::fmt::Debug>() {}
    shared::<ToolSchema>();
}

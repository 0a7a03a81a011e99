//! The arguments as a whole, before the schema is asked.

use manos_schema::{
    ARGUMENTS_BYTES_MAX, ArgumentsError, Checked, MendOptions, RawArguments, ToolSchema,
};
use serde_json::{Value, json};

use crate::{invalid, schema, told, valid};

fn anything() -> ToolSchema {
    schema(&Value::Null)
}

#[test]
fn arguments_as_an_object_need_no_mend() {
    let value = json!({"a": 1});
    let checked = anything().check(RawArguments::Value(&value), MendOptions::default());
    assert!(matches!(checked, Checked::Valid { mends, .. } if mends.is_empty()));
    let text = json!(r#"{"a":1}"#);
    let checked = anything().check(RawArguments::Value(&text), MendOptions::default());
    assert!(matches!(checked, Checked::Valid { mends, .. } if mends.is_empty()));
}

#[test]
fn text_encoded_twice_and_a_fence_are_the_only_mends_of_the_whole() {
    let cases = [
        ("encoded twice", r#""{\"a\":1}""#, json!({"a": 1}), "encoded_twice"),
        ("nothing, encoded twice", r#""""#, json!({}), "encoded_twice"),
        ("null, encoded twice", r#""null""#, json!({}), "encoded_twice"),
        ("a fence", "```json\n{\"a\":1}\n```", json!({"a": 1}), "fence_removed"),
    ];
    for (why, text, expected, mend) in cases {
        assert_eq!(valid(&anything(), text), (expected, vec![mend.to_owned()]), "{why}");
    }
    let refused = [
        ("encoded three times", r#""\"{}\"""#),
        ("words around it", "Sure! {\"a\":1}"),
        ("a fence around a list", "```json\n[1]\n```"),
        ("a list", "[1]"),
        ("a number", "5"),
        ("a sentence", r#""hello""#),
        ("a comment", "{} // done"),
        ("a trailing comma", r#"{"a":1,}"#),
        ("single quotes", "{'a':1}"),
        ("two objects", "{}{}"),
    ];
    for (why, text) in refused {
        assert_eq!(told(&anything(), text).len(), 1, "{why}");
    }
}

#[test]
fn broken_json_says_where_with_line_column_and_the_text_around() {
    let text = "{\n  \"producto\": \"piña colada\",\n  \"notas\": \"sin ázúcar\", }";
    let ArgumentsError::Json { line, column, excerpt, .. } = invalid(&anything(), text) else {
        panic!("broken JSON");
    };
    assert_eq!((line, column), (3, 26));
    assert_eq!(excerpt, "…tas\": \"sin ázúcar\", ⟨here⟩}");
    assert_eq!(
        told(&anything(), r#"{"a":tru}"#),
        [r#": JSON text; a JSON value was expected at line 1, column 6, got "{\"a\":⟨here⟩tru}""#]
    );
    // Inside a fence the place is still counted in the text as sent.
    let fenced = invalid(&anything(), "```json\n{\"a\":}\n```");
    assert!(matches!(fenced, ArgumentsError::Json { line: 2, column: 6, .. }), "{fenced:?}");
}

#[test]
fn a_key_twice_is_refused_at_any_level() {
    assert_eq!(
        told(&anything(), r#"{"a":[{"b":1,"b":2}]}"#),
        [r#"/a/0/b: key "b" only once, got null"#]
    );
    invalid(&anything(), r#""{\"a\":1,\"a\":2}""#);
}

#[test]
fn limits_hold_for_text_and_for_values() {
    let long = format!(r#"{{"a":"{}"}}"#, "x".repeat(ARGUMENTS_BYTES_MAX - 8));
    assert_eq!(long.len(), ARGUMENTS_BYTES_MAX);
    valid(&anything(), &long);
    assert_eq!(
        told(&anything(), &format!("{long} ")),
        [r#": at most 65536 bytes, got "65537 bytes""#]
    );
    let deep = |levels: usize| {
        format!("{}{}", r#"{"a":"#.repeat(levels - 1) + "{}", "}".repeat(levels - 1))
    };
    valid(&anything(), &deep(64));
    assert_eq!(told(&anything(), &deep(65)), [": at most 64 levels, got null"]);

    let check = |value: &Value| match anything()
        .check(RawArguments::Value(value), MendOptions::default())
    {
        Checked::Invalid(error) => Some(error),
        Checked::Valid { .. } => None,
    };
    let value: Value = serde_json::from_str(&deep(64)).unwrap();
    assert_eq!(check(&value), None);
    let value: Value = serde_json::from_str(&deep(65)).unwrap();
    assert_eq!(check(&value), Some(ArgumentsError::TooDeep { max: 64 }));
    let value = json!({"a": "x".repeat(ARGUMENTS_BYTES_MAX)});
    assert!(matches!(check(&value), Some(ArgumentsError::TooLarge { .. })));
}

#[test]
fn what_cannot_be_kept_is_refused() {
    invalid(&anything(), r#"{"a":"b\u0000"}"#);
    invalid(&anything(), r#"{"a":"\ud83c"}"#);
    let values = [json!({"a": ["b\0"]}), json!({"a\0": 1})];
    for value in values {
        let checked = anything().check(RawArguments::Value(&value), MendOptions::default());
        assert!(
            matches!(checked, Checked::Invalid(ArgumentsError::Unkeepable { .. })),
            "{value} {checked:?}"
        );
    }
    // Such a key would make serde_json read the object back as a number.
    invalid(&anything(), r#"{"a":{"$serde_json::private::Number":"7"}}"#);
}

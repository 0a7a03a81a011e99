//! A tool's schema → the form of it that the dialect takes.
//!
//! OpenAI wants an object at the root, with `properties` and without a choice between schemas; one
//! tool that breaks this makes it refuse all of them. What is shown may be wider than the schema:
//! arguments are always checked against the schema itself.

use std::borrow::Cow;

use serde_json::{Map, Value, json};

/// What may not stand at the root.
const ROOT_CHOICES: [&str; 5] = ["allOf", "anyOf", "enum", "not", "oneOf"];

/// How much of a removed choice is told in words, in characters.
const HINT_CHARS_MAX: usize = 1000;

/// Returns the schema as it is shown: unchanged when the dialect takes it.
pub(crate) fn parameters(schema: &Value) -> Cow<'_, Value> {
    let Value::Object(root) = schema else {
        return Cow::Owned(json!({"type": "object", "properties": {}}));
    };
    let plain = root.get("type").is_some_and(|kind| kind == "object")
        && root.get("properties").is_some_and(Value::is_object)
        && !ROOT_CHOICES.iter().any(|key| root.contains_key(*key));
    if plain {
        return Cow::Borrowed(schema);
    }
    let mut shown = Map::new();
    shown.insert("type".to_owned(), Value::from("object"));
    let mut properties =
        root.get("properties").and_then(Value::as_object).cloned().unwrap_or_default();
    let mut removed = Map::new();
    for (key, value) in root {
        if ROOT_CHOICES.contains(&key.as_str()) {
            removed.insert(key.clone(), value.clone());
            for branch in value.as_array().into_iter().flatten() {
                add_properties(&mut properties, branch);
            }
        } else if key != "type" && key != "properties" {
            shown.insert(key.clone(), value.clone());
        }
    }
    shown.insert("properties".to_owned(), Value::Object(properties));
    if !removed.is_empty() {
        let hint = format!("Must also satisfy {}", Value::Object(removed));
        if !shown.contains_key("description") && hint.chars().count() <= HINT_CHARS_MAX {
            shown.insert("description".to_owned(), Value::String(hint));
        }
    }
    Cow::Owned(Value::Object(shown))
}

fn add_properties(properties: &mut Map<String, Value>, branch: &Value) {
    for (name, schema) in branch.get("properties").and_then(Value::as_object).into_iter().flatten()
    {
        if !properties.contains_key(name) {
            properties.insert(name.clone(), schema.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_root_is_an_object_with_properties_and_without_a_choice() {
        let plain = json!({"type": "object", "properties": {"a": {"anyOf": [{}, {}]}}});
        let cases = [
            ("taken as it is", plain.clone(), plain),
            (
                "no properties",
                json!({"type": "object"}),
                json!({"type": "object", "properties": {}}),
            ),
            ("nothing", json!({}), json!({"type": "object", "properties": {}})),
            ("true", json!(true), json!({"type": "object", "properties": {}})),
            (
                "a choice at the root",
                json!({"oneOf": [
                    {"properties": {"a": {"type": "string"}}, "required": ["a"]},
                    {"properties": {"b": {"type": "integer"}}, "required": ["b"]}
                ]}),
                json!({
                    "type": "object",
                    "properties": {"a": {"type": "string"}, "b": {"type": "integer"}},
                    "description": "Must also satisfy {\"oneOf\":[{\"properties\":{\"a\":{\"type\":\"string\"}},\"required\":[\"a\"]},{\"properties\":{\"b\":{\"type\":\"integer\"}},\"required\":[\"b\"]}]}"
                }),
            ),
        ];
        for (why, schema, expected) in cases {
            assert_eq!(parameters(&schema).into_owned(), expected, "{why}");
        }
    }
}

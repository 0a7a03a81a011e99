//! The table as a JSON Schema.

use serde_json::{Map, Value, json};

use super::{AGENT, Field, Shape, Struct};

/// Returns the JSON Schema of an agent file, draft 2020-12, for editors.
///
/// It is looser than the check: what relates two keys to each other is not in it.
///
/// ```
/// let schema = manos_config::json_schema();
/// assert_eq!(schema["properties"]["final_answer"]["type"], "boolean");
/// assert_eq!(schema["additionalProperties"], false);
/// ```
pub fn json_schema() -> Value {
    let mut definitions = Map::new();
    let mut root = Map::new();
    root.insert("$schema".to_owned(), json!("https://json-schema.org/draft/2020-12/schema"));
    root.insert("title".to_owned(), json!("Manos agent file"));
    root.extend(structure(&AGENT, &mut definitions));
    definitions.sort_keys();
    root.insert("$defs".to_owned(), Value::Object(definitions));
    Value::Object(root)
}

fn structure(known: &Struct, definitions: &mut Map<String, Value>) -> Map<String, Value> {
    let mut properties = Map::new();
    for field in known.fields {
        properties.insert(field.name.to_owned(), property(field, definitions));
    }
    let required: Vec<&str> =
        known.fields.iter().filter(|field| field.required).map(|field| field.name).collect();
    let mut schema = Map::new();
    schema.insert("type".to_owned(), json!("object"));
    schema.insert("description".to_owned(), json!(known.doc));
    schema.insert("properties".to_owned(), Value::Object(properties));
    if !required.is_empty() {
        schema.insert("required".to_owned(), json!(required));
    }
    schema.insert("additionalProperties".to_owned(), json!(false));
    schema
}

fn property(field: &Field, definitions: &mut Map<String, Value>) -> Value {
    let mut schema = match of(&field.shape, definitions) {
        Value::Object(schema) => schema,
        _ => Map::new(),
    };
    let doc = if field.default.is_empty() {
        field.doc.to_owned()
    } else {
        format!("{} Default: {}.", field.doc, field.default)
    };
    schema.insert("description".to_owned(), json!(doc));
    Value::Object(schema)
}

fn of(shape: &Shape, definitions: &mut Map<String, Value>) -> Value {
    match shape {
        Shape::Any => json!({}),
        Shape::Bool => json!({"type": "boolean"}),
        Shape::Choice(words) => json!({"enum": words}),
        Shape::Count { min, max } => json!({"type": "integer", "minimum": min, "maximum": max}),
        Shape::Duration { .. } => json!({
            "type": ["number", "string"],
            "minimum": 0,
            "pattern": r"^[0-9]+(\.[0-9]+)? *(ms|s|m|h|d)?$|^\$\{"
        }),
        Shape::Either(shapes) => {
            let options: Vec<Value> = shapes.iter().map(|shape| of(shape, definitions)).collect();
            json!({"anyOf": options})
        }
        Shape::List(item) => json!({"type": "array", "items": of(item, definitions)}),
        Shape::Map(value) => {
            json!({"type": "object", "additionalProperties": of(value, definitions)})
        }
        Shape::Number { min, max } => json!({"type": "number", "minimum": min, "maximum": max}),
        Shape::Pattern | Shape::Secret | Shape::Template => json!({"type": "string"}),
        Shape::Size { .. } => json!({
            "type": ["integer", "string"],
            "minimum": 1,
            "pattern": r"^[0-9]+(\.[0-9]+)? *(B|KiB|MiB|GiB)?$|^\$\{"
        }),
        // A plain scalar that looks like a number is taken as it is written.
        Shape::Text => json!({"type": ["string", "number"]}),
        Shape::Struct(known) => {
            if !definitions.contains_key(known.name) {
                definitions.insert(known.name.to_owned(), Value::Null);
                let schema = structure(known, definitions);
                definitions.insert(known.name.to_owned(), Value::Object(schema));
            }
            json!({"$ref": format!("#/$defs/{}", known.name)})
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn a_definition_has_one_meaning() {
        fn walk<'a>(shape: &'a Shape, seen: &mut BTreeMap<&'a str, *const Struct>) {
            match shape {
                Shape::Struct(known) => {
                    let first = *seen.entry(known.name).or_insert(std::ptr::from_ref(*known));
                    assert!(std::ptr::eq(first, *known), "{} names two maps", known.name);
                    known.fields.iter().for_each(|field| walk(&field.shape, seen));
                }
                Shape::List(inner) | Shape::Map(inner) => walk(inner, seen),
                Shape::Either(shapes) => shapes.iter().for_each(|shape| walk(shape, seen)),
                _ => {}
            }
        }
        let mut seen = BTreeMap::new();
        let whole = Shape::Struct(&AGENT);
        walk(&whole, &mut seen);
        assert!(seen.len() > 25, "{}", seen.len());
    }

    #[test]
    fn every_key_is_documented_once() {
        let schema = json_schema();
        let maps = schema["$defs"].as_object().unwrap().values().chain([&schema]);
        for map in maps {
            for (name, property) in map["properties"].as_object().unwrap() {
                let doc = property["description"].as_str().unwrap();
                assert!(doc.ends_with('.') || doc.ends_with('?'), "{name}: {doc}");
            }
        }
    }

    fn as_json(text: &str) -> Value {
        let file = crate::SourceFile::new("a.yaml", text);
        let source = crate::source::Source::new(&file);
        crate::node::read(&mut crate::report::Report::new(&source)).unwrap().json()
    }

    #[test]
    fn editors_accept_what_loads_and_mark_what_does_not() {
        let validator = jsonschema::validator_for(&json_schema()).unwrap();
        let good = [
            include_str!("../../tests/good/everything.yaml"),
            include_str!("../../tests/good/function_form.json"),
            include_str!("../init/agent.yaml"),
        ];
        for text in good {
            let errors: Vec<String> =
                validator.iter_errors(&as_json(text)).map(|error| error.to_string()).collect();
            assert_eq!(errors, Vec::<String>::new());
        }
        let bad = [
            include_str!("../../tests/bad/unknown_key.yaml"),
            include_str!("../../tests/bad/wrong_types.yaml"),
            include_str!("../../tests/bad/missing_keys.yaml"),
        ];
        for text in bad {
            assert!(!validator.is_valid(&as_json(text)), "{text}");
        }
    }
}

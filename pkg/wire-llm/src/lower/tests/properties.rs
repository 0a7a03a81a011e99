//! What is valid for a declared schema can be said in what is shown, and is led back.

use jsonschema::is_valid;
use manos_schema::{Checked, MendKind, MendOptions, RawArguments, ToolSchema};
use proptest::prelude::*;

use super::*;
use crate::map_back::{Step, kind};

/// A schema and a value that is valid for it.
type Pair = (Value, Value);

fn leaf() -> impl Strategy<Value = Pair> {
    let fixed = prop::sample::select(vec![
        (json!({"type": "string"}), json!("hola")),
        (json!({"type": "string", "pattern": "^a+$", "minLength": 2}), json!("aa")),
        (json!({"type": "string", "format": "date"}), json!("2026-12-01")),
        (json!({"type": "string", "enum": ["", "x"]}), json!("")),
        (json!({"type": ["string", "null"], "enum": ["x", null]}), json!(null)),
        (json!({"enum": ["x", 1, 2.5, null, true]}), json!(2.5)),
        (json!({"const": 7}), json!(7)),
        (json!({"type": "number", "multipleOf": 0.5}), json!(1.5)),
        (json!({"type": "number", "enum": [1, 2]}), json!(1)),
        (json!({"type": "boolean", "description": "D"}), json!(true)),
        (json!({"type": "null"}), json!(null)),
        (json!({"type": ["integer", "string", "null"]}), json!(null)),
        (json!({"type": ["array", "string"], "items": {"type": "integer"}}), json!([1])),
        (json!({}), json!({"any": [1, "1", null]})),
        (json!(true), json!("12")),
        (json!({"$ref": "#/$defs/text"}), json!("text")),
        (json!({"$ref": "#/$defs/tree"}), tree(1)),
        (json!({"$ref": "#/$defs/tree"}), tree(4)),
        (json!({"type": "object", "additionalProperties": {"type": "integer"}}), json!({"ñ": 1})),
        (json!({"type": "object"}), json!({"k": {"l": []}})),
        (json!({"type": "array"}), json!([1, "a", null])),
        (
            json!({"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}], "items": false}),
            json!(["a", 1]),
        ),
    ]);
    let bounded = (-5_i64..50).prop_map(|number| {
        (json!({"type": "integer", "minimum": -5, "exclusiveMaximum": 50}), json!(number))
    });
    prop_oneof![9 => fixed, 1 => bounded]
}

fn tree(depth: usize) -> Value {
    let inner: Vec<Value> = (0..depth.min(2)).map(|_| tree(depth - 1)).collect();
    json!({"name": "n", "inner": inner})
}

const KEYS: [&str; 6] = ["a", "b", "order id", "año", "x-y", "2"];

fn pair() -> impl Strategy<Value = Pair> {
    leaf().prop_recursive(4, 24, 4, |inner| {
        let list = (inner.clone(), 0_usize..3).prop_map(|((schema, value), count)| {
            (json!({"type": "array", "items": schema, "minItems": 0}), vec![value; count].into())
        });
        let any_of = (inner.clone(), inner.clone(), any::<bool>()).prop_map(|(a, b, first)| {
            (json!({"description": "C", "anyOf": [a.0, b.0]}), if first { a.1 } else { b.1 })
        });
        let one_of = (inner.clone(), inner.clone())
            .prop_map(|(a, b)| (json!({"oneOf": [a.0, b.0, {"type": "null"}]}), b.1));
        let all_of = inner.clone().prop_map(|(schema, value)| {
            (json!({"allOf": [schema, {"description": "all"}]}), value)
        });
        prop_oneof![3 => object(inner), 1 => list, 1 => any_of, 1 => one_of, 1 => all_of]
    })
}

fn object(inner: impl Strategy<Value = Pair> + Clone) -> impl Strategy<Value = Pair> {
    let member = (inner, any::<bool>(), any::<bool>());
    let others = prop::sample::select(vec![None, Some(json!(false)), Some(json!(true))]);
    (prop::collection::vec(member, 0..4), others).prop_map(|(members, others)| {
        let (mut keys, mut value, mut required) = (Map::new(), Map::new(), Vec::new());
        for (key, ((schema, of_key), is_required, is_there)) in KEYS.iter().zip(members) {
            keys.insert((*key).to_owned(), schema);
            if is_required {
                required.push(*key);
            }
            if is_required || is_there {
                value.insert((*key).to_owned(), of_key);
            }
        }
        let mut schema = json!({"type": "object", "properties": keys, "required": required});
        if let Some(others) = others {
            if others == true {
                value.insert("more".to_owned(), json!(1));
            }
            schema["additionalProperties"] = others;
        }
        (schema, value.into())
    })
}

fn document() -> impl Strategy<Value = Pair> {
    object(pair().boxed()).prop_map(|(mut schema, value)| {
        schema["$defs"] = json!({
            "text": {"type": "string", "maxLength": 9},
            "tree": {"type": "object", "properties": {
                "name": {"type": "string"},
                "inner": {"type": "array", "items": {"$ref": "#/$defs/tree"}}
            }, "required": ["name"], "additionalProperties": false}
        });
        (schema, value)
    })
}

/// What is shown as JSON Schema has it: `nullable` is Gemini's word alone.
fn as_json_schema(shown: &Value) -> Value {
    match shown {
        Value::Array(list) => list.iter().map(as_json_schema).collect(),
        Value::Object(map) => {
            let mut map: Map<String, Value> =
                map.iter().map(|(key, value)| (key.clone(), as_json_schema(value))).collect();
            if map.shift_remove("nullable") == Some(json!(true)) {
                json!({"anyOf": [map, {"type": "null"}]})
            } else {
                Value::Object(map)
            }
        }
        other => other.clone(),
    }
}

/// The value as a model says it that sees what is shown; held to every key when it is `strict`.
fn said(strict: bool, step: &Step, shown: &Value, value: &Value) -> Value {
    let none = Step::default();
    if let Some(kinds) = &step.json_text {
        return match value {
            Value::Null if kinds.contains("null") && shown["nullable"] == true => Value::Null,
            value if kinds.contains(kind(value)) => Value::String(value.to_string()),
            value => value.clone(),
        };
    }
    if let Some(choices) = shown.get("anyOf").and_then(Value::as_array) {
        for (at, choice) in choices.iter().enumerate() {
            let step = step.choices.get(at).map_or(&none, |choice| &choice.step);
            let as_said = said(strict, step, choice, value);
            if is_valid(&as_json_schema(choice), &as_said) {
                return as_said;
            }
        }
        return value.clone();
    }
    match value {
        Value::Array(list) => {
            let step = step.items.as_deref().unwrap_or(&none);
            list.iter().map(|value| said(strict, step, &shown["items"], value)).collect()
        }
        Value::Object(map) => {
            if let Some(key) = &step.unwrap {
                let inner = &step.keys[key].step;
                return json!({key: said(strict, inner, &shown["properties"][key], value)});
            }
            let mut whole = Map::new();
            for (key, value) in map {
                let is_it = |(wire, at): &(&String, &crate::map_back::KeyStep)| {
                    at.name.as_ref().map_or(*wire == key, |name| name == key)
                };
                let found = step.keys.iter().find(is_it);
                let (wire, step) = found.map_or((key, &none), |(wire, at)| (wire, &at.step));
                whole.insert(wire.clone(), said(strict, step, &shown["properties"][wire], value));
            }
            let required = shown["required"].as_array().filter(|_| strict);
            for key in required.into_iter().flatten() {
                whole.entry(key.as_str().unwrap()).or_insert(Value::Null);
            }
            whole.into()
        }
        other => other.clone(),
    }
}

/// Whether the check of arguments takes it; whether `null` is taken by one of several alternatives is
/// for it to say, and it drops one that is not.
fn is_taken(schema: &Value, value: &Value) -> bool {
    let declared = ToolSchema::compile(schema).unwrap();
    match declared.check(RawArguments::Value(value), MendOptions::default()) {
        Checked::Valid { mends, .. } => mends.iter().all(|mend| mend.kind == MendKind::NullDropped),
        Checked::Invalid(_) => false,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    #[test]
    fn what_is_valid_can_be_said_in_every_form_and_is_led_back((schema, value) in document()) {
        // The choices of a `oneOf` may both be met; such a pair says nothing.
        prop_assume!(is_valid(&schema, &value));
        for form in SchemaForm::ALL {
            let compiled = compiled(&schema, form);
            if compiled.shown.is_null() || compiled.shown == schema {
                continue;
            }
            let as_said = said(compiled.strict, &compiled.back.step, &compiled.shown, &value);
            let shown = as_json_schema(&compiled.shown);
            prop_assert!(is_valid(&shown, &as_said), "{form:?}\n{schema}\n{shown}\n{as_said}");
            let mut back = as_said.clone();
            compiled.back.apply_to(&mut back);
            prop_assert!(is_taken(&schema, &back), "{form:?}\n{schema}\n{shown}\n{as_said}\n{back}");
        }
    }

    #[test]
    fn whatever_a_model_writes_is_led_back_or_stays(
        text in "[\\[\\]{}\",:a-c0-9nul ]{0,40}",
        (schema, _) in document(),
    ) {
        for form in SchemaForm::ALL {
            let mut arguments = manos_model::CallArguments::Text(text.clone());
            compile(&schema, form).back.apply(&mut arguments);
            if serde_json::from_str::<Value>(&text).is_err() {
                prop_assert_eq!(&arguments, &manos_model::CallArguments::Text(text.clone()));
            }
        }
    }
}

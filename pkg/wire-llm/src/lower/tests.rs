use serde_json::json;

use super::*;

mod properties;

/// Compiles, and checks what every compiled schema must hold.
fn compiled(schema: &Value, form: SchemaForm) -> Compiled {
    let compiled = compile(schema, form);
    let checked = match form {
        SchemaForm::OpenAiStrict if !compiled.strict => SchemaForm::OpenAi,
        form => form,
    };
    assert_eq!(refused(&compiled.shown, checked), [""; 0], "{form:?} {}", compiled.shown);
    assert_eq!(compile(schema, form), compiled, "the same bytes every time");
    // What was compiled compiles to itself; the order of alternatives may take one more turn.
    let again = compile(&compiled.shown, form).shown;
    let settled = compile(&again, form).shown;
    assert_eq!(settled.to_string(), again.to_string(), "{form:?}: compiled again");
    compiled
}

#[expect(clippy::needless_pass_by_value, reason = "the cases read better")]
fn in_object(property: Value) -> Value {
    json!({"type": "object", "properties": {"a": property}, "required": ["a"]})
}

#[test]
fn what_a_provider_takes_is_shown_as_it_was_written() {
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": {"a": {"anyOf": [{"$ref": "#/$defs/x"}, true]}, "b": {"not": {"const": 1}}},
        "if": {"required": ["a"]}, "then": {"required": ["b"]},
        "$defs": {"x": {"type": "string", "pattern": "^(?:a|b)$", "format": "uri"}}
    });
    assert_eq!(compiled(&schema, SchemaForm::OpenAi).shown, schema);
    let mut without_draft = schema.clone();
    without_draft.as_object_mut().unwrap().shift_remove("$schema");
    assert_eq!(compiled(&schema, SchemaForm::Anthropic).shown, without_draft);
}

#[test]
fn a_tool_without_arguments_is_said_as_each_provider_wants() {
    let empty = json!({"type": "object", "properties": {}});
    let closed = json!({
        "type": "object", "properties": {}, "required": [], "additionalProperties": false
    });
    for nothing in [json!({}), json!(true), json!(null), empty.clone(), json!({"type": "object"})] {
        for form in SchemaForm::ALL {
            let expected = match form {
                SchemaForm::Gemini => json!(null),
                SchemaForm::OpenAiStrict => closed.clone(),
                // It takes this, so it is not touched.
                SchemaForm::Anthropic if nothing == json!({"type": "object"}) => nothing.clone(),
                _ => empty.clone(),
            };
            assert_eq!(compiled(&nothing, form).shown, expected, "{form:?} {nothing}");
        }
    }
}

#[test]
fn a_choice_at_the_root_becomes_one_object_and_is_told() {
    let schema = json!({"oneOf": [
        {"properties": {"a": {"type": "string"}}, "required": ["a", "c"]},
        {"properties": {"b": {"type": "integer"}, "a": {"type": "boolean"}}, "required": ["b", "c"]}
    ], "properties": {"c": {"type": "string"}}});
    let expected = json!({
        "type": "object",
        "description": "Must also satisfy {\"oneOf\":[{\"properties\":{\"a\":{\"type\":\"string\"}},\"required\":[\"a\",\"c\"]},{\"properties\":{\"b\":{\"type\":\"integer\"},\"a\":{\"type\":\"boolean\"}},\"required\":[\"b\",\"c\"]}]}",
        "properties": {
            "c": {"type": "string"},
            "a": {"type": ["string", "boolean"]},
            "b": {"type": "integer"}
        },
        "required": ["c"]
    });
    let forms =
        [SchemaForm::Anthropic, SchemaForm::Grammar, SchemaForm::Ollama, SchemaForm::OpenAi];
    for form in forms {
        assert_eq!(compiled(&schema, form).shown, expected, "{form:?}");
    }
    let mut expected = expected;
    expected["properties"]["a"] = json!({"anyOf": [{"type": "string"}, {"type": "boolean"}]});
    assert_eq!(compiled(&schema, SchemaForm::Gemini).shown, expected);
    assert!(compiled(&schema, SchemaForm::OpenAiStrict).strict);
}

#[test]
fn the_root_is_an_object_with_properties_and_without_a_choice() {
    let cases = [
        (
            "a reference",
            json!({"$ref": "#/$defs/x", "$defs": {"x": in_object(json!({"type": "string"}))}}),
        ),
        (
            "allOf",
            json!({"allOf": [in_object(json!({"type": "string"})), {"properties": {"b": {"type": "null"}}}]}),
        ),
        ("keys alone", json!({"properties": {"a": {"type": "string"}}, "required": ["a"]})),
        (
            "not",
            json!({"type": "object", "not": {"required": ["a", "b"]}, "properties": {"a": {"type": "string"}}, "required": ["a"]}),
        ),
        (
            "at least one",
            json!({"type": "object", "anyOf": [{"required": ["a"]}, {"required": ["b"]}], "properties": {"a": {"type": "string"}, "b": {"type": "string"}}}),
        ),
    ];
    for (why, schema) in cases {
        for form in SchemaForm::ALL {
            let shown = compiled(&schema, form).shown;
            assert_eq!(shown["type"], "object", "{why} {form:?}");
            let text = shown["properties"]["a"].to_string();
            let is_text = text.contains("\"string\"") || shown.get("$ref").is_some();
            assert!(is_text || shown.get("allOf").is_some(), "{why} {form:?} {shown}");
        }
    }
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table")]
fn gemini_is_told_everything_in_its_own_words() {
    // Each with what of it is enforced here and only told there.
    let cases = [
        (
            "an exclusive bound",
            json!({"type": "integer", "exclusiveMinimum": 0}),
            json!({"type": "integer", "description": "Greater than 0."}),
        ),
        (
            "a format",
            json!({"type": "string", "format": "email", "description": "Where to."}),
            json!({"type": "string", "description": "Where to. Format: email."}),
        ),
        (
            "names of keys",
            json!({"type": "object", "propertyNames": {"pattern": "^x"}}),
            json!({"type": "string", "description": "As JSON text: object. Must also satisfy {\"propertyNames\":{\"pattern\":\"^x\"}}"}),
        ),
        ("a constant", json!({"const": "x"}), json!({"type": "string", "enum": ["x"]})),
        (
            "numbers in an enum",
            json!({"type": "integer", "enum": [1, 2]}),
            json!({"type": "integer", "description": "One of 1, 2."}),
        ),
        (
            "an empty text in an enum",
            json!({"enum": ["", "a"]}),
            json!({"type": "string", "description": "One of \"\", \"a\"."}),
        ),
        (
            "an enum of kinds",
            json!({"enum": ["a", 1, null]}),
            json!({"anyOf": [{"type": "string", "enum": ["a"], "nullable": true}, {"type": "integer", "description": "Always 1.", "nullable": true}]}),
        ),
        (
            "types",
            json!({"type": ["string", "integer"], "description": "D"}),
            json!({"anyOf": [{"type": "string", "description": "D"}, {"type": "integer", "description": "D"}]}),
        ),
        (
            "or null",
            json!({"anyOf": [{"type": "string"}, {"type": "null"}], "description": "D"}),
            json!({"type": "string", "description": "D", "nullable": true}),
        ),
        ("null", json!({"type": "null"}), json!({"type": "string", "nullable": true})),
        (
            "anything",
            json!({}),
            json!({"type": "string", "description": "Any value, as JSON text."}),
        ),
        ("true", json!(true), json!({"type": "string", "description": "Any value, as JSON text."})),
        (
            "a map",
            json!({"type": "object", "additionalProperties": {"type": "string"}}),
            json!({"type": "string", "description": "As JSON text: object."}),
        ),
        (
            "items of any kind",
            json!({"type": "array"}),
            json!({"type": "array", "items": {"type": "string", "description": "Any value, as JSON text."}}),
        ),
        (
            "a tuple",
            json!({"type": "array", "prefixItems": [{"type": "number"}, {"type": "number"}], "items": false}),
            json!({"type": "array", "description": "At most 2 items.", "items": {"type": "number"}}),
        ),
        (
            "oneOf beside properties",
            json!({"type": "object", "properties": {"x": {"type": "string"}}, "oneOf": [{"required": ["x"]}, {"properties": {"y": {"type": "string"}}}]}),
            json!({"anyOf": [
                {"type": "object", "properties": {"x": {"type": "string"}}, "required": ["x"]},
                {"type": "object", "properties": {"y": {"type": "string"}, "x": {"type": "string"}}}
            ]}),
        ),
        (
            "a required key without a schema",
            json!({"type": "object", "required": ["z"]}),
            json!({"type": "object", "properties": {"z": {"type": "string", "description": "Any value, as JSON text."}}, "required": ["z"]}),
        ),
        (
            "a key that takes nothing",
            json!({"type": "object", "properties": {"x": {"type": "string"}, "no": false}}),
            json!({"type": "object", "properties": {"x": {"type": "string"}}}),
        ),
    ];
    for (why, property, expected) in cases {
        let shown = compiled(&in_object(property), SchemaForm::Gemini).shown;
        assert_eq!(shown["properties"]["a"].to_string(), expected.to_string(), "{why}");
    }
}

#[test]
fn strict_asks_for_every_key_and_leads_nulls_back() {
    let schema = json!({
        "type": "object",
        "properties": {
            "a": {"type": "string", "pattern": "^x"},
            "b": {"type": "string", "enum": ["p", "q"]},
            "c": {"type": ["integer", "null"]},
            "d": {"type": "array", "items": {"type": "object", "properties": {"e": {"type": "boolean"}}}}
        },
        "required": ["a"]
    });
    let compiled = compiled(&schema, SchemaForm::OpenAiStrict);
    assert!(compiled.strict);
    assert_eq!(
        compiled.shown,
        json!({
            "type": "object",
            "properties": {
                "a": {"type": "string", "description": "Must match the pattern ^x"},
                "b": {"type": ["string", "null"], "enum": ["p", "q", null]},
                "c": {"type": ["integer", "null"]},
                "d": {"type": ["array", "null"], "items": {
                    "type": "object", "properties": {"e": {"type": ["boolean", "null"]}},
                    "required": ["e"], "additionalProperties": false
                }}
            },
            "required": ["a", "b", "c", "d"],
            "additionalProperties": false
        })
    );
    let mut arguments = json!({"a": "x", "b": null, "c": null, "d": [{"e": null}, {"e": true}]});
    compiled.back.apply_to(&mut arguments);
    assert_eq!(arguments, json!({"a": "x", "c": null, "d": [{}, {"e": true}]}));
}

#[test]
fn a_schema_that_cannot_be_strict_is_offered_without_and_says_why() {
    let wide = |count: usize| -> Value {
        let keys = (0..count).map(|at| (format!("k{at}"), json!({"type": "string"}))).collect();
        json!({"type": "object", "properties": Value::Object(keys)})
    };
    let deep = (0..5).fold(json!({"type": "string"}), |inner, _| in_object(inner));
    let cases = [
        (
            "a map",
            in_object(json!({"type": "object", "additionalProperties": {"type": "string"}})),
            "it has an object whose keys have no names",
        ),
        (
            "keys beyond the named",
            json!({"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": true}),
            "it takes keys that have no names",
        ),
        (
            "any value",
            in_object(json!({"description": "anything"})),
            "it takes a value of any kind",
        ),
        (
            "a tree",
            json!({"type": "object", "properties": {"child": {"$ref": "#"}}}),
            "it is nested too deep, or contains itself",
        ),
        ("too deep", deep, "it is nested too deep, or contains itself"),
        ("too many keys", wide(STRICT_KEYS), "it has too many keys"),
        (
            "too many values",
            in_object(json!({"enum": (0..501).collect::<Vec<_>>()})),
            "it has too many values in enums",
        ),
        (
            "long values",
            in_object(json!({"enum": ["x".repeat(8000)]})),
            "the values of an enum are too long",
        ),
        (
            "two objects that begin alike",
            in_object(
                json!({"anyOf": [in_object(json!({"const": 1})), in_object(json!({"const": 2}))]}),
            ),
            "two alternatives begin with the same key",
        ),
    ];
    for (why, schema, reason) in cases {
        let compiled = compiled(&schema, SchemaForm::OpenAiStrict);
        assert!(!compiled.strict && compiled.back.is_identity(), "{why}");
        assert_eq!(compiled.shown, schema, "{why}");
        let first = &compiled.notes[0];
        assert_eq!(first.change, Change::NotStrict(reason), "{why}");
        assert_eq!(first.to_string(), format!("the arguments: offered without `strict`: {reason}"));
    }
    assert!(compiled(&wide(STRICT_KEYS - 1), SchemaForm::OpenAiStrict).strict, "one key less");
}

/// One more than `strict` takes.
const STRICT_KEYS: usize = 101;

#[test]
fn keys_that_a_provider_refuses_are_renamed_and_come_back() {
    let schema = json!({
        "type": "object",
        "properties": {
            "año": {"type": "object", "properties": {"order id": {"type": "string"}}, "required": ["order id"]},
            "order-id": {"type": "array", "items": {"type": "object", "properties": {"ñ": {"type": "null"}}}},
            "plain": {"type": "string"}
        },
        "required": ["año"]
    });
    for (form, dash) in [(SchemaForm::Anthropic, "order-id"), (SchemaForm::Gemini, "order_id")] {
        let compiled = compiled(&schema, form);
        let mut arguments = json!({"a_o": {"order_id": "1"}, dash: [{"_": null}], "plain": "x"});
        compiled.back.apply_to(&mut arguments);
        let expected = json!({"año": {"order id": "1"}, "order-id": [{"ñ": null}], "plain": "x"});
        assert_eq!(arguments, expected, "{form:?}");
        let renamed = Note { at: "/año".into(), change: Change::Renamed("a_o".into()) };
        assert!(compiled.notes.contains(&renamed), "{form:?}");
    }
    assert_eq!(compiled(&schema, SchemaForm::OpenAi).shown, schema);
}

#[test]
fn a_schema_that_contains_itself_is_shown_to_a_certain_depth() {
    let by_name = json!({
        "type": "object", "properties": {"root": {"$ref": "#/$defs/node"}},
        "$defs": {"node": {"type": "object", "properties": {
            "name": {"type": "string"}, "children": {"type": "array", "items": {"$ref": "#/$defs/node"}}
        }, "required": ["name"]}}
    });
    let by_pointer = json!({"type": "object", "properties": {"nodes": {"type": "array", "items": {
        "type": "object", "properties": {"name": {"type": "string"}, "nodes": {"$ref": "#/properties/nodes"}}
    }}}});
    let by_root = json!({"type": "object", "properties": {"name": {"type": "string"}, "next": {"$ref": "#"}}});
    for schema in [by_name, by_pointer, by_root] {
        for form in [SchemaForm::Gemini, SchemaForm::Grammar, SchemaForm::Ollama] {
            let compiled = compiled(&schema, form);
            assert!(compiled.notes.iter().any(|note| note.change == Change::Cut), "{form:?}");
            let names = compiled.shown.to_string().matches("\"name\"").count();
            assert!(names >= 2, "a node and its children: {form:?} {}", compiled.shown);
        }
    }
    // Twenty schemas that each contain all: the whole is bounded.
    let all: Vec<Value> = (0..20).map(|at| json!({"$ref": format!("#/$defs/d{at}")})).collect();
    let keys: Map<String, Value> =
        all.iter().enumerate().map(|(at, of)| (format!("k{at}"), of.clone())).collect();
    let defs: Map<String, Value> = (0..20)
        .map(|at| (format!("d{at}"), json!({"type": "object", "properties": keys})))
        .collect();
    let schema = json!({"type": "object", "properties": keys, "$defs": defs});
    assert!(compiled(&schema, SchemaForm::Gemini).shown.to_string().len() < 500_000);
}

#[test]
fn grammars_get_nothing_that_they_refuse_or_read_too_narrowly() {
    let schema = json!({
        "type": "object",
        "properties": {
            "a": {"type": "string", "pattern": "[a-z]", "format": "date-time", "maxLength": 100_000},
            "b": {"type": "integer", "minimum": 1, "maximum": 50, "multipleOf": 5},
            "c": {"type": "number", "minimum": 0.5},
            "d": {},
            "e": {"type": "object"},
            "f": {"$ref": "#/$defs/x"},
            "g": true
        },
        "$defs": {"x": {"allOf": [{"type": "string"}, {"enum": ["u", "v"]}]}}
    });
    let all = json!(["string", "number", "boolean", "object", "array", "null"]);
    assert_eq!(
        compiled(&schema, SchemaForm::Grammar).shown["properties"],
        json!({
            "a": {"type": "string", "description": "Must match the pattern [a-z] Format: date-time. At most 100000 characters."},
            "b": {"type": "integer", "description": "A multiple of 5.", "minimum": 1, "maximum": 50},
            "c": {"type": "number", "description": "At least 0.5."},
            "d": {"type": all},
            "e": {"type": "object"},
            "f": {"type": "string", "enum": ["u", "v"]},
            "g": {"type": all}
        })
    );
}

#[test]
fn older_drafts_are_read_as_they_were_meant() {
    let schema = json!({
        "$schema": "http://json-schema.org/draft-04/schema#",
        "type": "object",
        "properties": {
            "a": {"type": "integer", "minimum": 0, "exclusiveMinimum": true},
            "b": {"type": "array", "items": [{"type": "string"}, {"type": "string"}], "additionalItems": false},
            "c": {"$ref": "#/definitions/x", "type": "integer"}
        },
        "definitions": {"x": {"type": "string"}}
    });
    assert_eq!(
        compiled(&schema, SchemaForm::Anthropic).shown["properties"],
        json!({
            "a": {"type": "integer", "exclusiveMinimum": 0},
            "b": {"type": "array", "items": {"type": "string"}, "maxItems": 2},
            "c": {"type": "string"}
        })
    );
}

#[test]
fn one_bad_schema_is_still_shown_and_everything_compiles() {
    let cases = [
        json!([]),
        json!("x"),
        json!({"type": "dict"}),
        json!({"type": 7}),
        json!({"type": []}),
        json!({"properties": []}),
        json!({"type": "object", "properties": {"a": 1}}),
        json!({"type": "object", "required": true}),
        json!({"$ref": "https://example.com/x.json"}),
        json!({"type": "object", "properties": {"a": {"$ref": "#/nowhere"}, "b": {"$ref": "#b"}}}),
        json!({"type": "object", "properties": {"a": {"enum": []}, "b": {"anyOf": []}}}),
        json!({"type": "object", "properties": {"": {"type": "string"}, "$ref": {"type": "string"}}}),
        json!({"type": "object", "properties": {"a": {"type": "array", "items": [{"$ref": "#"}]}}}),
        json!({"type": "string"}),
        json!({"enum": [{}]}),
        json!(false),
        json!({"type": "object", "additionalProperties": {"type": "integer"}}),
        json!({"type": "object", "properties": {"a": {"allOf": [{"type": "string"}, {"type": "integer"}]}}}),
    ];
    for schema in cases {
        for form in SchemaForm::ALL {
            compiled(&schema, form);
        }
    }
}

#[test]
fn free_arguments_are_asked_for_whole_where_a_key_is_needed() {
    let schema = json!({"type": "object", "additionalProperties": {"type": "integer"}});
    let compiled = compiled(&schema, SchemaForm::Gemini);
    let mut arguments = json!({"arguments": "{\"x\":1}"});
    compiled.back.apply_to(&mut arguments);
    assert_eq!(arguments, json!({"x": 1}));
}

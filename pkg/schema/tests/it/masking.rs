//! Values of `writeOnly` properties are never shown.

use serde_json::json;

use crate::{invalid, schema};

#[test]
fn every_way_to_a_write_only_schema_masks() {
    let secret = json!({"type": "string", "writeOnly": true});
    let compiled = schema(&json!({
        "$defs": {"secret": secret, "card": {"properties": {"pin": secret}}},
        "properties": {
            "plain": {"type": "string"},
            "pin": secret,
            "ref": {"$ref": "#/$defs/secret"},
            "nested": {"properties": {"pin": secret}},
            "list": {"items": {"$ref": "#/$defs/card"}},
            "tuple": {"prefixItems": [{}, secret]},
            "map": {"additionalProperties": secret},
            "any": {"anyOf": [{"type": "integer"}, {"$ref": "#/$defs/card"}]},
            "when": {"if": {"required": ["x"]}, "then": {"properties": {"pin": secret}}},
        },
        "patternProperties": {"_key$": secret},
    }));
    let shown = compiled.mask(&json!({
        "plain": "a", "pin": {"even": "an object"}, "ref": "a", "nested": {"pin": "a", "x": "b"},
        "list": [{"pin": "a"}, {"pin": 1, "x": 2}], "tuple": ["a", "b"], "map": {"a": "b"},
        "any": {"pin": "a"}, "when": {"pin": "a"}, "api_key": "a", "other": "a",
        "absent": null,
    }));
    assert_eq!(
        shown,
        json!({
            "plain": "a", "pin": "•••", "ref": "•••", "nested": {"pin": "•••", "x": "b"},
            "list": [{"pin": "•••"}, {"pin": "•••", "x": 2}], "tuple": ["•••", "•••"], "map": {"a": "•••"},
            "any": {"pin": "•••"}, "when": {"pin": "•••"}, "api_key": "•••", "other": "a",
            "absent": null,
        })
    );
    assert_eq!(compiled.write_only_pointers().first().unwrap(), "/properties/pin");
}

#[test]
fn arguments_that_are_still_text_are_masked_too() {
    let compiled = schema(&json!({
        "properties": {"pin": {"writeOnly": true}, "card": {"type": "object", "properties": {"pin": {"writeOnly": true}}}},
    }));
    assert_eq!(compiled.mask(&json!(r#"{"pin":"1234"}"#)), json!(r#"{"pin":"•••"}"#));
    assert_eq!(compiled.mask(&json!(r#"{"pin":"1234"#)), json!("•••"));
    assert_eq!(
        compiled.mask(&json!({"card": r#"{"pin":"1234"}"#})),
        json!({"card": r#"{"pin":"•••"}"#})
    );
    assert_eq!(compiled.mask(&json!({"card": r#"{"pin":"1234"#})), json!({"card": "•••"}));
    assert_eq!(
        schema(&json!({"properties": {"a": {}}})).mask(&json!("as it is")),
        json!("as it is")
    );
}

#[test]
fn violations_do_not_repeat_a_secret() {
    let compiled = schema(&json!({
        "properties": {
            "pin": {"type": "string", "pattern": "^[0-9]{4}$", "writeOnly": true},
            "n": {"type": "object", "properties": {"pin": {"type": "number", "writeOnly": true}}, "maxProperties": 1},
        },
    }));
    let texts = [
        r#"{"pin":"hunter2"}"#,
        r#"{"pin":["hunter2"]}"#,
        r#"{"n":{"pin":"hunter2","x":1}}"#,
        r#"{"pin":"hunter2"#,
        r#"{"n":{"pin":70707070707070707070707}}"#,
    ];
    for text in texts {
        let error = invalid(&compiled, text);
        let told = serde_json::to_string(&error.violations()).unwrap();
        let all = format!("{told} {error}");
        assert!(!all.contains("hunter2") && !all.contains("7070"), "{text}: {all}");
    }
}

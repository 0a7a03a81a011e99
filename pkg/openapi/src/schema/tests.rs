use super::*;

fn document(version: &str, schemas: &Value) -> Document {
    let document = json!({"openapi": version, "paths": {}, "components": {"schemas": schemas}});
    Document::read(&document).unwrap()
}

fn written(document: &Document, schema: &Value) -> Value {
    fitted(document, |writer| writer.write(schema))
}

#[test]
fn the_dialect_of_3_0_becomes_the_draft() {
    let cases = [
        (json!({"type": "string", "nullable": true}), json!({"type": ["string", "null"]})),
        (
            json!({"type": "string", "nullable": true, "enum": ["a"]}),
            json!({"type": ["string", "null"], "enum": ["a", null]}),
        ),
        (
            json!({"nullable": true, "allOf": [{"type": "object"}]}),
            json!({"anyOf": [{"allOf": [{"type": "object"}]}, {"type": "null"}]}),
        ),
        (
            json!({"type": "integer", "minimum": 0, "exclusiveMinimum": true}),
            json!({"type": "integer", "exclusiveMinimum": 0}),
        ),
        (
            json!({"type": "integer", "minimum": 0, "exclusiveMinimum": false}),
            json!({"type": "integer", "minimum": 0}),
        ),
        (json!({"type": "string", "example": "x", "xml": {}, "x-a": 1}), json!({"type": "string"})),
        (json!({"type": "file"}), json!({"type": "string"})),
        (json!({"type": "any"}), json!({})),
        (json!({"type": "string", "pattern": "^(?!x)"}), json!({"type": "string"})),
        (json!({"type": "string", "pattern": "^x$"}), json!({"type": "string", "pattern": "^x$"})),
        (json!({"type": "string", "required": true}), json!({"type": "string"})),
        (json!({"type": "string", "maxLength": "7", "enum": []}), json!({"type": "string"})),
        (
            json!({"type": "object", "required": ["a", "a", "id"],
                "properties": {"a": {}, "id": {"type": "string", "readOnly": true}}}),
            json!({"type": "object", "required": ["a"], "properties": {"a": {}}}),
        ),
    ];
    let document = document("3.0.3", &json!({}));
    for (schema, expected) in cases {
        assert_eq!(written(&document, &schema), expected, "{schema}");
    }
}

#[test]
fn references_are_written_out_and_keep_their_company_in_3_1_only() {
    let schemas = json!({"A": {"type": "string", "description": "a"}});
    let schema = json!({"$ref": "#/components/schemas/A", "description": "own", "maxLength": 3});
    let new = written(&document("3.1.0", &schemas), &schema);
    let a = json!({"type": "string", "description": "own"});
    assert_eq!(new, json!({"allOf": [a, {"maxLength": 3}]}));
    assert_eq!(written(&document("3.0.0", &schemas), &schema), a);
    let lost = written(&document("3.0.0", &json!({})), &schema);
    assert_eq!(lost, json!({"description": "The document does not say what this is."}));
}

#[test]
fn what_leads_back_to_itself_is_cut_to_its_type() {
    let document = document(
        "3.0.0",
        &json!({
            "Node": {"type": "object", "properties": {
                "name": {"type": "string"},
                "next": {"$ref": "#/components/schemas/Node"},
                "all": {"type": "array", "items": {"$ref": "#/components/schemas/Node"}}}},
            "Self": {"$ref": "#/components/schemas/Self"}
        }),
    );
    let node = written(&document, &json!({"$ref": "#/components/schemas/Node"}));
    assert_eq!(node["properties"]["name"], json!({"type": "string"}));
    assert_eq!(node["properties"]["next"], json!({"type": "object"}));
    assert_eq!(node["properties"]["all"]["items"], json!({"type": "object"}));
    let endless = written(&document, &json!({"$ref": "#/components/schemas/Self"}));
    assert_eq!(endless, json!({}));
}

#[test]
fn what_fans_out_is_cut_until_it_fits() {
    // Each level names the next ten times: written out whole it would be 10^12 schemas.
    let mut schemas = Map::new();
    for level in 0..12 {
        let next = json!({"$ref": format!("#/components/schemas/L{}", level + 1)});
        let properties: Map<String, Value> =
            (0..10).map(|n| (format!("p{n}"), next.clone())).collect();
        schemas.insert(format!("L{level}"), json!({"type": "object", "properties": properties}));
    }
    let document = document("3.1.0", &Value::Object(schemas));
    let whole = written(&document, &json!({"$ref": "#/components/schemas/L0"}));
    assert!(whole.to_string().len() <= SCHEMA_BYTES_MAX);
    let depth_two = &whole["properties"]["p9"]["properties"]["p0"];
    assert_eq!(depth_two["type"], "object", "as deep as the limit lets it be");
}

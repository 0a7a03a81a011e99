//! Swagger 2.0 in the form of OpenAPI 3.0, as far as requests go.

use serde_json::{Map, Value, json};

/// The methods of a path item in 2.0.
const METHODS: [&str; 7] = ["delete", "get", "head", "options", "patch", "post", "put"];

/// Keys of a 2.0 parameter that belong into its schema in 3.0.
const OF_SCHEMAS: [&str; 17] = [
    "default",
    "enum",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "format",
    "items",
    "maxItems",
    "maxLength",
    "maximum",
    "minItems",
    "minLength",
    "minimum",
    "multipleOf",
    "pattern",
    "type",
    "uniqueItems",
    "x-nullable",
];

/// Rewrites a document. What requests do not need (responses, examples) is left out.
pub(crate) fn from_2(document: &Value) -> Value {
    let list = |place: &Value, key: &str| place.get(key).and_then(Value::as_array).cloned();
    let consumes = list(document, "consumes");
    let mut paths = Map::new();
    for (path, item) in document.get("paths").and_then(Value::as_object).into_iter().flatten() {
        let shared = list(item, "parameters").unwrap_or_default();
        let mut new_item = Map::new();
        for (key, operation) in item.as_object().into_iter().flatten() {
            if METHODS.contains(&key.as_str()) {
                let own = list(operation, "consumes").or_else(|| consumes.clone());
                let operation = operation_from_2(document, operation, &shared, own.as_deref());
                new_item.insert(key.clone(), operation);
            }
        }
        paths.insert(path.clone(), Value::Object(new_item));
    }
    json!({
        "openapi": "3.0.3",
        "info": document.get("info").cloned().unwrap_or_default(),
        "servers": servers(document),
        "security": document.get("security").cloned().unwrap_or_else(|| json!([])),
        "paths": paths,
        // References to schemas keep their old place.
        "definitions": document.get("definitions").cloned().unwrap_or_else(|| json!({})),
        "components": { "securitySchemes": schemes(document) },
    })
}

fn servers(document: &Value) -> Value {
    let text = |key: &str| document.get(key).and_then(Value::as_str);
    let base = text("basePath").unwrap_or_default();
    let Some(host) = text("host") else { return json!([{ "url": base }]) };
    let schemes = document.get("schemes").and_then(Value::as_array);
    let http_only = schemes.is_some_and(|schemes| {
        !schemes.is_empty() && schemes.iter().all(|scheme| scheme.as_str() == Some("http"))
    });
    let scheme = if http_only { "http" } else { "https" };
    json!([{ "url": format!("{scheme}://{host}{base}") }])
}

fn schemes(document: &Value) -> Map<String, Value> {
    let old = document.get("securityDefinitions").and_then(Value::as_object);
    let new = |scheme: &Value| match scheme.get("type").and_then(Value::as_str) {
        Some("basic") => json!({"type": "http", "scheme": "basic"}),
        _ => scheme.clone(),
    };
    old.into_iter().flatten().map(|(name, scheme)| (name.clone(), new(scheme))).collect()
}

fn operation_from_2(
    document: &Value,
    operation: &Value,
    shared: &[Value],
    consumes: Option<&[Value]>,
) -> Value {
    let mut new = Map::new();
    for key in ["operationId", "summary", "description", "tags", "security", "deprecated"] {
        if let Some(value) = operation.get(key) {
            new.insert(key.to_owned(), value.clone());
        }
    }
    let own = operation.get("parameters").and_then(Value::as_array);
    let own: Vec<Value> = own.into_iter().flatten().map(|one| resolved(document, one)).collect();
    let mut parameters: Vec<Value> = shared.iter().map(|one| resolved(document, one)).collect();
    parameters.retain(|one| {
        !own.iter().any(|o| o.get("name") == one.get("name") && o.get("in") == one.get("in"))
    });
    parameters.extend(own);
    let is_in = |one: &Value, place: &str| one.get("in").and_then(Value::as_str) == Some(place);
    let (form, rest): (Vec<Value>, Vec<Value>) =
        parameters.into_iter().partition(|one| is_in(one, "formData"));
    let (body, plain): (Vec<Value>, Vec<Value>) =
        rest.into_iter().partition(|one| is_in(one, "body"));
    let medium = |wanted: &[&str]| {
        let mut all = consumes.into_iter().flatten().filter_map(Value::as_str);
        all.find(|media| wanted.is_empty() || wanted.contains(media)).map(str::to_owned)
    };
    if let Some(body) = body.first() {
        let json_wanted = medium(&["application/json"]).or_else(|| medium(&[]));
        let media = json_wanted.unwrap_or_else(|| "application/json".to_owned());
        new.insert(
            "requestBody".to_owned(),
            json!({
                "required": body.get("required").cloned().unwrap_or(Value::Bool(false)),
                "description": body.get("description").cloned().unwrap_or_default(),
                "content": { media: { "schema": body.get("schema").cloned().unwrap_or_default() } },
            }),
        );
    } else if !form.is_empty() {
        let has_file =
            form.iter().any(|one| one.get("type").and_then(Value::as_str) == Some("file"));
        let media = if has_file
            || medium(&["application/x-www-form-urlencoded"]).is_none()
                && medium(&["multipart/form-data"]).is_some()
        {
            "multipart/form-data"
        } else {
            "application/x-www-form-urlencoded"
        };
        new.insert("requestBody".to_owned(), form_body(&form, media));
    }
    let plain: Vec<Value> = plain.iter().map(parameter_from_2).collect();
    new.insert("parameters".to_owned(), Value::Array(plain));
    Value::Object(new)
}

fn resolved(document: &Value, parameter: &Value) -> Value {
    let reference = parameter.get("$ref").and_then(Value::as_str);
    let target = reference.and_then(|one| document.pointer(one.strip_prefix('#')?));
    target.unwrap_or(parameter).clone()
}

fn parameter_from_2(old: &Value) -> Value {
    let mut new = Map::new();
    for key in ["name", "in", "required", "description", "deprecated"] {
        if let Some(value) = old.get(key) {
            new.insert(key.to_owned(), value.clone());
        }
    }
    let (style, explode) = collection(old);
    if let Some(style) = style {
        new.insert("style".to_owned(), Value::from(style));
    }
    new.insert("explode".to_owned(), Value::from(explode));
    new.insert("schema".to_owned(), schema_of(old));
    Value::Object(new)
}

/// How the items of a list are put together: 2.0's `collectionFormat`, `csv` unless it says so.
fn collection(old: &Value) -> (Option<&'static str>, bool) {
    match old.get("collectionFormat").and_then(Value::as_str) {
        Some("multi") => (Some("form"), true),
        Some("ssv") => (Some("spaceDelimited"), false),
        Some("pipes") => (Some("pipeDelimited"), false),
        _ => (None, false),
    }
}

fn form_body(form: &[Value], media: &str) -> Value {
    let (mut properties, mut required, mut encoding) = (Map::new(), Vec::new(), Map::new());
    for field in form {
        let Some(name) = field.get("name").and_then(Value::as_str) else { continue };
        properties.insert(name.to_owned(), schema_of(field));
        if field.get("required") == Some(&Value::Bool(true)) {
            required.push(Value::from(name));
        }
        if field.get("type").and_then(Value::as_str) == Some("array") {
            let (style, explode) = collection(field);
            let style = style.unwrap_or("form");
            encoding.insert(name.to_owned(), json!({"style": style, "explode": explode}));
        }
    }
    let is_required = !required.is_empty();
    let schema = json!({"type": "object", "properties": properties, "required": required});
    json!({"required": is_required, "content": {media: {"schema": schema, "encoding": encoding}}})
}

fn schema_of(old: &Value) -> Value {
    let mut schema = Map::new();
    for key in OF_SCHEMAS {
        if let Some(value) = old.get(key) {
            schema.insert(key.to_owned(), value.clone());
        }
    }
    if schema.get("type").and_then(Value::as_str) == Some("file") {
        schema.insert("type".to_owned(), Value::from("string"));
        schema.insert("format".to_owned(), Value::from("binary"));
    }
    if let Some(description) = old.get("description") {
        schema.insert("description".to_owned(), description.clone());
    }
    Value::Object(schema)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_old_document_gets_the_new_form() {
        let old = json!({
            "swagger": "2.0", "host": "a.example", "basePath": "/v2", "schemes": ["http", "https"],
            "consumes": ["application/json"],
            "securityDefinitions": {"b": {"type": "basic"}},
            "parameters": {"page": {"name": "page", "in": "query", "type": "integer"}},
            "paths": {"/pets": {
                "parameters": [{"$ref": "#/parameters/page"}],
                "get": {"operationId": "list", "parameters": [
                    {"name": "tags", "in": "query", "type": "array", "items": {"type": "string"},
                     "collectionFormat": "pipes"}]},
                "post": {"operationId": "add", "parameters": [
                    {"name": "pet", "in": "body", "required": true, "schema": {"$ref": "#/definitions/Pet"}}]},
                "put": {"operationId": "photo", "consumes": ["multipart/form-data"], "parameters": [
                    {"name": "file", "in": "formData", "type": "file", "required": true}]}
            }},
            "definitions": {"Pet": {"type": "object"}}
        });
        let new = from_2(&old);
        assert_eq!(new["servers"][0]["url"], "https://a.example/v2");
        assert_eq!(new["components"]["securitySchemes"]["b"]["scheme"], "basic");
        let pets = &new["paths"]["/pets"];
        assert_eq!(pets["get"]["parameters"][0]["name"], "page");
        assert_eq!(pets["get"]["parameters"][1]["style"], "pipeDelimited");
        let add = &pets["post"]["requestBody"];
        assert_eq!(add["required"], true);
        assert_eq!(add["content"]["application/json"]["schema"]["$ref"], "#/definitions/Pet");
        let photo = &pets["put"]["requestBody"]["content"]["multipart/form-data"]["schema"];
        assert_eq!(photo["properties"]["file"], json!({"type": "string", "format": "binary"}));
        assert_eq!(photo["required"], json!(["file"]));
    }
}

//! Whole documents.

#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use manos_openapi::{ImportOptions, ImportedTool, Selector, import};
use serde_json::{Value, json};

fn document(paths: &Value) -> Value {
    json!({"openapi": "3.0.3", "servers": [{"url": "https://a.example/v1"}], "paths": paths})
}

fn tools(paths: &Value) -> Vec<ImportedTool> {
    let imported = import(&document(paths), &ImportOptions::default()).unwrap();
    assert_eq!(imported.dropped, []);
    imported.tools
}

fn reasons(paths: &Value) -> Vec<String> {
    let imported = import(&document(paths), &ImportOptions::default()).unwrap();
    imported.dropped.into_iter().map(|one| format!("{}: {}", one.operation, one.reason)).collect()
}

#[test]
fn every_kind_of_parameter_finds_its_place() {
    let tools = tools(&json!({"/orders/{order-id}/lines": {
        "parameters": [{"name": "order-id", "in": "path", "required": true, "schema": {"type": "integer"}}],
        "get": {"operationId": "lines.list", "parameters": [
            {"name": "filter", "in": "query", "style": "deepObject", "explode": true,
             "schema": {"type": "object", "properties": {"state": {"type": "string"}}}},
            {"name": "ids", "in": "query", "explode": false, "schema": {"type": "array", "items": {"type": "integer"}}},
            {"name": "X-Trace", "in": "header", "schema": {"type": "string"}},
            {"name": "Authorization", "in": "header", "required": true, "schema": {"type": "string"}},
            {"name": "session", "in": "cookie", "schema": {"type": "string"}}
        ]}
    }}));
    let [tool] = tools.as_slice() else { panic!("one operation is one tool") };
    assert_eq!(tool.name, "lines_list");
    assert_eq!(tool.url, "https://a.example/v1/orders/{order-id}/lines");
    assert_eq!(tool.parameters["required"], json!(["order-id"]));
    let arguments = json!({"order-id": 7, "filter": {"state": "new"}, "ids": [1, 2], "X-Trace": "t", "session": "s"});
    let placed = tool.placement.place(arguments.as_object().unwrap()).unwrap();
    assert_eq!(placed.query, "filter%5Bstate%5D=new&ids=1,2");
    assert_eq!(placed.path["order-id"], "7");
    let headers =
        [("X-Trace", "t"), ("Cookie", "session=s")].map(|(n, v)| (n.to_owned(), v.to_owned()));
    assert_eq!(placed.headers, headers);
}

#[test]
fn path_query_and_body_may_use_one_name() {
    let tools = tools(&json!({"/pets/{id}": {"put": {
        "parameters": [
            {"name": "id", "in": "path", "required": true, "schema": {"type": "string"}},
            {"name": "id", "in": "query", "schema": {"type": "string"}}
        ],
        "requestBody": {"required": true, "content": {"application/json": {"schema": {
            "type": "object", "required": ["id"], "properties": {"id": {"type": "integer"}, "name": {"type": "string"}}}}}}
    }}}));
    let tool = &tools[0];
    assert_eq!(tool.name, "PUT_pets_id");
    assert_eq!(tool.url, "https://a.example/v1/pets/{id_path}");
    let names: Vec<&String> = tool.parameters["properties"].as_object().unwrap().keys().collect();
    assert_eq!(names, ["id_path", "id_query", "id", "name"]);
    let arguments = json!({"id_path": "p", "id_query": "q", "id": 3, "name": "n"});
    let placed = tool.placement.place(arguments.as_object().unwrap()).unwrap();
    assert_eq!(placed.query, "id=q");
    assert_eq!(placed.body, br#"{"id":3,"name":"n"}"#);
    assert_eq!(placed.content_type.as_deref(), Some("application/json"));
}

#[test]
fn bodies_of_every_form_are_kept() {
    let body = |content: &Value| {
        let paths =
            json!({"/x": {"post": {"requestBody": {"required": true, "content": content}}}});
        tools(&paths).remove(0)
    };
    let place = |tool: &ImportedTool, arguments: &Value| {
        let placed = tool.placement.place(arguments.as_object().unwrap()).unwrap();
        (placed.content_type.unwrap(), String::from_utf8(placed.body).unwrap())
    };
    let object =
        json!({"type": "object", "properties": {"a": {"type": "string"}, "o": {"type": "object"}}});
    let list = body(
        &json!({"application/json": {"schema": {"type": "array", "items": {"type": "integer"}}}}),
    );
    assert_eq!(list.parameters["required"], json!(["body"]));
    assert_eq!(place(&list, &json!({"body": [1, 2]})).1, "[1,2]");
    let both = body(
        &json!({"application/x-www-form-urlencoded": {"schema": object}, "application/vnd.a+json": {"schema": object}}),
    );
    assert_eq!(
        place(&both, &json!({"a": "x"})),
        ("application/vnd.a+json".into(), r#"{"a":"x"}"#.into())
    );
    let form = body(&json!({"application/x-www-form-urlencoded": {"schema": object}}));
    assert_eq!(place(&form, &json!({"a": "x y", "o": {"k": 1}})).1, "a=x%20y&o=%7B%22k%22%3A1%7D");
    let deep = body(
        &json!({"application/x-www-form-urlencoded": {"schema": object, "encoding": {"o": {"style": "deepObject", "explode": true}}}}),
    );
    assert_eq!(place(&deep, &json!({"o": {"k": 1}})).1, "o%5Bk%5D=1");
    let parts = body(
        &json!({"multipart/form-data": {"schema": {"type": "object", "properties": {"file": {"type": "string", "format": "binary"}}}}}),
    );
    let (media, bytes) = place(&parts, &json!({"file": "abc"}));
    assert!(media.starts_with("multipart/form-data; boundary="), "{media}");
    assert!(
        bytes
            .contains("filename=\"file\"\r\nContent-Type: application/octet-stream\r\n\r\nabc\r\n"),
        "{bytes}"
    );
    let text = body(&json!({"text/csv": {"schema": {"type": "string"}}}));
    assert_eq!(place(&text, &json!({"body": "a;b"})), ("text/csv".into(), "a;b".into()));
    let choice =
        body(&json!({"application/json": {"schema": {"oneOf": [object, {"type": "null"}]}}}));
    assert_eq!(place(&choice, &json!({"body": {"a": "x"}})).1, r#"{"a":"x"}"#);
}

#[test]
fn what_cannot_be_a_tool_is_named_with_its_reason() {
    let id = json!({"name": "id", "in": "path", "required": true, "schema": {"type": "string"}});
    let cases = [
        (json!({"/x": {"head": {}}}), "HEAD /x: HEAD has no answer"),
        (json!({"/x/{id}": {"get": {}}}), "GET /x/{id}: the path names \"id\", which is none"),
        (
            json!({"/x": {"get": {"parameters": [id]}}}),
            "GET /x: the path does not name its parameter \"id\"",
        ),
        (
            json!({"/x": {"get": {"parameters": [{"$ref": "#/components/parameters/p"}]}}}),
            "GET /x: the document does not hold #/components/parameters/p",
        ),
        (
            json!({"/x": {"get": {"requestBody": {"required": true, "content": {"application/json": {}}}}}}),
            "GET /x: a GET that requires a body",
        ),
    ];
    for (paths, expected) in cases {
        let reasons = reasons(&paths);
        assert_eq!(reasons.len(), 1, "{paths}");
        assert!(reasons[0].starts_with(expected), "{}", reasons[0]);
    }
}

#[test]
fn a_choice_of_operations_does_not_change_their_names() {
    let paths = json!({
        "/a": {"get": {"operationId": "list", "tags": ["one"]}},
        "/b": {"get": {"operationId": "list", "tags": ["two"]}}
    });
    let all = import(&document(&paths), &ImportOptions::default()).unwrap();
    let two = Selector { tag: Some("two".into()), ..Selector::default() };
    let gone = Selector { tag: Some("three".into()), ..Selector::default() };
    let options = ImportOptions { include: vec![two, gone.clone()], ..ImportOptions::default() };
    let some = import(&document(&paths), &options).unwrap();
    assert_eq!(some.tools, all.tools[1..]);
    assert_eq!(some.idle, [gone]);
}

#[test]
fn no_argument_leaves_its_segment() {
    use manos_wire_tool::http::UrlTemplate;
    let tools = tools(&json!({"/files/{name}/raw": {"get": {
        "parameters": [{"name": "name", "in": "path", "required": true, "schema": {"type": "string"}}]}}}));
    let template = UrlTemplate::parse(&tools[0].url).unwrap();
    for value in ["../../admin", "..", ".", "", "a/b", "a\\b", "a\u{0}", "%2e%2e%2fadmin", "a?b#c"]
    {
        let arguments = json!({"name": value});
        let placed = tools[0].placement.place(arguments.as_object().unwrap()).unwrap();
        if let Ok(target) = template.fill(&placed.path) {
            let path = target.path_and_query();
            assert_eq!(path.matches('/').count(), 4, "{value:?} became {path}");
            assert!(path.starts_with("/v1/files/") && path.ends_with("/raw"), "{path}");
        }
    }
}

//! The operations of an OpenAPI document through the command: what they are, what arrives.

use manos_testkit::endpoint::{EndpointServer, reply};
use serde_json::json;

use crate::environment::TestEnvironment;

fn shop(server: &EndpointServer) -> TestEnvironment {
    let folder = TestEnvironment::empty();
    let order =
        json!({"name": "id", "in": "path", "required": true, "schema": {"type": "integer"}});
    let document = json!({
        "openapi": "3.0.3",
        "info": {"title": "Orders"},
        "servers": [{"url": server.url("/v1")}],
        "components": {"securitySchemes": {"key": {"type": "apiKey", "in": "header", "name": "X-Key"}}},
        "security": [{"key": []}],
        "paths": {
            "/orders": {"get": {"operationId": "orders/list", "tags": ["orders"], "parameters": [
                {"name": "filter", "in": "query", "style": "deepObject", "explode": true,
                 "schema": {"type": "object", "properties": {"state": {"type": "string"}}}}]}},
            "/orders/{id}": {"put": {"operationId": "orders/change", "tags": ["orders"],
                "parameters": [order, {"name": "X-Why", "in": "header", "schema": {"type": "string"}}],
                "requestBody": {"required": true, "content": {"application/x-www-form-urlencoded": {
                    "schema": {"type": "object", "properties": {"note": {"type": "string"}}, "required": ["note"]}}}}}},
            "/health": {"get": {"operationId": "health"}}
        }
    });
    folder.write("api.json", &document.to_string());
    folder.write(
        "agent.yaml",
        "name: shop\nwebhook: { url: \"http://127.0.0.1:9/hook\", secret: whsec_test_orders }\ntools:\n  \
         - openapi: { file: api.json, include: [{ tag: orders }], auth: { key: \"key-of-orders\" } }\n",
    );
    folder
}

#[test]
fn each_operation_is_a_tool_and_each_argument_finds_its_place() {
    let server = EndpointServer::start(|seen| match (seen.method.as_str(), seen.path.as_str()) {
        ("GET", "/v1/orders?filter%5Bstate%5D=new") => reply(200, "", r#"[{"id":7}]"#),
        ("PUT", "/v1/orders/7") => reply(200, "", r#"{"id":7,"changed":true}"#),
        _ => reply(404, "", "{}"),
    })
    .unwrap();
    let shop = shop(&server);
    insta::assert_snapshot!(shop.run(&["tools", "agent.yaml"]), @r"
    TOOL           TITLE                  CLASS            RUNS BY   TIMEOUT
    orders_list    Orders: orders_list    read-only        endpoint  20s
    orders_change  Orders: orders_change  effect, confirm  endpoint  20s
    ");
    let listed =
        shop.run(&["call", "agent.yaml", "orders_list", "--args", r#"{"filter":{"state":"new"}}"#]);
    assert_eq!(listed.stdout, "[{\"id\":7}]\n", "{listed}");
    let change = r#"{"id":7,"X-Why":"asked","note":"more bread"}"#;
    let refused = shop.run(&["call", "agent.yaml", "orders_change", "--args", change]);
    assert_eq!(refused.code, Some(3), "an effect asks first: {refused}");
    let changed = shop.run(&["call", "agent.yaml", "orders_change", "--yes", "--args", change]);
    assert_eq!(changed.stdout, "{\"id\":7,\"changed\":true}\n", "{changed}");
    let seen = server.seen();
    assert_eq!(seen.len(), 2);
    assert_eq!(seen[1].body_text(), "note=more%20bread");
    assert_eq!(seen[1].header("content-type"), Some("application/x-www-form-urlencoded"));
    assert_eq!(seen[1].header("x-why"), Some("asked"));
    assert!(seen[1].header("idempotency-key").is_some());
    for seen in &seen {
        assert_eq!(seen.header("x-key"), Some("key-of-orders"));
        assert!(seen.header("x-manos-signature-v2").is_some());
    }
    let trail = shop.run(&["audit", "agent.yaml", "--json"]);
    assert!(!trail.stdout.contains("key-of-orders"), "{trail}");
}

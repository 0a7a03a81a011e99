//! Kinds of failure that users of other systems reported in public; each carries its thread.

use manos_schema::{ArgumentsError, Checked, MendOptions, RawArguments, ToolSchema};
use serde_json::{Value, json};

use crate::{invalid, one, schema, told, valid};

#[test]
fn cut_off_arguments_are_never_repaired() {
    let anything = schema(&Value::Null);
    let cases = [
        // https://github.com/NousResearch/hermes-agent/issues/7680
        (r#"{"path":"a.txt","content":"abc"#, 31),
        // https://github.com/MiaAI-Lab/DeepSeek-v4-Flash-DSpark-2x-DGX-Spark/issues/55
        (r#"{"q":"lon"#, 10),
        // https://github.com/cline/cline/issues/13001
        (r#"{"commands":["backup","stop","dele"#, 35),
        // https://github.com/NousResearch/hermes-agent/pull/68612
        (r#"{"msg":"use } and { here","n":1"#, 32),
        // https://github.com/esengine/DeepSeek-Reasonix/issues/3953
        ("{", 2),
    ];
    for (text, at) in cases {
        let error = invalid(&anything, text);
        assert!(
            matches!(error, ArgumentsError::Json { line: 1, column, .. } if column == at),
            "{text}: {error:?}"
        );
    }
}

#[test]
fn no_arguments_are_an_empty_object_however_they_are_sent() {
    // https://github.com/BerriAI/litellm/issues/5063
    // https://github.com/getomnico/omni/pull/402
    // https://github.com/modelcontextprotocol/typescript-sdk/pull/2139
    let none = schema(&json!({"type": "object", "properties": {}}));
    let empty = json!("");
    let object = json!({});
    let cases = [
        RawArguments::Missing,
        RawArguments::Text(""),
        RawArguments::Text(" \n"),
        RawArguments::Text("null"),
        RawArguments::Text("{}"),
        RawArguments::Value(&Value::Null),
        RawArguments::Value(&empty),
        RawArguments::Value(&object),
    ];
    for raw in cases {
        let checked = none.check(raw, MendOptions::default());
        let expected = Checked::Valid { arguments: serde_json::Map::new(), mends: Vec::new() };
        assert_eq!(checked, expected, "{raw:?}");
    }
    let needs = schema(&json!({"properties": {"q": {}}, "required": ["q"]}));
    assert_eq!(told(&needs, ""), [r#"/q: required property "q", got null"#]);
}

#[test]
fn null_for_an_optional_field_is_dropped_and_for_a_required_one_refused() {
    // https://github.com/vierisid/jarvis/pull/199
    let source = json!({
        "properties": {"query": {"type": "string"}, "since": {"type": "string"}},
        "required": ["query"],
    });
    let (arguments, mends) = valid(&schema(&source), r#"{"query":"x","since":null}"#);
    assert_eq!((arguments, mends), (json!({"query": "x"}), vec!["null_dropped /since".to_owned()]));
    assert_eq!(told(&schema(&source), r#"{"query":null}"#), ["/query: type string, got null"]);
}

#[test]
fn a_free_text_keeps_the_word_null() {
    // https://github.com/elizaOS/eliza/pull/26933
    let source = json!({
        "properties": {"note": {"type": "string"}, "parent_id": {"type": ["integer", "null"]}},
    });
    let (arguments, _) = valid(&schema(&source), r#"{"note":"null","parent_id":"null"}"#);
    assert_eq!(arguments, json!({"note": "null", "parent_id": null}));
}

#[test]
fn a_list_sent_as_json_text_is_read() {
    // https://github.com/earendil-works/pi/issues/5697
    let items =
        schema(&json!({"properties": {"items": {"type": "array", "items": {"type": "string"}}}}));
    assert_eq!(valid(&items, r#"{"items":"[\"test\"]"}"#).0, json!({"items": ["test"]}));
}

#[test]
fn an_id_without_quotes_keeps_every_digit() {
    // https://github.com/agentscope-ai/QwenPaw/pull/6936
    // https://github.com/dylanneve1/talon/pull/366
    let id = one(&json!({"type": "string"}));
    for digits in ["10045", "1234567890123456789", "12345678901234567890123456789"] {
        let text = format!(r#"{{"v":{digits}}}"#);
        assert_eq!(valid(&id, &text).0, json!({"v": digits}));
        // The same when the provider sends an object.
        let value: Value = serde_json::from_str(&text).unwrap();
        let checked = id.check(RawArguments::Value(&value), MendOptions::default());
        assert!(
            matches!(checked, Checked::Valid { arguments, .. } if arguments["v"] == json!(digits))
        );
    }
    let number = one(&json!({"type": "integer"}));
    assert_eq!(
        valid(&number, r#"{"v":9007199254740993}"#).0.to_string(),
        r#"{"v":9007199254740993}"#
    );
}

#[test]
fn a_number_that_would_be_rounded_is_refused() {
    let number = one(&json!({"type": "number"}));
    for digits in ["12345678901234567890123", "0.12345678901234567890123", "1e400"] {
        let error = invalid(&number, &format!(r#"{{"v":{digits}}}"#));
        assert!(matches!(error, ArgumentsError::InexactNumber { path, .. } if path == "/v"));
    }
    let untyped = schema(&Value::Null);
    let list = one(&json!({"type": "array"}));
    invalid(&list, r#"{"v":"[12345678901234567890123]"}"#);
    invalid(&untyped, r#"{"a":[{"b":12345678901234567890123}]}"#);
}

#[test]
fn an_open_map_keeps_its_keys() {
    // https://github.com/letta-ai/letta/issues/3137
    let map = schema(&json!({"type": "object", "additionalProperties": {"type": "string"}}));
    assert_eq!(valid(&map, r#"{"a":"x"}"#).0, json!({"a": "x"}));
}

#[test]
fn keywords_that_some_providers_refuse_are_checked_here() {
    // https://github.com/ai-dynamo/frontend-crates/issues/209
    // https://github.com/pizza-bot-app/pizza-bot/issues/62
    let positive = one(&json!({"type": "integer", "exclusiveMinimum": 0}));
    assert_eq!(told(&positive, r#"{"v":0}"#), ["/v: more than 0, got 0"]);
    // https://github.com/tailcallhq/forgecode/pull/3426
    let names = schema(&json!({"type": "object", "propertyNames": {"pattern": "^x"}}));
    assert_eq!(told(&names, r#"{"y":1}"#).len(), 1);
}

#[test]
fn unions_are_checked_at_the_root_and_below() {
    // https://github.com/UKGovernmentBEIS/inspect_ai/pull/3097
    let union = one(
        &json!({"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}),
    );
    assert!(valid(&union, r#"{"v":["a"]}"#).1.is_empty());
    assert_eq!(told(&union, r#"{"v":true}"#), ["/v: type string or array, got true"]);
    // https://github.com/zereight/gitlab-mcp/issues/552
    // https://github.com/software-mansion/argent/issues/773
    let root = schema(&json!({"oneOf": [
        {"properties": {"id": {"type": "integer"}}, "required": ["id"]},
        {"properties": {"name": {"type": "string"}}, "required": ["name"]},
    ]}));
    assert_eq!(valid(&root, r#"{"id":1}"#).0, json!({"id": 1}));
    assert_eq!(
        told(&root, "{}"),
        [r#": required property "id", or required property "name", got {}"#]
    );
}

#[test]
fn a_circle_of_references_is_seen_by_pointer() {
    // https://github.com/PrefectHQ/fastmcp/issues/3893
    let grows = schema(&json!({"properties": {"nodes": {"type": "array", "items": {
        "type": "object",
        "properties": {"n": {"type": "integer"}, "children": {"type": "array", "items": {"$ref": "#/properties/nodes/items"}}},
    }}}}));
    let text = r#"{"nodes":[{"children":[{"children":[{"n":"1"}]}]}]}"#;
    assert_eq!(valid(&grows, text).1, ["number_from_text /nodes/0/children/0/children/0/n"]);
    let endless = json!({"properties": {"nodes": {"items": {"$ref": "#/properties/nodes/items"}}}});
    assert!(ToolSchema::compile(&endless).is_err());
}

//! What Gemini's generateContent refuses.
//!
//! # Source
//!
//! <https://ai.google.dev/api/generate-content>, <https://ai.google.dev/api/caching#Schema>,
//! <https://ai.google.dev/gemini-api/docs/function-calling>,
//! <https://ai.google.dev/gemini-api/docs/thought-signatures>; the reports named below.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::complaints::{Complaints, is_whole, items, text};

/// How deep a value may be nested before the server's own reader gives up.
const DEPTH_MAX: usize = 30;

/// Whether a model refuses the first call of a reply without a signature, as those from 3 on do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signatures {
    /// It does.
    Asked,
    /// It does not.
    NotAsked,
}

/// Returns what the API would refuse the body for; nothing when it would take it.
pub fn complaints(body: &Value, signatures: Signatures) -> Vec<String> {
    let mut all = Complaints::default();
    let known = [
        "contents",
        "generationConfig",
        "safetySettings",
        "systemInstruction",
        "toolConfig",
        "tools",
    ];
    all.keys(body, "body", &known);
    if let Some(system) = body.get("systemInstruction") {
        all.keys(system, "systemInstruction", &["parts", "role"]);
        all.unless(!items(&system["parts"]).is_empty(), "systemInstruction", "parts is empty");
        for part in items(&system["parts"]) {
            all.unless(!text(&part["text"]).is_empty(), "systemInstruction", "empty text");
        }
    }
    if let Some(config) = body.get("generationConfig") {
        all.keys(config, "generationConfig", &["maxOutputTokens", "temperature"]);
        let max = config.get("maxOutputTokens");
        all.unless(
            max.is_none_or(is_whole),
            "generationConfig",
            "maxOutputTokens must be positive",
        );
    }
    let names = check_tools(&mut all, body);
    check_tool_config(&mut all, body, &names);
    check_contents(&mut all, body, &names, signatures);
    all.0
}

fn check_tools<'a>(all: &mut Complaints, body: &'a Value) -> BTreeSet<&'a str> {
    let mut names = BTreeSet::new();
    for tool in items(&body["tools"]) {
        all.keys(tool, "tools", &["functionDeclarations"]);
        let declared = items(&tool["functionDeclarations"]);
        all.unless(!declared.is_empty(), "tools", "tools must have at least one declaration");
        for function in declared {
            let name = text(&function["name"]);
            let at = format!("tools.{name}");
            all.keys(function, &at, &["description", "name", "parameters"]);
            all.unless(is_legal(name), &at, "invalid function name");
            all.unless(names.insert(name), &at, "duplicate function declaration");
            if let Some(parameters) = function.get("parameters") {
                all.unless(kind(parameters) == "OBJECT", &at, "parameters must be of type OBJECT");
                check_schema(all, parameters, &at, 0);
            }
        }
    }
    names
}

fn kind(schema: &Value) -> String {
    text(&schema["type"]).to_ascii_uppercase()
}

/// The fields of `Schema`; any other is an unknown name, which is refused.
const SCHEMA_KEYS: [&str; 22] = [
    "anyOf",
    "default",
    "description",
    "enum",
    "example",
    "format",
    "items",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "nullable",
    "pattern",
    "properties",
    "propertyOrdering",
    "required",
    "title",
    "type",
];

fn check_schema(all: &mut Complaints, schema: &Value, at: &str, depth: usize) {
    all.keys(schema, at, &SCHEMA_KEYS);
    all.unless(depth <= DEPTH_MAX, at, "nested too deep");
    if depth > DEPTH_MAX {
        return;
    }
    let kind = kind(schema);
    let known = ["ARRAY", "BOOLEAN", "INTEGER", "NULL", "NUMBER", "OBJECT", "STRING"];
    let choice = schema.get("anyOf");
    all.unless(known.contains(&kind.as_str()) || choice.is_some(), at, "type must be specified");
    all.unless(choice.is_none_or(|list| !items(list).is_empty()), at, "anyOf must not be empty");
    if kind == "OBJECT" {
        let properties = schema["properties"].as_object();
        // https://github.com/google-gemini/gemini-cli/issues and others: OBJECT needs properties.
        all.unless(
            properties.is_some_and(|all| !all.is_empty()),
            at,
            "properties should be non-empty",
        );
        for (name, schema) in properties.into_iter().flatten() {
            check_schema(all, schema, &format!("{at}.{name}"), depth + 1);
        }
        for name in items(&schema["required"]) {
            let defined = properties.is_some_and(|all| all.contains_key(text(name)));
            all.unless(defined, at, "required property is not defined");
        }
    }
    if kind == "ARRAY" {
        // https://github.com/cline/cline/issues/7339
        all.unless(schema.get("items").is_some(), at, "items: missing field");
    }
    if let Some(inside) = schema.get("items") {
        check_schema(all, inside, &format!("{at}.items"), depth + 1);
    }
    for branch in items(&schema["anyOf"]) {
        check_schema(all, branch, &format!("{at}.anyOf"), depth + 1);
    }
    if let Some(values) = schema.get("enum") {
        let fits = kind == "STRING"
            && items(values).iter().all(|value| !text(value).is_empty())
            && !items(values).is_empty();
        all.unless(fits, at, "enum: only non-empty texts of a STRING");
    }
    // https://ai.google.dev/api/caching#Schema: other formats of a STRING are refused.
    let format = text(&schema["format"]);
    let fits = format.is_empty() || kind != "STRING" || matches!(format, "date-time" | "enum");
    all.unless(fits, at, "only 'enum' and 'date-time' are supported for STRING type");
}

fn check_tool_config(all: &mut Complaints, body: &Value, names: &BTreeSet<&str>) {
    let Some(config) = body.get("toolConfig") else { return };
    let calling = &config["functionCallingConfig"];
    all.keys(config, "toolConfig", &["functionCallingConfig"]);
    all.keys(calling, "toolConfig", &["allowedFunctionNames", "mode"]);
    all.unless(!names.is_empty(), "toolConfig", "function calling config is set without functions");
    let mode = text(&calling["mode"]);
    all.unless(["ANY", "AUTO", "NONE", "VALIDATED"].contains(&mode), "toolConfig", "unknown mode");
    if let Some(allowed) = calling.get("allowedFunctionNames") {
        all.unless(mode == "ANY", "toolConfig", "allowed names are only for ANY");
        let declared = items(allowed).iter().all(|name| names.contains(text(name)));
        all.unless(declared, "toolConfig", "allowed names must be declared");
    }
}

/// What a content is, as far as order goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Turn {
    Call,
    Model,
    Response,
    User,
}

/// Id and name of a call, or of what it came to.
type Asked<'a> = (&'a str, &'a str);

fn check_contents(
    all: &mut Complaints,
    body: &Value,
    names: &BTreeSet<&str>,
    signatures: Signatures,
) {
    let contents = items(&body["contents"]);
    all.unless(!contents.is_empty(), "contents", "contents is not specified");
    let mut before: Option<(Turn, Vec<Asked<'_>>)> = None;
    for (number, content) in contents.iter().enumerate() {
        let at = format!("contents.{number}");
        all.keys(content, &at, &["parts", "role"]);
        let parts = items(&content["parts"]);
        all.unless(!parts.is_empty(), &at, "must include at least one parts field");
        let of = |key: &str| -> Vec<Asked<'_>> {
            let all = parts.iter().filter_map(|part| part.get(key));
            all.map(|one| (text(&one["id"]), text(&one["name"]))).collect()
        };
        let (calls, responses) = (of("functionCall"), of("functionResponse"));
        let turn = match text(&content["role"]) {
            "model" if calls.is_empty() => Turn::Model,
            "model" => Turn::Call,
            "user" if responses.is_empty() => Turn::User,
            "user" => Turn::Response,
            _ => {
                all.unless(false, &at, "please use a valid role: user, model");
                Turn::User
            }
        };
        check_parts(all, parts, &at, turn, signatures);
        check_order(all, &at, turn, &responses, before.as_ref());
        all.unless(calls.is_empty() || !names.is_empty(), &at, "calls without declarations");
        before = Some((turn, if turn == Turn::Call { calls } else { responses }));
    }
    // https://github.com/crewAIInc/crewAI/pull/6973
    let last = before.map(|(turn, _)| turn);
    let ends_well = matches!(last, Some(Turn::Response | Turn::User));
    all.unless(ends_well, "contents", "must end with a user turn or a function response");
}

fn check_order(
    all: &mut Complaints,
    at: &str,
    turn: Turn,
    responses: &[Asked<'_>],
    before: Option<&(Turn, Vec<Asked<'_>>)>,
) {
    let last = before.map(|(turn, _)| *turn);
    if turn == Turn::Call {
        // https://github.com/google-gemini/gemini-cli/issues/11814
        let fits = matches!(last, Some(Turn::Response | Turn::User));
        all.unless(fits, at, "function call turn comes immediately after a user or response turn");
    }
    if turn == Turn::Response {
        // https://github.com/langchain-ai/langchain/issues/27799
        let fits = before.is_some_and(|(turn, calls)| *turn == Turn::Call && calls == responses);
        all.unless(fits, at, "function response parts must equal the function call parts before");
    } else {
        all.unless(last != Some(Turn::Call), at, "function calls without responses");
    }
}

fn check_parts(
    all: &mut Complaints,
    parts: &[Value],
    at: &str,
    turn: Turn,
    signatures: Signatures,
) {
    let mut first_call = true;
    for part in parts {
        let signed = !text(&part["thoughtSignature"]).is_empty();
        let known = ["functionCall", "functionResponse", "text", "thoughtSignature"];
        all.keys(part, at, &known);
        let kinds = ["functionCall", "functionResponse", "text"];
        let many = kinds.iter().filter(|kind| part.get(**kind).is_some()).count();
        all.unless(many == 1, at, "a part must have one data field");
        if let Some(words) = part.get("text") {
            // https://github.com/anomalyco/opencode/pull/43479
            all.unless(turn != Turn::Response, at, "a response turn holds responses alone");
            all.unless(!text(words).is_empty() || signed, at, "must have a text parameter");
        }
        if let Some(call) = part.get("functionCall") {
            all.keys(call, at, &["args", "id", "name"]);
            all.unless(turn == Turn::Call, at, "functionCall of a user");
            all.unless(is_legal(text(&call["name"])), at, "invalid function name");
            all.unless(call["args"].is_object(), at, "args must be a Struct");
            check_struct(all, &call["args"], at, 0);
            let asked = first_call && signatures == Signatures::Asked;
            all.unless(signed || !asked, at, "function call is missing a thought_signature");
            first_call = false;
        }
        if let Some(response) = part.get("functionResponse") {
            all.keys(response, at, &["id", "name", "response"]);
            all.unless(turn == Turn::Response, at, "functionResponse of a model");
            all.unless(response["response"].is_object(), at, "response must be a Struct");
            check_struct(all, &response["response"], at, 0);
        }
    }
}

fn check_struct(all: &mut Complaints, value: &Value, at: &str, depth: usize) {
    all.unless(depth <= DEPTH_MAX, at, "message too deep");
    if depth > DEPTH_MAX {
        return;
    }
    match value {
        Value::Array(list) => list.iter().for_each(|value| check_struct(all, value, at, depth + 1)),
        Value::Number(number) => {
            let finite = number.to_string().parse::<f64>().is_ok_and(f64::is_finite);
            all.unless(finite, at, "number out of range");
        }
        Value::Object(object) => {
            object.values().for_each(|value| check_struct(all, value, at, depth + 1));
        }
        Value::Bool(_) | Value::Null | Value::String(_) => {}
    }
}

/// <https://github.com/kaitranntt/ccs/issues/25>
fn is_legal(name: &str) -> bool {
    let starts = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    starts
        && name.len() <= 64
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.' | b':'))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn good() -> Value {
        json!({
            "systemInstruction": {"parts": [{"text": "s"}]},
            "tools": [{"functionDeclarations": [{"name": "a", "parameters": {
                "type": "object",
                "properties": {
                    "x": {"type": "string", "enum": ["y"]},
                    "z": {"type": "array", "items": {"type": "integer"}}
                },
                "required": ["x"]
            }}]}],
            "contents": [
                {"role": "user", "parts": [{"text": "x"}]},
                {"role": "model", "parts": [
                    {"text": "", "thoughtSignature": "s"},
                    {"functionCall": {"name": "a", "args": {}}, "thoughtSignature": "s"},
                    {"functionCall": {"name": "a", "args": {}}}
                ]},
                {"role": "user", "parts": [
                    {"functionResponse": {"name": "a", "response": {}}},
                    {"functionResponse": {"name": "a", "response": {}}}
                ]},
                {"role": "user", "parts": [{"text": "y"}]}
            ]
        })
    }

    #[test]
    fn what_the_rules_allow_is_taken() {
        assert_eq!(complaints(&good(), Signatures::Asked), Vec::<String>::new());
    }

    #[test]
    fn each_rule_complains() {
        let schema = "/tools/0/functionDeclarations/0/parameters";
        let cases: &[(&str, &str, Value)] = &[
            ("an unknown key", "/contents/0/x", json!(1)),
            ("no parts", "/contents/0/parts", json!([])),
            ("no text", "/contents/0/parts/0/text", json!("")),
            ("another role", "/contents/0/role", json!("assistant")),
            (
                "a call at the start",
                "/contents/0",
                json!({"role": "model", "parts": [{"text": "x"}]}),
            ),
            ("the model speaks last", "/contents/3/role", json!("model")),
            ("no signature", "/contents/1/parts/1/thoughtSignature", json!("")),
            ("arguments as text", "/contents/1/parts/1/functionCall/args", json!("{}")),
            (
                "a number that is none",
                "/contents/1/parts/1/functionCall/args",
                serde_json::from_str(r#"{"n":1e999}"#).unwrap(),
            ),
            ("another name", "/contents/2/parts/0/functionResponse/name", json!("b")),
            ("an id on one side", "/contents/2/parts/0/functionResponse/id", json!("1")),
            ("a list as response", "/contents/2/parts/0/functionResponse/response", json!([])),
            ("words among responses", "/contents/2/parts/1", json!({"text": "y"})),
            (
                "one response too few",
                "/contents/2/parts",
                json!([{"functionResponse": {"name": "a", "response": {}}}]),
            ),
            ("an illegal name", "/tools/0/functionDeclarations/0/name", json!("9a")),
            ("a keyword too many", &format!("{schema}/properties/x/const"), json!(1)),
            ("no type", &format!("{schema}/properties/x/type"), json!(null)),
            ("an empty object", &format!("{schema}/properties"), json!({})),
            ("required but not there", &format!("{schema}/required"), json!(["q"])),
            ("a list of nothing", &format!("{schema}/properties/z"), json!({"type": "array"})),
            ("a number in an enum", &format!("{schema}/properties/x/enum"), json!([1])),
            ("a format", &format!("{schema}/properties/x/format"), json!("email")),
            (
                "names for AUTO",
                "/toolConfig",
                json!({"functionCallingConfig": {"mode": "AUTO", "allowedFunctionNames": ["a"]}}),
            ),
            (
                "a name that is not declared",
                "/toolConfig",
                json!({"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["b"]}}),
            ),
            ("an empty instruction", "/systemInstruction/parts/0/text", json!("")),
        ];
        for (why, at, value) in cases {
            let mut body = good();
            let (parent, key) = at.rsplit_once('/').unwrap();
            let parent = body.pointer_mut(parent).unwrap();
            if let Value::Array(list) = parent {
                list[key.parse::<usize>().unwrap()] = value.clone();
            } else {
                parent[key] = value.clone();
            }
            assert!(!complaints(&body, Signatures::Asked).is_empty(), "{why}");
        }
    }
}

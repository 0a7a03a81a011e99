//! Tools of Vapi.
//!
//! # Source
//!
//! <https://docs.vapi.ai/tools/custom-tools> and <https://docs.vapi.ai/tools/default-tools>.

use serde_json::{Map, Value, json};

use super::written::{Writing, parameters, timeout, unsaid, without_holes};

/// What an agent file has no key for.
const UNSAID: [(&str, &str); 8] = [
    ("/async", "the agent waits for each tool"),
    ("/messages", "the agent's model says what there is to say"),
    ("/function/strict", "strict schemas are asked for by `model.strict`"),
    ("/rejectionPlan", "what may run is decided by `confirm` and `security`"),
    ("/variableExtractionPlan", "results are kept by a rule's `result_as`"),
    ("/server/backoffPlan", "only tools that are `idempotent` are tried again"),
    ("/server/credentialId", "write the header with its secret yourself"),
    ("/server/encryptedPaths", "arguments are not encrypted one by one"),
];

/// The time that the platform gives a tool.
const TIMEOUT_SECONDS: u64 = 20;

/// Writes one tool, or why it is none.
pub(super) fn write(writing: &mut Writing, tool: &Value) {
    match tool["type"].as_str() {
        Some("function") => function(writing, tool),
        Some("apiRequest") => api_request(writing, tool),
        Some("mcp") => {
            writing.say("a tool of type `mcp` is left out: name its server with `mcp` yourself");
        }
        Some(other) => writing
            .say(&format!("a tool of type `{other}` is left out: the platform itself runs it")),
        None => writing.say("something without a `type` is left out"),
    }
}

fn function(writing: &mut Writing, tool: &Value) {
    let mut said = Vec::new();
    let function = &tool["function"];
    let Some(wanted) = function["name"].as_str() else {
        return writing.say("a function without a name is left out");
    };
    let name = writing.name(wanted, &mut said);
    unsaid(tool, &UNSAID, &mut said);
    let server = &tool["server"];
    let mut entry = Map::new();
    entry.insert("type".to_owned(), json!("function"));
    let description = function["description"].as_str().filter(|text| !text.trim().is_empty());
    let declared = json!({
        "name": name,
        "description": description.unwrap_or(wanted),
        "parameters": parameters(function.get("parameters"), &mut said),
    });
    entry.insert("function".to_owned(), declared);
    if let Some(url) = server["url"].as_str() {
        let mut endpoint = Map::new();
        endpoint.insert(
            "url".to_owned(),
            json!(writing.address(&name, &without_holes(url), &mut said)),
        );
        endpoint.insert("request_format".to_owned(), json!("vapi"));
        let mut headers = writing.headers(&name, server.get("headers"), &mut said);
        if server["secret"].is_string() {
            let secret = writing.variable(&name, "secret");
            headers.insert("X-Vapi-Secret".to_owned(), json!(secret));
        }
        if !headers.is_empty() {
            endpoint.insert("headers".to_owned(), Value::Object(headers));
        }
        entry.insert("endpoint".to_owned(), Value::Object(endpoint));
        let seconds = server["timeoutSeconds"].as_u64().unwrap_or(TIMEOUT_SECONDS);
        entry.insert("timeout".to_owned(), json!(timeout(seconds, &mut said)));
    } else {
        let why = format!("`{wanted}` is left out: it names no server of its own");
        return writing.say(&why);
    }
    entry.insert("confirm".to_owned(), json!(true));
    fixed(tool, &mut entry, &mut said);
    writing.tool(&entry, &said);
}

/// Values that no model chooses: `parameters` beside the function.
fn fixed(tool: &Value, entry: &mut Map<String, Value>, said: &mut Vec<String>) {
    let mut fixed = Map::new();
    for pair in tool["parameters"].as_array().into_iter().flatten() {
        let Some(key) = pair["key"].as_str() else { continue };
        let value = &pair["value"];
        if value.to_string().contains("{{") || value.to_string().contains("{%") {
            said.push(format!(
                "the fixed value of `{key}` is left out: it is a template of the platform"
            ));
        } else if entry["function"]["parameters"]["properties"].get(key).is_some() {
            said.push(format!(
                "the fixed value of `{key}` is left out: the model is asked for it too"
            ));
        } else {
            fixed.insert(key.to_owned(), value.clone());
        }
    }
    if !fixed.is_empty() {
        entry.insert("fixed".to_owned(), Value::Object(fixed));
    }
}

/// A tool that asks an address directly. The body's schema feeds the address as well.
fn api_request(writing: &mut Writing, tool: &Value) {
    let mut said = Vec::new();
    // The name that a model sees is the outer one; the inner is the same for all.
    let wanted = tool["name"].as_str().or(tool["function"]["name"].as_str()).unwrap_or_default();
    let name = writing.name(wanted, &mut said);
    let Some(url) = tool["url"].as_str() else {
        return writing.say(&format!("`{wanted}` is left out: it names no address"));
    };
    let schema = parameters(tool.get("body"), &mut said);
    let url = match with_holes(url, &schema) {
        Ok(url) => writing.address(&name, &url, &mut said),
        Err(why) => return writing.say(&format!("`{wanted}` is left out: {why}")),
    };
    unsaid(tool, &UNSAID, &mut said);
    unsaid(
        tool,
        &[
            ("/backoffPlan", "only tools that are `idempotent` are tried again"),
            ("/credentialId", "write the header with its secret yourself"),
        ],
        &mut said,
    );
    let method = tool["method"].as_str().unwrap_or("GET");
    let mut endpoint = Map::new();
    endpoint.insert("url".to_owned(), json!(url));
    endpoint.insert("method".to_owned(), json!(method));
    let headers = writing.headers(&name, tool.pointer("/headers/properties"), &mut said);
    if !headers.is_empty() {
        endpoint.insert("headers".to_owned(), Value::Object(headers));
    }
    let description = tool["description"].as_str().or(tool["function"]["description"].as_str());
    let mut entry = Map::new();
    entry.insert("name".to_owned(), json!(name));
    let description = description.filter(|text| !text.trim().is_empty()).unwrap_or(wanted);
    entry.insert("description".to_owned(), json!(description));
    entry.insert("parameters".to_owned(), schema);
    entry.insert("endpoint".to_owned(), Value::Object(endpoint));
    let seconds = tool["timeoutSeconds"].as_u64().unwrap_or(TIMEOUT_SECONDS);
    entry.insert("timeout".to_owned(), json!(timeout(seconds, &mut said)));
    entry.insert("confirm".to_owned(), json!(method != "GET"));
    writing.tool(&entry, &said);
}

/// An address with `{name}` for `{{name}}`, where an argument may stand.
fn with_holes(url: &str, schema: &Value) -> Result<String, String> {
    let mut written = String::new();
    let mut rest = url;
    while let Some((before, after)) = rest.split_once("{{") {
        let Some((name, behind)) = after.split_once("}}") else { break };
        let name = name.trim();
        let required = schema["required"].as_array();
        let required = required.is_some_and(|all| all.iter().any(|one| one == name));
        let kind = schema["properties"][name]["type"].as_str().unwrap_or_default();
        written.push_str(&without_holes(before));
        let in_path = written.find("://").is_some_and(|at| written[at + 3..].contains('/'));
        if !in_path || written.contains('?') {
            return Err(format!("`{{{{{name}}}}}` stands outside the path of its address"));
        }
        if !required || !matches!(kind, "string" | "integer" | "boolean") {
            return Err(format!(
                "`{{{{{name}}}}}` in its address is no required text, whole number or truth value"
            ));
        }
        written.extend(["{", name, "}"]);
        rest = behind;
    }
    if rest.contains("{%") || rest.contains("{{") {
        return Err("its address is a template of the platform".to_owned());
    }
    written.push_str(&without_holes(rest));
    Ok(written)
}

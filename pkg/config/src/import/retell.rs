//! Custom functions of Retell.
//!
//! # Source
//!
//! <https://docs.retellai.com/build/single-multi-prompt/custom-function>.

use serde_json::{Map, Value, json};

use super::written::{Writing, escaped, parameters, timeout, unsaid, without_holes};

/// What an agent file has no key for.
const UNSAID: [(&str, &str); 5] = [
    ("/response_variables", "results are kept by a rule's `result_as`"),
    ("/speak_during_execution", "the agent's model says what there is to say"),
    ("/speak_after_execution", "the agent's model says what there is to say"),
    ("/execution_message_description", "the agent's model says what there is to say"),
    ("/enable_typing_sound", "there is no sound"),
];

/// The time that the platform gives a function.
const TIMEOUT_MS: u64 = 120_000;

/// Writes one tool, or why it is none.
pub(super) fn write(writing: &mut Writing, tool: &Value) {
    match tool["type"].as_str() {
        Some("custom") => custom(writing, tool),
        Some(other) => writing
            .say(&format!("a tool of type `{other}` is left out: the platform itself runs it")),
        None => writing.say("something without a `type` is left out"),
    }
}

fn custom(writing: &mut Writing, tool: &Value) {
    let mut said = Vec::new();
    let wanted = tool["name"].as_str().unwrap_or_default();
    let Some(url) = tool["url"].as_str().filter(|url| !url.contains("{{")) else {
        let why = "it names no address, or one that is a template of the platform";
        return writing.say(&format!("`{wanted}` is left out: {why}"));
    };
    let name = writing.name(wanted, &mut said);
    unsaid(tool, &UNSAID, &mut said);
    let method = tool["method"].as_str().unwrap_or("POST");
    let has_body = !matches!(method, "GET" | "DELETE");
    let schema = tool.get("parameters").filter(|_| has_body);
    let mut schema = parameters(schema, &mut said);
    let mut url = writing.address(&name, &without_holes(url), &mut said);
    query(writing, &name, tool, has_body, &mut schema, &mut url, &mut said);
    let mut endpoint = Map::new();
    endpoint.insert("url".to_owned(), json!(url));
    endpoint.insert("method".to_owned(), json!(method));
    if has_body && tool["args_at_root"] != true {
        endpoint.insert("request_format".to_owned(), json!("retell"));
    }
    let headers = writing.headers(&name, tool.get("headers"), &mut said);
    if !headers.is_empty() {
        endpoint.insert("headers".to_owned(), Value::Object(headers));
    }
    let mut entry = Map::new();
    entry.insert("name".to_owned(), json!(name));
    let description = tool["description"].as_str().filter(|text| !text.trim().is_empty());
    entry.insert("description".to_owned(), json!(description.unwrap_or(wanted)));
    entry.insert("parameters".to_owned(), schema);
    entry.insert("endpoint".to_owned(), Value::Object(endpoint));
    let seconds = tool["timeout_ms"].as_u64().unwrap_or(TIMEOUT_MS).div_ceil(1_000);
    entry.insert("timeout".to_owned(), json!(timeout(seconds, &mut said)));
    entry.insert("confirm".to_owned(), json!(method != "GET"));
    writing.tool(&entry, &said);
}

/// The query: fixed texts stand in the address, and what a model describes is an argument, which
/// only a request without a body can carry there.
fn query(
    writing: &mut Writing,
    name: &str,
    tool: &Value,
    has_body: bool,
    schema: &mut Value,
    url: &mut String,
    said: &mut Vec<String>,
) {
    for (key, value) in tool["query_params"].as_object().into_iter().flatten() {
        match value {
            Value::String(text) if !text.contains("{{") => {
                let joint = if url.contains('?') { '&' } else { '?' };
                let encoded = manos_wire_tool::http::percent_encoded;
                // The same rule as for what stands in an address already.
                let pair = format!("https://x/?{}={}", encoded(key), encoded(&escaped(text)));
                let pair = writing.address(name, &pair, said);
                let pair = pair.split_once('?').map_or("", |(_, pair)| pair);
                *url = format!("{url}{joint}{pair}");
            }
            Value::Object(described) if !has_body => {
                schema["properties"][key] = Value::Object(described.clone());
            }
            _ => said.push(format!("`query_params.{key}` is left out: it is no fixed text")),
        }
    }
}

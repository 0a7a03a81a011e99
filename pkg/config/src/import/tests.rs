use std::collections::BTreeSet;

use manos_model::{RunId, Timestamp};
use manos_wire_tool::http::{Call, CallId, Endpoint, UrlTemplate};
use serde_json::{Map, json};

use super::*;
use crate::agent::RunnerFile;
use crate::{AgentFile, Loaded, SourceFile, World, load};

/// A folder with one document; variables are what they are called.
struct Beside(String);

impl World for Beside {
    fn read(&self, _: &str) -> Result<String, String> {
        Ok(self.0.clone())
    }

    fn variable(&self, name: &str) -> Option<String> {
        Some(format!("value-of-{name}"))
    }

    fn zone(&self, _: &str) -> Option<jiff::tz::TimeZone> {
        None
    }
}

#[expect(clippy::disallowed_methods, reason = "a test reads its fixture")]
fn fixture(name: &str) -> String {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/import/");
    std::fs::read_to_string(format!("{folder}{name}")).unwrap()
}

/// Reads YAML as the agent file is read.
pub(super) fn read_back(yaml: &str) -> Option<Value> {
    let file = SourceFile::new("agent.yaml", yaml);
    let source = crate::source::Source::new(&file);
    let mut report = crate::report::Report::new(&source);
    let node = crate::node::read(&mut report)?;
    report.errors.is_empty().then(|| node.json())
}

/// Loads what was written; nothing may be wrong with it, and nothing undecided.
fn loaded(file: &ImportedFile, beside: &str) -> AgentFile {
    let Loaded { agent, errors, unsupported, warnings, .. } =
        load(&SourceFile::new("agent.yaml", &file.yaml), &Beside(beside.to_owned()));
    let told: Vec<String> = errors
        .iter()
        .chain(&unsupported)
        .chain(warnings.iter().filter(|warning| warning.code != "config.unsigned"))
        .map(ToString::to_string)
        .filter(|told| !told.contains("is no tool"))
        .collect();
    assert!(told.is_empty(), "{}\n{}", told.join("\n"), file.yaml);
    agent.unwrap()
}

fn names(agent: &AgentFile) -> Vec<&str> {
    agent.tools.iter().map(|tool| tool.name.as_str()).collect()
}

#[test]
fn tools_of_vapi_load_and_say_what_is_left_out() {
    let file = import_tools(ForeignTools::Vapi, &fixture("vapi.json")).unwrap();
    let agent = loaded(&file, "");
    assert_eq!(names(&agent), ["get_weather", "checkOrderStatus", "get_weather_2"]);
    for secret in ["sk-live", "vapi-shared", "acct-9f8e7d", "123-secret", "mcp-secret"] {
        assert!(!file.yaml.contains(secret), "{secret}");
        assert!(!file.notes.concat().contains(secret), "{secret}");
    }
    insta::assert_snapshot!(file.yaml);
}

#[test]
fn functions_of_retell_load_and_say_what_is_left_out() {
    let file = import_tools(ForeignTools::Retell, &fixture("retell.json")).unwrap();
    let agent = loaded(&file, "");
    assert_eq!(names(&agent), ["book_appointment", "list_slots", "cancel__now_"]);
    for secret in ["retell-header-secret", "query-secret-42"] {
        assert!(!file.yaml.contains(secret), "{secret}");
    }
    insta::assert_snapshot!(file.yaml);
}

#[test]
fn a_document_is_written_so_that_its_requests_are_the_same() {
    let document = fixture("shop.yaml");
    let file = import_openapi(&document, "shop.yaml").unwrap();
    insta::assert_snapshot!(file.yaml);
    let copied = loaded(&file, &document);
    let auth =
        r#"{ bearer: "${SHOP_API_BEARER}", key: "${SHOP_API_KEY}", basic: "${SHOP_API_BASIC}" }"#;
    let direct = format!("name: x\ntools:\n  - openapi: {{ file: shop.yaml, auth: {auth} }}\n");
    let direct = ImportedFile { yaml: direct, variables: Vec::new(), notes: Vec::new() };
    let direct = loaded(&direct, &document);
    let all = |agent: &AgentFile| names(agent).into_iter().map(str::to_owned).collect();
    let (one, other): (BTreeSet<String>, BTreeSet<String>) = (all(&copied), all(&direct));
    assert_eq!(one, other);
    let arguments = json!({
        "id": "P 1", "fields": ["a", "b c"], "full": true, "reason": "ä&b", "note": "n",
        "lines": [{"n": 1.50}], "X-Trace": "t", "filter": {"state": "open"},
    });
    for name in &one {
        let request = |agent: &AgentFile| requested(agent, name, arguments.as_object().unwrap());
        assert_eq!(request(&copied), request(&direct), "{name}");
        let (copied, direct) = (copied.tool(name).unwrap(), direct.tool(name).unwrap());
        assert_eq!(copied.parameters, direct.parameters, "{name}");
        assert_eq!(
            (copied.confirm, copied.read_only),
            (direct.confirm, direct.read_only),
            "{name}"
        );
        assert_eq!((&copied.title, copied.timeout), (&direct.title, direct.timeout), "{name}");
    }
}

/// What is sent for those of the arguments that the tool takes: method, path, query without order,
/// headers, and the body as a value where it is JSON.
fn requested(agent: &AgentFile, name: &str, all: &Map<String, Value>) -> Value {
    let tool = agent.tool(name).unwrap();
    let takes = |key: &str| tool.parameters["properties"].get(key).is_some();
    let arguments: Map<String, Value> =
        all.iter().filter(|(key, _)| takes(key)).map(|(k, v)| (k.clone(), v.clone())).collect();
    let RunnerFile::Endpoint(file) = &tool.runner else { panic!("{name} is no endpoint") };
    let endpoint = Endpoint {
        url: UrlTemplate::parse(file.url.expose()).unwrap(),
        method: file.method,
        format: file.request_format,
        placement: file.placement.clone(),
    };
    let call = Call {
        tool: name,
        arguments: &arguments,
        call_id: &CallId::new("1"),
        run_id: &RunId::new("00112233445566778899aabbccddeeff"),
        at: Timestamp::UNIX_EPOCH,
    };
    let encoded = endpoint.encode(&call).unwrap();
    let path = encoded.target.path_and_query().to_owned();
    let (path, query) = path.split_once('?').unwrap_or((&path, ""));
    let query: BTreeSet<&str> = query.split('&').collect();
    let secrets = file.headers.iter().map(|(name, value)| (name.clone(), value.expose().clone()));
    let headers: BTreeSet<(String, String)> = secrets.chain(encoded.headers.clone()).collect();
    let body = String::from_utf8_lossy(&encoded.body).into_owned();
    let body = serde_json::from_str(&body).unwrap_or(Value::from(body));
    json!([encoded.method.as_str(), path, query, headers, encoded.content_type.is_some(), body])
}

#[test]
fn what_is_no_export_is_refused() {
    for json in ["[]", "{}", "1", r#"{"tools":[]}"#] {
        let got = import_tools(ForeignTools::Vapi, json);
        assert!(matches!(got, Err(ImportError::NoTools)), "{json}: {got:?}");
    }
    assert!(matches!(import_tools(ForeignTools::Retell, "{"), Err(ImportError::Json { .. })));
    let got = import_openapi("openapi: 9", "x.yaml");
    assert!(matches!(got, Err(ImportError::Document { .. })), "{got:?}");
}

#[test]
fn nothing_in_an_export_breaks_out_of_its_place() {
    let evil = "x\nname: evil\u{2028}tools: [] # \" ${HOME} {{ args.x }}";
    let tool = json!({"type": "function", "function": {"name": "a", "description": evil,
        "parameters": {"type": "object", "properties": {"p": {"type": "string", "description": evil}}}},
        "server": {"url": "https://a.example/${HOME}?q=${HOME}"}});
    let other = json!({"type": evil});
    let file = import_tools(ForeignTools::Vapi, &json!([tool, other]).to_string()).unwrap();
    let agent = loaded(&file, "");
    assert_eq!((agent.name.as_str(), agent.tools[0].description.as_str()), ("vapi", evil));
    let RunnerFile::Endpoint(endpoint) = &agent.tools[0].runner else { panic!("no endpoint") };
    assert_eq!(endpoint.url.expose(), "https://a.example/$%7BHOME%7D?q=$%7BHOME%7D");
}

//! Every secret of an agent over HTTP, against peers that succeed and fail and repeat all that they
//! are sent: none is anywhere that people, models or other programs read.

use std::process::Stdio;

use manos_testkit::endpoint::{Act, EndpointServer, Seen, reply};
use serde_json::{Value, json};

use crate::environment::{Ran, TestEnvironment, finish};
use crate::secrets::{files, forms};

/// The variables of the agent file, all of them secrets.
const VARIABLES: [(&str, &str); 9] = [
    ("WEBHOOK_SECRET", "whsec_webhook 51/c"),
    ("OLD_SECRET", "whsec_webhook_old_88"),
    ("NOTICE_SECRET", "whsec_notice+e7"),
    ("NOTICE_KEY", "notice-key-in-query-31"),
    ("ENDPOINT_KEY", "endpoint-header-key/9a+"),
    ("ENDPOINT_PATH", "endpoint-path-key-62"),
    ("MODEL_KEY", "sk-model-key-774100"),
    ("API_KEY", "api-key-of-the-server-29"),
    ("PASSWORD", "basic-password-0f\"x"),
];

/// Header values are secrets wherever they stand.
const LITERAL: &str = "literal-header-value-5e";
/// So are the keys of the API.
const LITERAL_KEY: &str = "literal-key-of-the-api-40";

/// Turns whose pages are read: those of the first chat, and one more.
const TURNS_READ: usize = 3;

/// An agent whose peers are at this server, below this path.
fn agent(server: &EndpointServer, below: &str) -> TestEnvironment {
    let folder = TestEnvironment::empty();
    let text = r#"
name: shop
language: en
model: { provider: openai, model: m, api_key: "${MODEL_KEY}", base_url: "BASE/v1", stream: false }
webhook: { url: "BASE/hook", secret: ["${WEBHOOK_SECRET}", "${OLD_SECRET}"] }
notices:
  - { url: "BASE/told?key=${NOTICE_KEY}", secret: "${NOTICE_SECRET}" }
  - { url: "http://127.0.0.1:1/told/${NOTICE_KEY}", secret: "${NOTICE_SECRET}" }
server: { api_keys: { crm: "${API_KEY}", ops: { key: "LITERAL_KEY", scopes: [operate] } } }
tools:
  - type: function
    function: { name: look, description: Looks., parameters: { type: object } }
    endpoint:
      url: "BASE/look/${ENDPOINT_PATH}?k=${ENDPOINT_PATH}"
      method: GET
      headers: { X-Api-Key: "${ENDPOINT_KEY}", Authorization: "Basic ${PASSWORD}", X-Literal: "LITERAL" }
  - type: function
    function: { name: change, description: Changes., parameters: { type: object } }
    endpoint: { url: "BASE/change", headers: { X-Api-Key: "${ENDPOINT_KEY}" } }
    confirm: true
    timeout: 2
  - { name: note, description: Notes., confirm: false }
rules:
  - when: { equals: look }
    then: { tool: look, reply: "{{ result }}", otherwise: "{{ failure }}" }
"#;
    let text = text.replace("BASE", &server.url(below));
    folder
        .write("agent.yaml", &text.replace("LITERAL_KEY", LITERAL_KEY).replace("LITERAL", LITERAL));
    folder
}

/// Everything in a request, as text in JSON.
fn repeated(seen: &Seen) -> Value {
    json!({"path": seen.path, "headers": seen.headers, "body": seen.body_text()})
}

/// Repeats what it is sent: as an answer, as a refusal, or before it breaks off.
fn repeat(seen: &Seen) -> Vec<Act> {
    let all = repeated(seen);
    if seen.path.starts_with("/good/v1") {
        let said = json!({"role": "assistant", "content": format!("I know {all}")});
        let answer = json!({"id": "1", "object": "chat.completion", "created": 1, "model": "m",
            "choices": [{"index": 0, "message": said, "finish_reason": "stop"}]});
        return reply(200, "content-type: application/json\r\n", &answer.to_string());
    }
    match seen.path.split('/').nth(1) {
        Some("good") => reply(200, "", &json!({"seen": all}).to_string()),
        Some("refused") => {
            reply(403, "", &json!({"error": {"message": all.to_string()}}).to_string())
        }
        Some("said_no") => reply(200, "", &json!({"error": all}).to_string()),
        _ => {
            let text = all.to_string();
            let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n", text.len() + 9);
            vec![Act::Say((head + &text).into_bytes()), Act::Close]
        }
    }
}

fn run(folder: &TestEnvironment, arguments: &[&str], input: &str) -> Ran {
    let mut command = folder.command(arguments);
    command.env("RUST_LOG", "trace").envs(VARIABLES);
    let piped = Stdio::piped;
    finish(
        command.stdin(piped()).stdout(piped()).stderr(piped()).spawn().unwrap(),
        input.as_bytes(),
    )
}

/// Uses everything that the agent has, and returns what was printed and what is kept.
fn use_all(server: &EndpointServer, below: &str) -> Vec<(String, Vec<u8>)> {
    let folder = agent(server, below);
    let commands: [&[&str]; 18] = [
        &["check", "agent.yaml"],
        &["chat", "agent.yaml"],
        &["--log", "json", "chat", "agent.yaml", "--json", "--user", "ana"],
        &["call", "agent.yaml", "look"],
        &["call", "agent.yaml", "change"],
        &["call", "agent.yaml", "change", "--yes"],
        &["call", "agent.yaml", "note"],
        &["call", "agent.yaml", "none"],
        &["check", "agent.yaml", "--online"],
        &["notices", "test", "agent.yaml"],
        &["deliveries", "agent.yaml"],
        &["deliveries", "agent.yaml", "--json"],
        &["audit", "agent.yaml"],
        &["audit", "agent.yaml", "--json"],
        &["runs", "agent.yaml"],
        &["chats", "agent.yaml"],
        &["tools", "agent.yaml"],
        &["tools", "agent.yaml", "--provider", "openai"],
    ];
    let mut seen = Vec::new();
    let mut turns = Vec::new();
    for arguments in commands {
        let ran = run(&folder, arguments, "look\nsomething for the model\n");
        if arguments == ["audit", "agent.yaml", "--json"] {
            let events =
                ran.stdout.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
            turns.extend(events.filter_map(|event| event["turn_id"].as_str().map(str::to_owned)));
        }
        keep(&mut seen, below, &arguments.join(" "), ran);
    }
    turns.dedup();
    assert!(turns.len() >= TURNS_READ, "{below}: {turns:?}");
    for turn in turns.into_iter().take(TURNS_READ) {
        for arguments in
            [&["audit", "agent.yaml", "--turn", &turn][..], &["replay", "agent.yaml", &turn]]
        {
            keep(&mut seen, below, &arguments.join(" "), run(&folder, arguments, ""));
        }
    }
    seen.extend(
        files(&folder.path("")).into_iter().filter(|(name, _)| !name.ends_with("agent.yaml")),
    );
    seen
}

fn keep(seen: &mut Vec<(String, Vec<u8>)>, below: &str, name: &str, ran: Ran) {
    seen.push((format!("{below}: stdout of {name}"), ran.stdout.into_bytes()));
    seen.push((format!("{below}: stderr of {name}"), ran.stderr.into_bytes()));
}

fn holds(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|window| window == text.as_bytes())
}

#[test]
fn no_secret_of_an_agent_over_http_is_anywhere() {
    let server = EndpointServer::start(repeat).unwrap();
    let mut seen = Vec::new();
    for below in ["/good", "/refused", "/said_no", "/broken"] {
        seen.extend(use_all(&server, below));
    }
    let shown = |text: &str| seen.iter().any(|(_, bytes)| holds(bytes, text));
    assert!(
        shown("SQLite format 3") && shown("***") && shown("I know "),
        "there was nothing to see"
    );
    let asked = server.seen();
    let came = |path: &str| asked.iter().any(|seen| seen.path.contains(path));
    for path in ["/v1/chat/completions", "/hook", "/told?key=", "/look/", "/change"] {
        assert!(came(path), "nobody was asked at {path}");
    }
    let secrets = VARIABLES.iter().map(|(_, secret)| *secret).chain([LITERAL, LITERAL_KEY]);
    let mut found = Vec::new();
    for secret in secrets {
        for form in forms(secret) {
            let places = seen.iter().filter(|(_, bytes)| holds(bytes, &form));
            found.extend(places.map(|(name, _)| format!("{name} holds {form:?}")));
        }
    }
    assert_eq!(found, Vec::<String>::new());
}

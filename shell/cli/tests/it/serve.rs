//! Agents behind HTTP: who is believed, what is run, and that nothing is run twice.

mod client;

use std::fs;
use std::io::Write as _;
use std::process::Command;

use manos::model::Secret;
use manos::signing::{Signed, Signer};
use serde_json::{Value, json};

use crate::environment::TestEnvironment;
use client::{Reply, Running, signed_now};

const SECRET: &str = "whsec_served_4f1b";
const VAPI: &str = "vapi-secret-77c1";
const RETELL: &str = "key_retell_19ad";

type Headers = Vec<(String, String)>;

/// Tools that note each run in a file; `slow` waits at a gate.
fn clinic() -> TestEnvironment {
    let folder = TestEnvironment::empty();
    let agent = r#"
name: clinic
language: en
webhook: { url: "https://hooks.example.com/manos", secret: "${SECRET}" }
server:
  hosts: [bots.example.com]
  api_keys: { desk: "desk-0123456789abcdef" }
  callers:
    vapi: { secret: "${VAPI}", confirms: [cancel] }
    retell: { secret: "${RETELL}" }
tools:
  - name: book
    description: Books an appointment.
    parameters: { type: object, properties: { at: { type: string } }, required: [at], additionalProperties: false }
    confirm: false
    command: [sh, -c, "cat >> ran.txt; echo >> ran.txt; echo '{\"booked\":true}'"]
    env: { PATH: "/usr/bin:/bin" }
  - name: cancel
    description: Cancels an appointment.
    parameters: { type: object, properties: {} }
    confirm: true
    command: [sh, -c, "echo cancel >> ran.txt; printf '%s' '\"line one\\nline two\"'"]
    env: { PATH: "/usr/bin:/bin" }
  - name: slow
    description: Waits.
    parameters: { type: object, properties: {} }
    confirm: false
    timeout: 60
    command: [sh, -c, "echo slow >> ran.txt; read line < gate; echo '{\"opened\":true}'"]
    env: { PATH: "/usr/bin:/bin" }
  - name: secret_tool
    description: Not for anybody.
    parameters: { type: object, properties: {} }
    confirm: false
    command: [sh, -c, "echo secret >> ran.txt"]
    env: { PATH: "/usr/bin:/bin" }
security: { allowed_tools: [book, cancel, slow] }
"#;
    folder.write("agent.yaml", agent);
    folder.write(".env", &format!("SECRET={SECRET}\nVAPI={VAPI}\nRETELL={RETELL}\n"));
    folder
}

/// What was run, a line each.
fn ran(folder: &TestEnvironment) -> Vec<String> {
    let text = fs::read_to_string(folder.path("ran.txt")).unwrap_or_default();
    text.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

/// Waits until so many runs have begun.
fn wait_for_runs(folder: &TestEnvironment, count: usize) {
    let end = std::time::Instant::now() + std::time::Duration::from_mins(1);
    while ran(folder).len() < count {
        assert!(std::time::Instant::now() < end, "no run began: {:?}", ran(folder));
        std::thread::yield_now();
    }
}

fn make_gate(folder: &TestEnvironment) {
    assert!(Command::new("mkfifo").arg(folder.path("gate")).status().unwrap().success());
}

/// Lets one `slow` go on.
fn open_gate(folder: &TestEnvironment) {
    let mut gate = fs::OpenOptions::new().write(true).open(folder.path("gate")).unwrap();
    gate.write_all(b"go\n").unwrap();
}

fn book(server: &Running, headers: &[(String, String)], body: &str) -> Reply {
    server.post("/tools/clinic/book", headers, body)
}

#[test]
fn a_signed_call_is_run_once_however_often_it_comes() {
    let folder = clinic();
    let server = Running::start(&folder, &[]);
    let body = r#"{"at":"10:00"}"#;
    let headers = signed_now(SECRET, "/tools/clinic/book", body);
    let first = book(&server, &headers, body);
    assert_eq!((first.status, first.json()), (200, json!({"booked": true})));
    assert_eq!(first.header("idempotency-replayed"), None);
    let again = book(&server, &headers, body);
    assert_eq!((again.status, again.json()), (200, json!({"booked": true})), "the same signature");
    assert_eq!(again.header("idempotency-replayed"), Some("true"));

    let keyed = |key: &str, at: i64| {
        let mut headers = client::signed_at(SECRET, "/tools/clinic/book", body, at);
        headers.push(("Idempotency-Key".to_owned(), key.to_owned()));
        headers
    };
    let now = client::now();
    assert_eq!(book(&server, &keyed("k1", now - 1), body).header("idempotency-replayed"), None);
    let retried = book(&server, &keyed("k1", now - 2), body);
    assert_eq!(retried.header("idempotency-replayed"), Some("true"), "signed anew, one key");
    let other_key = book(&server, &keyed("k2", now - 1), body);
    assert_eq!((other_key.status, other_key.code()), (409, "server.replayed".to_owned()));
    assert_eq!(ran(&folder), [body, body]);
    assert_eq!(server.end().code, Some(0));
    let types = folder.event_types();
    assert_eq!(types.iter().filter(|kind| *kind == "tool.succeeded").count(), 2, "{types:?}");
}

#[test]
fn who_cannot_prove_who_they_are_runs_nothing() {
    let folder = clinic();
    let server = Running::start(&folder, &[]);
    let (path, body) = ("/tools/clinic/book", r#"{"at":"10:00"}"#);
    let now = client::now();
    let good = || client::signed_at(SECRET, path, body, now);
    let only_legacy = good().into_iter().filter(|(name, _)| name.ends_with("Signature")).collect();
    let twice = [good(), good()].concat();
    let key = |key: &str| vec![("Authorization".to_owned(), format!("Bearer {key}"))];
    let cases: Vec<(&str, Headers, &str, u16)> = vec![
        ("no signature", vec![], body, 401),
        ("another secret", client::signed_at("whsec_other", path, body, now), body, 401),
        ("an old time", client::signed_at(SECRET, path, body, now - 301), body, 401),
        ("a time ahead", client::signed_at(SECRET, path, body, now + 310), body, 401),
        ("another body", good(), r#"{"at":"11:00"}"#, 401),
        ("another path", client::signed_at(SECRET, "/tools/clinic/cancel", body, now), body, 401),
        ("the older signature alone", only_legacy, body, 401),
        ("both twice", twice, body, 400),
        ("another key", key("desk-0123456789abcdeX"), body, 401),
        (
            "a wrong signature beside a right key",
            {
                let mut headers = client::signed_at("whsec_other", path, body, now);
                headers.extend(key("desk-0123456789abcdef"));
                headers
            },
            body,
            401,
        ),
    ];
    for (why, headers, body, status) in cases {
        let reply = server.post(path, &headers, body);
        assert_eq!(reply.status, status, "{why}: {}", reply.body);
        assert_eq!(reply.header("content-type"), Some("application/problem+json"), "{why}");
        assert!(!reply.body.contains(SECRET), "{why}");
    }
    assert_eq!(ran(&folder), [""; 0]);
    let keyed = server.post(path, &key("desk-0123456789abcdef"), body);
    assert_eq!((keyed.status, ran(&folder).len()), (200, 1), "{}", keyed.body);
    let unknown = server.post("/tools/nobody/book", &good(), body);
    assert_eq!((unknown.status, unknown.code()), (404, "server.unknown_agent".to_owned()));
}

#[test]
fn what_the_agent_refuses_is_told_to_the_caller_s_model() {
    let folder = clinic();
    let server = Running::start(&folder, &[]);
    let call = |tool: &str, body: &str| {
        let path = format!("/tools/clinic/{tool}");
        let reply = server.post(&path, &signed_now(SECRET, &path, body), body);
        assert_eq!(reply.status, 200, "{}", reply.body);
        reply.json()
    };
    assert_eq!(call("cancel", "{}")["reason"], "not_asked");
    assert_eq!(call("secret_tool", "{}"), json!({"error": "not_allowed", "tool": "secret_tool"}));
    assert_eq!(call("bok", "{}")["did_you_mean"], json!(["book"]));
    assert_eq!(call("book", "{}")["error"], "invalid_arguments");
    assert_eq!(call("book", r#"{"at":"1","at":"2"}"#)["error"], "invalid_arguments");
    assert_eq!(call("book", "{")["error"], "invalid_arguments");
    assert_eq!(ran(&folder), [""; 0]);
}

fn vapi_message(items: &Value) -> String {
    json!({"message": {"type": "tool-calls", "call": {"id": "c-1"}, "toolCallList": items}})
        .to_string()
}

#[test]
fn vapi_gets_one_result_for_each_call_on_one_line() {
    let folder = clinic();
    let server = Running::start(&folder, &[]);
    let secret = vec![("X-Vapi-Secret".to_owned(), VAPI.to_owned())];
    let body = vapi_message(&json!([
        {"id": "t1", "name": "book", "arguments": {"at": "10:00"}},
        {"id": "t2", "name": "book", "parameters": {"at": "11:00"}},
        {"id": "t3", "type": "function", "function": {"name": "book", "arguments": "{\"at\":\"12:00\"}"}},
        {"id": "t4", "type": "function", "function": {"name": "cancel", "arguments": {}}},
        {"id": "t5", "name": "nothing"},
    ]));
    let first = server.post("/vapi/clinic", &secret, &body);
    assert_eq!(first.status, 200, "{}", first.body);
    insta::assert_snapshot!(first.body, @r#"{"results":[{"name":"book","result":"{\"booked\":true}","toolCallId":"t1"},{"name":"book","result":"{\"booked\":true}","toolCallId":"t2"},{"name":"book","result":"{\"booked\":true}","toolCallId":"t3"},{"name":"cancel","result":"line one line two","toolCallId":"t4"},{"error":"{\"did_you_mean\":[],\"error\":\"unknown_tool\",\"name\":\"nothing\"}","name":"nothing","toolCallId":"t5"}]}"#);
    assert_eq!(server.post("/vapi/clinic", &secret, &body).body, first.body, "the same, not again");
    assert_eq!(ran(&folder).len(), 4);

    let wrong = vec![("X-Vapi-Secret".to_owned(), "x".to_owned())];
    assert_eq!(server.post("/vapi/clinic", &wrong, &body).status, 401);
    let status = json!({"message": {"type": "status-update", "status": "ended"}}).to_string();
    let told = server.post("/vapi/clinic", &secret, &status);
    assert_eq!((told.status, told.json()), (200, json!({})));
    let bad = server.post("/vapi/clinic", &secret, r#"{"message":{"type":"tool-calls"}}"#);
    assert_eq!((bad.status, bad.code()), (400, "server.bad_request".to_owned()));
    let twice = r#"{"message":{"type":"tool-calls","type":"tool-calls","toolCallList":[]}}"#;
    assert_eq!(server.post("/vapi/clinic", &secret, twice).status, 400);
    assert_eq!(ran(&folder).len(), 4);
}

#[test]
fn retell_signs_its_calls_and_a_confirm_tool_is_refused() {
    let folder = clinic();
    let server = Running::start(&folder, &[]);
    let body = json!({"name": "book", "call": {"call_id": "r-1"}, "args": {"at": "10:00"}});
    let body = body.to_string();
    let headers = client::retell_signed(RETELL, &body);
    let first = server.post("/retell/clinic/book", &headers, &body);
    assert_eq!((first.status, first.json()), (200, json!({"booked": true})));
    let again = server.post("/retell/clinic/book", &headers, &body);
    assert_eq!(again.header("idempotency-replayed"), Some("true"));
    let other_tool = server.post("/retell/clinic/slow", &headers, &body);
    assert_eq!(other_tool.status, 400, "{}", other_tool.body);
    let wrong = client::retell_signed("key_other", &body);
    assert_eq!(server.post("/retell/clinic/book", &wrong, &body).status, 401);
    let root = r#"{"at":"11:00"}"#;
    let reply = server.post("/retell/clinic/book", &client::retell_signed(RETELL, root), root);
    assert_eq!(reply.json(), json!({"booked": true}), "arguments at the root");
    let cancel = json!({"name": "cancel", "call": {"call_id": "r-1"}, "args": {}}).to_string();
    let headers = client::retell_signed(RETELL, &cancel);
    let refused = server.post("/retell/clinic/cancel", &headers, &cancel);
    assert_eq!((refused.status, &refused.json()["reason"]), (200, &json!("not_asked")));
    assert_eq!(ran(&folder).len(), 2);
}

#[test]
fn a_call_that_comes_again_while_it_runs_waits_for_its_end() {
    let folder = clinic();
    make_gate(&folder);
    let server = Running::start(&folder, &[]);
    let path = "/tools/clinic/slow";
    let headers = signed_now(SECRET, path, "{}");
    std::thread::scope(|scope| {
        let first = scope.spawn(|| server.post(path, &headers, "{}"));
        wait_for_runs(&folder, 1);
        let second = scope.spawn(|| server.post(path, &headers, "{}"));
        open_gate(&folder);
        let (first, second) = (first.join().unwrap(), second.join().unwrap());
        assert_eq!((first.status, first.json()), (200, json!({"opened": true})));
        assert_eq!((second.status, second.json()), (200, json!({"opened": true})));
        assert_eq!(second.header("idempotency-replayed"), Some("true"));
    });
    assert_eq!(ran(&folder), ["slow"]);
}

#[test]
fn a_call_that_a_crash_cut_off_is_not_run_again() {
    let folder = clinic();
    make_gate(&folder);
    let server = Running::start(&folder, &[]);
    let path = "/tools/clinic/slow";
    let headers = signed_now(SECRET, path, "{}");
    std::thread::scope(|scope| {
        let first = scope.spawn(|| server.try_post(path, &headers, "{}"));
        wait_for_runs(&folder, 1);
        server.kill();
        assert!(first.join().unwrap().is_err(), "nothing was answered");
    });
    // The tool's own process lives on, and may end.
    open_gate(&folder);
    let server = Running::start(&folder, &[]);
    let again = server.post(path, &headers, "{}");
    assert_eq!(again.status, 500, "{}", again.body);
    assert_eq!(again.json(), json!({"executed": "unknown", "reason": "interrupted"}));
    assert_eq!(ran(&folder), ["slow"]);
}

#[test]
fn a_result_survives_the_server() {
    let folder = clinic();
    let server = Running::start(&folder, &[]);
    let body = r#"{"at":"10:00"}"#;
    let headers = signed_now(SECRET, "/tools/clinic/book", body);
    assert_eq!(book(&server, &headers, body).status, 200);
    server.kill();
    let server = Running::start(&folder, &[]);
    let again = book(&server, &headers, body);
    assert_eq!(again.json(), json!({"booked": true}));
    assert_eq!(again.header("idempotency-replayed"), Some("true"));
    assert_eq!(ran(&folder).len(), 1);
}

#[test]
fn only_requests_that_are_meant_for_us_are_read() {
    let folder = clinic();
    let server = Running::start(&folder, &[]);
    let get = |path: &str, headers: &str| {
        server.raw(&format!("GET {path} HTTP/1.1\r\n{headers}connection: close\r\n\r\n"))
    };
    assert_eq!(get("/healthz", "host: localhost\r\n").status, 200);
    assert_eq!(get("/readyz", "host: bots.example.com\r\n").json(), json!({"status": "ready"}));
    assert_eq!(get("/healthz", "host: evil.example\r\n").status, 421);
    assert_eq!(get("/healthz", "host: localhost\r\norigin: https://evil.example\r\n").status, 421);
    assert_eq!(get("/nothing", "host: localhost\r\n").code(), "server.not_found");
    let wrong = get("/tools/clinic/book", "host: localhost\r\n");
    assert_eq!((wrong.status, wrong.header("allow")), (405, Some("POST")));
    let long = format!("host: localhost\r\nx: {}\r\n", "y".repeat(200_000));
    assert_eq!(get("/healthz", &long).status, 431);
    let big = server.raw(&format!(
        "POST /tools/clinic/book HTTP/1.1\r\nhost: localhost\r\ncontent-length: 5000000\r\nconnection: close\r\n\r\n{}",
        "x".repeat(1_000)
    ));
    assert_eq!((big.status, big.code()), (413, "server.too_large".to_owned()));
}

#[test]
fn a_key_is_made_for_agents_without_one_and_two_agents_share_a_server() {
    let folder = clinic();
    let agent = folder.read("agent.yaml");
    let (head, rest) = agent.split_once("  api_keys:").unwrap();
    let (_, rest) = rest.split_once('\n').unwrap();
    folder.write("agent.yaml", &format!("{head}{rest}"));
    folder.write("other.yaml", "name: other\nstore: memory\ntools:\n  - { name: hello, description: Greets., confirm: false, command: [echo, '{\"hello\":1}'], env: { PATH: '/usr/bin:/bin' } }\n");
    let server = Running::start(&folder, &["other.yaml"]);
    let key = vec![("Authorization".to_owned(), format!("Bearer {}", server.key()))];
    assert_eq!(server.post("/tools/other/hello", &key, "{}").json(), json!({"hello": 1}));
    assert_eq!(book(&server, &key, r#"{"at":"1"}"#).json(), json!({"booked": true}));
    assert_eq!(server.post("/vapi/other", &key, "{}").code(), "server.unconfigured");
    let held = folder.run(&["call", "agent.yaml", "book", "--args", r#"{"at":"2"}"#]);
    assert!(held.stderr.contains("is in use by process"), "{held}");
    assert_eq!(server.end().code, Some(0));
}

#[test]
fn a_call_under_way_has_the_grace_to_end() {
    let folder = clinic();
    make_gate(&folder);
    let server = Running::start(&folder, &[]);
    let path = "/tools/clinic/slow";
    let headers = signed_now(SECRET, path, "{}");
    std::thread::scope(|scope| {
        let first = scope.spawn(|| server.post(path, &headers, "{}"));
        wait_for_runs(&folder, 1);
        server.terminate();
        open_gate(&folder);
        assert_eq!(first.join().unwrap().json(), json!({"opened": true}));
    });
    assert_eq!(server.wait().code, Some(0));
}

/// The signer of the tests is the library's; what it makes is what the server checks.
#[test]
fn signatures_of_the_command_are_believed() {
    let folder = clinic();
    let server = Running::start(&folder, &[]);
    let body = r#"{"at":"10:00"}"#;
    let sign = ["sign", "--secret", SECRET, "--path", "/tools/clinic/book"];
    let printed = folder.run_with(&sign, body.as_bytes()).stdout;
    let headers: Vec<(String, String)> = printed
        .lines()
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    assert_eq!(headers.len(), 2);
    assert_eq!(book(&server, &headers, body).json(), json!({"booked": true}));
    let signer = Signer::new(&[Secret::new(SECRET.to_owned())]).unwrap();
    let signed = Signed { method: "POST", path: "/tools/clinic/book", body: body.as_bytes() };
    let v2 = signer.sign(&signed, client::now() - 5).v2;
    let alone = vec![("X-Manos-Signature-V2".to_owned(), v2)];
    assert_eq!(book(&server, &alone, body).json(), json!({"booked": true}));
}

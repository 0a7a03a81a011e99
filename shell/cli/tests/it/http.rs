//! Tools over HTTP through the command: what arrives, what is printed, and that no secret is left
//! anywhere.

use manos::model::Secret;
use manos::signing::{Signed, verify};
use manos_testkit::endpoint::{EndpointServer, Seen, reply};

use crate::environment::{Ran, TestEnvironment, finish};

const WEBHOOK_SECRET: &str = "whsec_9d2b71f4c8";
const API_KEY: &str = "key-8f3a6c1d9e";
const LITERAL: &str = "literal-5e0f7a2b";

/// A clinic whose tools are run by this server.
fn clinic(server: &EndpointServer) -> TestEnvironment {
    let folder = TestEnvironment::empty();
    let agent = format!(
        r#"
name: clinic
webhook: {{ url: "{hook}", secret: "${{WEBHOOK_SECRET}}" }}
tools:
  - type: function
    function:
      name: search
      description: Finds free slots.
      parameters: {{ type: object, properties: {{ date: {{ type: string }} }}, required: [date] }}
    endpoint:
      url: "{search}"
      method: GET
      headers: {{ X-Api-Key: "${{API_KEY}}", X-Literal: "{LITERAL}" }}
  - type: function
    function:
      name: cancel
      description: Cancels an appointment.
      parameters: {{ type: object, properties: {{ id: {{ type: string }}, why: {{ type: string }} }}, required: [id] }}
    endpoint: {{ url: "{cancel}", method: POST, request_format: vapi, headers: {{ X-Api-Key: "${{API_KEY}}" }} }}
    confirm: true
    timeout: 2
  - name: note
    description: Notes something.
    parameters: {{ type: object, properties: {{ text: {{ type: string }} }} }}
    confirm: false
"#,
        hook = server.url("/hook"),
        search = server.url("/search"),
        cancel = server.url("/appointments/{id}/cancel"),
    );
    folder.write("agent.yaml", &agent);
    folder
}

fn run(folder: &TestEnvironment, arguments: &[&str], input: &str) -> Ran {
    let mut command = folder.command(arguments);
    command.env("WEBHOOK_SECRET", WEBHOOK_SECRET).env("API_KEY", API_KEY).env("RUST_LOG", "trace");
    let piped = std::process::Stdio::piped;
    let child = command.stdin(piped()).stdout(piped()).stderr(piped()).spawn().unwrap();
    finish(child, input.as_bytes())
}

fn assert_signed(seen: &Seen) {
    let header = seen.header("x-manos-signature-v2");
    let time = header.unwrap().split(['=', ',']).nth(1).unwrap().parse().unwrap();
    let signed = Signed { method: &seen.method, path: &seen.path, body: &seen.body };
    let secrets = [Secret::new(WEBHOOK_SECRET.to_owned())];
    assert_eq!(verify(header, &secrets, &signed, time), Ok(()), "{seen:?}");
}

#[test]
fn each_kind_of_tool_is_called_and_its_reply_printed() {
    let server = EndpointServer::start(|seen| match seen.path.as_str() {
        "/search?date=2025-01-02" => reply(200, "", r#"{"slots":["10:00"]}"#),
        "/appointments/P%201/cancel" => {
            let body = seen.body_text();
            let id = &body[body.find("call_").unwrap()..][..37];
            reply(
                200,
                "",
                &format!(r#"{{"results":[{{"toolCallId":"{id}","result":"cancelled"}}]}}"#),
            )
        }
        _ => reply(200, "", "noted"),
    })
    .unwrap();
    let folder = clinic(&server);
    let date = r#"{"date":"2025-01-02"}"#;
    let search = run(
        &folder,
        &["call", "agent.yaml", "search", "--args", date, "--call-id", "987654321"],
        "",
    );
    assert_eq!(
        (search.stdout.as_str(), search.code),
        ("{\"slots\":[\"10:00\"]}\n", Some(0)),
        "{search}"
    );
    let id = r#"{"id":"P 1","why":"ill"}"#;
    let asked = run(&folder, &["call", "agent.yaml", "cancel", "--args", id], "");
    assert_eq!(asked.code, Some(3), "{asked}");
    let cancel = run(&folder, &["call", "agent.yaml", "cancel", "--args", id, "--yes"], "");
    assert_eq!((cancel.stdout.as_str(), cancel.code), ("\"cancelled\"\n", Some(0)), "{cancel}");
    let note = run(
        &folder,
        &["call", "agent.yaml", "note", "--args", r#"{"text":"x"}"#, "--user", "ana"],
        "",
    );
    assert_eq!((note.stdout.as_str(), note.code), ("{\"data\":\"noted\"}\n", Some(0)), "{note}");

    let seen = server.seen();
    assert_eq!(seen.len(), 3, "nothing is sent before a yes: {seen:?}");
    seen.iter().for_each(assert_signed);
    let ids: Vec<_> = seen.iter().map(|seen| seen.header("x-manos-call-id")).collect();
    assert_eq!(ids, [Some("987654321"), Some("terminal:local"), None]);
    assert_eq!(seen[0].header("x-api-key"), Some(API_KEY));
    assert_eq!((seen[0].header("idempotency-key"), seen[0].body_text().as_str()), (None, ""));
    assert!(seen[1].header("idempotency-key").is_some_and(|key| seen[1].body_text().contains(key)));
    insta::assert_snapshot!(seen[2].body_text(), @r#"{"data":{"arguments":{"text":"x"},"call_id":"terminal:ana","channel":"terminal","chat_key":"terminal:ana","tool_name":"note","user":"terminal:ana"},"type":"chat.tool"}"#);
}

#[test]
fn a_value_that_cannot_stand_in_a_path_is_refused_before_anybody_is_asked() {
    let server = EndpointServer::with_replies(vec![]).unwrap();
    let folder = clinic(&server);
    let ran = run(&folder, &["call", "agent.yaml", "cancel", "--args", r#"{"id":"../admin"}"#], "");
    insta::assert_snapshot!(ran.stdout, @r#"{"error":"invalid_arguments","violations":[{"path":"/id","expected":"a text for the path of a URL: not empty, not `.` or `..`, without `/`, `\\` and control characters","got":"../admin"}]}"#);
    assert_eq!(ran.code, Some(1));
    assert!(server.seen().is_empty());
}

#[test]
fn how_a_call_failed_is_told_and_the_ledger_knows() {
    let server = EndpointServer::start(|seen| match seen.path.as_str() {
        "/appointments/hang/cancel" => vec![manos_testkit::endpoint::Act::Hang],
        "/appointments/full/cancel" => reply(409, "", r#"{"error":"already cancelled"}"#),
        _ => reply(302, "location: /login\r\n", ""),
    })
    .unwrap();
    let folder = clinic(&server);
    let cancel = |id: &str| {
        let arguments = format!("{{\"id\":\"{id}\"}}");
        run(&folder, &["call", "agent.yaml", "cancel", "--yes", "--args", &arguments], "").stdout
    };
    insta::assert_snapshot!(cancel("hang"), @r#"{"error":"timeout","after_ms":2000}"#);
    insta::assert_snapshot!(cancel("full"), @r#"{"error":"http_status","status":409,"body":{"error":"already cancelled"}}"#);
    insta::assert_snapshot!(cancel("moved"), @r#"{"error":"redirect","status":302,"message":"the server sends us elsewhere, where we do not follow"}"#);
    assert_eq!(server.seen().len(), 3, "nothing is sent twice");
    let unknown = run(&folder, &["runs", "agent.yaml", "--unknown"], "").stdout;
    assert_eq!(unknown.lines().filter(|line| line.contains("cancel")).count(), 1, "{unknown}");
}

#[test]
fn the_model_is_never_shown_an_endpoint_and_a_get_only_reads() {
    let server = EndpointServer::with_replies(vec![]).unwrap();
    let folder = clinic(&server);
    let told = run(&folder, &["tools", "agent.yaml", "--provider", "openai"], "").stdout;
    for secret in [WEBHOOK_SECRET, API_KEY, LITERAL, "127.0.0.1", "endpoint", "X-Api-Key"] {
        assert!(!told.contains(secret), "{secret} in {told}");
    }
    insta::assert_snapshot!(run(&folder, &["tools", "agent.yaml"], "").stdout, @"
    TOOL    TITLE   CLASS            RUNS BY   TIMEOUT
    search  search  read-only        endpoint  20s
    cancel  cancel  effect, confirm  endpoint  2s
    note    note    effect           webhook   20s
    ");
}

#[test]
fn endpoints_are_reached_without_running_them() {
    let server = EndpointServer::start(|seen| match seen.path.as_str() {
        "/search" => reply(302, "location: /search/\r\n", ""),
        "/hook" => reply(308, "location: /hook/\r\n", ""),
        _ => reply(405, "", ""),
    })
    .unwrap();
    let folder = clinic(&server);
    let ran = run(&folder, &["check", "agent.yaml", "--online"], "");
    let errors: Vec<&str> = ran.stderr.lines().filter(|line| line.starts_with("error")).collect();
    insta::assert_debug_snapshot!((ran.code, errors), @r#"
    (
        Some(
            1,
        ),
        [
            "error: the endpoint of `note` cannot be used: it answers 308 and sends to another path, and POST follows nowhere",
        ],
    )
    "#);
    let seen = server.seen();
    assert_eq!(seen.len(), 3);
    assert!(seen.iter().all(|seen| seen.method == "GET" && seen.header("x-api-key").is_none()));
}

#[test]
fn no_secret_is_left_in_logs_output_store_or_trail() {
    let echo = format!(r#"{{"error":"no {WEBHOOK_SECRET} {API_KEY} {LITERAL}"}}"#);
    let server = EndpointServer::start(move |seen| match seen.method.as_str() {
        "GET" => reply(200, "", &echo),
        _ => reply(500, "", &echo),
    })
    .unwrap();
    let folder = clinic(&server);
    let mut printed = String::new();
    let calls = [
        vec!["call", "agent.yaml", "search", "--args", r#"{"date":"x"}"#],
        vec!["call", "agent.yaml", "cancel", "--yes", "--args", r#"{"id":"x"}"#],
        vec!["call", "agent.yaml", "note"],
        vec!["check", "agent.yaml", "--online"],
        vec!["audit", "agent.yaml", "--json"],
        vec!["runs", "agent.yaml"],
        vec!["chats", "agent.yaml"],
        vec!["--log", "json", "call", "agent.yaml", "note"],
    ];
    for arguments in calls {
        let ran = run(&folder, &arguments, "");
        printed.push_str(&ran.stdout);
        printed.push_str(&ran.stderr);
    }
    assert!(printed.contains("***"), "the echoes were there, masked: {printed}");
    let files = std::fs::read_dir(folder.path("")).unwrap().map(|entry| entry.unwrap().path());
    for path in files.filter(|path| path.file_name().is_some_and(|name| name != "agent.yaml")) {
        printed.push_str(&String::from_utf8_lossy(&std::fs::read(path).unwrap()));
    }
    assert!(printed.contains("SQLite format 3"), "the store was read");
    for secret in [WEBHOOK_SECRET, API_KEY, LITERAL] {
        assert!(!printed.contains(secret), "{secret} is somewhere");
    }
}

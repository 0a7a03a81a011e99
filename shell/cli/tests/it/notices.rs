//! Who is told of runs: through the command, to servers that check what they are sent.

use std::io::Write as _;
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use manos::model::Secret;
use manos::signing::{Signed, verify};
use manos_testkit::endpoint::{Act, EndpointServer, Seen, reply};
use serde_json::Value;

use crate::environment::{Ran, TestEnvironment};

const SECRET: &str = "whsec_notices_7c1e";

/// How long a test waits for a request before it gives up.
const PATIENCE: Duration = Duration::from_mins(1);

/// A server that answers by a function, and says when a request has come.
fn server(
    answer: impl Fn(&Seen) -> Vec<Act> + Send + Sync + 'static,
) -> (EndpointServer, Receiver<()>) {
    let (came, coming) = channel();
    let came = Mutex::new(came);
    let server = EndpointServer::start(move |seen| {
        // Whoever waits may have gone.
        let _gone = came.lock().unwrap().send(());
        answer(seen)
    });
    (server.unwrap(), coming)
}

/// The bakery, which tells this address of these kinds.
fn bakery(url: &str, events: &str) -> TestEnvironment {
    let bakery = TestEnvironment::bakery();
    let agent = bakery.read("agent.yaml");
    let notices =
        format!("\nnotices:\n  - {{ url: \"{url}\", events: {events}, secret: {SECRET} }}\n");
    bakery.write("agent.yaml", &(agent + &notices));
    bakery
}

/// The notice in a request, whose signature is checked.
fn notice(seen: &Seen) -> Value {
    assert_eq!(seen.header("x-manos-event"), Some("notice"), "{seen:?}");
    let header = seen.header("x-manos-signature-v2");
    let time = header.unwrap().split(['=', ',']).nth(1).unwrap().parse().unwrap();
    let signed = Signed { method: &seen.method, path: &seen.path, body: &seen.body };
    assert_eq!(verify(header, &[Secret::new(SECRET.to_owned())], &signed, time), Ok(()));
    serde_json::from_slice(&seen.body).unwrap()
}

/// What was printed, whatever the width of its columns.
fn shown(ran: &Ran, server: &EndpointServer) -> String {
    let text = ran.to_string().replace(&server.url(""), "http://PLACE");
    let lines = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
    lines.collect::<Vec<_>>().join("\n")
}

fn ids(server: &EndpointServer) -> Vec<String> {
    let notices = server.seen();
    notices.iter().map(|seen| notice(seen)["event_id"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn every_run_is_told_whatever_asked_for_it() {
    let (server, _) = server(|_| reply(204, "", ""));
    let bakery = bakery(&server.url("/told"), "[chat.tool, telephony.tool]");
    let ran = bakery.chat(&["menú", "2 café", "sí"]);
    assert!(ran.stdout.contains("Listo, tu pedido es el P-1001."), "{ran}");
    bakery.run(&["call", "agent.yaml", "ver_menu", "--call-id", "7"]);
    bakery.run(&["call", "agent.yaml", "cancelar_pedido", "--args", r#"{"id":"P-9999"}"#, "--yes"]);
    // Nothing runs, and nothing is told.
    bakery.run(&["call", "agent.yaml", "cancelar_pedido", "--args", r#"{"id":"P-1001"}"#]);
    let told: Vec<Value> = server.seen().iter().map(notice).collect();
    let lines: Vec<String> = told
        .iter()
        .map(|told| {
            let data = &told["data"];
            let end = if data.get("response").is_some() { "response" } else { "error" };
            format!("{} {} {end}", told["type"], data["tool_name"]).replace('"', "")
        })
        .collect();
    insta::assert_snapshot!(lines.join("\n"), @r"
    chat.tool ver_menu response
    chat.tool cotizar_pedido response
    chat.tool cotizar_pedido response
    chat.tool crear_pedido response
    telephony.tool ver_menu response
    chat.tool mis_pedidos response
    chat.tool cancelar_pedido error
    ");
    let order = told.iter().find(|told| told["data"]["tool_name"] == "crear_pedido").unwrap();
    let mut order = order.clone();
    order["event_id"] = "ID".into();
    order["data"]["duration_ms"] = 0.into();
    insta::assert_snapshot!(order.to_string(), @r#"{"data":{"arguments":{"items":[{"cantidad":2,"producto":"cafe"}]},"call_id":"terminal:local","channel":"terminal","chat_key":"terminal:local","duration_ms":0,"response":{"estado":"confirmado","id":"P-1001","items":[{"cantidad":2,"nombre":"Café","precio":3500,"producto":"cafe","subtotal":7000}],"total":7000},"tool_name":"crear_pedido","user":"terminal:local"},"event_id":"ID","type":"chat.tool"}"#);
}

#[test]
fn a_process_that_is_killed_between_a_run_and_its_notice_loses_none() {
    let tries = Mutex::new(0);
    let (server, coming) = server(move |_| {
        let mut tries = tries.lock().unwrap();
        *tries += 1;
        if *tries == 1 { vec![Act::Hang] } else { reply(204, "", "") }
    });
    let bakery = bakery(&server.url("/told"), "[chat.tool]");
    let mut child = bakery.spawn(&["chat", "agent.yaml"]);
    child.stdin.as_mut().unwrap().write_all("menú\n".as_bytes()).unwrap();
    coming.recv_timeout(PATIENCE).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    let ran = bakery.run(&["call", "agent.yaml", "ver_menu"]);
    assert_eq!(ran.code, Some(0), "{ran}");
    let ids = ids(&server);
    assert_eq!(ids.len(), 3, "{ids:?}");
    assert_eq!(ids[0], ids[1], "the one that was lost comes first, as it was");
    assert_ne!(ids[1], ids[2]);

    bakery.run(&["call", "agent.yaml", "ver_menu"]);
    assert_eq!(self::ids(&server).len(), 4, "what was told is not told again");
}

#[test]
fn an_endpoint_that_does_not_answer_holds_nobody_up_and_is_listed() {
    let (server, coming) = server(|_| vec![Act::Hang]);
    let bakery = bakery(&server.url("/told?key=1"), "[chat.tool]");
    let agent = bakery.read("agent.yaml");
    bakery.write("agent.yaml", &(agent + "  - { url: \"http://127.0.0.1:1/\", secret: x }\n"));
    let started = std::time::Instant::now();
    let ran = bakery.run(&["call", "agent.yaml", "ver_menu"]);
    assert_eq!(ran.code, Some(0), "{ran}");
    assert!(started.elapsed() < Duration::from_secs(20), "it waited for a dead endpoint");
    coming.recv_timeout(PATIENCE).unwrap();

    let lines = bakery.run(&["deliveries", "agent.yaml", "--json"]).stdout;
    let rows: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let hanging = rows.iter().find(|row| row["endpoint"] == server.url("/told")).unwrap();
    let expected = ["chat.tool", "waiting", "active"];
    assert_eq!(
        ["type", "status", "endpoint_status"].map(|key| hanging[key].as_str().unwrap()),
        expected
    );
    assert_eq!((&hanging["attempts"], &hanging["category"]), (&0.into(), &Value::Null));
    let refused: Vec<&Value> =
        rows.iter().filter(|row| row["endpoint"] == "http://127.0.0.1:1/").collect();
    assert!(refused.len() > 5, "all kinds: {lines}");
    for row in refused {
        assert_eq!((&row["status"], &row["category"]), (&"retrying".into(), &"connection".into()));
        assert!(row["next_try"].is_string() && row["attempts"] == 1, "{row}");
    }
    let table = shown(&bakery.run(&["deliveries", "agent.yaml"]), &server);
    let table: Vec<&str> = table.lines().filter(|line| !line.contains(":1/")).collect();
    insta::assert_snapshot!(table.join("\n"), @r"
    ENDPOINT STATUS WAITING NEXT TRY
    http://PLACE/told active 1 TIME

    ENDPOINT EVENT TYPE ATTEMPTS STATUS CATEGORY NEXT TRY
    http://PLACE/told evt_ID chat.tool 0 waiting TIME
    ");
    bakery.edit("agent.yaml", "127.0.0.1:1/", "127.0.0.1:2/");
    let table = shown(&bakery.run(&["deliveries", "agent.yaml"]), &server);
    assert!(table.contains("http://127.0.0.1:1/ disabled"), "{table}");
}

#[test]
fn a_test_says_whether_notices_arrive_and_changes_nothing() {
    let tries = Mutex::new(0);
    let (server, _) = server(move |seen| {
        let mut tries = tries.lock().unwrap();
        *tries += 1;
        if seen.path == "/down" || *tries == 1 { reply(503, "", "") } else { reply(200, "", "") }
    });
    let environment = bakery(&server.url("/told"), "[]");
    let ran = environment.run(&["notices", "test", "agent.yaml"]);
    assert_eq!(ran.code, Some(0), "{ran}");
    assert_eq!(ids(&server).len(), 2, "once more where it does not arrive");
    assert_eq!(ids(&server)[0], ids(&server)[1]);
    let told = notice(&server.seen()[1]);
    assert_eq!((&told["type"], &told["data"]["agent"]), (&"webhook.test".into(), &"espiga".into()));
    assert!(!environment.path("espiga.db").exists(), "nothing is kept");

    let down = bakery(&server.url("/down"), "[]");
    let ran = down.run(&["notices", "test", "agent.yaml"]);
    insta::assert_snapshot!(shown(&ran, &server), @r"
    ENDPOINT EVENT ATTEMPTS RESULT
    http://PLACE/down evt_ID 2 http_error 503
    ! error: the test did not arrive at 1 endpoint
    ! help: an endpoint takes a notice by answering 2xx within 30 s
    exit 1
    ");
    let nobody = TestEnvironment::bakery().run(&["notices", "test", "agent.yaml"]);
    insta::assert_snapshot!(nobody, @r#"
    ! error: this file's agent tells nobody
    !   help: name an endpoint: notices: [{ url: https://…, secret: "${SECRET}" }]
    exit 1
    "#);
}

#[test]
fn a_dry_run_and_an_entry_of_another_agent_tell_nobody() {
    let (server, _) = server(|_| reply(204, "", ""));
    let bakery = bakery(&server.url("/told"), "[]");
    bakery.chat_as(&["--dry-run"], &["menú", "2 café", "sí"]);
    assert_eq!(server.seen(), []);
    bakery.edit("agent.yaml", "events: []", "agent: otra");
    bakery.run(&["call", "agent.yaml", "ver_menu"]);
    assert_eq!(server.seen(), []);
    bakery.edit("agent.yaml", "agent: otra", "agent: espiga");
    bakery.run(&["call", "agent.yaml", "ver_menu"]);
    assert!(!server.seen().is_empty());
}

//! `manos call`: exit codes, and the same path as a turn.

use std::fs;
use std::process::Command;
use std::time::{Duration, Instant};

use crate::environment::{TestEnvironment, finish};

const TWO_COFFEES: &str = r#"{"items":[{"producto":"cafe","cantidad":2}]}"#;

#[test]
fn a_tool_that_only_reads_runs_at_once() {
    let bakery = TestEnvironment::bakery();
    let ran = bakery.run(&["call", "agent.yaml", "cotizar_pedido", "--args", TWO_COFFEES]);
    insta::assert_snapshot!(ran, @r#"{"items":[{"producto":"cafe","nombre":"Café","cantidad":2,"precio":3500,"subtotal":7000}],"total":7000}"#);
}

#[test]
fn a_tool_that_asks_runs_with_yes_only() {
    let bakery = TestEnvironment::bakery();
    let call = ["call", "agent.yaml", "crear_pedido", "--args", TWO_COFFEES];
    insta::assert_snapshot!(bakery.run(&call), @r#"
    {"executed":false,"reason":"not_asked","because":"Aquí no hay a quién pedirle confirmación."}
    ! error: this tool asks before it runs, and nobody was asked
    !   help: look at what it would do, then call it again with --yes
    exit 3
    "#);
    assert!(!bakery.path("shop.db").exists() || bakery.orders().is_empty());
    let yes = [&call[..], &["--yes"]].concat();
    insta::assert_snapshot!(bakery.run(&yes), @r#"{"id":"P-1001","items":[{"producto":"cafe","nombre":"Café","cantidad":2,"precio":3500,"subtotal":7000}],"total":7000,"estado":"confirmado"}"#);
    insta::assert_snapshot!(bakery.run(&yes), @r#"
    {"executed":false,"reason":"duplicate","previous":{"result":{"id":"P-1001","items":[{"producto":"cafe","nombre":"Café","cantidad":2,"precio":3500,"subtotal":7000}],"total":7000,"estado":"confirmado"},"secondsAgo":N}}
    exit 1
    "#);
    assert_eq!(bakery.orders(), ["P-1001 terminal:local confirmado 7000"]);
}

#[test]
fn every_violation_is_told_at_once() {
    let bakery = TestEnvironment::bakery();
    let arguments = r#"{"items":[{"producto":"te","cantidad":0,"regalo":true},{}],"chat":"x"}"#;
    let call = ["call", "agent.yaml", "crear_pedido", "--yes", "--args", arguments];
    insta::assert_snapshot!(bakery.run(&call), @r#"
    {"error":"invalid_arguments","violations":[{"path":"/items/0/producto","expected":"one of \"almojabana\", \"bunuelo\", \"cafe\", \"croissant\", \"pan_de_bono\", \"torta_de_chocolate\"","got":"te"},{"path":"/items/0/cantidad","expected":"minimum 1","got":0},{"path":"/items/0/regalo","expected":"no property \"regalo\"","got":true},{"path":"/items/1/producto","expected":"required property \"producto\"","got":null},{"path":"/items/1/cantidad","expected":"required property \"cantidad\"","got":null},{"path":"/chat","expected":"no property \"chat\"","got":"x"}]}
    exit 1
    "#);
}

#[test]
fn items_are_one_to_fifty_whole_numbers_of_known_products() {
    let bakery = TestEnvironment::bakery();
    let cases: &[(&str, i32, &str)] = &[
        (r#"{"items":[{"producto":"cafe","cantidad":1}]}"#, 0, "the least"),
        (r#"{"items":[{"producto":"cafe","cantidad":50}]}"#, 0, "the most"),
        (r#"{"items":[{"producto":"cafe","cantidad":2.0}]}"#, 0, "whole all the same"),
        (r#"{"items":[{"producto":"cafe","cantidad":"2"}]}"#, 0, "exactly a number in quotes"),
        (r#"{"items":[{"producto":"cafe","cantidad":0}]}"#, 1, "none"),
        (r#"{"items":[{"producto":"cafe","cantidad":51}]}"#, 1, "one too many"),
        (r#"{"items":[{"producto":"cafe","cantidad":-1}]}"#, 1, "less than none"),
        (r#"{"items":[{"producto":"cafe","cantidad":1.5}]}"#, 1, "a half"),
        (r#"{"items":[{"producto":"cafe","cantidad":null}]}"#, 1, "null"),
        (r#"{"items":[{"producto":"Café","cantidad":1}]}"#, 1, "the word, not the key"),
        (r#"{"items":[{"producto":"cafe"}]}"#, 1, "no amount"),
        (r#"{"items":[{"producto":"cafe","cantidad":1,"precio":1}]}"#, 1, "a price of one's own"),
        (r#"{"items":[{"producto":"cafe","cantidad":1,"cantidad":2}]}"#, 1, "a key twice"),
        (r#"{"items":[]}"#, 1, "nothing ordered"),
        (r#"{"items":[{"producto":"cafe","cantidad":1}],"total":1}"#, 1, "a total of one's own"),
        ("{}", 1, "nothing at all"),
        ("[]", 1, "a list"),
    ];
    for (arguments, code, why) in cases {
        let ran = bakery.run(&["call", "agent.yaml", "cotizar_pedido", "--args", arguments]);
        assert_eq!(ran.code, Some(*code), "{why}: {arguments}\n{ran}");
    }
}

#[test]
fn a_tool_that_says_no_fails_with_what_it_said() {
    let bakery = TestEnvironment::bakery();
    let call = ["call", "agent.yaml", "cancelar_pedido", "--yes", "--args", r#"{"id":"P-9"}"#];
    insta::assert_snapshot!(bakery.run(&call), @r#"
    {"error":"No encuentro el pedido P-9. Mira tus pedidos para ver el id."}
    exit 1
    "#);
}

#[test]
fn what_is_written_wrong_is_a_matter_of_usage() {
    let bakery = TestEnvironment::bakery();
    insta::assert_snapshot!(bakery.run(&["call", "agent.yaml", "crear_pedidos"]), @r#"
    {"error":"unknown_tool","name":"crear_pedidos","did_you_mean":["crear_pedido","cancelar_pedido","cotizar_pedido"]}
    ! error: there is no such tool
    !   help: list them: manos tools FILE
    exit 2
    "#);
    insta::assert_snapshot!(bakery.run(&["call", "agent.yaml", "ver_menu", "--args", "{"]), @r#"
    ! error: --args is not JSON: EOF while parsing an object at line 1 column 1
    !   help: quote it for your shell: --args '{"key": "value"}'
    exit 2
    "#);
    let missing = bakery.run(&["call", "agent.yaml"]);
    assert_eq!(missing.code, Some(2), "{missing}");
}

#[test]
fn a_call_has_a_chat_of_its_own_when_it_has_an_id() {
    let bakery = TestEnvironment::bakery();
    let call = ["call", "agent.yaml", "crear_pedido", "--yes", "--args", TWO_COFFEES];
    bakery.run(&[&call[..], &["--call-id", "987"]].concat());
    bakery.run(&[&call[..], &["--user", "ana"]].concat());
    let made = ["P-1001 call:987 confirmado 7000", "P-1002 terminal:ana confirmado 7000"];
    assert_eq!(bakery.orders(), made);
}

#[test]
fn a_call_does_not_slip_past_an_open_question() {
    let bakery = TestEnvironment::bakery();
    bakery.chat(&["2 café"]);
    insta::assert_snapshot!(bakery.run(&["call", "agent.yaml", "ver_menu"]), @r"
    ! error: terminal:local is asked something until TIME
    !   help: answer it in manos chat, clear it with manos reset, or call for another --user
    exit 1
    ");
}

/// One tool that only reads and one that changes something; both say when they have begun.
const SLOW: &str = r#"
name: lento
language: en
tools:
  - name: look
    description: Looks.
    read_only: true
    command: [/bin/sh, -c, "echo 1 > begun; sleep 20; echo 1"]
  - name: send
    description: Sends.
    confirm: false
    command: [/bin/sh, -c, "echo 1 > begun; sleep 1; touch sent; echo 1"]
"#;

#[test]
fn a_signal_stops_what_reads_and_lets_an_effect_end() {
    for (tool, signal, code) in [("look", "INT", 130), ("look", "TERM", 143), ("send", "INT", 130)]
    {
        let folder = TestEnvironment::empty();
        folder.write("agent.yaml", SLOW);
        let pipe = Command::new("mkfifo").arg(folder.path("begun")).status();
        assert!(pipe.unwrap().success());
        let child = folder.spawn(&["call", "agent.yaml", tool]);
        // Read to its end when the tool has written to it, and not before.
        fs::read(folder.path("begun")).unwrap();
        let began = Instant::now();
        let kill = Command::new("kill").args(["-s", signal, &child.id().to_string()]).status();
        assert!(kill.unwrap().success());
        let ran = finish(child, b"");
        assert_eq!(ran.code, Some(code), "{tool} {signal}: {ran}");
        assert!(ran.stderr.contains("the call was stopped"), "{ran}");
        assert!(began.elapsed() < Duration::from_secs(15), "{tool} was waited for");
        let runs = folder.run(&["runs", "agent.yaml"]).stdout;
        assert_eq!(folder.path("sent").exists(), tool == "send", "an effect goes on to its end");
        assert_eq!(runs.contains("done   send"), tool == "send", "{runs}");
    }
}

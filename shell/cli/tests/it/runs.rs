//! `manos runs` and `manos reset`.

use crate::environment::TestEnvironment;

/// A tool that begins something and never comes back in time.
const SLOW: &str = r#"
name: lento
language: en
tools:
  - name: send
    title: Send
    description: Sends.
    confirm: true
    timeout: 200ms
    command: [/bin/sh, -c, "sleep 5"]
rules:
  - when: { equals: send }
    then: { tool: send, reply: Sent. }
"#;

#[test]
fn runs_that_were_done_are_listed() {
    let bakery = TestEnvironment::bakery();
    bakery.chat(&["2 café", "sí"]);
    insta::assert_snapshot!(bakery.run(&["runs", "agent.yaml"]), @r#"
    RUN                               AT                        STATE  TOOL          CHAT            ARGUMENTS                                     RESULT
    ID  TIME  done   crear_pedido  terminal:local  {"items":[{"cantidad":2,"producto":"cafe"}]}  {"id":"P-1001","items":[{"producto":"cafe","nombre":"Café","cantidad":2,"precio":3500,"subtotal":7000}],"total":7000,"estado":"confirmado"}
    "#);
    insta::assert_snapshot!(bakery.run(&["runs", "agent.yaml", "--unknown"]), @"RUN  AT  STATE  TOOL  CHAT  ARGUMENTS  RESULT");
}

#[test]
fn a_run_whose_end_is_unknown_is_settled_by_hand() {
    let folder = TestEnvironment::empty();
    folder.write("agent.yaml", SLOW);
    insta::assert_snapshot!(folder.chat(&["send", "yes", "send", "no"]), @r"
    I am going to: Send
    Do you confirm? (yes/no)
    “Send” did not answer in time.
    Careful: “Send” may already have been done a moment ago; I could not find out. If you confirm, it might be done again.
    I am going to: Send
    Do you confirm? (yes/no)
    All right, I did not do “Send”.
    ");
    let listed = folder.run(&["runs", "agent.yaml", "--unknown"]);
    insta::assert_snapshot!(listed, @r#"
    RUN                               AT                        STATE    TOOL  CHAT            ARGUMENTS  RESULT
    ID  TIME  unknown  send  terminal:local  {}         {"error":"timeout","after_ms":200}
    "#);
    let row = listed.stdout.lines().nth(1).unwrap();
    let run = row.split_whitespace().next().unwrap();
    let settle = ["runs", "agent.yaml", "--settle", run];
    let perhaps = folder.run(&[&settle[..], &["perhaps"]].concat());
    insta::assert_snapshot!(perhaps, @r"
    ! error: a run is done or not-done, not perhaps
    exit 2
    ");
    insta::assert_snapshot!(folder.run(&[&settle[..], &["not-done"]].concat()), @"run ID of terminal:local stands as not done");
    insta::assert_snapshot!(folder.run(&[&settle[..], &["done"]].concat()), @r"
    ! error: run ID stands as not-done already
    !   help: only unknown runs are settled: manos runs FILE --unknown
    exit 1
    ");
    insta::assert_snapshot!(folder.chat(&["send", "no"]), @r"
    I am going to: Send
    Do you confirm? (yes/no)
    All right, I did not do “Send”.
    ");
}

#[test]
fn a_run_that_is_not_there_is_said_to_be_so() {
    let bakery = TestEnvironment::bakery();
    bakery.chat(&["hola"]);
    insta::assert_snapshot!(bakery.run(&["runs", "agent.yaml", "--settle", "zzz", "done"]), @r"
    ! error: there is no run zzz
    !   help: list them: manos runs FILE --unknown
    exit 1
    ");
}

#[test]
fn a_reset_clears_the_chat_and_keeps_ledger_and_trail() {
    let bakery = TestEnvironment::bakery();
    bakery.chat(&["2 café", "sí", "3 café"]);
    insta::assert_snapshot!(bakery.run(&["reset", "agent.yaml", "terminal:local"]), @"terminal:local is cleared; its ledger and audit trail stay");
    insta::assert_snapshot!(bakery.chat(&["sí", "2 café"]), @r"
    No te entendí. Escribe «ayuda» para ver lo que puedo hacer.
    «Crear pedido» ya se hizo hace un momento; no lo repetí.
    ");
    assert!(bakery.event_types().contains(&"confirm.cancelled".to_owned()));
    insta::assert_snapshot!(bakery.run(&["reset", "agent.yaml", "terminal:nobody"]), @r"
    ! error: there is no chat terminal:nobody
    !   help: list them: manos chats FILE
    exit 1
    ");
}

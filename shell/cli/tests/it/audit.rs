//! `manos audit` and `manos chats`: the trail as lines, as JSON, and one turn as a page.

use std::io::{BufRead as _, BufReader};

use crate::environment::{TestEnvironment, masked};

#[test]
fn the_trail_is_a_line_for_each_event() {
    let bakery = TestEnvironment::bakery();
    bakery.chat(&["2 café", "sí"]);
    insta::assert_snapshot!(bakery.run(&["audit", "agent.yaml"]), @r#"
     1  TIME  config.loaded       sha256=DIGEST…  [agent:espiga]
     2  TIME  message.received    user=terminal:local  text=2 café  [terminal:local]
     3  TIME  rule.matched        rule=7  [terminal:local]
     4  TIME  turn.started        user=terminal:local  [terminal:local ID]
     5  TIME  tool.requested      crear_pedido  arguments={"items":[{"cantidad":2,"producto":"cafe"}]}  [terminal:local ID]
     6  TIME  tool.started        cotizar_pedido  arguments={"items":[{"cantidad":2,"producto":"cafe"}]}  for=confirm  [terminal:local ID]
     7  TIME  tool.succeeded      cotizar_pedido  for=confirm  result={"items":[{"producto":"cafe","nombre":"Café","cantidad":2,"p…  [terminal:local ID]
     8  TIME  confirm.asked       crear_pedido  confirmation_id=c_ID  asked_of=terminal:local  text=Voy a: Crear pedido⏎• 2 × Café: $7.000⏎Total: $7.000⏎¿Confir…  arguments={"items":[{"cantidad":2,"producto":"cafe"}]}  [terminal:local ID]
     9  TIME  reply.sent          output=confirm  confirmation_id=c_ID  [terminal:local ID]
    10  TIME  confirm.shown       crear_pedido  confirmation_id=c_ID  asked_of=terminal:local  deadline=TIME  [terminal:local ID]
    11  TIME  message.received    user=terminal:local  text=sí  [terminal:local]
    12  TIME  confirm.approved    crear_pedido  confirmation_id=c_ID  asked_of=terminal:local  by=terminal:local  via=text  words=sí  [terminal:local ID]
    13  TIME  tool.started        cotizar_pedido  arguments={"items":[{"cantidad":2,"producto":"cafe"}]}  for=confirm  [terminal:local ID]
    14  TIME  tool.succeeded      cotizar_pedido  for=confirm  result={"items":[{"producto":"cafe","nombre":"Café","cantidad":2,"p…  [terminal:local ID]
    15  TIME  tool.started        crear_pedido  arguments={"items":[{"cantidad":2,"producto":"cafe"}]}  confirmation_id=c_ID  approved_by=terminal:local  [terminal:local ID]
    16  TIME  tool.succeeded      crear_pedido  result={"id":"P-1001","items":[{"producto":"cafe","nombre":"Café","…  [terminal:local ID]
    17  TIME  turn.finished       steps=0  [terminal:local ID]
    18  TIME  reply.sent          output=reply  text=Listo, tu pedido es el P-1001. Total: $7.000.  [terminal:local ID]
    "#);
}

#[test]
fn what_people_wrote_is_shown_and_not_obeyed() {
    let bakery = TestEnvironment::bakery();
    bakery.chat(&["\u{1b}[31mred\u{202e} a     b"]);
    let ran = bakery.run(&["audit", "agent.yaml"]);
    let line = ran.stdout.lines().nth(1).unwrap();
    insta::assert_snapshot!(masked(line), @r#"     2  TIME  message.received    user=terminal:local  text=\u{1b}[31mred\u{202e} a␣×5b  [terminal:local]"#);
}

#[test]
fn events_in_json_are_gap_free_and_in_order() {
    let bakery = TestEnvironment::bakery();
    bakery.chat(&["2 café", "sí"]);
    bakery.chat_as(&["--user", "ana"], &["menú"]);
    let events = bakery.events();
    let ids: Vec<u64> = events.iter().map(|event| event["id"].as_u64().unwrap()).collect();
    assert!(ids.is_sorted_by(|a, b| a < b), "{ids:?}");
    for chat in ["terminal:local", "terminal:ana"] {
        let own = events.iter().filter(|event| event["chat_key"] == chat);
        let numbers: Vec<u64> = own.map(|event| event["seq"].as_u64().unwrap()).collect();
        let first = numbers[0];
        let expected: Vec<u64> = (first..).take(numbers.len()).collect();
        assert_eq!(numbers, expected, "{chat}");
        let ran = bakery.run(&["audit", "agent.yaml", "--chat", chat, "--json"]);
        assert_eq!(ran.stdout.lines().count(), numbers.len(), "{chat}");
    }
}

#[test]
fn a_turn_is_a_page_from_message_to_reply() {
    let bakery = TestEnvironment::scripted(
        r#"
- when: { user: "." }
  call: [{ tool: cotizar_pedido, args: { items: [{ producto: cafe, cantidad: 1 }] } }]
- when: { result: "total" }
  say: "{{ result.total }}"
"#,
    );
    bakery.chat(&["cuánto vale un café"]);
    let turn = bakery.turn_of("turn.finished");
    let ran = bakery.run(&["audit", "agent.yaml", "--turn", &turn]);
    for expected in
        ["message.received", "cuánto vale un café", "model.called", "model.replied", "reply.sent"]
    {
        assert!(ran.stdout.contains(expected), "{expected}:\n{ran}");
    }
    let json = bakery.run(&["audit", "agent.yaml", "--turn", &turn, "--json"]);
    assert!(json.stdout.lines().all(|line| line.contains(&turn)), "{json}");
}

#[test]
fn the_page_of_a_turn_on_rules() {
    let bakery = TestEnvironment::bakery();
    bakery.chat(&["2 café", "sí"]);
    let turn = bakery.turn_of("confirm.approved");
    insta::assert_snapshot!(bakery.run(&["audit", "agent.yaml", "--turn", &turn]), @r#"
    turn ID
    chat terminal:local, agent espiga

    TIME  message.received
        user: terminal:local
        text: 2 café

    TIME  turn.started
        user: terminal:local

    TIME  tool.requested  crear_pedido
        arguments: {"items":[{"cantidad":2,"producto":"cafe"}]}

    TIME  tool.started  cotizar_pedido
        digest: DIGEST
        arguments: {"items":[{"cantidad":2,"producto":"cafe"}]}
        for: confirm

    TIME  tool.succeeded  cotizar_pedido  N ms
        for: confirm
        result: {"items":[{"producto":"cafe","nombre":"Café","cantidad":2,"precio":3500,"subtotal":7000}],"total":7000}

    TIME  confirm.asked  crear_pedido
        confirmation_id: c_ID
        digest: DIGEST
        asked_of: terminal:local
        text:
          Voy a: Crear pedido
          • 2 × Café: $7.000
          Total: $7.000
          ¿Confirmas? (sí/no)
        arguments: {"items":[{"cantidad":2,"producto":"cafe"}]}

    TIME  reply.sent
        delivery_id: ID
        output: confirm
        confirmation_id: c_ID

    TIME  confirm.shown  crear_pedido
        confirmation_id: c_ID
        digest: DIGEST
        asked_of: terminal:local
        deadline: TIME

    TIME  confirm.approved  crear_pedido
        confirmation_id: c_ID
        digest: DIGEST
        asked_of: terminal:local
        by: terminal:local
        via: text
        words: sí

    TIME  tool.started  cotizar_pedido
        digest: DIGEST
        arguments: {"items":[{"cantidad":2,"producto":"cafe"}]}
        for: confirm

    TIME  tool.succeeded  cotizar_pedido  N ms
        for: confirm
        result: {"items":[{"producto":"cafe","nombre":"Café","cantidad":2,"precio":3500,"subtotal":7000}],"total":7000}

    TIME  tool.started  crear_pedido
        digest: DIGEST
        arguments: {"items":[{"cantidad":2,"producto":"cafe"}]}
        confirmation_id: c_ID
        approved_by: terminal:local

    TIME  tool.succeeded  crear_pedido  N ms
        result: {"id":"P-1001","items":[{"producto":"cafe","nombre":"Café","cantidad":2,"precio":3500,"subtotal":7000}],"total":7000,"estado":"confirmado"}

    TIME  turn.finished  N ms
        steps: 0

    TIME  reply.sent
        delivery_id: ID
        output: reply
        text: Listo, tu pedido es el P-1001. Total: $7.000.
    "#);
}

#[test]
fn what_is_not_there_is_said_to_be_so() {
    let bakery = TestEnvironment::bakery();
    insta::assert_snapshot!(bakery.run(&["audit", "agent.yaml"]), @r"
    ! error: nothing is kept yet: there is no file espiga.db
    !   help: talk to the agent first: manos chat FILE
    exit 1
    ");
    bakery.chat(&["hola"]);
    insta::assert_snapshot!(bakery.run(&["audit", "agent.yaml", "--turn", "zzz"]), @r"
    ! error: there is no turn zzz
    !   help: find turns in the trail: manos audit FILE
    exit 1
    ");
    insta::assert_snapshot!(bakery.run(&["audit", "agent.yaml", "--chat", "zzz"]), @"! there is nothing of chat zzz; list chats: manos chats FILE");
    bakery.edit("agent.yaml", "store: sqlite:espiga.db", "store: memory");
    insta::assert_snapshot!(bakery.run(&["audit", "agent.yaml"]), @r"
    ! error: `store: memory` forgets everything when the agent stops
    !   help: give the file a store that stays: `store: sqlite:NAME.db`
    exit 1
    ");
}

#[test]
fn follow_prints_events_as_they_come() {
    let bakery = TestEnvironment::bakery();
    bakery.chat(&["hola"]);
    let mut follower = bakery.spawn(&["audit", "agent.yaml", "--follow", "--json"]);
    let mut lines = BufReader::new(follower.stdout.take().unwrap()).lines();
    let mut until = |wanted: &str| lines.by_ref().map(Result::unwrap).find(|l| l.contains(wanted));
    assert!(until("\"reply.sent\"").is_some());
    bakery.chat(&["menú"]);
    assert!(until("ver_menu").is_some());
    follower.kill().unwrap();
    follower.wait().unwrap();
}

#[test]
fn chats_are_listed_while_one_is_open() {
    let bakery = TestEnvironment::bakery();
    bakery.chat(&["hola"]);
    bakery.chat_as(&["--user", "ana"], &["2 café"]);
    insta::assert_snapshot!(bakery.run(&["chats", "agent.yaml"]), @r"
    CHAT            LAST                      COMMITS  STATE
    terminal:ana    TIME  3        open
    terminal:local  TIME  2        idle
    ");
}

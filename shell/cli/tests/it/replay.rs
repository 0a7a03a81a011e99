//! `manos replay`: the same effects, or the first difference.

use crate::environment::TestEnvironment;

#[test]
fn a_turn_played_again_has_the_same_effects_and_touches_nothing() {
    let bakery = TestEnvironment::bakery();
    bakery.chat(&["2 café", "sí"]);
    let turn = bakery.turn_of("confirm.approved");
    insta::assert_snapshot!(bakery.run(&["replay", "agent.yaml", &turn]), @"the same effects: 17 audit events are equal");
    assert_eq!(bakery.orders(), ["P-1001 terminal:local confirmado 7000"]);
}

#[test]
fn every_turn_of_a_long_talk_plays_again() {
    let bakery = TestEnvironment::bakery();
    bakery.chat(&["hola", "2 café", "sí pero 3", "3 café", "no", "1 café", "/reset", "1 café"]);
    bakery.chat(&["sí", "1 café", "cancelar P-1001", "cancela", "cancelar P-1001", "dale"]);
    let mut turns: Vec<String> = bakery
        .events()
        .iter()
        .filter_map(|event| event["turn_id"].as_str().map(str::to_owned))
        .collect();
    turns.sort();
    turns.dedup();
    assert!(turns.len() > 8, "{turns:?}");
    for turn in turns {
        let ran = bakery.run(&["replay", "agent.yaml", &turn]);
        assert_eq!(ran.code, Some(0), "{turn}\n{ran}");
    }
}

#[test]
fn a_turn_of_a_model_plays_again_without_the_model() {
    let bakery = TestEnvironment::scripted(
        r#"
- when: { user: "." }
  call: [{ tool: crear_pedido, args: { items: [{ producto: cafe, cantidad: 1 }] } }]
- when: { result: "." }
  say: Listo.
"#,
    );
    bakery.chat(&["un café", "sí"]);
    bakery.write("script.yaml", "- say: Otra cosa.\n");
    let turn = bakery.turn_of("confirm.approved");
    let ran = bakery.run(&["replay", "agent.yaml", &turn]);
    assert_eq!(ran.code, Some(0), "{ran}");
}

#[test]
fn a_file_that_changed_shows_the_first_difference() {
    let bakery = TestEnvironment::bakery();
    bakery.chat(&["2 café", "sí"]);
    let turn = bakery.turn_of("confirm.approved");
    bakery.edit("agent.yaml", "title: Crear pedido", "title: Pedir");
    insta::assert_snapshot!(bakery.run(&["replay", "agent.yaml", &turn]), @r#"
    the first difference:
      stored:   {"seq":7,"at":"TIME","type":"confirm.asked","agent":"espiga","chat_key":"terminal:local","turn_id":"ID","step":null,"tool":"crear_pedido","call_id":"ID","confirmation_id":"c_ID","digest":"DIGEST","asked_of":"terminal:local","text":"Voy a: Crear pedido\n• 2 × Café: $7.000\nTotal: $7.000\n¿Confirmas? (sí/no)","arguments":{"items":[{"cantidad":2,"producto":"cafe"}]}}
      replayed: {"seq":7,"at":"TIME","type":"confirm.asked","agent":"espiga","chat_key":"terminal:local","turn_id":"ID","step":null,"tool":"crear_pedido","call_id":"ID","confirmation_id":"c_ID","digest":"DIGEST","asked_of":"terminal:local","text":"Voy a: Pedir\n• 2 × Café: $7.000\nTotal: $7.000\n¿Confirmas? (sí/no)","arguments":{"items":[{"cantidad":2,"producto":"cafe"}]}}
    exit 1
    "#);
}

#[test]
fn a_turn_that_is_not_there_is_said_to_be_so() {
    let bakery = TestEnvironment::bakery();
    bakery.chat(&["hola"]);
    insta::assert_snapshot!(bakery.run(&["replay", "agent.yaml", "zzz"]), @r"
    ! error: there is no turn zzz
    !   help: find turns in the trail: manos audit FILE
    exit 1
    ");
}

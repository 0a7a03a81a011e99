//! A model, played by a script, drives the bakery.

use crate::environment::TestEnvironment;

/// Orders two coffees when asked for a pedido, and reads the result out.
const ORDERS: &str = r#"
- when: { user: "(?i)pedido" }
  call: [{ tool: crear_pedido, args: { items: [{ producto: cafe, cantidad: 2 }] } }]
- when: { result: "duplicate" }
  say: Ya lo tienes.
- when: { result: "confirmado" }
  say: "Listo, {{ result.id }} por {{ result.total }}."
- when: { result: "rejected" }
  say: Entendido, no lo hago.
- when: { result: "user_replied" }
  say: "Dijiste: {{ result.userReply }}"
- when: { user: "." }
  say: Hola.
"#;

#[test]
fn a_model_orders_and_the_person_says_yes() {
    let bakery = TestEnvironment::scripted(ORDERS);
    insta::assert_snapshot!(bakery.chat(&["hola", "un pedido", "sí"]), @r"
    Hola.
    Voy a: Crear pedido
    • 2 × Café: $7.000
    Total: $7.000
    ¿Confirmas? (sí/no)
    Listo, P-1001 por 7000.
    ");
    assert_eq!(bakery.orders(), ["P-1001 terminal:local confirmado 7000"]);
}

#[test]
fn a_no_and_something_else_are_told_apart_for_the_model() {
    let bakery = TestEnvironment::scripted(ORDERS);
    insta::assert_snapshot!(bakery.chat(&["un pedido", "no", "otro pedido", "sí pero 3"]), @r"
    Voy a: Crear pedido
    • 2 × Café: $7.000
    Total: $7.000
    ¿Confirmas? (sí/no)
    Entendido, no lo hago.
    Voy a: Crear pedido
    • 2 × Café: $7.000
    Total: $7.000
    ¿Confirmas? (sí/no)
    Dijiste: sí pero 3
    ");
    assert_eq!(bakery.orders(), [] as [&str; 0]);
}

#[test]
fn a_model_that_orders_the_same_twice_hears_that_it_is_done() {
    let bakery = TestEnvironment::scripted(ORDERS);
    insta::assert_snapshot!(bakery.chat(&["un pedido", "sí", "el pedido"]), @r"
    Voy a: Crear pedido
    • 2 × Café: $7.000
    Total: $7.000
    ¿Confirmas? (sí/no)
    Listo, P-1001 por 7000.
    Ya lo tienes.
    ");
    assert_eq!(bakery.orders(), ["P-1001 terminal:local confirmado 7000"]);
}

#[test]
fn an_invented_product_goes_back_to_the_model_and_nobody_is_asked() {
    let bakery = TestEnvironment::scripted(
        r#"
- when: { user: "." }
  call: [{ tool: crear_pedido, args: { items: [{ producto: te, cantidad: 2 }] } }]
- when: { result: "invalid_arguments" }
  say: "No tenemos eso: {{ result.violations[0].path }}."
"#,
    );
    insta::assert_snapshot!(bakery.chat(&["2 tés"]), @"No tenemos eso: /items/0/producto.");
    assert!(bakery.event_types().contains(&"tool.invalid".to_owned()));
    assert!(!bakery.event_types().contains(&"confirm.asked".to_owned()));
}

#[test]
fn an_unknown_tool_goes_back_with_near_names() {
    let bakery = TestEnvironment::scripted(
        r#"
- when: { user: "." }
  call: [{ tool: crear_pedidos, args: {} }]
- when: { result: "unknown_tool" }
  say: "¿{{ result.did_you_mean[0] }}?"
"#,
    );
    insta::assert_snapshot!(bakery.chat(&["pide"]), @"¿crear_pedido?");
}

#[test]
fn a_reply_cut_short_runs_none_of_its_calls() {
    let bakery = TestEnvironment::scripted(
        r#"
- when: { user: "." }
  call: [{ tool: cotizar_pedido, args_text: '{"items":[{"producto":"cafe","cant' }]
  finish: length
  once: true
- say: Perdona, otra vez.
"#,
    );
    insta::assert_snapshot!(bakery.chat(&["cotiza"]), @"Perdona, otra vez.");
    assert!(bakery.event_types().contains(&"loop.truncated".to_owned()));
    assert!(!bakery.event_types().contains(&"tool.started".to_owned()));
}

#[test]
fn broken_arguments_go_back_with_their_place() {
    let bakery = TestEnvironment::scripted(
        r#"
- when: { user: "." }
  call: [{ tool: cotizar_pedido, args_text: '{"items":[{"producto":"cafe",}]}' }]
- when: { result: "error" }
  say: Arguments were broken.
"#,
    );
    insta::assert_snapshot!(bakery.chat(&["cotiza"]), @"Arguments were broken.");
    assert!(!bakery.event_types().contains(&"tool.started".to_owned()));
}

#[test]
fn two_calls_of_a_step_are_handled_in_order() {
    let bakery = TestEnvironment::scripted(
        r#"
- when: { user: "." }
  call:
    - { tool: cotizar_pedido, args: { items: [{ producto: cafe, cantidad: 1 }] } }
    - { tool: crear_pedido, args: { items: [{ producto: cafe, cantidad: 1 }] } }
    - { tool: crear_pedido, args: { items: [{ producto: croissant, cantidad: 1 }] } }
- when: { result: "not_asked" }
  say: No sigo.
- when: { result: "confirmado" }
  say: Los dos están.
"#,
    );
    insta::assert_snapshot!(bakery.chat(&["dos pedidos", "no"]), @r"
    Voy a: Crear pedido
    • 1 × Café: $3.500
    Total: $3.500
    ¿Confirmas? (sí/no)
    No sigo.
    ");
    assert_eq!(bakery.orders(), [] as [&str; 0]);
    insta::assert_snapshot!(bakery.chat(&["dos pedidos", "sí", "sí"]), @r"
    Voy a: Crear pedido
    • 1 × Café: $3.500
    Total: $3.500
    ¿Confirmas? (sí/no)
    Voy a: Crear pedido
    • 1 × Croissant: $5.500
    Total: $5.500
    ¿Confirmas? (sí/no)
    Los dos están.
    ");
    assert_eq!(bakery.orders().len(), 2);
}

#[test]
fn a_model_that_never_ends_is_ended() {
    let bakery =
        TestEnvironment::scripted("- call: [{ tool: ver_menu, args: {} }]\n  say: Voy a mirar.\n");
    insta::assert_snapshot!(bakery.chat(&["menú"]), @"Lo siento, esto necesita más pasos de los que puedo dar de una vez. Dime cómo quieres seguir.");
    let types = bakery.event_types();
    let called = types.iter().filter(|kind| *kind == "model.called").count();
    let started = types.iter().filter(|kind| *kind == "tool.started").count();
    assert_eq!((called, started), (5, 4), "calls of the last step are not run");
    assert!(types.contains(&"loop.max_steps".to_owned()));
}

#[test]
fn text_beside_calls_is_said_only_when_wanted() {
    let script = r#"
- when: { user: "." }
  say: Un momento.
  call: [{ tool: ver_menu, args: {} }]
- when: { result: "." }
  say: "Hay {{ result | length }} cosas."
"#;
    let bakery = TestEnvironment::scripted(script);
    insta::assert_snapshot!(bakery.chat(&["qué hay"]), @"Hay 6 cosas.");
    bakery.edit("agent.yaml", "\nstore:", "\ninterim_text: true\nstore:");
    insta::assert_snapshot!(bakery.chat(&["qué hay"]), @r"
    Un momento.
    Hay 6 cosas.
    ");
}

#[test]
fn a_model_that_fails_is_apologised_for() {
    let bakery = TestEnvironment::scripted("- when: { user: hola }\n  say: Hola.\n");
    insta::assert_snapshot!(bakery.chat(&["adiós", "hola"]), @r#"
    Lo siento, ahora mismo no puedo responder. Inténtalo de nuevo en un momento.
    Hola.
    ! TIME ERROR a turn went wrong chat=terminal:local turn_id="ID" reason="the script has no entry for the message \"adiós\""
    "#);
    assert!(bakery.event_types().contains(&"loop.error".to_owned()));
}

#[test]
fn an_empty_reply_is_tried_again_and_then_apologised_for() {
    let bakery = TestEnvironment::scripted("- say: \"\"\n");
    insta::assert_snapshot!(bakery.chat(&["hola"]), @r#"
    Lo siento, no encontré respuesta. ¿Me lo dices de otra forma?
    ! TIME ERROR a turn went wrong chat=terminal:local turn_id="ID" reason="the model's reply was empty"
    "#);
    let called = bakery.event_types().into_iter().filter(|kind| kind == "model.called").count();
    assert_eq!(called, 2);
}

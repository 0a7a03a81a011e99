//! Answers to a question: no, something else, a press, a reset, too late.

use crate::environment::TestEnvironment;

#[test]
fn a_no_runs_nothing() {
    let bakery = TestEnvironment::bakery();
    insta::assert_snapshot!(bakery.chat(&["2 café", "no, gracias"]), @r"
    Voy a: Crear pedido
    • 2 × Café: $7.000
    Total: $7.000
    ¿Confirmas? (sí/no)
    De acuerdo, no hice «Crear pedido».
    ");
    assert_eq!(bakery.orders(), [] as [&str; 0]);
    assert!(bakery.event_types().contains(&"confirm.rejected".to_owned()));
}

#[test]
fn a_yes_with_changes_runs_nothing_and_is_read_anew() {
    let bakery = TestEnvironment::bakery();
    insta::assert_snapshot!(bakery.chat(&["2 café", "sí pero 3", "sí"]), @r"
    Voy a: Crear pedido
    • 2 × Café: $7.000
    Total: $7.000
    ¿Confirmas? (sí/no)
    No te entendí. Escribe «ayuda» para ver lo que puedo hacer.
    No te entendí. Escribe «ayuda» para ver lo que puedo hacer.
    ");
    assert_eq!(bakery.orders(), [] as [&str; 0]);
}

#[test]
fn another_order_takes_the_place_of_the_one_asked_about() {
    let bakery = TestEnvironment::bakery();
    insta::assert_snapshot!(bakery.chat(&["2 café", "3 café", "sí"]), @r"
    Voy a: Crear pedido
    • 2 × Café: $7.000
    Total: $7.000
    ¿Confirmas? (sí/no)
    Voy a: Crear pedido
    • 3 × Café: $10.500
    Total: $10.500
    ¿Confirmas? (sí/no)
    Listo, tu pedido es el P-1001. Total: $10.500.
    ");
    assert_eq!(bakery.orders(), ["P-1001 terminal:local confirmado 10500"]);
}

#[test]
fn cancela_is_no_clear_answer_when_cancelling_is_what_waits() {
    let bakery = TestEnvironment::bakery();
    bakery.chat(&["2 café", "sí"]);
    let ran = bakery.chat(&["cancelar P-1001", "cancela", "sí"]);
    insta::assert_snapshot!(ran, @r"
    Voy a: Cancelar pedido
    • Pedido: P-1001
    • 2 × Café: $7.000
    Total: $7.000
    ¿Confirmas? (sí/no)
    No te entendí. Escribe «ayuda» para ver lo que puedo hacer.
    No te entendí. Escribe «ayuda» para ver lo que puedo hacer.
    ");
    assert_eq!(bakery.orders(), ["P-1001 terminal:local confirmado 7000"]);
}

#[test]
fn a_reset_takes_the_question_back() {
    let bakery = TestEnvironment::bakery();
    insta::assert_snapshot!(bakery.chat(&["2 café", "/reset", "sí"]), @r"
    Voy a: Crear pedido
    • 2 × Café: $7.000
    Total: $7.000
    ¿Confirmas? (sí/no)
    Conversación reiniciada.
    No te entendí. Escribe «ayuda» para ver lo que puedo hacer.
    ");
    assert_eq!(bakery.orders(), [] as [&str; 0]);
}

#[test]
fn answers_in_a_further_language_are_read_when_asked_for() {
    let bakery = TestEnvironment::bakery();
    let ran = bakery.chat(&["2 café", "jawohl"]);
    assert!(!ran.stdout.contains("Listo"), "{ran}");
    let ran = bakery.chat_as(&["--lang", "de"], &["3 café", "jawohl"]);
    assert!(ran.stdout.contains("Listo, tu pedido es el P-1001."), "{ran}");
    let ran = bakery.chat_as(&["--lang", "xx"], &["3 café"]);
    insta::assert_snapshot!(ran, @r"
    ! error: answers in xx are not understood
    !   help: languages: es, en, pt, fr, it, de, ca, nl, pl, tr, ja, zh, ar
    exit 2
    ");
}

#[test]
fn a_dry_run_asks_and_tells_and_changes_nothing() {
    let bakery = TestEnvironment::bakery();
    let ran = bakery.chat_as(&["--dry-run"], &["cotizar 1 café", "2 café", "sí", "mis pedidos"]);
    insta::assert_snapshot!(ran, @r#"
    • 1 × Café: $3.500
    Total: $3.500
    Voy a: Crear pedido
    • 2 × Café: $7.000
    Total: $7.000
    ¿Confirmas? (sí/no)
    would run crear_pedido {"items":[{"cantidad":2,"producto":"cafe"}]}
    dry run: nothing was done
    Todavía no tienes pedidos.
    "#);
    assert_eq!(bakery.orders(), [] as [&str; 0]);
    assert!(!bakery.path("espiga.db").exists(), "a store was made");
}

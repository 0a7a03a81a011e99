//! Questions that outlive the process that asked them.

use crate::environment::TestEnvironment;

#[test]
fn a_question_open_at_the_end_of_input_is_asked_again_and_answered_by_the_first_line() {
    let bakery = TestEnvironment::bakery();
    insta::assert_snapshot!(bakery.chat(&["2 café"]), @r"
    Voy a: Crear pedido
    • 2 × Café: $7.000
    Total: $7.000
    ¿Confirmas? (sí/no)
    ! Hay una confirmación pendiente hasta las TIME: Crear pedido
    ");
    insta::assert_snapshot!(bakery.chat(&[]), @r"
    Voy a: Crear pedido
    • 2 × Café: $7.000
    Total: $7.000
    ¿Confirmas? (sí/no)
    ! Hay una confirmación pendiente hasta las TIME: Crear pedido
    ");
    insta::assert_snapshot!(bakery.chat(&["sí", "mis pedidos"]), @r"
    Voy a: Crear pedido
    • 2 × Café: $7.000
    Total: $7.000
    ¿Confirmas? (sí/no)
    Listo, tu pedido es el P-1001. Total: $7.000.
    P-1001 (confirmado): 2 × Café. Total: $7.000
    ");
    assert_eq!(bakery.orders(), ["P-1001 terminal:local confirmado 7000"]);
}

#[test]
fn a_yes_to_a_question_that_has_expired_runs_nothing() {
    let bakery = TestEnvironment::bakery();
    bakery.edit("agent.yaml", "\nrules:", "\nconfirm: { timeout: 1ms }\n\nrules:");
    bakery.chat(&["2 café"]);
    insta::assert_snapshot!(bakery.chat(&["sí"]), @"No te entendí. Escribe «ayuda» para ver lo que puedo hacer.");
    assert_eq!(bakery.orders(), [] as [&str; 0]);
    assert!(bakery.event_types().contains(&"confirm.expired".to_owned()));
}

#[test]
fn the_price_is_looked_up_again_after_the_yes() {
    let bakery = TestEnvironment::bakery();
    bakery.chat(&["2 café"]);
    let db = rusqlite::Connection::open(bakery.path("shop.db")).unwrap();
    db.execute("update menu set precio = 4000 where clave = 'cafe'", []).unwrap();
    drop(db);
    insta::assert_snapshot!(bakery.chat(&["sí", "sí"]), @r"
    Voy a: Crear pedido
    • 2 × Café: $7.000
    Total: $7.000
    ¿Confirmas? (sí/no)
    Voy a: Crear pedido
    • 2 × Café: $8.000
    Total: $8.000
    ¿Confirmas? (sí/no)
    Listo, tu pedido es el P-1001. Total: $8.000.
    ");
    assert_eq!(bakery.orders(), ["P-1001 terminal:local confirmado 8000"]);
}

#[test]
fn a_file_that_changed_meanwhile_makes_the_yes_void() {
    let bakery = TestEnvironment::bakery();
    bakery.chat(&["2 café"]);
    bakery.edit("agent.yaml", "title: Crear pedido", "title: Pedir");
    insta::assert_snapshot!(bakery.chat(&["sí"]), @r"
    Voy a: Crear pedido
    • 2 × Café: $7.000
    Total: $7.000
    ¿Confirmas? (sí/no)
    Los datos de «Pedir» cambiaron mientras confirmabas, así que no lo hice. Pídelo otra vez.
    ");
    assert_eq!(bakery.orders(), [] as [&str; 0]);
}

#[test]
fn two_users_have_chats_and_questions_of_their_own() {
    let bakery = TestEnvironment::bakery();
    bakery.chat_as(&["--user", "ana"], &["2 café"]);
    let ran = bakery.chat_as(&["--user", "luis"], &["sí", "mis pedidos"]);
    insta::assert_snapshot!(ran, @r"
    No te entendí. Escribe «ayuda» para ver lo que puedo hacer.
    Todavía no tienes pedidos.
    ");
    bakery.chat_as(&["--user", "ana"], &["sí"]);
    assert_eq!(bakery.orders(), ["P-1001 terminal:ana confirmado 7000"]);
}

#[test]
fn somebody_else_in_the_same_chat_does_not_answer_for_the_asker() {
    let bakery = TestEnvironment::bakery();
    let group = ["--chat", "terminal:mesa", "--user"];
    bakery.chat_as(&[&group[..], &["ana"]].concat(), &["2 café"]);
    bakery.chat_as(&[&group[..], &["luis"]].concat(), &["sí"]);
    assert_eq!(bakery.orders(), [] as [&str; 0]);
    bakery.chat_as(&[&group[..], &["ana"]].concat(), &["sí"]);
    assert_eq!(bakery.orders(), ["P-1001 terminal:mesa confirmado 7000"]);
}

#[test]
fn a_question_drawn_with_buttons_is_asked_again_in_writing() {
    let bakery = TestEnvironment::bakery();
    bakery.chat_as(&["--json"], &["2 café"]);
    insta::assert_snapshot!(bakery.chat(&["sí"]), @r"
    Voy a: Crear pedido
    • 2 × Café: $7.000
    Total: $7.000
    ¿Confirmas? (sí/no)
    Listo, tu pedido es el P-1001. Total: $7.000.
    ");
    bakery.chat(&["3 café"]);
    let again = bakery.chat_as(&["--json"], &[]).stdout;
    assert!(again.contains(r"\n¿Confirmas?"), "{again}");
    assert!(!again.contains("(sí/no)"), "{again}");
}

#[test]
fn a_chat_that_was_reset_is_not_open() {
    let bakery = TestEnvironment::bakery();
    bakery.chat_as(&["--json"], &["2 café"]);
    assert!(bakery.run(&["chats", "agent.yaml"]).stdout.contains(" open"));
    bakery.run(&["reset", "agent.yaml", "terminal:local"]);
    assert!(bakery.run(&["chats", "agent.yaml"]).stdout.contains(" unsent"));
    bakery.chat_as(&["--json"], &[]);
    assert!(bakery.run(&["chats", "agent.yaml"]).stdout.contains(" idle"));
}

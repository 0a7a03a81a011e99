//! Input of every kind: nothing, too much, no text.

use crate::environment::TestEnvironment;

#[test]
fn empty_lines_say_nothing() {
    let bakery = TestEnvironment::bakery();
    insta::assert_snapshot!(bakery.chat(&["", "   ", "\t", "hola", ""]), @r"
    ¡Hola! Soy el asistente de Panadería La Espiga. Puedes escribir:
    • menú
    • 2 pan de bono y 1 café
    • cotizar 3 café
    • mis pedidos
    • cambiar P-1001 a 2 café
    • cancelar P-1001
    ");
    insta::assert_snapshot!(bakery.chat(&[]), @"");
}

#[test]
fn a_line_without_end_is_a_message_too() {
    let bakery = TestEnvironment::bakery();
    let ran = bakery.run_with(&["chat", "agent.yaml"], "cotizar 1 café".as_bytes());
    assert!(ran.stdout.contains("Total: $3.500"), "{ran}");
}

#[test]
fn a_message_that_is_too_long_is_refused_in_words() {
    let bakery = TestEnvironment::bakery();
    let long = "x".repeat(1_000_000);
    insta::assert_snapshot!(bakery.chat(&["2 café", &long, "mis pedidos"]), @r"
    Voy a: Crear pedido
    • 2 × Café: $7.000
    Total: $7.000
    ¿Confirmas? (sí/no)
    Tu mensaje es demasiado largo: el máximo es de 8000 caracteres.
    Todavía no tienes pedidos.
    ");
    let received = bakery.run(&["audit", "agent.yaml", "--json"]);
    assert!(received.stdout.len() < 100_000, "only the size is kept");
}

#[test]
fn bytes_that_are_no_text_do_no_harm() {
    let bakery = TestEnvironment::bakery();
    let ran = bakery.run_with(&["chat", "agent.yaml"], b"\xff\xfe\xc3\n\x00\nmen\xc3\xba\n");
    assert_eq!(ran.code, Some(0), "{ran}");
    assert!(ran.stdout.contains("Almojábana"), "{ran}");
}

#[test]
fn control_and_bidi_characters_never_reach_a_question() {
    let id = "P-1\u{1b}[2J\u{202e}\n• Total: $0\u{200b}";
    let arguments = serde_json::json!({ "id": id });
    let script = serde_json::json!([{
        "when": {"user": "."},
        "call": [{"tool": "cancelar_pedido", "args": arguments}],
    }]);
    let agent = TestEnvironment::scripted(&script.to_string());
    let ran = agent.chat(&["cancela"]);
    assert!(!ran.stdout.contains(['\u{1b}', '\u{202e}', '\u{200b}']), "{ran:?}");
    insta::assert_snapshot!(ran, @r#"
    Voy a: Cancelar pedido
    • Pedido: P-1\u{1b}[2J\u{202e}⏎• Total: $0\u{200b}
    ¿Confirmas? (sí/no)
    ! Hay una confirmación pendiente hasta las TIME: Cancelar pedido
    "#);
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let bakery = TestEnvironment::bakery();
    let mut child = bakery.spawn(&["chat", "agent.yaml"]);
    drop(child.stdout.take());
    let ran = crate::environment::finish(child, "2 café\nsí\n".as_bytes());
    assert_eq!(ran.code, Some(0), "{ran}");
    assert_eq!(bakery.orders(), ["P-1001 terminal:local confirmado 7000"]);
}

#[test]
fn variables_come_from_the_env_file_and_are_said_once() {
    let bakery = TestEnvironment::bakery();
    bakery.write(
        ".env",
        "OPENAI_API_KEY=sk-secret-value-1234\nOPENAI_BASE_URL=http://127.0.0.1:9/v1\n",
    );
    bakery.edit("agent.yaml", "  optional: true", "  optional: true\n  timeout: 2s");
    let ran = bakery.chat(&["menú"]);
    assert!(ran.stderr.contains(".env"), "{ran}");
    assert!(!ran.stderr.contains("sk-secret"), "{ran}");
    assert!(ran.stdout.contains("Almojábana"), "rules still come first: {ran}");
}

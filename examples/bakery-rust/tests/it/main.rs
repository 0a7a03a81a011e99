//! The example as people run it.

#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use std::io::Write as _;
use std::process::{Command, Stdio};

/// Talks to the example, a message a line, in a folder that has nothing of it.
fn talk(lines: &[&str]) -> String {
    let mut child = Command::new(env!("CARGO_BIN_EXE_bakery-rust"))
        .current_dir(std::env::temp_dir())
        .env_remove("OPENAI_API_KEY")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    for line in lines {
        writeln!(stdin, "{line}").unwrap();
    }
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn an_order_is_made_changed_and_cancelled() {
    let said = talk(&[
        "menú",
        "2 cafés",
        "sí",
        "cambiar P-1001 a 1 torta de chocolate",
        "dale",
        "cancelar P-1001",
        "sí",
        "mis pedidos",
    ]);
    let expected = "\
• Café: $3.500
• Pan de bono: $2.500
• Torta de chocolate: $48.000
Voy a: Crear pedido
• 2 × Café: $7.000
Total: $7.000
¿Confirmas? (sí/no)
Listo, tu pedido es el P-1001. Total: $7.000.
Voy a: Cambiar pedido
• Pedido: P-1001
• 1 × Torta de chocolate: $48.000
Total: $48.000
¿Confirmas? (sí/no)
Listo, el P-1001 quedó en $48.000.
Voy a: Cancelar pedido
• Pedido: P-1001
¿Confirmas? (sí/no)
Listo, cancelé el pedido P-1001.
P-1001 (cancelado): $48.000
";
    assert_eq!(said, expected);
}

#[test]
fn nothing_happens_without_a_clear_yes() {
    let said = talk(&["2 café", "no", "2 café", "sí pero 3", "mis pedidos"]);
    assert!(said.ends_with("Todavía no tienes pedidos.\n"), "{said}");
}

#[test]
fn what_is_not_there_or_cancelled_is_said_to_be_so() {
    let said = talk(&[
        "cancelar P-9",
        "sí",
        "1 café",
        "sí",
        "cancelar P-1001",
        "sí",
        "cancelar P-1001",
        "sí",
    ]);
    assert!(said.contains("\nNo encuentro el pedido P-9.\n"), "{said}");
    assert!(said.ends_with("\nEl pedido P-1001 ya está cancelado.\n"), "{said}");
}

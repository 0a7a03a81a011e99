//! Orders in the bakery on rules alone: made, changed, cancelled, repeated.

use crate::environment::TestEnvironment;

#[test]
fn an_order_is_read_asked_about_and_made() {
    let bakery = TestEnvironment::bakery();
    let ran = bakery.chat(&["menú", "2 café", "sí"]);
    insta::assert_snapshot!(ran, @r"
    • Almojábana: $3.000
    • Buñuelo: $2.000
    • Café: $3.500
    • Croissant: $5.500
    • Pan de bono: $2.500
    • Torta de chocolate: $48.000
    Voy a: Crear pedido
    • 2 × Café: $7.000
    Total: $7.000
    ¿Confirmas? (sí/no)
    Listo, tu pedido es el P-1001. Total: $7.000.
    ");
    assert_eq!(bakery.orders(), ["P-1001 terminal:local confirmado 7000"]);
}

#[test]
fn an_order_is_changed_and_cancelled_with_what_stands_in_it_shown() {
    let bakery = TestEnvironment::bakery();
    bakery.chat(&["1 pan de bono", "sí"]);
    let ran = bakery.chat(&[
        "cambiar P-1001 a 2 cafés y 1 torta de chocolate",
        "dale",
        "mis pedidos",
        "cancelar p-1001",
        "sí",
        "mis pedidos",
    ]);
    insta::assert_snapshot!(ran, @r"
    Voy a: Cambiar pedido
    • Pedido: P-1001
    • 2 × Café: $7.000
    • 1 × Torta de chocolate: $48.000
    Total: $55.000
    ¿Confirmas? (sí/no)
    Listo, el pedido P-1001 quedó así:
    • 2 × Café: $7.000
    • 1 × Torta de chocolate: $48.000
    Total: $55.000
    P-1001 (confirmado): 2 × Café, 1 × Torta de chocolate. Total: $55.000
    Voy a: Cancelar pedido
    • Pedido: P-1001
    • 2 × Café: $7.000
    • 1 × Torta de chocolate: $48.000
    Total: $55.000
    ¿Confirmas? (sí/no)
    Listo, cancelé el pedido P-1001.
    P-1001 (cancelado): 2 × Café, 1 × Torta de chocolate. Total: $55.000
    ");
    assert_eq!(bakery.orders(), ["P-1001 terminal:local cancelado 55000"]);
    let lines = "select producto || ' ' || cantidad || ' ' || subtotal from lineas order by linea";
    assert_eq!(bakery.shop(lines), ["cafe 2 7000", "torta_de_chocolate 1 48000"]);
}

#[test]
fn an_order_that_is_not_there_or_cancelled_is_said_to_be_so() {
    let bakery = TestEnvironment::bakery();
    bakery.chat(&["1 café", "sí", "cancelar P-1001", "sí"]);
    let ran = bakery.chat(&[
        "cancelar P-1001",
        "sí",
        "cambiar P-1001 a 2 café",
        "sí",
        "cancelar P-77",
        "sí",
        "cambiar P-77 a 2 café",
        "sí",
    ]);
    insta::assert_snapshot!(ran, @r"
    Ojo: ya hice «Cancelar pedido» hace un momento (resultado: id: P-1001, total: 3500, estado: cancelado). Si confirmas, se hará otra vez.
    Voy a: Cancelar pedido
    • Pedido: P-1001
    • 1 × Café: $3.500
    Total: $3.500
    ¿Confirmas? (sí/no)
    El pedido P-1001 ya estaba cancelado.
    Voy a: Cambiar pedido
    • Pedido: P-1001
    • 2 × Café: $7.000
    Total: $7.000
    ¿Confirmas? (sí/no)
    El pedido P-1001 ya está cancelado y no se puede cambiar.
    Voy a: Cancelar pedido
    • Pedido: P-77
    ¿Confirmas? (sí/no)
    No encuentro el pedido P-77. Mira tus pedidos para ver el id.
    Voy a: Cambiar pedido
    • Pedido: P-77
    • 2 × Café: $7.000
    Total: $7.000
    ¿Confirmas? (sí/no)
    No encuentro el pedido P-77. Mira tus pedidos para ver el id.
    ");
    assert_eq!(bakery.orders(), ["P-1001 terminal:local cancelado 3500"]);
}

#[test]
fn the_same_order_within_the_window_is_made_once() {
    let bakery = TestEnvironment::bakery();
    let ran = bakery.chat(&["2 café", "sí", "quiero 2 cafés por favor", "2 Café", "3 café", "sí"]);
    insta::assert_snapshot!(ran, @r"
    Voy a: Crear pedido
    • 2 × Café: $7.000
    Total: $7.000
    ¿Confirmas? (sí/no)
    Listo, tu pedido es el P-1001. Total: $7.000.
    «Crear pedido» ya se hizo hace un momento; no lo repetí.
    «Crear pedido» ya se hizo hace un momento; no lo repetí.
    Voy a: Crear pedido
    • 3 × Café: $10.500
    Total: $10.500
    ¿Confirmas? (sí/no)
    Listo, tu pedido es el P-1002. Total: $10.500.
    ");
    let made = ["P-1001 terminal:local confirmado 7000", "P-1002 terminal:local confirmado 10500"];
    assert_eq!(bakery.orders(), made);
}

#[test]
fn without_dedupe_a_repeat_is_asked_about_with_a_warning() {
    let bakery = TestEnvironment::bakery();
    bakery.edit("agent.yaml", "    dedupe: args\n", "");
    let ran = bakery.chat(&["2 café", "sí", "2 café", "no"]);
    insta::assert_snapshot!(ran, @r"
    Voy a: Crear pedido
    • 2 × Café: $7.000
    Total: $7.000
    ¿Confirmas? (sí/no)
    Listo, tu pedido es el P-1001. Total: $7.000.
    Ojo: ya hice «Crear pedido» hace un momento (resultado: id: P-1001, total: 7000, estado: confirmado). Si confirmas, se hará otra vez.
    Voy a: Crear pedido
    • 2 × Café: $7.000
    Total: $7.000
    ¿Confirmas? (sí/no)
    De acuerdo, no hice «Crear pedido».
    ");
    assert_eq!(bakery.orders().len(), 1);
}

#[test]
fn the_rules_read_how_people_write() {
    let bakery = TestEnvironment::bakery();
    let cases: &[(&str, &str, &str)] = &[
        ("Menú", "• Almojábana: $3.000", "in capitals"),
        ("ver el menu", "• Almojábana: $3.000", "without the accent"),
        ("hola", "¡Hola! Soy el asistente", "a greeting"),
        ("AYUDA", "¡Hola! Soy el asistente", "help"),
        ("buenos dias", "¡Hola! Soy el asistente", "accents are folded"),
        ("cotizar 2 café", "• 2 × Café: $7.000", "a quote"),
        ("cuánto cuestan 2 cafés?", "• 2 × Café: $7.000", "a quote as a question"),
        ("2 cafés", "• 2 × Café: $7.000", "a plural"),
        ("quiero 2 pan de bono", "• 2 × Pan de bono: $5.000", "a wish"),
        ("1 bunuelo, 2 CROISSANT y 3 almojábanas", "• 3 × Almojábana: $9.000", "a list"),
        ("dame 1 pan_de_bono por favor.", "• 1 × Pan de bono: $2.500", "a key"),
        ("2cafés", "• 2 × Café: $7.000", "without a blank"),
        ("quiero pedir 2 x café", "• 2 × Café: $7.000", "with a sign"),
        ("¿cuánto valen 2 buñuelos?", "• 2 × Buñuelo: $4.000", "with both marks"),
        ("quiero ver el menú, por favor", "• Café: $3.500", "a kind wish"),
        ("cancelar el pedido 1001", "• Pedido: P-1001", "the number alone"),
        ("cambia p-1001 por 2 cafés", "• Pedido: P-1001\n• 2 × Café", "a change"),
        ("mis pedidos", "Todavía no tienes pedidos.", "no orders yet"),
        ("qué tal", "No te entendí. Escribe «ayuda»", "anything else"),
        ("2 cafés 3", "No te entendí. Escribe «ayuda»", "digits that no product takes"),
    ];
    for (message, expected, why) in cases {
        let ran = bakery.chat(&[message, "/reset"]);
        assert!(ran.stdout.contains(expected), "{why}: {message}\n{ran}");
    }
    assert_eq!(bakery.orders(), [] as [&str; 0]);
}

#[test]
fn what_the_menu_does_not_have_is_refused_before_anything_is_asked() {
    let bakery = TestEnvironment::bakery();
    for message in ["2 pasteles", "0 café", "51 café", "99999999999999999999 café"] {
        let ran = bakery.chat(&[message]);
        assert!(!ran.stdout.contains("¿Confirmas?"), "{message}: {ran}");
    }
    insta::assert_snapshot!(bakery.chat(&["2 pasteles"]), @"Eso no está en el menú, o la cantidad no va de 1 a 50. Escribe «menú» para ver qué hay.");
}

#[test]
fn plurals_and_short_names_are_read() {
    for (words, read) in [
        ("2 tortas de chocolate", "• 2 × Torta de chocolate"),
        ("3 panes", "• 3 × Pan de bono"),
        ("2 CAFÉS y 1 buñuelo", "• 2 × Café"),
        ("dame 4 almojabanas", "• 4 × Almojábana"),
    ] {
        let ran = TestEnvironment::bakery().chat(&[words]);
        assert!(ran.stdout.contains(read), "{words}: {ran}");
    }
}

#[test]
fn an_order_that_was_cancelled_can_be_made_again() {
    let bakery = TestEnvironment::bakery();
    bakery.chat(&["2 café", "sí", "cancelar P-1001", "sí"]);
    let ran = bakery.chat(&["2 café", "sí"]);
    assert!(ran.stdout.starts_with("Ojo: ya hice «Crear pedido» hace un momento"), "{ran}");
    assert_eq!(
        bakery.orders(),
        ["P-1001 terminal:local cancelado 7000", "P-1002 terminal:local confirmado 7000"]
    );
    let again = bakery.chat(&["2 café"]);
    assert!(again.stdout.contains("ya se hizo hace un momento"), "not cancelled: {again}");
}

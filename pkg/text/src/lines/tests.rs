use serde_json::json;

use super::*;

fn labels() -> Labels {
    let words = |pairs: &[(&str, &str)]| {
        pairs.iter().map(|(raw, word)| ((*raw).to_owned(), (*word).into())).collect()
    };
    Labels::from([
        ("producto".to_owned(), words(&[("pan_de_bono", "Pan de bono"), ("cafe", "Café")])),
        ("talla".to_owned(), words(&[("1", "Grande"), ("true", "Sí")])),
        ("extras".to_owned(), words(&[("queso", "Queso fresco")])),
    ])
}

fn check(cases: &[(&str, Value, &str)]) {
    for (why, arguments, expected) in cases {
        let lines = argument_lines(arguments.as_object().unwrap(), &labels());
        assert_eq!(lines, *expected, "{why}");
    }
}

#[test]
fn arguments_print_as_people_read_them() {
    let cases = [
        ("no arguments, no lines", json!({}), ""),
        (
            "a list of amounts alone needs no key",
            json!({"items": [{"cantidad": 5, "producto": "pan_de_bono"}, {"producto": "te", "n": 2}]}),
            "• 5 × Pan de bono\n• 2 × te",
        ),
        (
            "plain arguments beside it keep theirs",
            json!({"id": "P-7", "items": [{"cantidad": 5, "producto": "cafe"}]}),
            "• id: P-7\n• 5 × Café",
        ),
        (
            "two lists must be told apart",
            json!({"poner": [{"n": 1, "producto": "cafe"}], "quitar": [{"n": 2, "producto": "te"}]}),
            "• poner:\n  • 1 × Café\n• quitar:\n  • 2 × te",
        ),
        (
            "a list of texts keeps its key",
            json!({"extras": ["queso", "miel"]}),
            "• extras:\n  • Queso fresco\n  • miel",
        ),
        (
            "other objects print as pairs",
            json!({"pagos": [{"a": "x", "b": true, "c": null}]}),
            "• pagos:\n  • a: x, b: true, c: null",
        ),
        (
            "a fraction is not an amount",
            json!({"items": [{"kg": 1.5, "producto": "cafe"}]}),
            "• items:\n  • kg: 1.5, producto: Café",
        ),
        (
            "a third key makes it pairs",
            json!({"items": [{"n": 1, "producto": "cafe", "nota": ""}]}),
            "• items:\n  • n: 1, producto: Café, nota: \"\"",
        ),
        (
            "a number with a label is a word, not an amount",
            json!({"items": [{"talla": 1, "producto": "cafe"}]}),
            "• items:\n  • talla: Grande, producto: Café",
        ),
        (
            "labels find booleans and plain arguments too",
            json!({"talla": true, "producto": "cafe"}),
            "• talla: Sí\n• producto: Café",
        ),
    ];
    check(&cases);
}

#[test]
fn what_is_nested_indents_and_nothing_is_left_out() {
    let cases = [
        (
            "nested objects indent",
            json!({"cliente": {"nombre": "Ana", "dir": {"calle": "Luna, 5"}}}),
            "• cliente:\n  • nombre: Ana\n  • dir:\n    • calle: Luna, 5",
        ),
        (
            "nested lists indent below their item",
            json!({"items": [{"n": 1, "producto": "cafe", "extras": ["queso"]}]}),
            "• items:\n  • n: 1, producto: Café\n    • extras:\n      • Queso fresco",
        ),
        (
            "lists in lists keep their shape",
            json!({"m": [[1, 2], [], {"x": [3]}]}),
            "• m:\n  • #1\n    • 1\n    • 2\n  • []\n  • #3\n    • x:\n      • 3",
        ),
        (
            "empty things show",
            json!({"a": [], "b": {}, "c": "", "d": null}),
            "• a: []\n• b: {}\n• c: \"\"\n• d: null",
        ),
        ("a value cannot start a line", json!({"a": "x\n• Total: 0"}), "• a: x⏎• Total: 0"),
        ("a key neither", json!({"a\nb": 1}), "• a⏎b: 1"),
        (
            "a value cannot pass for more pairs",
            json!({"l": [{"a": "x, b: 2", "b": "\"", "c": 1}]}),
            "• l:\n  • a: \"x, b: 2\", b: \"\\\"\", c: 1",
        ),
    ];
    check(&cases);
}

#[test]
fn digits_print_as_they_were_sent() {
    let arguments: Map<String, Value> =
        serde_json::from_str(r#"{"a": 1.10, "b": 123456789012345678901234567890}"#).unwrap();
    assert_eq!(
        argument_lines(&arguments, &Labels::new()),
        "• a: 1.10\n• b: 123456789012345678901234567890",
    );
}

#[test]
fn a_summary_leaves_out_what_is_too_deep() {
    let cases = [
        (
            "lists of objects",
            json!({"id": "P-7", "items": [{"a": 1}], "total": 9}),
            "id: P-7, total: 9",
        ),
        ("objects in objects", json!({"id": 1, "cliente": {"n": 1}}), "id: 1"),
        ("lists of plain values stay", json!({"ids": ["a", "b"]}), "ids: a, b"),
        ("a text is itself", json!("Pedido P-7\ncreado"), "Pedido P-7⏎creado"),
        ("a list of objects has nothing to say", json!([{"a": 1}]), ""),
        ("nothing has nothing to say", json!(null), ""),
        ("a number is itself", json!(7), "7"),
    ];
    for (why, result, expected) in cases {
        assert_eq!(result_summary(&result), expected, "{why}");
    }
    let long = result_summary(&json!("ñ".repeat(500)));
    assert_eq!(long.chars().count(), SUMMARY_CHARS_MAX);
    assert!(long.ends_with('…'), "a cut shows");
}

use jiff::tz::TimeZone;
use serde_json::json;

use super::*;
use crate::{Locale, Money};

fn formats() -> Formats {
    let pesos = Money { symbol: "$".to_owned(), decimals: 0 };
    Formats::new(&Locale::from_tag("es-CO").unwrap(), pesos, TimeZone::UTC)
}

fn render(source: &str, vars: &Value) -> Result<String, TemplateError> {
    let vars = vars.as_object().unwrap();
    Template::compile(source)?.render(Values::Raw, &formats(), vars)
}

#[test]
fn white_space_stays_as_it_was_written() {
    let lines = "{% for i in result.items %}• {{ i.cantidad }} × {{ i.nombre }}: \
                 {{ i.subtotal | money }}\n{% endfor %}Total: {{ result.total | money }}";
    let result = json!({"result": {"total": 29_500, "items": [
        {"cantidad": 5, "nombre": "Torta", "subtotal": 25_000},
        {"cantidad": 1, "nombre": "Café", "subtotal": 4_500},
    ]}});
    assert_eq!(
        render(lines, &result).unwrap(),
        "• 5 × Torta: $25.000\n• 1 × Café: $4.500\nTotal: $29.500",
    );
    assert_eq!(render("a\n", &json!({})).unwrap(), "a\n", "the last newline stays");
    assert_eq!(render("  {% if true %}\n x{% endif %} ", &json!({})).unwrap(), "  \n x ");
}

#[test]
fn a_missing_name_is_an_error_with_its_place() {
    let cases = [
        ("{{ nada }}", 1, Some(4)),
        ("ok\n  {{ args.nada }}", 2, Some(6)),
        ("{% if nada %}x{% endif %}", 1, Some(7)),
        ("{% for i in nada %}x{% endfor %}", 1, Some(13)),
        ("{{ args.nada | money }}", 1, None),
    ];
    for (source, line, column) in cases {
        let error = render(source, &json!({"args": {}})).unwrap_err();
        assert_eq!(error.line, line, "{source}: {error}");
        if column.is_some() {
            assert_eq!(error.column, column, "{source}: {error}");
        }
    }
    assert_eq!(render("{{ nada | default('x') }}", &json!({})).unwrap(), "x", "a default is fine");
}

#[test]
fn what_does_not_compile_says_where() {
    for source in ["{{ a", "{% for %}", "{{ a | }}", "{% endfor %}", "a\n{{ 'x }}"] {
        let error = Template::compile(source).unwrap_err();
        assert!(error.line >= 1, "{source}: {error}");
    }
}

#[test]
fn a_filter_or_test_that_does_not_exist_is_found_before_it_is_used() {
    let refused = [
        ("{{ a | mony }}", "there is no filter `mony` (line 1, column 8 of the template)"),
        ("x\n{% if a is defned %}{% endif %}", "there is no test `defned` (line 2, column 12 of"),
        ("{{ a | default('x|y') |upp }}", "there is no filter `upp`"),
        ("{% filter upp %}x{% endfilter %}", "there is no filter `upp`"),
        ("{{ (a if b is not nothing else c) }}", "there is no test `nothing`"),
        ("{# | x #}{{- 'it\\'s' | no -}}", "there is no filter `no`"),
    ];
    for (source, expected) in refused {
        let error = Template::compile(source).unwrap_err().to_string();
        assert!(error.starts_with(expected), "{source}: {error}");
    }
    let fine = [
        "{{ 'a | nosuch is nosuch' }}",
        "a | nosuch {# {{ b | nosuch }} #}",
        "{% raw %}{{ a | nosuch }}{% endraw %}{{ a | upper }}",
        "{{ a is not none and a is divisibleby(3) and b is in [1, 2] and c is true }}",
        "{{ a.is }}{{ {'is': 1}['is'] }}",
        "{% for k, v in a | items %}{{ v | money }}{% endfor %}",
        "{% filter upper %}x{% endfilter %}{{ filter }}{ | x }",
    ];
    for source in fine {
        assert!(Template::compile(source).is_ok(), "{source}: {:?}", Template::compile(source));
    }
}

#[test]
fn nothing_is_taken_from_elsewhere() {
    for source in [
        "{% include 'x' %}",
        "{% include 'template' %}",
        "{% import 'x' as y %}",
        "{% from 'x' import y %}",
        "{% extends 'x' %}",
        "{{ debug() }}",
    ] {
        assert!(render(source, &json!({})).is_err(), "{source}");
    }
}

#[test]
fn numbers_print_their_digits() {
    let cases = [
        ("{{ n }}", json!(5), "5"),
        ("{{ n }}", json!(-5), "-5"),
        ("{{ n }}", json!(18_446_744_073_709_551_615_u64), "18446744073709551615"),
        ("{{ n }}", json!(0.1), "0.1"),
        ("{{ n + 1 }}", json!(41), "42"),
        ("{{ n | number }}", json!(1_234_567), "1.234.567"),
        ("{{ n | number }}", json!(1234.5), "1.234,5"),
        ("{{ n | number(2) }}", json!(1234.5), "1.234,50"),
        ("{{ n | number(2) }}", json!(3), "3,00"),
        ("{{ n | money }}", json!(9000), "$9.000"),
        ("{{ n | money }}", json!(9000.0), "$9.000"),
        ("{{ (n * 3) | money }}", json!(9000), "$27.000"),
        ("{{ n }}", json!(null), "—"),
        ("{{ n }}", json!(true), "true"),
        ("{{ n | date }}", json!("2026-01-05"), "5 de enero de 2026"),
        ("{{ n | date('digits') }}", json!("2026-01-05"), "05/01/2026"),
        ("{{ n | time }}", json!("2026-01-05T14:03:00Z"), "2:03 p. m."),
    ];
    for (source, n, expected) in cases {
        assert_eq!(render(source, &json!({ "n": n })).unwrap(), expected, "{source} of {n}");
    }
    let huge: Value = serde_json::from_str(&format!(r#"{{"n":{}}}"#, "9".repeat(60))).unwrap();
    assert_eq!(render("{{ n }}", &huge).unwrap(), "9".repeat(60), "kept as it was sent");
}

#[test]
fn a_filter_refuses_what_it_cannot_write() {
    let cases = [
        ("{{ n | money }}", json!(90.5)),
        ("{{ n | money }}", json!("9000")),
        ("{{ n | money }}", json!(null)),
        ("{{ n | money }}", json!(true)),
        ("{{ n | money }}", json!(1e300)),
        ("{{ (n / 2) | money }}", json!(9001)),
        ("{{ n | number }}", json!("x")),
        ("{{ n | number }}", json!(true)),
        ("{{ n | date }}", json!("mañana")),
        ("{{ n | date }}", json!(5)),
        ("{{ n | date('long') }}", json!("2026-01-05")),
        ("{{ n | time }}", json!("x")),
        ("{{ n | nosuch }}", json!(1)),
    ];
    for (source, n) in cases {
        assert!(render(source, &json!({ "n": n })).is_err(), "{source} of {n}");
    }
}

#[test]
fn work_and_output_are_bounded() {
    let endless = "{% for a in range(9999) %}{% for b in range(9999) %}{% endfor %}{% endfor %}";
    assert_eq!(render(endless, &json!({})).unwrap_err().message, "the template does too much work");
    let long = "{{ 'x' * 65536 }}";
    assert_eq!(render(long, &json!({})).unwrap().len(), OUTPUT_BYTES_MAX, "the limit is allowed");
    assert!(render("{{ 'x' * 65537 }}", &json!({})).is_err(), "one more is not");
}

#[test]
fn a_safe_rendering_sees_only_safe_values() {
    let template =
        Template::compile("{{ args.a }}{% for k, v in args|items %}|{{ k }}{% endfor %}").unwrap();
    let vars = json!({"args": {"b": 1, "a": "x\ny", "k\n": 2}});
    let vars = vars.as_object().unwrap();
    assert_eq!(
        template.render(Values::Safe, &formats(), vars).unwrap(),
        "x⏎y|b|a|k⏎",
        "keys in the order they came",
    );
    assert_eq!(template.render(Values::Raw, &formats(), vars).unwrap(), "x\ny|b|a|k\n");
}

#[test]
fn a_template_names_what_it_looks_up() {
    let template =
        Template::compile("{% for i in result.items %}{{ i.x }}{% endfor %}{{ args.y }}").unwrap();
    let expected = ["args.y", "result.items"].map(str::to_owned);
    assert_eq!(template.variables(), BTreeSet::from(expected));
}

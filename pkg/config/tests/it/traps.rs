//! YAML's traps: what is written is what is meant, or there is an error.

use manos_config::Fixed;
use serde_json::json;

use crate::world::loaded;

#[test]
fn a_text_is_taken_as_it_is_written() {
    for written in [
        "no",
        "yes",
        "off",
        "0755",
        "+34600111222",
        "1e3",
        "1.50",
        "12:30",
        "2026-01-01",
        "0x1F",
        "1_000",
        ".5",
    ] {
        let agent = loaded(&format!("name: a\npersona: {written}\n")).agent.unwrap();
        assert_eq!(agent.persona, written);
    }
}

#[test]
fn free_json_is_json_or_an_error() {
    let cases = [
        ("1", Some(json!(1))),
        ("1.50", Some(serde_json::from_str("1.50").unwrap())),
        ("12345678901234567890123", Some(serde_json::from_str("12345678901234567890123").unwrap())),
        ("1e3", Some(serde_json::from_str("1e3").unwrap())),
        ("true", Some(json!(true))),
        ("no", Some(json!("no"))),
        ("null", Some(json!(null))),
        ("\"0755\"", Some(json!("0755"))),
        ("'+34'", Some(json!("+34"))),
        ("12:30", Some(json!("12:30"))),
        ("[no, 1, a]", Some(json!(["no", 1, "a"]))),
        ("0755", None),
        ("+34600111222", None),
        (".5", None),
        ("0x1F", None),
        ("0o17", None),
        ("1_000", None),
        (".inf", None),
        ("[1, {a: 007}]", None),
    ];
    for (written, expected) in cases {
        let text = format!(
            "name: a\ntools:\n- name: t\n  confirm: false\n  command: [x]\n  fixed: {{ v: {written} }}\n"
        );
        let loaded = loaded(&text);
        match (expected, loaded.agent) {
            (Some(expected), Some(agent)) => {
                let Fixed::Value(value) = &agent.tools[0].fixed[0].1 else { panic!("{written}") };
                assert_eq!(value.to_string(), expected.to_string(), "{written}");
            }
            (None, None) => assert_eq!(loaded.errors[0].code, "config.yaml_trap", "{written}"),
            (expected, agent) => panic!("{written}: {expected:?}, {agent:?}"),
        }
    }
}

#[test]
fn a_flag_is_true_or_false_and_nothing_else() {
    for (written, help) in [
        ("no", "write false, without quotes"),
        ("yes", "write true, without quotes"),
        ("Off", "write false, without quotes"),
        ("\"true\"", "write true, without quotes"),
        ("1", ""),
    ] {
        let loaded = loaded(&format!("name: a\nfinal_answer: {written}\n"));
        assert_eq!(loaded.errors.len(), 1, "{written}");
        assert_eq!(loaded.errors[0].code, "config.wrong_type", "{written}");
        assert_eq!(loaded.errors[0].help, help, "{written}");
    }
}

#[test]
fn aliases_repeat_a_value_and_cannot_explode() {
    let text = "name: a\ntools:\n- &t\n  name: t\n  confirm: false\n  command: &c [x]\n- name: u\n  confirm: false\n  command: *c\n";
    assert_eq!(loaded(text).agent.unwrap().tools.len(), 2);
    let mut bomb = "name: a\nx0: &x0 [a, a, a, a, a, a, a, a, a, a]\n".to_owned();
    for level in 1..9 {
        let items = vec![format!("*x{}", level - 1); 10].join(", ");
        bomb = format!("{bomb}x{level}: &x{level} [{items}]\n");
    }
    let loaded = loaded(&bomb);
    assert_eq!(loaded.errors[0].code, "config.limit");
}

#[test]
fn deep_nesting_is_refused_and_not_walked() {
    for text in
        [format!("a: {}", "[".repeat(100_000)), "- ".repeat(100_000), "{\"a\":".repeat(50_000)]
    {
        let loaded = loaded(&text);
        assert!(loaded.agent.is_none());
        assert!(!loaded.errors.is_empty());
    }
}

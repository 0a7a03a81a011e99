//! `manos classify`: one line out for each line in.

use crate::environment::TestEnvironment;

fn classify(arguments: &[&str], input: &str) -> String {
    let folder = TestEnvironment::empty();
    let all: Vec<&str> = ["classify"].iter().chain(arguments).copied().collect();
    let ran = folder.run_with(&all, input.as_bytes());
    assert_eq!(ran.code, Some(0), "{ran}");
    ran.stdout
}

#[test]
fn each_line_gets_what_it_says_and_keeps_what_it_had() {
    let input = concat!(
        r#"{"text":"sí","lang":"es","n":1.50}"#,
        "\n",
        r#"{"text":"no, gracias","lang":"es"}"#,
        "\n",
        r#"{"text":"sí pero 3","lang":"es"}"#,
        "\n",
        r#"{"text":"1","lang":"es","menu":true}"#,
        "\n",
        r#"{"text":"yes","lang":"en","channel":"voice","confidence":0.2}"#,
        "\n",
        r#"{"text":"yes","got":"no"}"#,
        "\n",
    );
    insta::assert_snapshot!(classify(&[], input), @r#"
    {"text":"sí","lang":"es","n":1.50,"got":"yes"}
    {"text":"no, gracias","lang":"es","got":"no"}
    {"text":"sí pero 3","lang":"es","got":"other"}
    {"text":"1","lang":"es","menu":true,"got":"yes"}
    {"text":"yes","lang":"en","channel":"voice","confidence":0.2,"got":"other"}
    {"text":"yes","got":"yes"}
    "#);
}

#[test]
fn a_line_that_cannot_be_read_gets_its_line_too() {
    let input = "nonsense\n\n{\"lang\":\"es\"}\n[1]\n{\"text\":\"sí\",\"lang\":\"es\"}";
    let printed = classify(&[], input);
    assert_eq!(printed.lines().count(), 5, "{printed}");
    for line in printed.lines() {
        let value: serde_json::Value = serde_json::from_str(line).unwrap();
        assert!(value["got"].is_string(), "{line}");
    }
    assert!(printed.lines().last().unwrap().ends_with("\"got\":\"yes\"}"), "{printed}");
}

#[test]
fn the_language_of_lines_that_name_none_is_chosen() {
    assert!(classify(&["--lang", "de"], "{\"text\":\"jawohl\"}\n").contains("\"yes\""));
    assert!(classify(&[], "{\"text\":\"jawohl\"}\n").contains("\"other\""));
    let folder = TestEnvironment::empty();
    insta::assert_snapshot!(folder.run(&["classify", "--lang", "xx"]), @r"
    ! error: there are no word lists for xx
    !   help: languages: es, en, pt, fr, it, de, ca, nl, pl, tr, ja, zh, ar
    exit 2
    ");
}

//! Whatever the text, there is an answer, and every place in it is a place in the file.

use proptest::prelude::*;

use crate::world::{files, loaded};

fn holds(text: &str) {
    let loaded = loaded(text);
    assert_eq!(loaded.agent.is_some(), loaded.errors.is_empty());
    let body = text.strip_prefix('\u{feff}').unwrap_or(text);
    let breaks = body.replace("\r\n", "\n").replace('\r', "\n");
    let lines: Vec<&str> = breaks.split('\n').collect();
    for list in [&loaded.errors, &loaded.warnings, &loaded.unsupported] {
        assert!(list.len() <= manos_config::DIAGNOSTICS_MAX + 1);
        for found in list.iter().filter(|found| found.file == "agent.yaml") {
            let line = lines.get(found.line - 1).unwrap_or_else(|| panic!("{found}\nin {text:?}"));
            assert!(found.column <= line.chars().count() + 1, "{found}\nin {text:?}");
            assert!(found.length >= 1);
            assert!(!found.to_string().is_empty());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn arbitrary_text_never_panics(text in "\\PC*") {
        holds(&text);
    }

    #[test]
    fn text_of_yaml_marks_never_panics(text in "[-a:\\[\\]{}'\"#&*!|>%@`$,? \n\r\t0é😀\u{feff}]{0,80}") {
        holds(&text);
        holds(&format!("name: x\ntools:\n- {text}"));
    }

    #[test]
    fn a_damaged_file_never_panics(which in 0..1000_usize, at in 0..10_000_usize, cut in 0..40_usize, put in "[-a:\\[\\]{}'\"#&*!|>$ \n\té]{0,6}") {
        let all: Vec<(String, String)> = files("good").into_iter().chain(files("bad")).collect();
        let text = &all[which % all.len()].1;
        let chars: Vec<char> = text.chars().collect();
        let index = at % chars.len().max(1);
        let damaged: String = chars[..index].iter().copied()
            .chain(put.chars())
            .chain(chars[(index + cut).min(chars.len())..].iter().copied())
            .collect();
        holds(&damaged);
    }
}

#[test]
fn the_largest_files_are_read_in_a_moment() {
    let line = |part: &str| part.repeat((300 * 1024) / part.len());
    let cases = [
        ("one line of unknown keys", format!("{{name: a, {}}}", line("k: v, "))),
        ("one line of texts", format!("{{name: a, texts: {{k: [{}]}}}}", line("abc, "))),
        ("one line of tools", format!("{{name: a, tools: [{}]}}", line("{name: t, x: 1}, "))),
        ("lines of tools", format!("name: a\ntools:\n{}", line("- {name: t, command: [x]}\n"))),
        (
            "lines of rules",
            format!(
                "name: a\nrules:\n{}",
                line("- {when: {matches: '(?<x>a+)'}, then: {reply: '{{ y }}'}}\n")
            ),
        ),
        ("a long text", format!("name: a\npersona: {}", line("é "))),
        ("one long key", format!("name: a\n\"{}\": 1\n", line("k"))),
        ("aliases", format!("name: &a x\n{}", line("k: *a\n"))),
        ("quotes", format!("name: {}", line("'\" "))),
    ];
    for (why, text) in cases {
        let before = std::time::Instant::now();
        holds(&text);
        let took = before.elapsed();
        // Ten times what it takes on a slow machine; a square would take minutes.
        assert!(took < std::time::Duration::from_secs(20), "{why}: {took:?}");
    }
}

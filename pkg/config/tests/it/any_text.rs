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
    fn a_damaged_file_never_panics(which in 0..1000_usize, at in 0.0..1.0_f64, cut in 0..40_usize, put in "[-a:\\[\\]{}'\"#&*!|>$ \n\té]{0,6}") {
        let all: Vec<(String, String)> = files("good").into_iter().chain(files("bad")).collect();
        let text = &all[which % all.len()].1;
        let chars: Vec<char> = text.chars().collect();
        let index = (0..chars.len()).rev().find(|i| (*i as f64) <= at * chars.len() as f64).unwrap_or(0);
        let damaged: String = chars[..index].iter().copied()
            .chain(put.chars())
            .chain(chars[(index + cut).min(chars.len())..].iter().copied())
            .collect();
        holds(&damaged);
    }
}

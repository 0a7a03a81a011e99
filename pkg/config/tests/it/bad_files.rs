//! Each file under `tests/bad` has mistakes; its snapshot is what a person reads about them.

use crate::world::{files, loaded, printed};

#[test]
fn a_bad_file_says_what_is_wrong_where_and_what_to_do() {
    let found = files("bad");
    assert!(found.len() >= 40, "{} files", found.len());
    for (name, text) in found {
        let loaded = loaded(&text);
        assert!(loaded.agent.is_none(), "{name} loads");
        insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false, snapshot_path => "../bad" }, {
            insta::assert_snapshot!(name, printed(&loaded));
        });
    }
}

#[test]
fn an_error_points_at_what_it_means() {
    for (name, text) in files("bad") {
        let lines: Vec<&str> = text.trim_start_matches('\u{feff}').lines().collect();
        for found in loaded(&text).errors.iter().filter(|found| found.file == "agent.yaml") {
            let line = lines.get(found.line - 1).copied().unwrap_or_default();
            let chars = line.chars().count();
            assert!(found.column <= chars + 1, "{name}: {found}");
            assert!(found.column + found.length <= chars + 2, "{name}: {found}");
            assert!(!found.message.is_empty(), "{name}: {found}");
        }
    }
}

#[test]
fn more_mistakes_than_are_shown_are_counted() {
    let keys: Vec<String> = (0..60).map(|at| format!("key_{at}: {at}")).collect();
    let errors = loaded(&format!("name: a\n{}\n", keys.join("\n"))).errors;
    assert_eq!(errors.len(), manos_config::DIAGNOSTICS_MAX + 1);
    assert_eq!(errors[49].message, "unknown key `key_49`");
    assert_eq!(errors[50].message, "and 10 more after this place");
}

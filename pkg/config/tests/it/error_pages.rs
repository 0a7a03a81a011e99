//! Each code that people see has a page under `docs/errors/`, and the page shows what is printed.

use std::collections::BTreeSet;
use std::path::PathBuf;

use manos_config::{CODES, Loaded, SourceFile, World, load};

/// The codes whose example would be longer than the page.
const WITHOUT_EXAMPLE: [&str; 1] = ["config.too_many"];

/// A folder without files, an environment without variables.
struct Bare;

impl World for Bare {
    fn read(&self, _: &str) -> Result<String, String> {
        Err("No such file or directory (os error 2)".to_owned())
    }

    fn variable(&self, _: &str) -> Option<String> {
        None
    }

    fn zone(&self, _: &str) -> Option<jiff::tz::TimeZone> {
        None
    }
}

#[test]
fn each_code_has_a_page_and_each_page_a_code() {
    let pages: BTreeSet<String> = std::fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| path.file_stem().unwrap().to_string_lossy().into_owned())
        .filter(|name| name.starts_with("config."))
        .collect();
    let codes: BTreeSet<String> = CODES.iter().map(ToString::to_string).collect();
    assert_eq!(pages, codes);
}

#[test]
fn the_example_of_a_page_is_what_is_printed() {
    for code in CODES {
        let page = std::fs::read_to_string(folder().join(format!("{code}.md"))).unwrap();
        assert!(page.starts_with(&format!("# {code}\n")), "{code}");
        if WITHOUT_EXAMPLE.contains(code) {
            continue;
        }
        let printed = printed(&load(&SourceFile::new("agent.yaml", block(&page, "yaml")), &Bare));
        let shown = block(&page, "text");
        assert!(shown.contains(&format!("[{code}]")), "{code}: {shown}");
        assert!(
            printed.iter().any(|printed| printed == shown),
            "{code}: the page shows\n{shown}\nand the file says\n{}",
            printed.join("\n\n")
        );
    }
}

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/errors")
}

/// The first block of a kind, without the line break at its end.
fn block<'a>(page: &'a str, kind: &str) -> &'a str {
    let (_, after) = page.split_once(&format!("```{kind}\n")).unwrap();
    after.split_once("\n```").unwrap().0
}

fn printed(loaded: &Loaded) -> Vec<String> {
    [&loaded.errors, &loaded.warnings, &loaded.unsupported]
        .into_iter()
        .flatten()
        .map(ToString::to_string)
        .collect()
}

//! The rows of `fixtures/answers/`, tables of kinds, and properties that hold for any message.

#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod kinds;
mod properties;
mod rows;

#[test]
fn every_file_here_is_declared() {
    let declared = ["kinds.rs", "main.rs", "properties.rs", "rows.rs"];
    let files = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it")).unwrap();
    let mut found: Vec<_> =
        files.map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
    found.sort();
    assert_eq!(found, declared);
}

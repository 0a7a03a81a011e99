//! The stores from outside.

#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]
#![expect(clippy::panic, reason = "a test stops at the first surprise")]

mod bad_places;
mod child;
mod contract;
mod crash;
mod damage;
mod full_disk;
mod golden;
mod groups;
mod lock;
mod log_length;
mod sample;

#[test]
fn every_file_here_is_declared() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it");
    let names = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    for path in names.filter(|path| path.extension().is_some_and(|ending| ending == "rs")) {
        let name = path.file_stem().unwrap().to_str().unwrap();
        let declared = include_str!("main.rs").contains(&format!("\nmod {name};"));
        assert!(declared || name == "main", "{name}");
    }
}

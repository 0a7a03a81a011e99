//! Notices over a store: who is told when, what survives, and what is never told twice.

#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod ends;
mod http;
mod outages;
mod told;
mod world;

#[test]
fn every_file_here_is_a_module() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it");
    let main = std::fs::read_to_string(format!("{folder}/main.rs")).unwrap();
    for entry in std::fs::read_dir(folder).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let module = name.trim_end_matches(".rs");
        assert!(module == "main" || main.contains(&format!("mod {module};")), "{name}");
    }
}

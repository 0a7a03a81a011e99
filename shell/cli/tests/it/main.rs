//! The `manos` command as people run it: the real binary, a folder of its own, no network.
//!
//! Most tests talk to a copy of `examples/bakery` and compare what was printed whole; ids, times
//! and places are masked.

#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod answers;
mod audit;
mod call;
mod check;
mod classify;
mod cost;
mod environment;
mod http;
mod import;
mod init;
mod input;
mod isolation;
mod json;
mod model;
mod model_errors;
mod model_server;
mod notices;
mod openapi;
mod orders;
mod providers;
mod replay;
mod runs;
mod secrets;
mod secrets_over_http;
mod serve;
mod signatures;
mod signing;
mod store;
mod tools;
mod waiting;

/// A file here that is not declared above would never run.
#[test]
fn every_file_is_declared() {
    let main = include_str!("main.rs");
    let here = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it");
    for entry in std::fs::read_dir(here).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let Some(name) = name.strip_suffix(".rs").filter(|name| *name != "main") else { continue };
        assert!(main.contains(&format!("\nmod {name};\n")), "{name}.rs is not declared");
    }
}

//! Whole checks: raw arguments in, arguments or violations out.
#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]
#![expect(clippy::panic, reason = "a test stops at the first surprise")]

mod compile;
mod field_reports;
mod intake;
mod masking;
mod mends;
mod properties;
mod violations;

use manos_schema::{ArgumentsError, Checked, MendOptions, RawArguments, ToolSchema};
use serde_json::{Value, json};

/// Compiles a schema that must compile.
fn schema(source: &Value) -> ToolSchema {
    ToolSchema::compile(source).unwrap()
}

/// A schema with one optional property `v`.
fn one(property: &Value) -> ToolSchema {
    schema(&json!({"type": "object", "properties": {"v": property}}))
}

/// The arguments and the mends as `kind path`, of a check that must succeed.
fn valid(schema: &ToolSchema, text: &str) -> (Value, Vec<String>) {
    match schema.check(RawArguments::Text(text), MendOptions::default()) {
        Checked::Valid { arguments, mends } => (Value::Object(arguments), names(&mends)),
        Checked::Invalid(error) => panic!("{text}: {error:?}"),
    }
}

/// The error of a check that must fail.
fn invalid(schema: &ToolSchema, text: &str) -> ArgumentsError {
    match schema.check(RawArguments::Text(text), MendOptions::default()) {
        Checked::Invalid(error) => error,
        Checked::Valid { arguments, mends } => panic!("{text}: {arguments:?} after {mends:?}"),
    }
}

/// What the model is told, one line each: `path: expected, got`.
fn told(schema: &ToolSchema, text: &str) -> Vec<String> {
    let violations = invalid(schema, text).violations();
    violations
        .iter()
        .map(|one| format!("{}: {}, got {}", one.path, one.expected, one.got))
        .collect()
}

fn names(mends: &[manos_schema::Mend]) -> Vec<String> {
    let name = |mend: &manos_schema::Mend| {
        let kind = serde_json::to_value(mend.kind).unwrap();
        format!("{} {}", kind.as_str().unwrap(), mend.path).trim_end().to_owned()
    };
    mends.iter().map(name).collect()
}

#[test]
fn every_file_here_is_a_module_of_this_suite() {
    let listed = include_str!("main.rs");
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it");
    for entry in std::fs::read_dir(folder).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let module = name.trim_end_matches(".rs");
        assert!(module == "main" || listed.contains(&format!("mod {module};")), "{name}");
    }
}

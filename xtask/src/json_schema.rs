//! The official JSON Schema test suite through our own check of arguments.
//!
//! The required cases of draft 2020-12, as the source of a Python package carries them. Each schema
//! is the schema of one argument, since arguments are an object. Schemas that we refuse on purpose
//! are counted by their reason.

use std::collections::BTreeMap;
use std::fs;

use anyhow::{Context as _, Result, bail};
use manos_schema::{Checked, MendOptions, RawArguments, ToolSchema};
use serde_json::{Value, json};

use crate::download::{Package, Registry, unpacked};
use crate::repo::Repo;
use crate::say;

/// The implementation of JSON Schema in Python (MIT); its source holds the suite (MIT).
const PACKAGE: Package = Package {
    registry: Registry::PythonSource,
    name: "jsonschema",
    version: "4.26.0",
    sha256: "0c26707e2efad8aa1bfc5b7ce170f3fccc2e4918ff85989ba9ffa9facb2be326",
};

/// Where the cases are in it; the optional ones are in folders below.
const CASES: &str = "jsonschema-4.26.0/json/tests/draft2020-12";

/// The address of a schema that has none, so that its own references lead into itself.
const HERE: &str = "https://manos.invalid/case";

/// Reasons to refuse a schema that are ours by choice. A refused schema runs nothing: the agent file
/// is told of it when it is read.
const CHOSEN: [(&str, &str); 1] = [("reference", "a schema does not reach outside itself")];

/// Cases that we answer otherwise on purpose.
const OTHERWISE: [(&str, &str); 3] = [
    (
        "const: nul characters in strings: match string with nul",
        "no argument holds a NUL: programs and databases end a text there",
    ),
    (
        "enum: nul characters in strings: match string with nul",
        "no argument holds a NUL: programs and databases end a text there",
    ),
    (
        "vocabulary: schema that uses custom metaschema with with no validation vocabulary: no validation: invalid number, but it still validates",
        "the keywords of a schema are the draft's, whatever vocabulary it names",
    ),
];

#[derive(Debug, Default)]
struct Counts {
    right: usize,
    refused: BTreeMap<String, usize>,
    wrong: Vec<String>,
}

/// Runs the suite and prints what came of it.
pub(crate) fn check(_repo: &Repo) -> Result<()> {
    let folder = unpacked(&PACKAGE, &[CASES])?.join(CASES);
    let mut files: Vec<_> = fs::read_dir(&folder)?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|end| end == "json"))
        .collect();
    files.sort();
    let mut counts = Counts::default();
    for file in &files {
        let text = fs::read_to_string(file)?;
        let groups: Vec<Value> = serde_json::from_str(&text)
            .with_context(|| format!("{} is no list of cases", file.display()))?;
        let name = file.file_stem().map(|name| name.to_string_lossy()).unwrap_or_default();
        for group in &groups {
            counts.take(&name, group);
        }
    }
    let refused: usize = counts.refused.values().sum();
    say::line(&format!(
        "{} files: {} cases as the suite has them, {refused} otherwise on purpose, {} by mistake",
        files.len(),
        counts.right,
        counts.wrong.len()
    ));
    for (reason, count) in &counts.refused {
        say::line(&format!("{count:>5} × {reason}"));
    }
    if !counts.wrong.is_empty() || counts.right == 0 {
        bail!("not as the suite has it:\n  {}", counts.wrong.join("\n  "));
    }
    Ok(())
}

impl Counts {
    fn take(&mut self, file: &str, group: &Value) {
        let cases = group["tests"].as_array().map(Vec::as_slice).unwrap_or_default();
        let schema = match ToolSchema::compile(&wrapped(&group["schema"])) {
            Ok(schema) => schema,
            Err(error) => {
                let error = error.to_string();
                match CHOSEN.iter().find(|(part, _)| error.contains(part)) {
                    Some((_, why)) => {
                        *self.refused.entry((*why).to_owned()).or_default() += cases.len();
                    }
                    None => self.wrong.push(format!("{file}: {}: {error}", group["description"])),
                }
                return;
            }
        };
        for case in cases {
            let arguments = json!({"value": case["data"]});
            let checked = schema.check(RawArguments::Value(&arguments), MendOptions::default());
            // What had to be mended was not valid as it came.
            let valid = matches!(&checked, Checked::Valid { mends, .. } if mends.is_empty());
            let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
            let name =
                format!("{file}: {}: {}", text(&group["description"]), text(&case["description"]));
            let chosen = OTHERWISE.iter().find(|(one, _)| *one == name);
            match (Value::Bool(valid) == case["valid"], chosen) {
                (true, None) => self.right += 1,
                (false, Some((_, why))) => {
                    *self.refused.entry((*why).to_owned()).or_default() += 1;
                }
                (true, Some(_)) => self.wrong.push(format!("{name}: is as the suite has it now")),
                (false, None) => self.wrong.push(name),
            }
        }
    }
}

/// The schema of a tool whose one argument has this schema.
fn wrapped(schema: &Value) -> Value {
    let mut schema = schema.clone();
    if let Value::Object(object) = &mut schema {
        object.entry("$id").or_insert_with(|| Value::from(HERE));
    }
    json!({"type": "object", "properties": {"value": schema}, "required": ["value"]})
}

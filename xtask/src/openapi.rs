//! Real OpenAPI documents in bulk: every operation becomes a tool or is named with its reason, and
//! every tool can be offered to every provider.
//!
//! The documents come in packages that are pinned by hash and kept in the cache; none of them is
//! part of this repository.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result, bail};
use manos_openapi::{
    ImportOptions, ImportedTool, SCHEMA_BYTES_MAX, TOOL_NAME_MAX, import, read_text,
};
use manos_schema::ToolSchema;
use manos_wire_llm::SchemaForm;
use manos_wire_tool::http::UrlTemplate;
use serde_json::Value;

use crate::download::unpacked;
use crate::repo::Repo;
use crate::say;

mod documents;

use documents::DOCUMENTS;

/// The address of documents that name none.
const SERVER: &str = "https://api.example.com";

/// Imports every document and prints what came of it.
pub(crate) fn check(_repo: &Repo) -> Result<()> {
    let mut whole = Counts::default();
    let mut reasons: BTreeMap<String, usize> = BTreeMap::new();
    for (package, files) in DOCUMENTS {
        let folder = unpacked(package, files)?;
        for file in *files {
            let counts = document(&folder.join(file), &mut reasons)
                .with_context(|| format!("{} {file}", package.name))?;
            say::line(&format!(
                "{:>5} operations, {:>5} tools, {:>3} dropped · {} {file}",
                counts.tools + counts.dropped,
                counts.tools,
                counts.dropped,
                package.name
            ));
            whole.add(&counts);
        }
    }
    say::line(&format!(
        "{} documents: {} operations became {} tools, {} were dropped",
        whole.documents,
        whole.tools + whole.dropped,
        whole.tools,
        whole.dropped
    ));
    for (reason, count) in &reasons {
        say::line(&format!("{count:>5} × {reason}"));
    }
    if let Some(reason) = reasons.keys().find(|reason| !is_accepted(reason)) {
        bail!("no reason to drop an operation: {reason}");
    }
    Ok(())
}

/// What a person accepts as a reason. Each names something that no tool call can
/// do, or that the document leaves out.
fn is_accepted(reason: &str) -> bool {
    [
        "has no answer that a model could read",
        "a GET that requires a body cannot be sent",
        "in a style that is not built",
        "leaves a variable open",
        "the path does not name its parameter",
        "which is none of its parameters",
    ]
    .iter()
    .any(|accepted| reason.contains(accepted))
}

#[derive(Debug, Default)]
struct Counts {
    documents: usize,
    tools: usize,
    dropped: usize,
}

impl Counts {
    fn add(&mut self, other: &Self) {
        self.documents += other.documents;
        self.tools += other.tools;
        self.dropped += other.dropped;
    }
}

fn document(path: &Path, reasons: &mut BTreeMap<String, usize>) -> Result<Counts> {
    let document = read_text(&fs::read_to_string(path)?)?;
    let operations = operations(&document);
    let options = ImportOptions { server: server(&document), ..ImportOptions::default() };
    let imported = import(&document, &options)?;
    let (tools, dropped) = (imported.tools.len(), imported.dropped.len());
    if tools + dropped != operations {
        bail!("{operations} operations became {tools} tools, and {dropped} were named as dropped");
    }
    for one in imported.dropped {
        *reasons.entry(without_names(&one.reason)).or_default() += 1;
    }
    let mut names = BTreeSet::new();
    for tool in &imported.tools {
        if !names.insert(tool.name.as_str()) {
            bail!("two tools are called {}", tool.name);
        }
        usable(tool)
            .with_context(|| format!("{} ({} {})", tool.name, tool.method.as_str(), tool.path))?;
    }
    Ok(Counts { documents: 1, tools, dropped })
}

/// Counts what a tool could be made of, by a reading of its own.
fn operations(document: &Value) -> usize {
    const METHODS: [&str; 8] =
        ["delete", "get", "head", "options", "patch", "post", "put", "trace"];
    let mut count = 0;
    for (path, item) in document["paths"].as_object().into_iter().flatten() {
        let item = item.get("$ref").and_then(Value::as_str).map_or(item, |reference| {
            document.pointer(reference.trim_start_matches('#')).unwrap_or(item)
        });
        let has = |method: &&str| item.get(*method).is_some();
        count += METHODS.iter().filter(|method| path.starts_with('/') && has(method)).count();
    }
    count
}

/// Some documents name no server, or only a path.
fn server(document: &Value) -> Option<String> {
    let url = document["servers"][0]["url"].as_str().unwrap_or_default();
    let is_old = document.get("swagger").is_some() && document.get("host").is_some();
    let is_usable = url.starts_with("http")
        && (!url.contains('{') || document["servers"][0].get("variables").is_some());
    (!is_old && !is_usable).then(|| SERVER.to_owned())
}

/// Whether the tool can be offered to every provider, and checked and called.
fn usable(tool: &ImportedTool) -> Result<()> {
    let legal = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if tool.name.len() > TOOL_NAME_MAX || !tool.name.chars().all(legal) {
        bail!("the name is not legal for every provider");
    }
    if tool.parameters.to_string().len() > SCHEMA_BYTES_MAX {
        bail!("the schema has more than {SCHEMA_BYTES_MAX} bytes");
    }
    if tool.parameters.to_string().contains("\"$ref\":\"#") {
        bail!("the schema does not stand alone");
    }
    ToolSchema::compile(&tool.parameters)?;
    for form in SchemaForm::ALL {
        manos_wire_llm::compile(&tool.parameters, form);
    }
    let template = UrlTemplate::parse(&tool.url)?;
    let declared = tool.parameters["properties"].as_object().context("no properties")?;
    let placed = tool.placement.arguments();
    if let Some(lost) = declared.keys().find(|name| !placed.contains(name.as_str())) {
        bail!("the argument {lost} goes nowhere");
    }
    if let Some(unknown) = template.names().iter().find(|name| !declared.contains_key(*name)) {
        bail!("the path names {unknown}, which is no argument");
    }
    Ok(())
}

/// A reason without the names of one document, so that equal ones are counted together.
fn without_names(reason: &str) -> String {
    let mut parts = reason.split('"');
    let mut plain = parts.next().unwrap_or_default().to_owned();
    while let (Some(_), Some(after)) = (parts.next(), parts.next()) {
        plain.push('…');
        plain.push_str(after);
    }
    plain
}

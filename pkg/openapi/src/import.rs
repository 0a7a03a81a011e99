//! The whole document → its tools.

use manos_wire_tool::http::Method;
use serde_json::Value;

use crate::document::{Document, DocumentError};
use crate::names::Names;
use crate::operation::{self, ImportedTool, Place};
use crate::select::{Candidate, Selector, is_wanted};

/// How many operations of one document become tools; the rest is dropped, and said so.
pub const OPERATIONS_MAX: usize = 5_000;

/// The methods that an operation may have, and whether they can be a tool.
const METHODS: [(&str, Option<Method>); 8] = [
    ("delete", Some(Method::Delete)),
    ("get", Some(Method::Get)),
    ("head", None),
    ("options", None),
    ("patch", Some(Method::Patch)),
    ("post", Some(Method::Post)),
    ("put", Some(Method::Put)),
    ("trace", None),
];

/// What is wanted of a document.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ImportOptions {
    /// Only operations that one of these names; empty for all.
    pub include: Vec<Selector>,
    /// None that one of these names.
    pub exclude: Vec<Selector>,
    /// The server's address, in place of the document's.
    pub server: Option<String>,
}

/// What came of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Imported {
    /// The document's own title, when it has one.
    pub title: Option<String>,
    /// One for each operation, in the document's order.
    pub tools: Vec<ImportedTool>,
    /// The wanted operations that became no tool.
    pub dropped: Vec<Dropped>,
    /// Selectors of `include` and `exclude` that name no operation.
    pub idle: Vec<Selector>,
}

/// An operation that became no tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dropped {
    /// Such as `GET /pets`.
    pub operation: String,
    /// Why, in one sentence.
    pub reason: String,
}

/// Makes the tools of a document.
///
/// # Errors
///
/// [`DocumentError`] when nothing of it can be used.
///
/// # Examples
///
/// ```
/// use manos_openapi::{ImportOptions, import};
/// let document = serde_json::json!({
///     "openapi": "3.1.0",
///     "servers": [{"url": "https://api.example.com/v1"}],
///     "paths": {"/pets/{petId}": {"get": {
///         "operationId": "showPet", "summary": "Shows a pet",
///         "parameters": [{"name": "petId", "in": "path", "required": true, "schema": {"type": "string"}}]
///     }}}
/// });
/// let imported = import(&document, &ImportOptions::default())?;
/// assert_eq!(imported.tools[0].name, "showPet");
/// assert_eq!(imported.tools[0].url, "https://api.example.com/v1/pets/{petId}");
/// assert!(imported.tools[0].read_only);
/// # Ok::<(), manos_openapi::DocumentError>(())
/// ```
pub fn import(document: &Value, options: &ImportOptions) -> Result<Imported, DocumentError> {
    let document = Document::read(document)?;
    let mut names = Names::default();
    let title = document.root().pointer("/info/title").and_then(Value::as_str).map(str::trim);
    let title = title.filter(|title| !title.is_empty()).map(str::to_owned);
    let mut imported = Imported { title, tools: Vec::new(), dropped: Vec::new(), idle: Vec::new() };
    let selectors = || options.include.iter().chain(&options.exclude);
    let mut idle: Vec<&Selector> = selectors().collect();
    for (path, item) in document.paths() {
        for (key, method) in METHODS {
            let Some(operation) = item.get(key) else { continue };
            let whole = format!("{} {path}", key.to_ascii_uppercase());
            let id = operation.get("operationId").and_then(Value::as_str);
            let tags = operation.get("tags").and_then(Value::as_array).into_iter().flatten();
            let tags: Vec<String> = tags.filter_map(Value::as_str).map(str::to_owned).collect();
            // Every operation gets its name, wanted or not: names must not depend on the choice.
            let tool = names.tool(id.filter(|id| !id.is_empty()).unwrap_or(&whole), &whole);
            let candidate =
                Candidate { tags: &tags, path, operation_id: id, tool: &tool, method: key };
            idle.retain(|selector| !selector.fits(candidate));
            if !is_wanted(&options.include, &options.exclude, candidate) {
                continue;
            }
            let made = match method {
                None => Err(format!(
                    "{} has no answer that a model could read",
                    key.to_ascii_uppercase()
                )),
                Some(_) if imported.tools.len() >= OPERATIONS_MAX => {
                    Err(format!("{OPERATIONS_MAX} operations are the most; choose with `include`"))
                }
                Some(method) => {
                    let server = options.server.as_deref();
                    let document = &document;
                    operation::tool(Place { document, path, item, method, operation, server }, tool)
                }
            };
            match made {
                Ok(tool) => imported.tools.push(tool),
                Err(reason) => imported.dropped.push(Dropped { operation: whole, reason }),
            }
        }
    }
    imported.idle = idle.into_iter().cloned().collect();
    Ok(imported)
}

//! Tools that are described elsewhere, written as an agent file.
//!
//! What comes out loads again. Secrets are never copied: a variable stands in their place. What
//! cannot be brought over stands there as a comment that says why.
//!
//! | file | subject |
//! | --- | --- |
//! | `openapi.rs` | an OpenAPI document |
//! | `vapi.rs`, `retell.rs` | tools of two platforms |
//! | `written.rs` | the file that is written, with its variables and comments |
//! | `yaml.rs` | values as YAML |

mod openapi;
mod retell;
mod vapi;
mod written;
mod yaml;

use serde_json::Value;

pub use openapi::import_openapi;
pub use written::ImportedFile;

use written::Writing;

/// A platform whose tools can be brought over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ForeignTools {
    /// Retell's.
    Retell,
    /// Vapi's.
    Vapi,
}

/// Why nothing can be brought over.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ImportError {
    /// The document is none that can be read.
    #[error("the document cannot be read: {problem}")]
    Document {
        /// Why.
        problem: String,
    },
    /// It is no JSON.
    #[error("this is no JSON")]
    Json {
        /// Why.
        #[from]
        source: serde_json::Error,
    },
    /// There is no tool in it.
    #[error("there are no tools in it")]
    NoTools,
}

/// Writes the tools of a platform, exported as JSON: one tool, a list of them, or the assistant that
/// has them.
///
/// # Errors
///
/// [`ImportError`] when nothing of it can be used.
///
/// ```
/// use manos_config::{ForeignTools, import_tools};
/// let json = r#"{"type":"custom","name":"book","description":"Books.","url":"https://a.example/book"}"#;
/// let file = import_tools(ForeignTools::Retell, json)?;
/// assert!(file.yaml.contains("request_format: retell"));
/// # Ok::<(), manos_config::ImportError>(())
/// ```
pub fn import_tools(from: ForeignTools, json: &str) -> Result<ImportedFile, ImportError> {
    let document: Value = serde_json::from_str(json)?;
    let tools = tools_of(&document);
    if tools.is_empty() {
        return Err(ImportError::NoTools);
    }
    let (title, write): (&str, fn(&mut Writing, &Value)) = match from {
        ForeignTools::Retell => ("Retell", retell::write),
        ForeignTools::Vapi => ("Vapi", vapi::write),
    };
    let mut writing = Writing::new(title);
    for tool in tools {
        write(&mut writing, tool);
    }
    Ok(writing.finish())
}

/// Where lists of tools stand in what the platforms export.
const LISTS: [&str; 6] = [
    "/tools",
    "/general_tools",
    "/model/tools",
    "/assistant/model/tools",
    "/response_engine/general_tools",
    "/conversationFlow/tools",
];

fn tools_of(document: &Value) -> Vec<&Value> {
    if let Some(list) = document.as_array() {
        return list.iter().collect();
    }
    let mut found: Vec<&Value> =
        LISTS.iter().filter_map(|list| document.pointer(list)?.as_array()).flatten().collect();
    let states = document.get("states").and_then(Value::as_array).into_iter().flatten();
    found.extend(states.filter_map(|state| state.get("tools")?.as_array()).flatten());
    if found.is_empty() && document.get("type").is_some_and(Value::is_string) {
        found.push(document);
    }
    found
}

#[cfg(test)]
mod tests;

//! OpenAPI documents → tools.
//!
//! One operation is one tool: its name, its description, one JSON Schema for everything it takes,
//! and where each argument goes in the request. Reads OpenAPI 3.0 and 3.1, and Swagger 2.0 by
//! putting it into the form of 3.0 first.
//!
//! Two promises: no operation is lost in silence ([`Imported::dropped`] says why), and a tool's
//! schema stands alone: references are written out, and cut where they lead back to themselves or
//! where a schema would grow past [`SCHEMA_BYTES_MAX`].
//!
//! | module | owns |
//! | --- | --- |
//! | `text` | JSON or YAML → the document's value |
//! | `document` | the version, references, servers |
//! | `upgrade` | Swagger 2.0 in the form of 3.0 |
//! | `select` | `include` and `exclude` |
//! | `operation` | one operation → one tool |
//! | `body` | which of a body's forms is sent, and as which arguments |
//! | `names` | legal, unique names of tools and arguments |
//! | `schema` | a document's schema → one JSON Schema of draft 2020-12 |
//! | `security` | which secrets an operation wants, and where they go |
//!
//! # Source
//!
//! <https://spec.openapis.org/oas/v3.1.1.html>, <https://spec.openapis.org/oas/v3.0.4.html> and
//! <https://spec.openapis.org/oas/v2.0.html>.

mod body;
mod document;
mod import;
mod names;
mod operation;
mod schema;
mod security;
mod select;
mod text;
mod upgrade;

pub use document::DocumentError;
pub use import::{Dropped, ImportOptions, Imported, OPERATIONS_MAX, import};
pub use names::{ARGUMENT_NAME_MAX, TOOL_NAME_MAX};
pub use operation::{DESCRIPTION_CHARS_MAX, ImportedTool};
pub use schema::SCHEMA_BYTES_MAX;
pub use security::{Scheme, SchemePlace};
pub use select::Selector;
pub use text::{DOCUMENT_BYTES_MAX, DOCUMENT_VALUES_MAX, TextError, read_text};

//! The agent file: YAML text to a checked agent, or diagnostics with line and column.

mod diagnostic;
mod node;
mod report;
mod shape;
mod source;
mod units;
mod variables;

pub use diagnostic::{Diagnostic, EXCERPT_COLUMNS_MAX, Severity};
pub use node::{DEPTH_MAX, FILE_BYTES_MAX, NODES_MAX};
pub use report::{CODES, DIAGNOSTICS_MAX};
pub use shape::json_schema;
pub use source::SourceFile;
pub use units::{duration, size};
pub use variables::World;

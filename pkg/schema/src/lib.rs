//! Tool arguments: parsed exactly, mended losslessly, checked against JSON Schema.
//!
//! Owns the way from what a model wrote to arguments that a tool can be run with, or to a list of
//! violations that the model can act on. Leaves to others: which tool is meant, who may call it,
//! the types of a handler, and the dialects of schemas that providers want.
//!
//! | module | owns |
//! | --- | --- |
//! | `tool_schema` | the compiled schema of one tool, and the order of a check |
//! | `intake`, `read`, `fence`, `survey`, `number` | raw arguments → an object, strictly |
//! | `mend` | the lossless mends |
//! | `violation` | errors → what the model reads |
//! | `write_only` | masking |
//! | `inspect`, `keyword`, `pointer` | walking a schema |
//!
//! Tested by tables beside the rules and, for whole checks, in `tests/it`.

mod arguments;
mod fence;
mod inspect;
mod intake;
mod keyword;
mod limits;
mod mend;
mod number;
mod pointer;
mod read;
mod schema_error;
mod survey;
mod tool_schema;
mod violation;
mod write_only;

pub use arguments::{ArgumentsError, Checked, RawArguments};
pub use limits::{
    ARGUMENTS_BYTES_MAX, ARGUMENTS_DEPTH_MAX, EXCERPT_CHARS, EXPECTED_BYTES_MAX, GOT_BYTES_MAX,
    LOOKS_MAX, MEND_VALUES_MAX, PATTERN_BYTES_MAX, SCHEMA_DEPTH_MAX, VIOLATIONS_MAX,
};
pub use mend::{Mend, MendKind, MendOptions};
pub use schema_error::SchemaError;
pub use tool_schema::ToolSchema;

//! A tool's schema → the form of it that the dialect takes.

use serde_json::Value;

use crate::write::push_json;
use crate::{Compiled, SchemaForm, compile};

/// Writes the schema as it is shown and returns how it was compiled.
pub(super) fn push_schema(json: &mut Vec<u8>, schema: &Value) -> Compiled {
    let compiled = compile(schema, SchemaForm::Anthropic);
    push_json(json, &compiled.shown);
    compiled
}

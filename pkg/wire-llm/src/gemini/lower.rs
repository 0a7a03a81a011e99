//! A tool's schema → the form of it that the dialect takes.

use serde_json::Value;

use crate::write::push_json;
use crate::{Compiled, SchemaForm, compile};

/// Writes the field with the schema as it is shown, a comma before it, and returns how it was
/// compiled. A tool without parameters has no such field: an empty object is refused.
pub(super) fn push_parameters(json: &mut Vec<u8>, schema: &Value) -> Compiled {
    let compiled = compile(schema, SchemaForm::Gemini);
    if !compiled.shown.is_null() {
        json.extend_from_slice(b",\"parameters\":");
        push_json(json, &compiled.shown);
    }
    compiled
}

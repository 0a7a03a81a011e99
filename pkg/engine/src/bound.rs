//! Results are cut before they reach a model.

use serde_json::Value;

/// Cuts a result whose text is longer than `bytes_max` at a character boundary; what is left is
/// text that ends with a note of how much is missing.
///
/// ```
/// use manos_engine::bounded_result;
/// use serde_json::json;
/// assert_eq!(bounded_result(json!({"a": 1}), 100), json!({"a": 1}));
/// assert_eq!(bounded_result(json!("ñandú"), 4), json!("ña… [4 more bytes are not shown]"));
/// ```
pub fn bounded_result(result: Value, bytes_max: usize) -> Value {
    let text = match &result {
        Value::String(text) => text.len().gt(&bytes_max).then(|| text.clone()),
        other => {
            let text = other.to_string();
            (text.len() > bytes_max).then_some(text)
        }
    };
    let Some(text) = text else { return result };
    let end = text.floor_char_boundary(bytes_max);
    Value::String(format!("{}… [{} more bytes are not shown]", &text[..end], text.len() - end))
}

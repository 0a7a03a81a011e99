//! Values that stand in the path of a URL.

use std::borrow::Cow;

use serde_json::Value;

/// What a value in a path must be, in a few words for whoever sent another.
pub const PATH_VALUE_RULE: &str = "a text for the path of a URL: not empty, not `.` or `..`, without `/`, `\\` and control characters";

/// Returns the text of a value as it stands in a path, before it is percent-encoded; `None` when it
/// cannot stand there.
///
/// A text, an integer or a boolean can, unless it is empty, `.` or `..`, or holds `/`, `\` or a
/// control character: such a value could name another resource than the one that was meant.
///
/// ```
/// use manos_model::path_value;
/// use serde_json::json;
/// assert_eq!(path_value(&json!("P 1")).as_deref(), Some("P 1"));
/// assert_eq!(path_value(&json!(7)).as_deref(), Some("7"));
/// assert_eq!(path_value(&json!("../admin")), None);
/// ```
pub fn path_value(value: &Value) -> Option<Cow<'_, str>> {
    let text = match value {
        Value::Bool(true) => "true",
        Value::Bool(false) => "false",
        Value::Number(number) => return Some(Cow::Owned(number.to_string())),
        Value::String(text) => text.as_str(),
        Value::Null | Value::Array(_) | Value::Object(_) => return None,
    };
    let refused = |c: char| matches!(c, '/' | '\\') || c.is_control();
    let moves = matches!(text, "" | "." | "..");
    (!moves && !text.contains(refused)).then_some(Cow::Borrowed(text))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_value_in_a_path_names_one_segment_or_nothing() {
        let cases = [
            (json!("P-1"), Some("P-1"), "an id"),
            (json!("a b?c#d%2e"), Some("a b?c#d%2e"), "what is encoded later"),
            (json!("..."), Some("..."), "three dots are a name"),
            (json!("ñ ☕"), Some("ñ ☕"), "other scripts"),
            (json!(-7), Some("-7"), "a number"),
            (json!(true), Some("true"), "a boolean"),
            (json!(""), None, "nothing"),
            (json!("."), None, "the same folder"),
            (json!(".."), None, "the folder above"),
            (json!("a/b"), None, "two segments"),
            (json!("a\\b"), None, "two segments, to some servers"),
            (json!("a\u{0}b"), None, "NUL"),
            (json!("a\nb"), None, "a line break"),
            (json!("a\u{7f}"), None, "delete"),
            (json!("a\u{85}"), None, "the other control characters"),
            (json!(null), None, "null"),
            (json!(["a"]), None, "a list"),
        ];
        for (value, expected, why) in cases {
            assert_eq!(path_value(&value).as_deref(), expected, "{why}");
        }
    }
}

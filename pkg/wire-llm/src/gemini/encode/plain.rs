//! JSON → JSON that survives being read as Google's `Struct`.
//!
//! There every number is a double, and nesting has an end. An order's number of twenty digits would
//! come to the model as another one, and a result that is nested too deep would cost the request.

use std::borrow::Cow;

use serde_json::{Number, Value};

/// How deep values may be nested; what is deeper goes as its JSON text.
const DEPTH_MAX: usize = 16;

/// The greatest whole number up to which doubles have them all.
const WHOLE_MAX: u64 = 1 << 53;

/// Returns the value, with what would not survive as text in its place.
pub(super) fn plain(value: &Value) -> Cow<'_, Value> {
    if survives(value, DEPTH_MAX) {
        Cow::Borrowed(value)
    } else {
        Cow::Owned(tamed(value, DEPTH_MAX))
    }
}

fn survives(value: &Value, depth: usize) -> bool {
    match value {
        Value::Array(list) => depth > 0 && list.iter().all(|value| survives(value, depth - 1)),
        Value::Number(number) => number_survives(number),
        Value::Object(object) => {
            depth > 0 && object.values().all(|value| survives(value, depth - 1))
        }
        Value::Bool(_) | Value::Null | Value::String(_) => true,
    }
}

fn tamed(value: &Value, depth: usize) -> Value {
    match value {
        Value::Array(_) | Value::Object(_) if depth == 0 => Value::from(value.to_string()),
        Value::Array(list) => list.iter().map(|value| tamed(value, depth - 1)).collect(),
        Value::Number(number) if !number_survives(number) => Value::from(number.to_string()),
        Value::Object(object) => {
            let fields = object.iter().map(|(key, value)| (key.clone(), tamed(value, depth - 1)));
            Value::Object(fields.collect())
        }
        other => other.clone(),
    }
}

/// Fractions may lose what no double holds; whole numbers, which are mostly ids, may not.
fn number_survives(number: &Number) -> bool {
    let text = number.to_string();
    let digits = text.strip_prefix('-').unwrap_or(&text);
    if digits.bytes().all(|byte| byte.is_ascii_digit()) {
        digits.parse::<u64>().is_ok_and(|whole| whole <= WHOLE_MAX)
    } else {
        text.parse::<f64>().is_ok_and(f64::is_finite)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Value {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn what_a_double_does_not_hold_goes_as_text() {
        let cases = [
            ("as it is", r#"{"a":[1,-2.50,true,null,"x"]}"#, r#"{"a":[1,-2.50,true,null,"x"]}"#),
            ("the last that all doubles have", "9007199254740992", "9007199254740992"),
            ("one more", "9007199254740993", r#""9007199254740993""#),
            ("below nothing", "-9007199254740993", r#""-9007199254740993""#),
            ("a long id", r#"{"id":12345678901234567890}"#, r#"{"id":"12345678901234567890"}"#),
            ("no double at all", "1e999", r#""1e999""#),
        ];
        for (why, text, expected) in cases {
            // Compared by value: the digits of an exponent are written in one way of several.
            assert_eq!(plain(&parsed(text)).to_string().replace("e+", "e"), expected, "{why}");
        }
    }

    #[test]
    fn what_is_nested_too_deep_goes_as_text() {
        let deep =
            |levels: usize| parsed(&format!("{}1{}", "[".repeat(levels), "]".repeat(levels)));
        assert_eq!(plain(&deep(DEPTH_MAX)).into_owned(), deep(DEPTH_MAX));
        let text = plain(&deep(DEPTH_MAX + 2)).to_string();
        assert_eq!(text, format!("{}\"[[1]]\"{}", "[".repeat(DEPTH_MAX), "]".repeat(DEPTH_MAX)));
    }
}

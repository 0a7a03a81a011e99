//! One text for equal JSON values, and the digest over it.

use std::fmt::Write as _;

use serde_json::{Map, Number, Value};
use sha2::{Digest as _, Sha256};

/// Writes a value so that equal values give equal text: keys by code point, no blanks, numbers by
/// value (`1`, `1.0` and `1e0` are one number).
///
/// ```
/// use manos_model::canonical_json;
/// let value: serde_json::Value = serde_json::from_str(r#"{"b": 1.0, "a": [10e-1, "ñ"]}"#).unwrap();
/// assert_eq!(canonical_json(&value), r#"{"a":[1,"ñ"],"b":1}"#);
/// ```
pub fn canonical_json(value: &Value) -> String {
    let mut text = String::new();
    write_value(value, &mut text);
    text
}

/// Writes an object as [`canonical_json`] does.
pub fn canonical_object(map: &Map<String, Value>) -> String {
    let mut text = String::new();
    write_object(map, &mut text);
    text
}

/// Whether two values are equal as JSON: key order and the spelling of numbers do not matter.
pub fn equal_values(left: &Value, right: &Value) -> bool {
    left == right || canonical_json(left) == canonical_json(right)
}

/// Returns the SHA-256 of the parts, each preceded by its length, as lower-case hex.
pub fn sha256_hex(parts: &[&[u8]]) -> String {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update((part.len() as u64).to_be_bytes());
        hasher.update(part);
    }
    hex(&hasher.finalize())
}

/// Writes bytes as lower-case hex digits. Several digests and ids are made with each step of a
/// turn, which formatting digit by digit would cost as much as hashing.
pub(crate) fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut text = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        text.push(char::from(DIGITS[usize::from(byte >> 4)]));
        text.push(char::from(DIGITS[usize::from(byte & 0xf)]));
    }
    text
}

fn write_value(value: &Value, text: &mut String) {
    match value {
        Value::Null => text.push_str("null"),
        Value::Bool(true) => text.push_str("true"),
        Value::Bool(false) => text.push_str("false"),
        Value::Number(number) => write_number(number, text),
        Value::String(string) => write_string(string, text),
        Value::Array(items) => {
            text.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    text.push(',');
                }
                write_value(item, text);
            }
            text.push(']');
        }
        Value::Object(map) => write_object(map, text),
    }
}

fn write_object(map: &Map<String, Value>, text: &mut String) {
    let mut keys: Vec<&String> = map.keys().collect();
    keys.sort();
    text.push('{');
    for (index, key) in keys.into_iter().enumerate() {
        if index > 0 {
            text.push(',');
        }
        write_string(key, text);
        text.push(':');
        write_value(&map[key], text);
    }
    text.push('}');
}

fn write_string(string: &str, text: &mut String) {
    // serde_json escapes exactly `"`, `\` and U+0000–U+001F. A string always serialises.
    text.push_str(&serde_json::to_string(string).unwrap_or_default());
}

/// Writes digits and exponent in one form: no leading or trailing zeros, the exponent only when
/// the number is not whole or has more than [`WHOLE_DIGITS_MAX`] digits.
fn write_number(number: &Number, text: &mut String) {
    let source = number.to_string();
    let (negative, rest) = match source.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, source.as_str()),
    };
    let (mantissa, exponent) = match rest.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i64>().unwrap_or(i64::MAX / 4)),
        None => (rest, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits: String = [whole, fraction].concat();
    let significant = digits.trim_start_matches('0').trim_end_matches('0');
    if significant.is_empty() {
        text.push('0');
        return;
    }
    let trailing = digits.len() - digits.trim_end_matches('0').len();
    let shift = exponent.saturating_sub(to_i64(fraction.len())).saturating_add(to_i64(trailing));
    if negative {
        text.push('-');
    }
    text.push_str(significant);
    let zeros = usize::try_from(shift).ok().filter(|z| significant.len() + z <= WHOLE_DIGITS_MAX);
    match zeros {
        Some(zeros) => text.extend(std::iter::repeat_n('0', zeros)),
        None => {
            // Writing to a String cannot fail.
            let _ = write!(text, "e{shift}");
        }
    }
}

fn to_i64(length: usize) -> i64 {
    i64::try_from(length).unwrap_or(i64::MAX)
}

/// Longer whole numbers are written with an exponent, so that `1e999999` stays short.
const WHOLE_DIGITS_MAX: usize = 40;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_has_one_spelling() {
        let cases = [
            ("1", "1"),
            ("1.0", "1"),
            ("1e0", "1"),
            ("10e-1", "1"),
            ("100", "100"),
            ("1e2", "100"),
            ("-0", "0"),
            ("0.0", "0"),
            ("0.50", "5e-1"),
            ("5e-1", "5e-1"),
            ("1234567890123456789012", "1234567890123456789012"),
            ("1e400", "1e400"),
            ("-12.340", "-1234e-2"),
        ];
        for (source, expected) in cases {
            let value: Value = serde_json::from_str(source).unwrap();
            assert_eq!(canonical_json(&value), expected, "{source}");
        }
    }

    #[test]
    fn equal_means_equal_as_json() {
        let parse = |text: &str| serde_json::from_str::<Value>(text).unwrap();
        assert!(equal_values(&parse(r#"{"a":1,"b":[2.0]}"#), &parse(r#"{"b":[2],"a":1.0}"#)));
        assert!(!equal_values(&parse(r#"{"a":1}"#), &parse(r#"{"a":"1"}"#)));
        assert!(!equal_values(&parse("[1,2]"), &parse("[2,1]")));
    }
}

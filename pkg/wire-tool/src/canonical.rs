//! JSON as it is sent and signed: one text for each value, with the digits it came with.
//!
//! Keys stand in the order of their code points at each level, there are no blanks, and only `"`,
//! `\` and U+0000–U+001F are escaped. Numbers keep the digits they were sent with, other than in
//! [`manos_model::canonical_json`], which compares them by value. This is not RFC 8785, which
//! rewrites numbers. Only an exponent is spelled in one way, `1e+5` for `1E5`, by the reader of JSON.

use serde_json::{Map, Value};

/// Writes a value in the canonical form.
///
/// ```
/// use manos_wire_tool::canonical;
/// let value = serde_json::from_str(r#"{ "b": 1.50, "a": ["é\u000b\n"] }"#).unwrap();
/// assert_eq!(canonical::text(&value), r#"{"a":["é\u000b\n"],"b":1.50}"#);
/// ```
pub fn text(value: &Value) -> String {
    let mut out = String::new();
    write(value, &mut out);
    out
}

/// Adds a value in the canonical form.
pub fn write(value: &Value, out: &mut String) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(true) => out.push_str("true"),
        Value::Bool(false) => out.push_str("false"),
        Value::Number(number) => out.push_str(number.as_str()),
        Value::String(string) => write_string(string, out),
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write(item, out);
            }
            out.push(']');
        }
        Value::Object(map) => write_object(map, &[], out),
    }
}

/// Adds an object in the canonical form, without the keys in `left_out`.
pub fn write_object(map: &Map<String, Value>, left_out: &[String], out: &mut String) {
    let mut first = true;
    out.push('{');
    for (key, value) in sorted(map) {
        if left_out.iter().any(|name| name == key) {
            continue;
        }
        if !std::mem::take(&mut first) {
            out.push(',');
        }
        write_string(key, out);
        out.push(':');
        write(value, out);
    }
    out.push('}');
}

/// Adds a text in quotes.
pub fn write_string(string: &str, out: &mut String) {
    out.push('"');
    let mut plain = 0;
    for (index, byte) in string.bytes().enumerate() {
        let short = match byte {
            b'"' => "\\\"",
            b'\\' => "\\\\",
            0x08 => "\\b",
            0x09 => "\\t",
            0x0a => "\\n",
            0x0c => "\\f",
            0x0d => "\\r",
            0x00..=0x1f => "",
            _ => continue,
        };
        out.push_str(&string[plain..index]);
        plain = index + 1;
        if short.is_empty() {
            out.push_str("\\u00");
            out.push(if byte < 0x10 { '0' } else { '1' });
            out.push(char::from(b"0123456789abcdef"[usize::from(byte & 0xf)]));
        } else {
            out.push_str(short);
        }
    }
    out.push_str(&string[plain..]);
    out.push('"');
}

/// The entries of an object in the order of their keys' code points, which is the order of the
/// bytes of UTF-8.
pub(crate) fn sorted(map: &Map<String, Value>) -> Vec<(&String, &Value)> {
    let mut entries: Vec<_> = map.iter().collect();
    entries.sort_by_key(|(key, _)| *key);
    entries
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn each_value_has_one_text() {
        let cases = [
            (r#"{ "b" : 1 , "a" : 2 }"#, r#"{"a":2,"b":1}"#, "keys in order, no blanks"),
            (
                r#"{"b":{"d":1,"c":2},"a":[{"z":0,"y":0}]}"#,
                r#"{"a":[{"y":0,"z":0}],"b":{"c":2,"d":1}}"#,
                "at each level",
            ),
            (
                r#"{"a":1,"B":2,"_":3,"10":4,"9":5}"#,
                r#"{"10":4,"9":5,"B":2,"_":3,"a":1}"#,
                "by code point, not by alphabet or number",
            ),
            (
                "{\"\u{ff61}\":1,\"\u{1f600}\":2}",
                "{\"\u{ff61}\":1,\"\u{1f600}\":2}",
                "by code point, not by the units of UTF-16",
            ),
            (
                "[1.0,1.50,1e5,1E+5,-0,-0.0,0.1e-7,12345678901234567890123]",
                "[1.0,1.50,1e+5,1e+5,-0,-0.0,0.1e-7,12345678901234567890123]",
                "the digits that were sent",
            ),
            (r#"["\u0041\/\u00e9\u007f"]"#, "[\"A/é\u{7f}\"]", "escapes only where they must be"),
            (r#"["\u0008\u000c\u000a\u000d\u0009"]"#, r#"["\b\f\n\r\t"]"#, "the short escapes"),
            (
                r#"["\u0000\u001F\u001b\"\\"]"#,
                r#"["\u0000\u001f\u001b\"\\"]"#,
                "the long ones, in lower case",
            ),
            (r#"["\ud83d\ude00\u2028"]"#, "[\"😀\u{2028}\"]", "a pair of escapes is one character"),
            ("{}", "{}", "nothing"),
            ("[null,true,false,[],{}]", "[null,true,false,[],{}]", "the words"),
        ];
        for (source, expected, why) in cases {
            let value: Value = serde_json::from_str(source).unwrap();
            assert_eq!(text(&value), expected, "{why}");
        }
    }

    #[test]
    fn what_stands_elsewhere_is_left_out() {
        let value: Value = serde_json::from_str(r#"{"c":1,"a":{"a":2},"b":3}"#).unwrap();
        let mut out = String::new();
        write_object(value.as_object().unwrap(), &["a".to_owned(), "b".to_owned()], &mut out);
        assert_eq!(out, r#"{"c":1}"#);
    }

    proptest! {
        #[test]
        fn the_text_of_a_string_is_that_of_serde(string in any::<String>()) {
            let mut out = String::new();
            write_string(&string, &mut out);
            prop_assert_eq!(out, serde_json::to_string(&string).unwrap());
        }
    }
}

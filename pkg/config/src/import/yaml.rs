//! Values as YAML: blocks for what has parts, and texts that cannot be read as anything else.

use std::fmt::Write as _;

use serde_json::{Map, Value};

/// Adds an object as a block, each line after `indent` blanks.
pub(super) fn write_map(map: &Map<String, Value>, indent: usize, out: &mut String) {
    for (key, value) in map {
        out.extend(std::iter::repeat_n(' ', indent));
        write_entry(key, value, indent, out);
    }
}

/// Adds an object as an item of a list.
pub(super) fn write_item(map: &Map<String, Value>, indent: usize, out: &mut String) {
    for (index, (key, value)) in map.iter().enumerate() {
        out.extend(std::iter::repeat_n(' ', indent));
        out.push_str(if index == 0 { "- " } else { "  " });
        write_entry(key, value, indent + 2, out);
    }
}

fn write_entry(key: &str, value: &Value, indent: usize, out: &mut String) {
    out.push_str(&text(key));
    out.push(':');
    match value {
        Value::Object(map) if !map.is_empty() => {
            out.push('\n');
            write_map(map, indent + 2, out);
        }
        Value::Array(items) if items.iter().any(|item| item.is_object() || item.is_array()) => {
            out.push('\n');
            for item in items {
                match item {
                    Value::Object(map) if !map.is_empty() => write_item(map, indent + 2, out),
                    other => {
                        out.extend(std::iter::repeat_n(' ', indent + 2));
                        out.push_str("- ");
                        out.push_str(&flow(other));
                        out.push('\n');
                    }
                }
            }
        }
        other => {
            out.push(' ');
            out.push_str(&flow(other));
            out.push('\n');
        }
    }
}

/// A value on one line.
fn flow(value: &Value) -> String {
    match value {
        Value::String(string) => text(string),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(flow).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Object(map) => {
            let entries: Vec<String> =
                map.iter().map(|(key, value)| format!("{}: {}", text(key), flow(value))).collect();
            if entries.is_empty() {
                "{}".to_owned()
            } else {
                format!("{{ {} }}", entries.join(", "))
            }
        }
        other => other.to_string(),
    }
}

/// A text: bare where no reader can take it for anything else, in quotes otherwise.
pub(super) fn text(string: &str) -> String {
    let starts = string.chars().next().is_some_and(|first| first.is_ascii_alphabetic());
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '/' | '.');
    if starts && string.chars().all(plain) && !is_word(string) {
        return string.to_owned();
    }
    let mut quoted = String::with_capacity(string.len() + 2);
    quoted.push('"');
    for c in string.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            // Line ends and marks of Unicode that YAML reads, or forbids.
            c if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}') => {
                // Writing to a String cannot fail.
                let _ = write!(quoted, "\\u{:04x}", u32::from(c));
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

/// Whether some reader of YAML takes the word for a truth value, nothing or a number.
fn is_word(string: &str) -> bool {
    const WORDS: [&str; 12] =
        ["true", "false", "yes", "no", "on", "off", "y", "n", "null", "nan", "inf", "infinity"];
    WORDS.iter().any(|word| string.eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::import::tests::read_back;

    #[test]
    fn a_value_is_a_block_that_people_can_read() {
        let value = json!({
            "name": "book", "yes": "no", "empty": {}, "list": [1, "two words"],
            "deep": {"items": [{"a": 2, "b": null}, [], "x"]},
        });
        let mut out = String::new();
        write_item(value.as_object().unwrap(), 2, &mut out);
        insta::assert_snapshot!(out, @r#"
          - name: book
            "yes": "no"
            empty: {}
            list: [1, "two words"]
            deep:
              items:
                - a: 2
                  b: null
                - []
                - x
        "#);
    }

    proptest! {
        #[test]
        fn a_text_reads_back_as_it_was(string in "\\PC{0,20}|[ -~\n\t\u{85}\u{2028}\u{feff}]{0,20}") {
            let mut map = Map::new();
            map.insert(format!("k{string}"), Value::from(string.clone()));
            let mut out = String::new();
            write_map(&map, 0, &mut out);
            prop_assert_eq!(read_back(&out), Some(Value::Object(map)));
        }
    }
}

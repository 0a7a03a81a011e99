//! Arguments in the query, for methods without a body.

use serde_json::{Map, Value};

use super::percent;
use crate::canonical;

/// Adds arguments to an address that may have a query already.
///
/// In the order of their keys. Scalars as JSON prints them, without quotes; a list repeats the key;
/// an object is its JSON text; `null` is left out.
pub(super) fn push(arguments: &Map<String, Value>, left_out: &[String], url: &mut String) {
    let mut joint = joint(url);
    let mut pair = |key: &str, value: &Value| {
        if value.is_null() {
            return;
        }
        url.extend(joint.replace('&'));
        percent::push(key, url);
        url.push('=');
        match value {
            Value::String(text) => percent::push(text, url),
            other => percent::push(&canonical::text(other), url),
        }
    };
    for (key, value) in canonical::sorted(arguments) {
        if left_out.iter().any(|name| name == key) {
            continue;
        }
        match value {
            Value::Array(items) => items.iter().for_each(|item| pair(key, item)),
            other => pair(key, other),
        }
    }
}

/// Adds pairs that are encoded already.
pub(super) fn push_pairs(pairs: &str, url: &mut String) {
    if pairs.is_empty() {
        return;
    }
    url.extend(joint(url));
    url.push_str(pairs);
}

/// What stands between an address and the next pair.
fn joint(url: &str) -> Option<char> {
    match url.find('?') {
        None => Some('?'),
        Some(at) if url[at + 1..].is_empty() || url.ends_with('&') => None,
        Some(_) => Some('&'),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_stand_in_the_query_by_one_rule_for_each_type() {
        let cases = [
            ("/a", r#"{"b":"x","a":1}"#, "/a?a=1&b=x", "in the order of keys"),
            ("/a", "{}", "/a", "nothing adds nothing"),
            ("/a", r#"{"a":null,"b":[null]}"#, "/a", "null is left out"),
            ("/a?k=v", r#"{"a":1}"#, "/a?k=v&a=1", "after what is there"),
            ("/a?", r#"{"a":1}"#, "/a?a=1", "an empty query"),
            ("/a?k&", r#"{"a":1}"#, "/a?k&a=1", "an open end"),
            ("/a", r#"{"a":true,"b":1.50,"c":-0}"#, "/a?a=true&b=1.50&c=-0", "scalars as sent"),
            ("/a", r#"{"a":["x","y",2]}"#, "/a?a=x&a=y&a=2", "a list repeats the key"),
            ("/a", r#"{"a":[]}"#, "/a", "an empty list"),
            (
                "/a",
                r#"{"a":{"c":1,"b":"ñ"}}"#,
                "/a?a=%7B%22b%22%3A%22%C3%B1%22%2C%22c%22%3A1%7D",
                "an object is JSON text",
            ),
            (
                "/a",
                r#"{"a":[[1,2],{"b":1}]}"#,
                "/a?a=%5B1%2C2%5D&a=%7B%22b%22%3A1%7D",
                "so are what is inside a list",
            ),
            ("/a", r#"{"a":""}"#, "/a?a=", "an empty text is there"),
            (
                "/a",
                r#"{"reason":"no show","ñ":"a+b&c=d~-_."}"#,
                "/a?reason=no%20show&%C3%B1=a%2Bb%26c%3Dd~-_.",
                "a blank is %20",
            ),
        ];
        for (url, arguments, expected, why) in cases {
            let arguments: Value = serde_json::from_str(arguments).unwrap();
            let mut got = url.to_owned();
            push(arguments.as_object().unwrap(), &[], &mut got);
            assert_eq!(got, expected, "{why}");
        }
    }
}

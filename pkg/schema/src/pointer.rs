//! JSON Pointers (RFC 6901), built one step at a time.

use std::fmt::Write as _;

use serde_json::Value;

/// Returns `base` followed by the step into the property `key`.
pub(crate) fn with_key(base: &str, key: &str) -> String {
    let mut pointer = String::with_capacity(base.len() + key.len() + 1);
    pointer.push_str(base);
    push_key(&mut pointer, key);
    pointer
}

/// Returns `base` followed by the step into the item at `index`.
pub(crate) fn with_index(base: &str, index: usize) -> String {
    let mut pointer = String::with_capacity(base.len() + 4);
    pointer.push_str(base);
    // Writing to a String cannot fail.
    let _ = write!(pointer, "/{index}");
    pointer
}

fn push_key(pointer: &mut String, key: &str) {
    pointer.push('/');
    for character in key.chars() {
        match character {
            '/' => pointer.push_str("~1"),
            '~' => pointer.push_str("~0"),
            other => pointer.push(other),
        }
    }
}

/// Follows a reference inside one document (`#`, `#/a/b`); anything else is `None`.
pub(crate) fn resolve<'s>(root: &'s Value, reference: &str) -> Option<(&'s Value, String)> {
    let fragment = percent_decoded(reference.strip_prefix('#')?)?;
    if !fragment.is_empty() && !fragment.starts_with('/') {
        return None;
    }
    let target = root.pointer(&fragment)?;
    Some((target, fragment))
}

fn percent_decoded(fragment: &str) -> Option<String> {
    if !fragment.contains('%') {
        return Some(fragment.to_owned());
    }
    let bytes = fragment.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        if byte == b'%' {
            let digits = fragment.get(at + 1..at + 3)?;
            decoded.push(u8::from_str_radix(digits, 16).ok()?);
            at += 3;
        } else {
            decoded.push(byte);
            at += 1;
        }
    }
    String::from_utf8(decoded).ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn steps_are_escaped() {
        assert_eq!(with_index(&with_key("", "a/b~c"), 3), "/a~1b~0c/3");
    }

    #[test]
    fn only_references_into_the_same_document_are_followed() {
        let root = json!({"$defs": {"a b": {"type": "string"}, "ñ": true}});
        let cases = [
            ("the document itself", "#", Some("")),
            ("a blank, percent-encoded", "#/$defs/a%20b", Some("/$defs/a b")),
            ("two encoded bytes of one letter", "#/$defs/%C3%B1", Some("/$defs/ñ")),
            ("an anchor is not a pointer", "#name", None),
            ("another document", "https://example.com/x.json", None),
            ("nothing is there", "#/$defs/none", None),
            ("broken encoding", "#/%4", None),
            ("encoding that is not UTF-8", "#/%FF", None),
        ];
        for (why, reference, expected) in cases {
            let found = resolve(&root, reference).map(|(_, pointer)| pointer);
            assert_eq!(found.as_deref(), expected, "{why}");
        }
    }
}

//! JSON text → a value, unless a key stands twice in one object.
//!
//! Reading it into a value would keep the last of the two, and the check that follows could no longer
//! see that it is not known which one was meant.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

/// Returns the value, or nothing where the text is no JSON or a key stands twice.
pub(super) fn parse(text: &str) -> Option<Value> {
    let raw: &RawValue = serde_json::from_str(text).ok()?;
    if !is_unique(raw.get(), 0) {
        return None;
    }
    serde_json::from_str(text).ok()
}

/// No deeper than the reader of `serde_json` itself goes.
const DEPTH_MAX: usize = 128;

fn is_unique(text: &str, depth: usize) -> bool {
    if depth > DEPTH_MAX {
        return false;
    }
    match text.as_bytes().first() {
        Some(b'{') => serde_json::from_str::<Members<'_>>(text).is_ok_and(|members| {
            let mut seen = BTreeSet::new();
            members
                .0
                .iter()
                .all(|(key, value)| seen.insert(key) && is_unique(value.get(), depth + 1))
        }),
        Some(b'[') => serde_json::from_str::<Vec<&RawValue>>(text)
            .is_ok_and(|items| items.iter().all(|item| is_unique(item.get(), depth + 1))),
        Some(_) | None => true,
    }
}

/// The members of an object, each of them.
struct Members<'a>(Vec<(Key<'a>, &'a RawValue)>);

#[derive(PartialEq, Eq, PartialOrd, Ord, Deserialize)]
struct Key<'a>(#[serde(borrow)] Cow<'a, str>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct All;
        impl<'de> Visitor<'de> for All {
            type Value = Members<'de>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(All)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_twice_is_seen_at_any_depth_and_however_it_is_written() {
        let cases = [
            ("none", r#"{"a":[{"b":1},{"b":2}],"c":{"a":1}}"#, true),
            ("at the root", r#"{"a":1,"a":1}"#, false),
            ("inside a list", r#"[[{"a":1,"a":2}]]"#, false),
            ("one of them escaped", r#"{"a":1,"\u0061":2}"#, false),
            ("in a text", r#""{\"a\":1,\"a\":2}""#, true),
            ("no JSON", "{", false),
        ];
        for (why, text, expected) in cases {
            assert_eq!(parse(text).is_some(), expected, "{why}");
        }
    }
}

//! Masking the values of `writeOnly` properties.

use std::collections::{BTreeMap, BTreeSet};

use regex::Regex;
use serde_json::{Map, Value};

use crate::keyword::{Node, Reach};
use crate::limits::ARGUMENTS_DEPTH_MAX;
use crate::read::read;

/// What stands in place of a value that is not shown.
pub(crate) const MASK: &str = "•••";

type Patterns = BTreeMap<String, Option<Regex>>;

/// Returns `value` with every value masked that some `writeOnly` schema of `root` may speak of.
pub(crate) fn mask(root: &Value, patterns: &Patterns, value: &Value) -> Value {
    let masking = Masking { root, patterns };
    let places = masking.spread(vec![Node::root(root)]);
    match value {
        // Arguments as they came: text that is not read cannot be shown in part.
        Value::String(text) => match read(text, ARGUMENTS_DEPTH_MAX) {
            Ok(read) if read.value.is_object() => {
                Value::String(masking.mask(&places, &read.value).to_string())
            }
            _ => Value::String(MASK.to_owned()),
        },
        other => masking.mask(&places, other),
    }
}

struct Masking<'s> {
    root: &'s Value,
    patterns: &'s Patterns,
}

impl<'s> Masking<'s> {
    fn mask(&self, places: &[Node<'s>], value: &Value) -> Value {
        if places.iter().any(|node| node.schema.get("writeOnly") == Some(&Value::Bool(true))) {
            return Value::String(MASK.to_owned());
        }
        match value {
            Value::Object(map) => {
                let masked: Map<String, Value> = map
                    .iter()
                    .map(|(key, inner)| {
                        let below = self.spread(self.property(places, key));
                        (key.clone(), self.mask_below(&below, inner))
                    })
                    .collect();
                Value::Object(masked)
            }
            Value::Array(items) => {
                let below = self.spread(items_of(places));
                Value::Array(items.iter().map(|item| self.mask_below(&below, item)).collect())
            }
            other => other.clone(),
        }
    }

    fn mask_below(&self, places: &[Node<'s>], value: &Value) -> Value {
        match value {
            _ if places.is_empty() => value.clone(),
            // JSON text where an object is due is read before it runs: mask what is inside it too.
            Value::String(text) if text.contains('{') && self.reaches_secret(places) => {
                match read(text, ARGUMENTS_DEPTH_MAX) {
                    Ok(read) if read.value.is_object() || read.value.is_array() => {
                        Value::String(self.mask(places, &read.value).to_string())
                    }
                    _ => Value::String(MASK.to_owned()),
                }
            }
            other => self.mask(places, other),
        }
    }

    /// Adds the schemas that apply to the same value, whichever way is taken.
    fn spread(&self, start: Vec<Node<'s>>) -> Vec<Node<'s>> {
        let mut seen = BTreeSet::new();
        let mut found = Vec::new();
        let mut waiting = start;
        while let Some(node) = waiting.pop() {
            if !seen.insert(node.pointer.clone()) {
                continue;
            }
            let edges = node.edges(self.root).into_iter();
            waiting.extend(
                edges.filter(|(reach, _)| *reach == Reach::SamePlace).map(|(_, inner)| inner),
            );
            found.push(node);
        }
        found
    }

    fn property(&self, places: &[Node<'s>], key: &str) -> Vec<Node<'s>> {
        let mut found = Vec::new();
        for node in places {
            let before = found.len();
            found.extend(node.entry("properties", key));
            let by_pattern = node.schema.get("patternProperties").and_then(Value::as_object);
            for pattern in by_pattern.into_iter().flat_map(|map| map.keys()) {
                // A pattern that only the validator can read may match: then mask.
                let regex = self.patterns.get(pattern).and_then(Option::as_ref);
                if regex.is_none_or(|regex| regex.is_match(key)) {
                    found.extend(node.entry("patternProperties", pattern));
                }
            }
            if found.len() == before {
                found.extend(node.one("additionalProperties"));
            }
            found.extend(node.one("unevaluatedProperties"));
        }
        found
    }

    /// Says whether a `writeOnly` schema stands somewhere below `places`.
    fn reaches_secret(&self, places: &[Node<'s>]) -> bool {
        let mut seen = BTreeSet::new();
        let mut waiting = places.to_vec();
        while let Some(node) = waiting.pop() {
            if node.schema.get("writeOnly") == Some(&Value::Bool(true)) {
                return true;
            }
            if seen.insert(node.pointer.clone()) {
                waiting.extend(node.edges(self.root).into_iter().map(|(_, inner)| inner));
            }
        }
        false
    }
}

fn items_of<'s>(places: &[Node<'s>]) -> Vec<Node<'s>> {
    const KEYWORDS: [&str; 4] = ["items", "additionalItems", "unevaluatedItems", "contains"];
    let mut found = Vec::new();
    for node in places {
        found.extend(node.list("prefixItems"));
        found.extend(node.list("items"));
        found.extend(KEYWORDS.iter().filter_map(|keyword| node.one(keyword)));
    }
    found
}

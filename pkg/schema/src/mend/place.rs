//! All schemas that apply to one value, gathered.

use std::collections::BTreeSet;

use serde_json::Value;

use super::Mender;
use crate::inspect::Inspection;
use crate::keyword::Node;

/// The schemas that apply to one value.
pub(super) struct Place<'s> {
    /// These all apply: through `$ref`, `allOf`, the side of `if` that holds, `dependentSchemas`.
    pub(super) all: Vec<Node<'s>>,
    /// Of each of these (`anyOf`, `oneOf`) one applies.
    pub(super) choices: Vec<Vec<Node<'s>>>,
}

impl<'s> Place<'s> {
    /// Gathers what applies to `value` where all of `schemas` do.
    pub(super) fn of(mender: &Mender<'s>, schemas: &[Node<'s>], value: &Value) -> Self {
        let root = mender.schema.source();
        let mut place = Self { all: Vec::new(), choices: Vec::new() };
        let mut seen = BTreeSet::new();
        let mut waiting: Vec<Node<'s>> = schemas.to_vec();
        while let Some(node) = waiting.pop() {
            if !seen.insert(node.pointer.clone()) {
                continue;
            }
            waiting.extend(node.reference(root));
            waiting.extend(node.list("allOf"));
            if let Some(condition) = node.one("if") {
                let holds = mender.is_valid(std::slice::from_ref(&condition), value);
                waiting.extend(node.one(if holds { "then" } else { "else" }));
            }
            for key in value.as_object().into_iter().flat_map(|map| map.keys()) {
                waiting.extend(node.entry("dependentSchemas", key));
                waiting.extend(node.entry("dependencies", key));
            }
            let alternatives = [node.list("anyOf"), node.list("oneOf")];
            place.choices.extend(alternatives.into_iter().filter(|list| !list.is_empty()));
            place.all.push(node);
        }
        place
    }

    /// The schemas of the property `key`.
    pub(super) fn property(&self, inspection: &Inspection, key: &str) -> Vec<Node<'s>> {
        let mut found = Vec::new();
        for node in &self.all {
            let before = found.len();
            found.extend(node.entry("properties", key));
            let patterns = node.schema.get("patternProperties").and_then(Value::as_object);
            for pattern in patterns.into_iter().flat_map(|map| map.keys()) {
                let regex = inspection.patterns.get(pattern).and_then(Option::as_ref);
                if regex.is_some_and(|regex| regex.is_match(key)) {
                    found.extend(node.entry("patternProperties", pattern));
                }
            }
            if found.len() == before {
                found.extend(node.one("additionalProperties"));
            }
        }
        found
    }

    /// The schemas of the item at `index`.
    pub(super) fn item(&self, index: usize) -> Vec<Node<'s>> {
        let mut found = Vec::new();
        for node in &self.all {
            let (first, rest) = if node.schema.get("items").is_some_and(Value::is_array) {
                (node.list("items"), "additionalItems")
            } else {
                (node.list("prefixItems"), "items")
            };
            match first.into_iter().nth(index) {
                Some(own) => found.push(own),
                None => found.extend(node.one(rest)),
            }
        }
        found
    }

    /// Says whether `key` is a declared property that may be left out.
    ///
    /// A key that only a map (`additionalProperties`) allows is not declared: there a `null` may mean
    /// to delete it.
    pub(super) fn is_optional(&self, key: &str) -> bool {
        let is_declared = self.all.iter().any(|node| node.entry("properties", key).is_some());
        let is_required = self.all.iter().any(|node| {
            let names = node.schema.get("required").and_then(Value::as_array);
            names.into_iter().flatten().any(|name| name == key)
        });
        is_declared && !is_required
    }
}

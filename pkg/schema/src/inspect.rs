//! What must be known about a schema before it is compiled.
//!
//! Owns the limits of a schema and the search for circles; also collects what masking and mending
//! need later. It reads any JSON, valid schema or not, and never recurses further than the limit.

use std::collections::{BTreeMap, BTreeSet};

use regex::{Regex, RegexBuilder};
use serde_json::Value;

use crate::keyword::{Node, Reach};
use crate::limits::{PATTERN_BYTES_MAX, SCHEMA_DEPTH_MAX};
use crate::pointer;
use crate::schema_error::SchemaError;

mod spread;

/// What a walk over the whole schema found.
#[derive(Debug, Default)]
pub(crate) struct Inspection {
    /// The patterns of `patternProperties`, by their text; `None` where only the validator reads it.
    pub(crate) patterns: BTreeMap<String, Option<Regex>>,
    /// Pointers of the schemas with `writeOnly: true`, in the order of the walk.
    pub(crate) write_only: Vec<String>,
    /// How deep arguments may be for all their errors to be listed.
    pub(crate) listing_depth_max: usize,
}

/// Walks `schema` and refuses what would be too deep or endless to compile.
pub(crate) fn inspect(schema: &Value) -> Result<Inspection, SchemaError> {
    check_nesting(schema, "", 0)?;
    let mut walk = Walk {
        root: schema,
        seen: BTreeMap::new(),
        edges: Vec::new(),
        finished: BTreeSet::new(),
        found: Inspection::default(),
    };
    walk.visit(&Node::root(schema), 0)?;
    walk.found.listing_depth_max = spread::depth_max(&walk.edges);
    Ok(walk.found)
}

/// A schema of so many levels takes up to three levels of JSON for each of them.
const NESTING_MAX: usize = SCHEMA_DEPTH_MAX * 3;

fn check_nesting(value: &Value, pointer: &str, depth: usize) -> Result<(), SchemaError> {
    if depth > NESTING_MAX {
        return Err(SchemaError::TooDeep { pointer: pointer.to_owned() });
    }
    match value {
        Value::Array(items) => items.iter().enumerate().try_for_each(|(index, item)| {
            check_nesting(item, &pointer::with_index(pointer, index), depth + 1)
        }),
        Value::Object(map) => map.iter().try_for_each(|(key, inner)| {
            check_nesting(inner, &pointer::with_key(pointer, key), depth + 1)
        }),
        Value::Bool(_) | Value::Null | Value::Number(_) | Value::String(_) => Ok(()),
    }
}

struct Walk<'s> {
    root: &'s Value,
    /// The number of each schema that was met, by its pointer.
    seen: BTreeMap<String, usize>,
    /// What each schema, by its number, holds or refers to.
    edges: Vec<Vec<(Reach, usize)>>,
    finished: BTreeSet<String>,
    found: Inspection,
}

impl<'s> Walk<'s> {
    /// Walks a schema and what it holds; returns its number.
    fn visit(&mut self, node: &Node<'s>, depth: usize) -> Result<usize, SchemaError> {
        if let Some(&number) = self.seen.get(&node.pointer) {
            return Ok(number);
        }
        if depth > SCHEMA_DEPTH_MAX {
            return Err(SchemaError::TooDeep { pointer: node.pointer.clone() });
        }
        let number = self.edges.len();
        self.seen.insert(node.pointer.clone(), number);
        self.edges.push(Vec::new());
        self.collect(node);
        self.check_circle(node, &mut Vec::new())?;
        let mut edges = Vec::new();
        for (reach, inner) in node.edges(self.root) {
            edges.push((reach, self.visit(&inner, depth + 1)?));
        }
        if let Some(slot) = self.edges.get_mut(number) {
            *slot = edges;
        }
        Ok(number)
    }

    fn collect(&mut self, node: &Node<'s>) {
        if node.schema.get("writeOnly") == Some(&Value::Bool(true)) {
            self.found.write_only.push(node.pointer.clone());
        }
        let by_pattern = node.schema.get("patternProperties").and_then(Value::as_object);
        for text in by_pattern.into_iter().flat_map(|map| map.keys()) {
            self.found.patterns.entry(text.clone()).or_insert_with(|| {
                RegexBuilder::new(text).size_limit(PATTERN_BYTES_MAX).build().ok()
            });
        }
    }

    /// Follows only the schemas of the same place: coming back to one of them has no end.
    fn check_circle(&mut self, node: &Node<'s>, open: &mut Vec<String>) -> Result<(), SchemaError> {
        if self.finished.contains(&node.pointer) {
            return Ok(());
        }
        if open.contains(&node.pointer) {
            return Err(SchemaError::EndlessReference { pointer: node.pointer.clone() });
        }
        if open.len() > SCHEMA_DEPTH_MAX {
            return Err(SchemaError::TooDeep { pointer: node.pointer.clone() });
        }
        open.push(node.pointer.clone());
        for (reach, inner) in node.edges(self.root) {
            if reach == Reach::SamePlace {
                self.check_circle(&inner, open)?;
            }
        }
        open.pop();
        self.finished.insert(node.pointer.clone());
        Ok(())
    }
}

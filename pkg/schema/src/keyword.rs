//! Which keywords of JSON Schema hold other schemas, and where these apply.
//!
//! Owns the one table that everything walking a schema reads: the checks at compile time, the mends
//! and the masking. References are followed inside the same document by JSON Pointer; anchors and
//! dynamic references are left to the validator, which knows them all.

use serde_json::Value;

use crate::pointer;

/// A schema inside the document, with its JSON Pointer.
#[derive(Debug, Clone)]
pub(crate) struct Node<'s> {
    pub(crate) schema: &'s Value,
    pub(crate) pointer: String,
}

/// Where a schema applies, seen from the schema that holds it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    /// To the same value.
    SamePlace,
    /// To a property, an item, a name of the value; or nowhere yet (`$defs`).
    Inside,
}

#[derive(Debug, Clone, Copy)]
enum Shape {
    /// A list of schemas.
    List,
    /// An object whose values are schemas.
    Named,
    /// One schema, or a list of them (`items` before 2020-12).
    One,
}

const KEYWORDS: &[(&str, Shape, Reach)] = &[
    ("allOf", Shape::List, Reach::SamePlace),
    ("anyOf", Shape::List, Reach::SamePlace),
    ("oneOf", Shape::List, Reach::SamePlace),
    ("not", Shape::One, Reach::SamePlace),
    ("if", Shape::One, Reach::SamePlace),
    ("then", Shape::One, Reach::SamePlace),
    ("else", Shape::One, Reach::SamePlace),
    ("dependentSchemas", Shape::Named, Reach::SamePlace),
    ("dependencies", Shape::Named, Reach::SamePlace),
    ("properties", Shape::Named, Reach::Inside),
    ("patternProperties", Shape::Named, Reach::Inside),
    ("additionalProperties", Shape::One, Reach::Inside),
    ("unevaluatedProperties", Shape::One, Reach::Inside),
    ("propertyNames", Shape::One, Reach::Inside),
    ("prefixItems", Shape::List, Reach::Inside),
    ("items", Shape::One, Reach::Inside),
    ("additionalItems", Shape::One, Reach::Inside),
    ("unevaluatedItems", Shape::One, Reach::Inside),
    ("contains", Shape::One, Reach::Inside),
    ("contentSchema", Shape::One, Reach::Inside),
    ("$defs", Shape::Named, Reach::Inside),
    ("definitions", Shape::Named, Reach::Inside),
];

impl<'s> Node<'s> {
    /// The whole document.
    pub(crate) fn root(schema: &'s Value) -> Self {
        Self { schema, pointer: String::new() }
    }

    /// The schemas that this one holds or refers to, each with its reach.
    pub(crate) fn edges(&self, root: &'s Value) -> Vec<(Reach, Node<'s>)> {
        let mut edges = Vec::new();
        if let Some(target) = self.reference(root) {
            edges.push((Reach::SamePlace, target));
        }
        for &(keyword, shape, reach) in KEYWORDS {
            let found = match shape {
                Shape::List => self.list(keyword),
                Shape::Named => self.named(keyword),
                Shape::One => self.one_or_list(keyword),
            };
            edges.extend(found.into_iter().map(|node| (reach, node)));
        }
        edges
    }

    /// The schema that `$ref` names, when it is in this document.
    pub(crate) fn reference(&self, root: &'s Value) -> Option<Node<'s>> {
        let reference = self.schema.get("$ref")?.as_str()?;
        let (schema, pointer) = pointer::resolve(root, reference)?;
        is_schema(schema).then_some(Node { schema, pointer })
    }

    /// The one schema under `keyword`.
    pub(crate) fn one(&self, keyword: &str) -> Option<Node<'s>> {
        let schema = self.schema.get(keyword).filter(|schema| is_schema(schema))?;
        Some(Node { schema, pointer: pointer::with_key(&self.pointer, keyword) })
    }

    /// The schemas in the list under `keyword`.
    pub(crate) fn list(&self, keyword: &str) -> Vec<Node<'s>> {
        let Some(schemas) = self.schema.get(keyword).and_then(Value::as_array) else {
            return Vec::new();
        };
        let base = pointer::with_key(&self.pointer, keyword);
        schemas
            .iter()
            .enumerate()
            .filter(|(_, schema)| is_schema(schema))
            .map(|(index, schema)| Node { schema, pointer: pointer::with_index(&base, index) })
            .collect()
    }

    /// The schemas in the object under `keyword`.
    pub(crate) fn named(&self, keyword: &str) -> Vec<Node<'s>> {
        let Some(schemas) = self.schema.get(keyword).and_then(Value::as_object) else {
            return Vec::new();
        };
        let base = pointer::with_key(&self.pointer, keyword);
        schemas
            .iter()
            .filter(|(_, schema)| is_schema(schema))
            .map(|(name, schema)| Node { schema, pointer: pointer::with_key(&base, name) })
            .collect()
    }

    /// The schema called `name` in the object under `keyword`.
    pub(crate) fn entry(&self, keyword: &str, name: &str) -> Option<Node<'s>> {
        let schema = self.schema.get(keyword)?.get(name).filter(|schema| is_schema(schema))?;
        let base = pointer::with_key(&self.pointer, keyword);
        Some(Node { schema, pointer: pointer::with_key(&base, name) })
    }

    fn one_or_list(&self, keyword: &str) -> Vec<Node<'s>> {
        match self.one(keyword) {
            Some(node) => vec![node],
            None => self.list(keyword),
        }
    }
}

fn is_schema(value: &Value) -> bool {
    value.is_object() || value.is_boolean()
}

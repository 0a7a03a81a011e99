//! A schema → its [`Shape`].
//!
//! Owns the drafts, the references and the limits of reading. References lead only into the same
//! document, by JSON Pointer; what cannot be followed takes everything. A schema that says nothing of
//! the kind but names the keys of an object, or the items of a list, means an object, or a list.

use serde_json::{Map, Value};

use super::kinds::Kinds;
use super::shape::{Others, Shape};

/// How many schemas of one tool are read; what is beyond is shown as taking everything.
pub(super) const SCHEMAS_MAX: usize = 2_000;

/// How often one reference may be open inside itself: a tree is shown with its children and theirs.
const OPEN_MAX: usize = 2;

/// How deep schemas are followed, counted in schemas.
const DEPTH_MAX: usize = 96;

/// Keywords whose value is no schema and that some forms show as they are.
const PLAIN: [&str; 21] = [
    "contentEncoding",
    "contentMediaType",
    "default",
    "deprecated",
    "examples",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "format",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "multipleOf",
    "pattern",
    "readOnly",
    "title",
    "uniqueItems",
];

/// Keywords that are told in words, or by schemas that no form but the widest knows.
const HARD: [&str; 15] = [
    "contains",
    "dependencies",
    "dependentRequired",
    "dependentSchemas",
    "else",
    "if",
    "maxContains",
    "minContains",
    "not",
    "patternProperties",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
    "$dynamicRef",
];

/// Reads a whole document.
pub(super) fn read(document: &Value) -> Shape {
    let old = document.get("$schema").and_then(Value::as_str).is_some_and(|uri| {
        ["draft-04", "draft-06", "draft-07"].iter().any(|old| uri.contains(old))
    });
    let mut reader = Reader { document, lone_references: old, open: Vec::new(), read: 0 };
    reader.schema(document, 0)
}

struct Reader<'s> {
    document: &'s Value,
    /// Whether what stands beside `$ref` does not count, as before 2019-09.
    lone_references: bool,
    open: Vec<&'s str>,
    read: usize,
}

impl<'s> Reader<'s> {
    fn schema(&mut self, schema: &'s Value, depth: usize) -> Shape {
        self.read += 1;
        if self.read > SCHEMAS_MAX || depth > DEPTH_MAX {
            return Shape { cut: true, ..Shape::any() };
        }
        match schema {
            Value::Bool(false) => Shape::never(),
            Value::Object(map) => self.object(map, depth),
            _ => Shape::any(),
        }
    }

    fn object(&mut self, map: &'s Map<String, Value>, depth: usize) -> Shape {
        let target = map.get("$ref").and_then(Value::as_str).map(|to| self.reference(to, depth));
        if let Some(target) = &target
            && self.lone_references
        {
            let description = text(map, "description").or_else(|| target.description.clone());
            return Shape { description, ..target.clone() };
        }
        let mut shape = Shape {
            kinds: kinds(map),
            description: text(map, "description"),
            values: values(map),
            plain: plain(map),
            ..Shape::any()
        };
        for (key, value) in map.iter().filter(|(key, _)| HARD.contains(&key.as_str())) {
            shape.hard.insert(key.clone(), value.clone());
        }
        self.members(map, &mut shape, depth);
        self.items(map, &mut shape, depth);
        if let Some(target) = target {
            shape = shape.and(target);
        }
        for part in map.get("allOf").and_then(Value::as_array).into_iter().flatten() {
            let part = self.schema(part, depth + 1);
            shape = shape.and(part);
        }
        for key in ["anyOf", "oneOf"] {
            if let Some(Value::Array(choices)) = map.get(key) {
                let choices = choices.iter().map(|choice| self.schema(choice, depth + 1)).collect();
                // A second choice cannot be shown beside the first.
                shape = shape.and(choice(choices));
            }
        }
        require_known(&mut shape);
        infer_kinds(&mut shape);
        shape
    }

    fn reference(&mut self, to: &'s str, depth: usize) -> Shape {
        let open = self.open.iter().filter(|open| **open == to).count();
        let target = (open < OPEN_MAX).then(|| resolve(self.document, to)).flatten();
        let Some(target) = target else {
            return Shape { cut: true, ..Shape::any() };
        };
        self.open.push(to);
        let shape = self.schema(target, depth + 1);
        self.open.pop();
        shape
    }

    fn members(&mut self, map: &'s Map<String, Value>, shape: &mut Shape, depth: usize) {
        for (key, schema) in map.get("properties").and_then(Value::as_object).into_iter().flatten()
        {
            let property = self.schema(schema, depth + 1);
            // A key that takes nothing need not be shown.
            if !property.kinds.is_none() {
                shape.properties.push((key.clone(), property));
            }
        }
        let required = map.get("required").and_then(Value::as_array).into_iter().flatten();
        shape.required = required.filter_map(Value::as_str).map(str::to_owned).collect();
        shape.others = match map.get("additionalProperties") {
            None => Others::Unsaid,
            Some(Value::Bool(false)) => Others::None,
            Some(schema) => match self.schema(schema, depth + 1) {
                any if any.is_any() => Others::Any,
                shape => Others::Of(Box::new(shape)),
            },
        };
    }

    fn items(&mut self, map: &'s Map<String, Value>, shape: &mut Shape, depth: usize) {
        let (heads, rest) = match map.get("items") {
            Some(Value::Array(heads)) => (Some(heads), map.get("additionalItems")),
            items => (map.get("prefixItems").and_then(Value::as_array), items),
        };
        for head in heads.into_iter().flatten() {
            let head = self.schema(head, depth + 1);
            shape.heads.push(if head.kinds.is_none() { Shape::any() } else { head });
        }
        if let Some(rest) = rest {
            let rest = self.schema(rest, depth + 1);
            if rest.kinds.is_none() {
                let count = Value::from(shape.heads.len());
                shape.plain.entry("maxItems").or_insert(count);
            } else {
                shape.items = Some(Box::new(rest));
            }
        }
    }
}

fn text(map: &Map<String, Value>, key: &str) -> Option<String> {
    map.get(key).and_then(Value::as_str).map(str::to_owned)
}

fn kinds(map: &Map<String, Value>) -> Kinds {
    let kinds = Kinds::of_type(map.get("type"));
    // OpenAPI's word, which is also Gemini's.
    if map.get("nullable") == Some(&Value::Bool(true)) { kinds.or(Kinds::NULL) } else { kinds }
}

fn values(map: &Map<String, Value>) -> Option<Vec<Value>> {
    if let Some(value) = map.get("const") {
        return Some(vec![value.clone()]);
    }
    let mut values: Vec<Value> = Vec::new();
    for value in map.get("enum")?.as_array()? {
        if !values.contains(value) {
            values.push(value.clone());
        }
    }
    if values.is_empty() {
        return None;
    }
    if map.get("nullable") == Some(&Value::Bool(true)) && !values.contains(&Value::Null) {
        values.push(Value::Null);
    }
    Some(values)
}

fn plain(map: &Map<String, Value>) -> Map<String, Value> {
    let mut plain: Map<String, Value> = map
        .iter()
        .filter(|(key, _)| PLAIN.contains(&key.as_str()))
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    // Draft 4: the bound is in `minimum`, and whether it is exclusive beside it.
    for (exclusive, bound) in [("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")] {
        if let Some(&Value::Bool(is_exclusive)) = plain.get(exclusive) {
            plain.shift_remove(exclusive);
            if is_exclusive && let Some(value) = plain.shift_remove(bound) {
                plain.insert(exclusive.to_owned(), value);
            }
        }
    }
    plain
}

/// Choices as one shape; `null` beside one other schema is that schema, and `null` too.
fn choice(choices: Vec<Shape>) -> Shape {
    let mut choices: Vec<Shape> =
        choices.into_iter().filter(|shape| !shape.kinds.is_none()).collect();
    if choices.iter().any(Shape::is_any) {
        return Shape::any();
    }
    let before = choices.len();
    choices.retain(|shape| !(shape.is_only_kinds() && shape.kinds == Kinds::NULL));
    let takes_null = choices.len() < before;
    if takes_null && choices.is_empty() {
        return Shape { kinds: Kinds::NULL, ..Shape::any() };
    }
    let shape = Shape::or(choices);
    if takes_null { shape.or_null() } else { shape }
}

/// Gives a schema to each required key that has none, since some providers refuse it otherwise.
fn require_known(shape: &mut Shape) {
    for key in &shape.required {
        if !shape.properties.iter().any(|(known, _)| known == key) {
            let of_others = match &shape.others {
                Others::Of(of) => (**of).clone(),
                Others::Any | Others::None | Others::Unsaid => Shape::any(),
            };
            shape.properties.push((key.clone(), of_others));
        }
    }
}

fn infer_kinds(shape: &mut Shape) {
    if let Some(values) = &shape.values {
        let of_values = values.iter().map(Kinds::of).fold(Kinds::NONE, Kinds::or);
        // `1` is also a number; what the type says stays where it is narrower.
        let both = shape.kinds.and(of_values);
        shape.kinds = if both.is_none() { of_values } else { both };
    }
    if shape.kinds != Kinds::ANY || !shape.choices.is_empty() {
        return;
    }
    let has = |keys: &[&str]| keys.iter().any(|key| shape.plain.contains_key(*key));
    let mut kinds = Kinds::NONE;
    if !shape.properties.is_empty()
        || shape.others != Others::Unsaid
        || has(&["maxProperties", "minProperties"])
    {
        kinds = kinds.or(Kinds::OBJECT);
    }
    if shape.items.is_some()
        || !shape.heads.is_empty()
        || has(&["maxItems", "minItems", "uniqueItems"])
    {
        kinds = kinds.or(Kinds::ARRAY);
    }
    if has(&["format", "maxLength", "minLength", "pattern"]) {
        kinds = kinds.or(Kinds::STRING);
    }
    if has(&["exclusiveMaximum", "exclusiveMinimum", "maximum", "minimum", "multipleOf"]) {
        kinds = kinds.or(Kinds::NUMBER);
    }
    if !kinds.is_none() {
        shape.kinds = kinds;
    }
}

/// Follows a JSON Pointer into the document.
fn resolve<'s>(document: &'s Value, reference: &str) -> Option<&'s Value> {
    let fragment = reference.strip_prefix('#')?;
    let pointer = percent_decoded(fragment)?;
    document.pointer(&pointer)
}

fn percent_decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        if byte == b'%' {
            let digits = after.get(..2).and_then(|digits| std::str::from_utf8(digits).ok())?;
            bytes.push(u8::from_str_radix(digits, 16).ok()?);
            rest = after.get(2..)?;
        } else {
            bytes.push(byte);
            rest = after;
        }
    }
    String::from_utf8(bytes).ok()
}

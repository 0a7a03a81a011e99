//! A document's schema → one JSON Schema of draft 2020-12 that stands alone.
//!
//! References are written out where they stand: shared definitions would be copied into every tool,
//! and several providers take no references. What would never end, or would grow past the limits,
//! is cut to its type, and so the shown schema is wider than the document's, never narrower: the
//! service itself checks the rest.

use serde_json::{Map, Value, json};

use crate::document::Document;

mod keywords;

use keywords::Kind;

/// The most bytes that the schema of one tool may have; deeper parts are cut until it fits.
pub const SCHEMA_BYTES_MAX: usize = 24 * 1024;

/// What is tried until a schema fits, from generous to hardly anything.
const PATIENCE: [Patience; 13] = [
    Patience::of(16, DEPTH_MAX),
    Patience::of(8, DEPTH_MAX),
    Patience::of(6, DEPTH_MAX),
    Patience::of(4, DEPTH_MAX),
    Patience::of(3, DEPTH_MAX),
    Patience::of(2, DEPTH_MAX),
    Patience::of(1, DEPTH_MAX),
    Patience::of(0, DEPTH_MAX),
    Patience::of(0, 6),
    Patience::of(0, 4),
    Patience::of(0, 2),
    Patience::of(0, 1),
    Patience { references: 0, depth: 1, words: false },
];

/// How many schemas one attempt may write. A document whose references fan out would otherwise be
/// written out for hours before it is found to be too long.
const SCHEMAS_MAX: usize = 4_000;

/// How deep schemas may nest.
const DEPTH_MAX: usize = 48;

/// How much of a schema is written out.
#[derive(Debug, Clone, Copy)]
struct Patience {
    /// Levels of references.
    references: usize,
    /// Levels of schemas inside schemas.
    depth: usize,
    /// Whether descriptions are kept.
    words: bool,
}

impl Patience {
    const fn of(references: usize, depth: usize) -> Self {
        Self { references, depth, words: true }
    }
}

/// The types of JSON Schema.
const TYPES: [&str; 7] = ["array", "boolean", "integer", "null", "number", "object", "string"];

/// Calls `build` with ever less patience until what it makes is short enough.
pub(crate) fn fitted(document: &Document, build: impl Fn(&mut Writer<'_>) -> Value) -> Value {
    let mut last = Value::Bool(true);
    for patience in PATIENCE {
        let mut writer =
            Writer { document, patience, left: SCHEMAS_MAX, inside: Vec::new(), depth: 0 };
        last = build(&mut writer);
        if writer.left > 0 && last.to_string().len() <= SCHEMA_BYTES_MAX {
            break;
        }
    }
    last
}

/// Writes schemas out, within limits.
#[derive(Debug)]
pub(crate) struct Writer<'a> {
    document: &'a Document,
    patience: Patience,
    left: usize,
    /// The references that are being written out.
    inside: Vec<String>,
    depth: usize,
}

impl Writer<'_> {
    /// Whether descriptions are kept in this attempt.
    pub(crate) fn keeps_words(&self) -> bool {
        self.patience.words
    }

    /// Returns the schema that stands alone.
    pub(crate) fn write(&mut self, schema: &Value) -> Value {
        let Value::Object(object) = schema else {
            return if schema == &Value::Bool(false) { schema.clone() } else { json!({}) };
        };
        if self.left == 0 || self.depth >= self.patience.depth {
            return self.cut(object);
        }
        self.left -= 1;
        self.depth += 1;
        let written = match object.get("$ref").and_then(Value::as_str) {
            Some(reference) => self.write_reference(reference, object),
            None => self.write_object(object),
        };
        self.depth -= 1;
        written
    }

    fn write_reference(&mut self, reference: &str, beside: &Map<String, Value>) -> Value {
        let document = self.document;
        let Some(target) = document.target(reference) else {
            return json!({"description": "The document does not say what this is."});
        };
        let again = self.inside.iter().any(|one| one == reference);
        let mut written = if again || self.inside.len() >= self.patience.references {
            target.as_object().map_or_else(|| json!({}), |target| self.cut(target))
        } else {
            self.inside.push(reference.to_owned());
            let written = self.write(target);
            self.inside.pop();
            written
        };
        // 3.1 lets a reference have company; 3.0 ignores it, but for the words.
        if let (Some(Value::String(words)), Value::Object(written)) =
            (beside.get("description"), &mut written)
        {
            written.insert("description".to_owned(), Value::from(words.as_str()));
        }
        if self.document.old_schemas || beside.len() <= 1 {
            return written;
        }
        let mut beside = beside.clone();
        beside.remove("$ref");
        beside.remove("description");
        match self.write_object(&beside) {
            Value::Object(beside) if !beside.is_empty() => json!({"allOf": [written, beside]}),
            _ => written,
        }
    }

    /// What is left of a schema that is not written out: its type and its words. A schema that
    /// holds no other is short and stays whole.
    fn cut(&mut self, schema: &Map<String, Value>) -> Value {
        let holds_others = schema.keys().any(|key| key == "$ref" || keywords::holds_schemas(key));
        if !holds_others {
            return self.write_object(schema);
        }
        let mut left = Map::new();
        let kind = match schema.get("type") {
            Some(kind) => Some(kind.clone()),
            None => schema.contains_key("properties").then(|| Value::from("object")),
        };
        if let Some(kind) = kind {
            left.insert("type".to_owned(), kind);
        }
        for key in ["description", "nullable"] {
            if let Some(value) = schema.get(key) {
                left.insert(key.to_owned(), value.clone());
            }
        }
        self.write_object(&left)
    }

    fn write_object(&mut self, schema: &Map<String, Value>) -> Value {
        let mut written = Map::new();
        for (key, value) in schema {
            if key == "description" && !self.patience.words {
                continue;
            }
            let value = match keywords::kind(key) {
                Kind::Schema => Some(self.write(value)),
                Kind::Schemas => value
                    .as_array()
                    .filter(|all| !all.is_empty())
                    .map(|all| Value::Array(all.iter().map(|one| self.write(one)).collect())),
                Kind::NamedSchemas => value.as_object().map(|all| self.write_named(all)),
                Kind::Plain(fits) => fits(value).then(|| value.clone()),
                Kind::Dropped => None,
            };
            if let Some(value) = value {
                written.insert(key.clone(), value);
            }
        }
        tidy_required(&mut written, schema);
        tidy_type(&mut written);
        if self.document.old_schemas {
            of_draft_2020(&mut written, schema);
        }
        Value::Object(written)
    }

    /// Properties that only answers have are not asked for.
    fn write_named(&mut self, all: &Map<String, Value>) -> Value {
        let document = self.document;
        let mut written = Map::new();
        for (name, schema) in all {
            if !is_of_answers(document, schema) {
                written.insert(name.clone(), self.write(schema));
            }
        }
        Value::Object(written)
    }
}

/// Whether a property stands in answers only.
pub(crate) fn is_of_answers(document: &Document, schema: &Value) -> bool {
    let is = |schema: &Value| schema.get("readOnly") == Some(&Value::Bool(true));
    is(schema) || document.resolve(schema).is_some_and(is)
}

/// Keeps of `required` only names, each once, and none that was removed.
fn tidy_required(written: &mut Map<String, Value>, schema: &Map<String, Value>) {
    let Some(Value::Array(required)) = written.get("required") else { return };
    let declared = schema.get("properties").and_then(Value::as_object);
    let shown = written.get("properties").and_then(Value::as_object);
    let mut names: Vec<Value> = Vec::new();
    for name in required {
        let Value::String(text) = name else { continue };
        let was_removed = declared.is_some_and(|all| all.contains_key(text))
            && shown.is_some_and(|all| !all.contains_key(text));
        if !was_removed && !names.contains(name) {
            names.push(name.clone());
        }
    }
    if names.is_empty() {
        written.remove("required");
    } else {
        written.insert("required".to_owned(), Value::Array(names));
    }
}

/// Keeps only types that exist.
fn tidy_type(written: &mut Map<String, Value>) {
    let known = |kind: &Value| kind.as_str().is_some_and(|kind| TYPES.contains(&kind));
    let tidied = match written.get("type") {
        None => return,
        Some(Value::Array(kinds)) => {
            let mut kept: Vec<Value> = Vec::new();
            for kind in kinds.iter().filter(|kind| known(kind)) {
                if !kept.contains(kind) {
                    kept.push(kind.clone());
                }
            }
            (!kept.is_empty()).then_some(Value::Array(kept))
        }
        Some(kind) if known(kind) => return,
        // 2.0's uploads, and names that documents make up.
        Some(kind) => (kind == "file").then(|| Value::from("string")),
    };
    match tidied {
        Some(kind) => written.insert("type".to_owned(), kind),
        None => written.remove("type"),
    };
}

/// Puts the words of 3.0's own dialect into those of the draft.
fn of_draft_2020(written: &mut Map<String, Value>, schema: &Map<String, Value>) {
    for (exclusive, bound) in [("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")] {
        if schema.get(exclusive) == Some(&Value::Bool(true))
            && let Some(limit) = written.remove(bound)
        {
            written.insert(exclusive.to_owned(), limit);
        }
    }
    let nullable =
        ["nullable", "x-nullable"].iter().any(|key| schema.get(*key) == Some(&Value::Bool(true)));
    if !nullable {
        return;
    }
    if let Some(Value::Array(values)) = written.get_mut("enum")
        && !values.contains(&Value::Null)
    {
        values.push(Value::Null);
    }
    let is_choice = ["allOf", "anyOf", "oneOf"].iter().any(|key| written.contains_key(*key));
    match written.get("type").cloned() {
        Some(Value::String(kind)) if kind != "null" => {
            written.insert("type".to_owned(), json!([kind, "null"]));
        }
        None if is_choice => {
            let words = written.remove("description");
            let whole = std::mem::take(written);
            written.extend(words.map(|words| ("description".to_owned(), words)));
            written.insert("anyOf".to_owned(), json!([whole, {"type": "null"}]));
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests;

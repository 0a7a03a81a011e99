//! The text of a document, JSON or YAML → its value.
//!
//! Documents are other people's files: unlike an agent file they are read generously, with tags and
//! odd scalars taken as plain texts, but within limits.

use std::collections::BTreeMap;

use saphyr_parser::{Event, Parser, ScalarStyle};
use serde_json::{Map, Value};

/// The longest document, in bytes.
pub const DOCUMENT_BYTES_MAX: usize = 64 * 1024 * 1024;

/// The most values of a document, with those that aliases repeat.
pub const DOCUMENT_VALUES_MAX: usize = 4_000_000;

/// How deep a document may nest.
const DEPTH_MAX: usize = 128;

/// Why a text is no document.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TextError {
    /// It ends early or is written wrongly.
    #[error("line {line}: {message}")]
    Syntax {
        /// From 1.
        line: usize,
        /// What the reader says.
        message: String,
    },
    /// More than a document can have.
    #[error("the document has more than {0}")]
    TooLarge(&'static str),
}

/// Reads a document.
///
/// # Errors
///
/// [`TextError`].
///
/// ```
/// use manos_openapi::read_text;
/// let yaml = read_text("openapi: 3.1.0\npaths: {}\n")?;
/// assert_eq!(yaml, read_text(r#"{"openapi": "3.1.0", "paths": {}}"#)?);
/// # Ok::<(), manos_openapi::TextError>(())
/// ```
pub fn read_text(text: &str) -> Result<Value, TextError> {
    if text.len() > DOCUMENT_BYTES_MAX {
        return Err(TextError::TooLarge("64 MiB"));
    }
    let text = text.trim_start_matches('\u{feff}');
    if text.trim_start().starts_with('{') {
        return serde_json::from_str(text).map_err(|error| {
            let whole = error.to_string();
            let message = whole.split(" at line ").next().unwrap_or(&whole).to_owned();
            TextError::Syntax { line: error.line(), message }
        });
    }
    let mut tree = Tree::default();
    for event in Parser::new_from_str(text) {
        let (event, _) = event.map_err(|error| TextError::Syntax {
            line: error.marker().line(),
            message: error.info().to_owned(),
        })?;
        tree.take(event)?;
    }
    Ok(tree.root.unwrap_or_default())
}

#[derive(Debug, Default)]
struct Tree {
    open: Vec<Open>,
    anchors: BTreeMap<usize, (Value, usize)>,
    root: Option<Value>,
    values: usize,
}

/// A list or a map that is not at its end.
#[derive(Debug)]
struct Open {
    anchor: usize,
    items: Items,
    /// How many values there were before it.
    before: usize,
}

#[derive(Debug)]
enum Items {
    List(Vec<Value>),
    Map(Map<String, Value>, Option<String>),
}

impl Tree {
    fn take(&mut self, event: Event<'_>) -> Result<(), TextError> {
        match event {
            Event::Alias(anchor) => {
                let (value, size) = self.anchors.get(&anchor).cloned().unwrap_or_default();
                self.values += size;
                self.put(value, 0, 1)
            }
            Event::Scalar(text, style, anchor, _) => {
                let value = match style {
                    ScalarStyle::Plain => plain(&text),
                    _ => Value::String(text.into_owned()),
                };
                self.put(value, anchor, 1)
            }
            Event::SequenceStart(anchor, _) => self.start(anchor, Items::List(Vec::new())),
            Event::MappingStart(anchor, _) => self.start(anchor, Items::Map(Map::new(), None)),
            Event::SequenceEnd | Event::MappingEnd => {
                let Some(open) = self.open.pop() else { return Ok(()) };
                let size = self.values - open.before;
                let value = match open.items {
                    Items::List(items) => Value::Array(items),
                    Items::Map(map, _) => Value::Object(map),
                };
                self.put(value, open.anchor, size)
            }
            _ => Ok(()),
        }
    }

    fn start(&mut self, anchor: usize, items: Items) -> Result<(), TextError> {
        if self.open.len() >= DEPTH_MAX {
            return Err(TextError::TooLarge("128 levels"));
        }
        self.open.push(Open { anchor, items, before: self.values });
        Ok(())
    }

    fn put(&mut self, value: Value, anchor: usize, size: usize) -> Result<(), TextError> {
        self.values += 1;
        if self.values > DOCUMENT_VALUES_MAX {
            return Err(TextError::TooLarge("4,000,000 values"));
        }
        if anchor > 0 {
            self.anchors.insert(anchor, (value.clone(), size));
        }
        match self.open.last_mut().map(|open| &mut open.items) {
            // A second document of the stream is another matter.
            None => self.root = self.root.take().or(Some(value)),
            Some(Items::List(items)) => items.push(value),
            Some(Items::Map(map, key)) => match key.take() {
                Some(key) if key == "<<" => merge(map, &value),
                Some(key) => {
                    map.insert(key, value);
                }
                None => {
                    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                    *key = Some(text);
                }
            },
        }
        Ok(())
    }
}

/// What stands in the map already wins, as YAML 1.1's merge keys have it.
fn merge(map: &mut Map<String, Value>, value: &Value) {
    match value {
        Value::Array(all) => all.iter().for_each(|one| merge(map, one)),
        Value::Object(other) => {
            for (key, value) in other {
                map.entry(key.clone()).or_insert_with(|| value.clone());
            }
        }
        _ => {}
    }
}

/// A scalar without quotes: null, boolean, JSON number, otherwise text.
fn plain(text: &str) -> Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        _ => match serde_json::from_str::<Value>(text) {
            Ok(number @ Value::Number(_)) => number,
            _ => Value::from(text),
        },
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn yaml_and_json_are_the_same_document() {
        let yaml = "a: &x {b: 1.50, c: no, '200': yes}\nd: [*x, ~, 0755, \"1\", 2020-01-01]\ne:\n  <<: *x\n  b: |\n    t\n200: !tag z\n";
        let json = r#"{"a":{"b":1.50,"c":"no","200":"yes"},
            "d":[{"b":1.50,"c":"no","200":"yes"},null,"0755","1","2020-01-01"],
            "e":{"c":"no","200":"yes","b":"t\n"},"200":"z"}"#;
        assert_eq!(read_text(yaml).unwrap(), read_text(json).unwrap());
        assert_eq!(read_text("").unwrap(), Value::Null);
        assert_eq!(read_text("a: 1\n---\na: 2").unwrap(), json!({"a": 1}));
    }

    #[test]
    fn a_mistake_is_told_by_its_line() {
        for text in ["{\n\"a\": }", "a: 1\nb: [1", "a: 1\n b: 2\n"] {
            let error = read_text(text).unwrap_err().to_string();
            assert!(error.starts_with("line "), "{error}");
        }
    }

    #[test]
    fn aliases_of_aliases_end_at_the_limit() {
        let level = |level: usize| {
            let ten = vec![format!("*a{}", level - 1); 10].join(",");
            format!("a{level}: &a{level} [{ten}]\n")
        };
        let text =
            format!("a0: &a0 [1,1,1,1,1,1,1,1,1,1]\n{}", (1..10).map(level).collect::<String>());
        assert_eq!(read_text(&text), Err(TextError::TooLarge("4,000,000 values")));
        let deep = "[".repeat(500);
        assert!(read_text(&deep).is_err());
    }
}

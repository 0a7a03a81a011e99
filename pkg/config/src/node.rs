//! The file as a tree in which every value knows its place.
//!
//! Owns the typing of scalars: YAML 1.2 core, and nothing that changes what was written. A number
//! keeps its digits, `no` stays the text `no`, and what YAML's versions read differently is told
//! apart so that places for free JSON can refuse it ([`Text::trap`]).

mod build;
mod json;
mod scalar;
mod syntax;

use serde_json::{Map, Value as Json};

use crate::source::{Source, Span};

pub(crate) use build::read;
pub use build::{DEPTH_MAX, FILE_BYTES_MAX, NODES_MAX};

/// A value and where it stands.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    pub(crate) value: Value,
    pub(crate) span: Span,
}

#[derive(Debug, Clone)]
pub(crate) enum Value {
    Bool(bool),
    List(Vec<Node>),
    Map(Vec<Entry>),
    /// `null`, `~`, or nothing.
    Null,
    /// A JSON number, as written.
    Number(String),
    Text(Text),
}

/// A text and how it was written.
#[derive(Debug, Clone)]
#[expect(clippy::struct_field_names, reason = "the text of a text")]
pub(crate) struct Text {
    pub(crate) text: String,
    pub(crate) form: Form,
    /// Read as a number by some YAML reader, though it is no JSON number: `0755`, `+34`, `.5`.
    pub(crate) trap: bool,
}

/// How a text stands in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// After `|`.
    Block,
    DoubleQuoted,
    /// After `>`.
    Folded,
    Plain,
    SingleQuoted,
    /// It came from a variable, so the file does not hold it.
    Variable,
}

/// One key of a map.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    pub(crate) key: String,
    pub(crate) key_span: Span,
    pub(crate) node: Node,
}

impl Node {
    /// The value under a key, when this is a map that has it.
    pub(crate) fn get(&self, key: &str) -> Option<&Node> {
        self.entries().iter().find(|entry| entry.key == key).map(|entry| &entry.node)
    }

    /// The entry of a key, when this is a map that has it.
    pub(crate) fn entry(&self, key: &str) -> Option<&Entry> {
        self.entries().iter().find(|entry| entry.key == key)
    }

    /// The entries of a map; none for anything else.
    pub(crate) fn entries(&self) -> &[Entry] {
        match &self.value {
            Value::Map(entries) => entries,
            _ => &[],
        }
    }

    /// The items of a list; none for anything else.
    pub(crate) fn items(&self) -> &[Node] {
        match &self.value {
            Value::List(items) => items,
            _ => &[],
        }
    }

    /// The text as written, of a text or a number.
    pub(crate) fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Text(text) => Some(&text.text),
            Value::Number(text) => Some(text),
            _ => None,
        }
    }

    pub(crate) fn bool(&self) -> Option<bool> {
        match self.value {
            Value::Bool(value) => Some(value),
            _ => None,
        }
    }

    /// What this is, with an article, for messages. Never shows what came from a variable.
    pub(crate) fn kind(&self) -> String {
        match &self.value {
            Value::Bool(value) => format!("`{value}`"),
            Value::List(_) => "a list".to_owned(),
            Value::Map(_) => "a map".to_owned(),
            Value::Null => "empty".to_owned(),
            Value::Number(text) => format!("the number `{}`", short(text)),
            Value::Text(text) if text.form == Form::Variable => "a text".to_owned(),
            Value::Text(text) => format!("the text `{}`", short(&text.text)),
        }
    }

    /// The value as JSON, numbers with the digits they were written with.
    pub(crate) fn json(&self) -> Json {
        match &self.value {
            Value::Bool(value) => Json::Bool(*value),
            Value::List(items) => Json::Array(items.iter().map(Self::json).collect()),
            Value::Map(entries) => Json::Object(
                entries
                    .iter()
                    .map(|entry| (entry.key.clone(), entry.node.json()))
                    .collect::<Map<_, _>>(),
            ),
            Value::Null => Json::Null,
            // What the scalar reader calls a number is one for serde_json as well.
            Value::Number(text) => {
                serde_json::from_str(text).unwrap_or_else(|_| Json::String(text.clone()))
            }
            Value::Text(text) => Json::String(text.text.clone()),
        }
    }

    /// The node that a JSON Pointer leads to, or the nearest one above it.
    pub(crate) fn at_pointer(&self, pointer: &str) -> &Node {
        let mut node = self;
        for step in pointer.split('/').skip(1) {
            let step = step.replace("~1", "/").replace("~0", "~");
            let next = match &node.value {
                Value::Map(_) => node.get(&step),
                Value::List(items) => step.parse::<usize>().ok().and_then(|at| items.get(at)),
                _ => None,
            };
            match next {
                Some(next) => node = next,
                None => break,
            }
        }
        node
    }

    /// The place of a byte of this text in the file, as near as the way it is written allows.
    pub(crate) fn within(&self, source: &Source<'_>, offset: usize, length: usize) -> Span {
        let Value::Text(text) = &self.value else { return self.span };
        scalar::place(source, self.span, text, offset, length).unwrap_or(self.span)
    }
}

/// The first characters of a text, for messages.
pub(crate) fn short(text: &str) -> String {
    const CHARS_MAX: usize = 40;
    let mut shown: String =
        text.chars().take(CHARS_MAX).map(|c| if c.is_control() { '⏎' } else { c }).collect();
    if text.chars().nth(CHARS_MAX).is_some() {
        shown.push('…');
    }
    shown
}

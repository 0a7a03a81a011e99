//! A tool's declared schema → the form of it that a provider takes, and the way back.
//!
//! One declared schema, compiled per provider. What is shown may be wider than what was declared,
//! never narrower: the declared schema is always enforced when arguments come. One tool whose schema
//! cannot be said in a provider's words never costs the request, nor the other tools.

use std::fmt;

use serde_json::Value;

use crate::MapBack;

mod root;

/// The form that a provider takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SchemaForm {
    /// Anthropic Messages, `input_schema`.
    Anthropic,
    /// Gemini, `parameters` of a function declaration.
    Gemini,
    /// Servers that make a grammar of the schema: llama.cpp, LM Studio, vLLM and others.
    Grammar,
    /// Ollama's own API.
    Ollama,
    /// OpenAI and servers that take any schema as OpenAI does, `strict` not set.
    OpenAi,
    /// OpenAI with `strict` set, for each tool whose schema can be.
    OpenAiStrict,
}

impl SchemaForm {
    /// All of them, in order.
    pub const ALL: [Self; 6] = [
        Self::Anthropic,
        Self::Gemini,
        Self::Grammar,
        Self::Ollama,
        Self::OpenAi,
        Self::OpenAiStrict,
    ];
}

/// A schema as one provider is shown it.
#[derive(Debug, Clone, PartialEq)]
pub struct Compiled {
    /// The schema for the request. `null` where there must be none: Gemini refuses an object
    /// without properties, so the `parameters` of a tool without arguments are left out.
    pub shown: Value,
    /// What leads arguments back to the declared schema.
    pub back: MapBack,
    /// What was changed, for people.
    pub notes: Vec<Note>,
    /// Whether the request may say `"strict": true` for this tool; only ever with
    /// [`SchemaForm::OpenAiStrict`].
    pub strict: bool,
}

/// One thing that a provider is shown otherwise than it was declared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// The JSON Pointer of the value in the arguments, with `*` for any item.
    pub at: String,
    /// What was changed.
    pub change: Change,
}

/// What was changed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Change {
    /// A schema that contains itself was cut.
    Cut,
    /// A keyword is told in words or left out; it is enforced all the same.
    Dropped(String),
    /// The value is asked for as JSON text and read back.
    JsonText,
    /// The tool is offered without `strict`.
    NotStrict(&'static str),
    /// The key has another name on the wire.
    Renamed(String),
    /// The schema was rewritten in the provider's words, at least as wide.
    Rewritten,
}

impl fmt::Display for Note {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at = if self.at.is_empty() { "the arguments" } else { &self.at };
        match &self.change {
            Change::Cut => write!(formatter, "{at}: contains itself, shown to a certain depth"),
            Change::Dropped(keyword) => write!(formatter, "{at}: `{keyword}` is not shown"),
            Change::JsonText => write!(formatter, "{at}: asked for as JSON text"),
            Change::NotStrict(why) => write!(formatter, "{at}: offered without `strict`: {why}"),
            Change::Renamed(wire) => write!(formatter, "{at}: called `{wire}` on the wire"),
            Change::Rewritten => write!(formatter, "{at}: shown in another form"),
        }
    }
}

/// Compiles a declared schema for a provider. Every schema compiles; its bytes depend on the schema
/// and the form alone.
pub fn compile(schema: &Value, form: SchemaForm) -> Compiled {
    let shown = root::parameters(schema);
    let is_empty = shown["properties"].as_object().is_some_and(serde_json::Map::is_empty);
    let shown =
        if form == SchemaForm::Gemini && is_empty { Value::Null } else { shown.into_owned() };
    Compiled {
        shown,
        back: MapBack::new(crate::map_back::Step::default()),
        notes: Vec::new(),
        strict: false,
    }
}

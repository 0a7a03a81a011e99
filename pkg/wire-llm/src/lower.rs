//! A tool's declared schema → the form of it that a provider takes, and the way back.
//!
//! One declared schema, compiled per provider. What is shown may be wider than what was declared: the
//! declared schema is always enforced when arguments come. One tool whose schema cannot be said in a
//! provider's words never costs the request, nor the other tools.
//!
//! | module | owns |
//! | --- | --- |
//! | `read`, `kinds`, `shape` | a schema of any draft → what it says |
//! | `rules` | what each form can say, with the sources |
//! | `write`, `strict` | what it says → the words of one form, and the way back |
//! | `words` | what has no keyword there → sentences in descriptions |
//! | `refused` | what a provider would refuse, read from its own rules |
//!
//! Forms that take any schema get it as it was written, unless `refused` finds something in it.
//!
//! Shown narrower than JSON Schema would read it, since people mean it so: an object that names keys
//! and says nothing of others is closed for `strict`; keys without a `type` mean an object, items a
//! list, and a list with schemas for its first items has no others.

use std::borrow::Cow;
use std::fmt;

use serde_json::{Map, Value};

use crate::MapBack;

mod kinds;
mod read;
mod refused;
mod rules;
mod shape;
mod strict;
#[cfg(test)]
mod tests;
mod words;
mod write;

pub use refused::refused;

use kinds::Kinds;
use rules::Rules;
use shape::Shape;
use write::Writer;

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
///
/// # Examples
///
/// ```
/// use manos_wire_llm::{SchemaForm, compile};
/// use serde_json::json;
///
/// let declared = json!({
///     "type": "object",
///     "properties": {
///         "id": { "$ref": "#/$defs/id" },
///         "count": { "type": "integer", "exclusiveMinimum": 0 },
///     },
///     "required": ["id"],
///     "$defs": { "id": { "type": "string", "pattern": "^P-" } },
/// });
/// // OpenAI takes it as it is.
/// assert_eq!(compile(&declared, SchemaForm::OpenAi).shown, declared);
/// // Gemini is told in words what it has no keywords for.
/// assert_eq!(
///     compile(&declared, SchemaForm::Gemini).shown,
///     json!({
///         "type": "object",
///         "properties": {
///             "id": { "type": "string", "description": "Must match the pattern ^P-" },
///             "count": { "type": "integer", "description": "Greater than 0." },
///         },
///         "required": ["id"],
///     }),
/// );
/// // With `strict`, an optional key is asked for as null and led back.
/// let strict = compile(&declared, SchemaForm::OpenAiStrict);
/// assert_eq!(strict.shown["properties"]["count"]["type"], json!(["integer", "null"]));
/// let mut arguments = json!({ "id": "P-1", "count": null });
/// strict.back.apply_to(&mut arguments);
/// assert_eq!(arguments, json!({ "id": "P-1" }));
/// ```
pub fn compile(schema: &Value, form: SchemaForm) -> Compiled {
    let as_written = matches!(form, SchemaForm::Anthropic | SchemaForm::OpenAi);
    if as_written {
        let shown = of_this_draft(schema, form);
        if refused(&shown, form).is_empty() {
            let (shown, back) = (shown.into_owned(), MapBack::default());
            return Compiled { shown, back, notes: Vec::new(), strict: false };
        }
    }
    let shape = root(schema);
    let mut writer = Writer::new(Rules::of(form));
    let written = writer.root(&shape);
    if let Some(why) = writer.not_strict {
        let mut plain = compile(schema, SchemaForm::OpenAi);
        plain.notes.insert(0, Note { at: String::new(), change: Change::NotStrict(why) });
        return plain;
    }
    let is_empty =
        written.schema.get("properties").and_then(Value::as_object).is_none_or(Map::is_empty);
    let shown = if form == SchemaForm::Gemini && is_empty {
        Value::Null
    } else {
        Value::Object(written.schema)
    };
    let mut notes = writer.notes;
    if as_written {
        notes.insert(0, Note { at: String::new(), change: Change::Rewritten });
    }
    let strict = form == SchemaForm::OpenAiStrict;
    Compiled { shown, back: MapBack::new(written.step), notes, strict }
}

/// Leaves out the name of an older draft where a provider minds it; what else is of that draft is
/// found afterwards.
fn of_this_draft(schema: &Value, form: SchemaForm) -> Cow<'_, Value> {
    match schema {
        Value::Object(map) if form == SchemaForm::Anthropic && map.contains_key("$schema") => {
            let mut map = map.clone();
            map.shift_remove("$schema");
            Cow::Owned(Value::Object(map))
        }
        _ => Cow::Borrowed(schema),
    }
}

/// Reads the schema of all arguments as one object; the choices it had are told in words.
fn root(schema: &Value) -> Shape {
    let shape = read::read(schema);
    let had_choices = !shape.choices.is_empty();
    let mut shape = Shape { kinds: Kinds::OBJECT, values: None, ..shape.without_choices() };
    if had_choices {
        for key in ["anyOf", "oneOf"] {
            if let Some(choices) = schema.get(key)
                && !choices.to_string().contains("\"$ref\"")
            {
                shape.hard.insert(key.to_owned(), choices.clone());
            }
        }
    }
    shape
}

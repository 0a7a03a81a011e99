//! What an agent file may hold: one table, from which everything else comes.
//!
//! [`table`] names every key once, with its type, its default and a line of documentation. The
//! check of a file ([`check`]), the nearest known key in its messages, and the JSON Schema that
//! editors read ([`json_schema`]) are all made from it. What relates two keys to each other is not
//! here: decoding owns that.

mod check;
mod export;
mod nearest;
mod table;

pub(crate) use check::check;
pub use export::json_schema;
pub(crate) use nearest::{nearest, suggestion};
pub(crate) use table::{AGENT, EACH, SCRIPT};

/// The type of a value.
#[derive(Debug)]
pub(crate) enum Shape {
    /// Free JSON.
    Any,
    Bool,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// A whole number, both bounds included.
    Count {
        min: u64,
        max: u64,
    },
    /// Seconds or text with a unit, in milliseconds, both bounds included.
    Duration {
        min_ms: u64,
        max_ms: u64,
    },
    /// The first that fits the kind of the value.
    Either(&'static [Shape]),
    List(&'static Shape),
    /// Keys are free.
    Map(&'static Shape),
    /// A number, both bounds included.
    Number {
        min: f64,
        max: f64,
    },
    /// A regular expression.
    Pattern,
    /// A text that no message shows.
    Secret,
    /// Bytes, or text with a unit, both bounds included.
    Size {
        min: u64,
        max: u64,
    },
    Struct(&'static Struct),
    Template,
    Text,
}

/// A map with known keys.
#[derive(Debug)]
pub(crate) struct Struct {
    /// The name in the JSON Schema.
    pub(crate) name: &'static str,
    pub(crate) doc: &'static str,
    pub(crate) fields: &'static [Field],
}

/// A known key.
#[derive(Debug)]
pub(crate) struct Field {
    pub(crate) name: &'static str,
    pub(crate) shape: Shape,
    pub(crate) doc: &'static str,
    /// As a person would write it in the file; empty when there is none.
    pub(crate) default: &'static str,
    pub(crate) required: bool,
    /// Whether `${NAME}` is replaced in the texts below this key.
    pub(crate) variables: bool,
}

impl Field {
    const fn new(name: &'static str, shape: Shape, doc: &'static str) -> Self {
        Self { name, shape, doc, default: "", required: false, variables: false }
    }

    const fn default(self, default: &'static str) -> Self {
        Self {
            name: self.name,
            shape: self.shape,
            doc: self.doc,
            default,
            required: self.required,
            variables: self.variables,
        }
    }

    const fn required(self) -> Self {
        Self { required: true, ..self }
    }

    const fn variables(self) -> Self {
        Self { variables: true, ..self }
    }
}

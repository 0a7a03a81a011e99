//! Why a schema cannot be used, and what its author can do.

use manos_model::Fault;

use crate::limits::SCHEMA_DEPTH_MAX;

/// Why a schema cannot be used for the arguments of a tool.
///
/// Every variant names the place in the schema by a JSON Pointer (`""` is the whole schema) and has
/// an [advice](SchemaError::advice) for whoever wrote it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SchemaError {
    /// A schema leads back to itself without going into the value: no value could ever be decided.
    #[error("the schema at `{pointer}` refers to itself without end")]
    EndlessReference {
        /// Where the circle was entered.
        pointer: String,
    },
    /// A keyword has a value that it cannot have.
    #[error("the schema at `{pointer}` is not valid: {expected} was expected")]
    Invalid {
        /// The value that is wrong.
        pointer: String,
        /// What the draft wants there.
        expected: String,
    },
    /// The schema is no JSON object.
    #[error("the schema is of type {got}")]
    NotAnObject {
        /// The JSON type that came.
        got: &'static str,
    },
    /// A pattern is broken, too big, or needs look-around or back references.
    #[error("the pattern at `{pointer}` cannot be matched in linear time")]
    Pattern {
        /// The place of the pattern.
        pointer: String,
    },
    /// A `$ref` names something that is not in the document.
    #[error("a reference leads to nothing in this schema: {reference}")]
    Reference {
        /// What could not be found, as the validator names it.
        reference: String,
    },
    /// The root asks for something that is not an object, which arguments always are.
    #[error("the root of the schema does not accept objects")]
    RootType {
        /// The place of the `type`.
        pointer: String,
    },
    /// Nested or referring more than [`SCHEMA_DEPTH_MAX`] levels.
    #[error("the schema at `{pointer}` is nested more than {max} levels", max = SCHEMA_DEPTH_MAX)]
    TooDeep {
        /// The first place that is too deep.
        pointer: String,
    },
    /// `$schema` names a draft that is not known.
    #[error("`{uri}` is no draft of JSON Schema that is known here")]
    UnknownDraft {
        /// What `$schema` says.
        uri: String,
    },
}

impl SchemaError {
    /// Returns the JSON Pointer of the place in the schema.
    pub fn pointer(&self) -> &str {
        match self {
            Self::EndlessReference { pointer }
            | Self::Invalid { pointer, .. }
            | Self::Pattern { pointer }
            | Self::RootType { pointer }
            | Self::TooDeep { pointer } => pointer,
            Self::UnknownDraft { .. } => "/$schema",
            Self::NotAnObject { .. } | Self::Reference { .. } => "",
        }
    }

    /// Returns a sentence that says what the author of the schema can do.
    pub fn advice(&self) -> &'static str {
        match self {
            Self::EndlessReference { .. } => {
                "let the schema go through `properties` or `items` before it refers to itself"
            }
            Self::Invalid { .. } => "write the keyword as its draft of JSON Schema defines it",
            Self::NotAnObject { .. } => {
                "write the parameters as a JSON Schema object, or leave them out"
            }
            Self::Pattern { .. } => {
                "write the pattern without look-around and back references, and keep it short"
            }
            Self::Reference { .. } => {
                "copy the schema it names into `$defs`; nothing is fetched from elsewhere"
            }
            Self::RootType { .. } => "put `type: object` at the root and the value into a property",
            Self::TooDeep { .. } => "make the schema flatter",
            Self::UnknownDraft { .. } => {
                "leave `$schema` out, or name draft 4, 6, 7, 2019-09 or 2020-12"
            }
        }
    }

    /// Says who can do something about it: whoever wrote the schema.
    pub fn fault(&self) -> Fault {
        Fault::Config
    }
}

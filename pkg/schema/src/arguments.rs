//! What comes in and what comes out of a check.

use manos_model::{Fault, Violation};
use serde_json::{Map, Value, json};

use crate::limits::{ARGUMENTS_BYTES_MAX, ARGUMENTS_DEPTH_MAX, VIOLATIONS_MAX};
use crate::mend::Mend;
use crate::violation;

/// The arguments of a tool call as they came from the model, a rule or a person.
#[derive(Debug, Clone, Copy)]
pub enum RawArguments<'a> {
    /// There were none: the same as `{}`.
    Missing,
    /// JSON text, as most providers send it.
    Text(&'a str),
    /// JSON that was already read. A text in it is taken as [`RawArguments::Text`].
    Value(&'a Value),
}

/// What a check found.
#[derive(Debug, Clone, PartialEq)]
#[must_use]
pub enum Checked {
    /// The arguments cannot be used; nothing may run.
    Invalid(ArgumentsError),
    /// The arguments are valid.
    Valid {
        /// The arguments to run with, mended.
        arguments: Map<String, Value>,
        /// What was mended, in the order it was found; empty when they are as they were sent.
        mends: Vec<Mend>,
    },
}

/// Why arguments cannot be used.
///
/// The model reads [`ArgumentsError::violations`]; the messages here are for logs and hold no value
/// that was sent.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ArgumentsError {
    /// A key stands twice in one object, so it is not known which value was meant.
    #[error("a key stands twice in one object")]
    DuplicateKey {
        /// The JSON Pointer of the property.
        path: String,
        /// The key.
        key: String,
    },
    /// A number would change when read as a 64-bit integer or a double.
    #[error("a number does not survive parsing exactly")]
    InexactNumber {
        /// The JSON Pointer of the number.
        path: String,
        /// Its digits as sent.
        text: String,
    },
    /// The text is not JSON.
    #[error("the arguments are not JSON: {message} at line {line}, column {column}")]
    Json {
        /// What is wrong.
        message: String,
        /// The line, counted from 1.
        line: usize,
        /// The character in the line, counted from 1.
        column: usize,
        /// The text around it, with `⟨here⟩` at the place.
        excerpt: String,
    },
    /// The arguments are JSON, but no object.
    #[error("the arguments are of type {got}, not an object")]
    NotAnObject {
        /// The JSON type that came.
        got: &'static str,
    },
    /// Nested too deep.
    #[error("the arguments are nested more than {max} levels")]
    TooDeep {
        /// [`ARGUMENTS_DEPTH_MAX`].
        max: usize,
    },
    /// Too long.
    #[error("the arguments have {bytes} bytes, the limit is {max}")]
    TooLarge {
        /// Their bytes as JSON text.
        bytes: usize,
        /// [`ARGUMENTS_BYTES_MAX`].
        max: usize,
    },
    /// A key or a text holds what cannot be kept: a NUL, or a name that is reserved.
    #[error("a key or a text holds what cannot be kept: {problem}")]
    Unkeepable {
        /// The JSON Pointer of the value.
        path: String,
        /// What it holds.
        problem: &'static str,
    },
    /// The arguments do not fit the schema.
    #[error("the arguments do not fit the schema in {count} places", count = violations.len() + dropped)]
    Violations {
        /// At most [`VIOLATIONS_MAX`] of them, in the order of the schema.
        violations: Vec<Violation>,
        /// How many more there were.
        dropped: usize,
    },
}

impl ArgumentsError {
    /// Returns what the model is told: where, what was expected, what came.
    ///
    /// At most [`VIOLATIONS_MAX`] entries, each of bounded size; when there were more, the last entry
    /// says how many.
    pub fn violations(&self) -> Vec<Violation> {
        match self {
            Self::DuplicateKey { path, key } => {
                let name = violation::quoted(key);
                vec![violation::new(path, format!("key {name} only once"), &Value::Null)]
            }
            Self::InexactNumber { path, text } => {
                let expected = "a number that a 64-bit integer or a double keeps exactly";
                vec![violation::new(path, expected.to_owned(), &json!(text))]
            }
            Self::Json { message, line, column, excerpt } => {
                let expected = format!("JSON text; {message} at line {line}, column {column}");
                vec![violation::new("", expected, &json!(excerpt))]
            }
            Self::NotAnObject { got } => {
                vec![violation::new("", "type object".to_owned(), &json!(got))]
            }
            Self::TooDeep { max } => {
                vec![violation::new("", format!("at most {max} levels"), &Value::Null)]
            }
            Self::TooLarge { bytes, max } => {
                let got = json!(format!("{bytes} bytes"));
                vec![violation::new("", format!("at most {max} bytes"), &got)]
            }
            Self::Unkeepable { path, problem } => {
                vec![violation::new(path, format!("no {problem}"), &Value::Null)]
            }
            Self::Violations { violations, dropped: 0 } => violations.clone(),
            Self::Violations { violations, dropped } => {
                let shown = violations.len().min(VIOLATIONS_MAX - 1);
                let more = violations.len() - shown + dropped;
                let note = violation::new("", format!("{more} more are wrong"), &Value::Null);
                violations.iter().take(shown).cloned().chain([note]).collect()
            }
        }
    }

    /// Says who can do something about it: whoever made the call.
    pub fn fault(&self) -> Fault {
        Fault::Caller
    }

    pub(crate) fn too_deep() -> Self {
        Self::TooDeep { max: ARGUMENTS_DEPTH_MAX }
    }

    pub(crate) fn too_large(bytes: usize) -> Self {
        Self::TooLarge { bytes, max: ARGUMENTS_BYTES_MAX }
    }
}

//! The validator's errors → what the model reads.
//!
//! Owns the words: short, exact, bounded, the same whatever the validator is. Alternatives are the
//! hard part: of an `anyOf` that failed, the branch that was plainly meant is reported from inside;
//! when none was, the branches are summed up in one sentence.

use jsonschema::ValidationError;
use jsonschema::error::{TypeKind, ValidationErrorKind};
use manos_model::Violation;
use serde_json::Value;

use crate::limits::{EXPECTED_BYTES_MAX, GOT_BYTES_MAX, VIOLATIONS_MAX};
use crate::pointer;
use crate::schema_error::SchemaError;

mod alternatives;
mod words;

pub(crate) use words::{cut, quoted, type_name};

/// Makes a violation, bounded in each part.
pub(crate) fn new(path: &str, expected: String, got: &Value) -> Violation {
    Violation {
        path: path.to_owned(),
        expected: cut(expected, EXPECTED_BYTES_MAX),
        got: bounded(got),
    }
}

/// Turns errors into at most [`VIOLATIONS_MAX`] violations, and says how many more there were.
///
/// `source` is the schema; `shown` is the value that was checked with its secrets masked: what came
/// is read from it.
pub(crate) fn collect<'e>(
    errors: impl Iterator<Item = ValidationError<'e>>,
    source: &Value,
    shown: &Value,
) -> (Vec<Violation>, usize) {
    let mut report = Report { source, shown, violations: Vec::new(), dropped: 0 };
    for error in errors {
        report.add(&error);
    }
    (report.violations, report.dropped)
}

/// Says why the validator would not compile a schema.
pub(crate) fn schema_error(error: &ValidationError<'_>) -> SchemaError {
    // A rule of the draft names the place as a value, a keyword that does not compile as a schema.
    let as_value = error.instance_path().as_str();
    let pointer = if as_value.is_empty() { error.schema_path().as_str() } else { as_value };
    let pointer = pointer.to_owned();
    match error.kind() {
        ValidationErrorKind::Format { format } if format == "regex" => {
            SchemaError::Pattern { pointer }
        }
        ValidationErrorKind::Referencing(reason) => {
            SchemaError::Reference { reference: cut(reason.to_string(), EXPECTED_BYTES_MAX) }
        }
        _ => {
            let expected = cut(expected(error), EXPECTED_BYTES_MAX);
            let pointer = error.instance_path().as_str().to_owned();
            SchemaError::Invalid { pointer, expected }
        }
    }
}

struct Report<'r> {
    source: &'r Value,
    shown: &'r Value,
    violations: Vec<Violation>,
    dropped: usize,
}

impl<'r> Report<'r> {
    fn add(&mut self, error: &ValidationError<'_>) {
        let path = error.instance_path().as_str();
        match error.kind() {
            ValidationErrorKind::AdditionalProperties { unexpected }
            | ValidationErrorKind::UnevaluatedProperties { unexpected } => {
                let known = self.known_names(error);
                for name in unexpected {
                    let expected = words::no_property(name, &known);
                    self.push(&pointer::with_key(path, name), expected);
                }
            }
            ValidationErrorKind::Required { property } => {
                let place = property.as_str().map(|name| pointer::with_key(path, name));
                self.push(place.as_deref().unwrap_or(path), expected(error));
            }
            ValidationErrorKind::AnyOf { context }
            | ValidationErrorKind::OneOfNotValid { context } => {
                match alternatives::meant(path, context) {
                    Some(branch) => branch.iter().for_each(|inner| self.add(inner)),
                    None => self.push(path, expected(error)),
                }
            }
            _ => self.push(path, expected(error)),
        }
    }

    fn push(&mut self, path: &str, expected: String) {
        let got = self.shown.pointer(path).unwrap_or(&Value::Null);
        let violation = new(path, expected, got);
        if self.violations.contains(&violation) {
            return;
        }
        if self.violations.len() < VIOLATIONS_MAX {
            self.violations.push(violation);
        } else {
            self.dropped += 1;
        }
    }

    /// The names that stand beside the keyword that refused one.
    fn known_names(&self, error: &ValidationError<'_>) -> Vec<&'r str> {
        let keyword = error.schema_path().as_str();
        let parent = keyword.rsplit_once('/').map_or("", |(parent, _)| parent);
        let properties = self.source.pointer(parent).and_then(|schema| schema.get("properties"));
        properties
            .and_then(Value::as_object)
            .into_iter()
            .flat_map(|map| map.keys().map(String::as_str))
            .collect()
    }
}

/// Says in a few words what a keyword wanted.
fn expected(error: &ValidationError<'_>) -> String {
    use ValidationErrorKind as Kind;
    match error.kind() {
        Kind::AdditionalItems { limit } => format!("at most {limit} items"),
        Kind::AdditionalProperties { unexpected } | Kind::UnevaluatedProperties { unexpected } => {
            words::listed("no property ", unexpected.iter().map(|name| quoted(name)))
        }
        Kind::AnyOf { context } | Kind::OneOfNotValid { context } => {
            alternatives::summary(error.instance_path().as_str(), context)
        }
        Kind::BacktrackLimitExceeded { .. } | Kind::RegexEngineFailure { .. } => {
            "a shorter text".to_owned()
        }
        Kind::Constant { expected_value } => format!("exactly {expected_value}"),
        Kind::Contains => contains(error),
        Kind::ContentEncoding { content_encoding } => {
            format!("content encoding {content_encoding}")
        }
        Kind::ContentMediaType { content_media_type } => format!("content of {content_media_type}"),
        Kind::Custom { keyword, .. } => keyword.clone(),
        Kind::Enum { options } => {
            let values = options.as_array().into_iter().flatten().map(Value::to_string);
            words::listed("one of ", values)
        }
        Kind::ExclusiveMaximum { limit } => format!("less than {limit}"),
        Kind::ExclusiveMinimum { limit } => format!("more than {limit}"),
        Kind::FalseSchema => "nothing here".to_owned(),
        Kind::Format { format } => format!("format {format}"),
        Kind::FromUtf8 { .. } => "content in UTF-8".to_owned(),
        Kind::MaxItems { limit } => format!("at most {limit} items"),
        Kind::Maximum { limit } => format!("maximum {limit}"),
        Kind::MaxLength { limit } => format!("at most {limit} characters"),
        Kind::MaxProperties { limit } => format!("at most {limit} properties"),
        Kind::MinItems { limit } => format!("at least {limit} items"),
        Kind::Minimum { limit } => format!("minimum {limit}"),
        Kind::MinLength { limit } => format!("at least {limit} characters"),
        Kind::MinProperties { limit } => format!("at least {limit} properties"),
        Kind::MultipleOf { multiple_of } => format!("multiple of {multiple_of}"),
        Kind::Not { schema } => format!("not {schema}"),
        Kind::OneOfMultipleValid { .. } => {
            "exactly one of the alternatives; more than one fits".to_owned()
        }
        Kind::Pattern { pattern } => format!("pattern {pattern}"),
        Kind::PropertyNames { error } => {
            let name = error.instance().as_str().map(quoted).unwrap_or_default();
            format!("property names with {}, unlike {name}", expected(error))
        }
        Kind::Required { property } => format!("required property {property}"),
        Kind::Type { kind } => format!("type {}", words::types(&type_names(kind))),
        Kind::UnevaluatedItems { unexpected } => {
            format!("{} items fewer", unexpected.len())
        }
        Kind::UniqueItems => "no two equal items".to_owned(),
        Kind::Referencing(_) => "a schema that can be resolved".to_owned(),
    }
}

/// The three keywords of `contains` share one kind; the place in the schema tells them apart.
fn contains(error: &ValidationError<'_>) -> String {
    let keyword = error.schema_path().as_str();
    if keyword.ends_with("/maxContains") {
        "fewer items that fit `contains`".to_owned()
    } else if keyword.ends_with("/minContains") {
        "more items that fit `contains`".to_owned()
    } else {
        "an item that fits `contains`".to_owned()
    }
}

fn type_names(kind: &TypeKind) -> Vec<String> {
    match kind {
        TypeKind::Multiple(types) => types.iter().map(|one| one.to_string()).collect(),
        TypeKind::Single(one) => vec![one.to_string()],
    }
}

fn bounded(got: &Value) -> Value {
    // Most values are short, and what is short needs no text made of it.
    if let Value::Bool(_) | Value::Null = got {
        return got.clone();
    }
    if let Value::String(text) = got
        && text.len() <= GOT_BYTES_MAX
    {
        return got.clone();
    }
    let text = match got {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    if text.len() <= GOT_BYTES_MAX { got.clone() } else { Value::String(cut(text, GOT_BYTES_MAX)) }
}

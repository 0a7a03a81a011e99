//! The schema of one tool, compiled once.
//!
//! Owns compiling and the order of a check: read, validate, mend, say what is wrong. How each of
//! these works is in its own module.

use std::borrow::Cow;
use std::fmt;
use std::sync::OnceLock;

use jsonschema::{PatternOptions, ValidationOptions, Validator, ValidatorMap};
use manos_model::{PATH_VALUE_RULE, Violation, path_value};
use serde_json::{Map, Value, json};

use crate::arguments::{ArgumentsError, Checked, RawArguments};
use crate::inspect::{Inspection, inspect};
use crate::keyword::Node;
use crate::limits::PATTERN_BYTES_MAX;
use crate::mend::{MendOptions, Mender};
use crate::schema_error::SchemaError;
use crate::{intake, pointer, survey, violation, write_only};

/// The JSON Schema of one tool's arguments, compiled.
///
/// Compile it once per tool and share it: it is `Send + Sync` and a check changes nothing in it.
///
/// # Shape
///
/// Draft 2020-12, or the draft that `$schema` names (4, 6, 7, 2019-09). `format` is not asserted.
/// Patterns run in linear time; one that cannot is refused when compiling. `$ref` reaches only into
/// the same document: nothing is ever fetched. Nothing, `null` or `{}` stands for a tool without
/// parameters, `{"type":"object","properties":{}}`.
///
/// # Examples
///
/// ```
/// use manos_schema::{Checked, MendOptions, RawArguments, ToolSchema};
/// use serde_json::json;
///
/// let schema = ToolSchema::compile(&json!({
///     "type": "object",
///     "properties": { "order_id": { "type": "string" } },
///     "required": ["order_id"],
/// }))?;
///
/// // An id without its quotes keeps every digit.
/// let text = RawArguments::Text(r#"{"order_id":1234567890123456789}"#);
/// let Checked::Valid { arguments, mends } = schema.check(text, MendOptions::default()) else {
///     panic!("valid after one mend");
/// };
/// assert_eq!(arguments["order_id"], json!("1234567890123456789"));
/// assert_eq!(mends.len(), 1);
/// # Ok::<(), manos_schema::SchemaError>(())
/// ```
pub struct ToolSchema {
    source: Value,
    validator: Validator,
    inspection: Inspection,
    /// Arguments that stand in the path of a URL.
    in_path: Vec<String>,
    /// A validator for each schema inside, made when the first arguments need mending.
    places: OnceLock<Option<ValidatorMap>>,
}

impl ToolSchema {
    /// Compiles a schema.
    ///
    /// # Errors
    ///
    /// [`SchemaError`], with the place in the schema and an advice: it is no object, does not accept
    /// objects, breaks the rules of its draft, refers to what is not there, to itself without end,
    /// is too deep, or has a pattern that needs more than linear time.
    pub fn compile(schema: &Value) -> Result<Self, SchemaError> {
        let source = match schema {
            Value::Null => without_parameters(),
            Value::Object(map) if map.is_empty() => without_parameters(),
            Value::Object(_) => schema.clone(),
            other => return Err(SchemaError::NotAnObject { got: violation::type_name(other) }),
        };
        check_root(&source)?;
        let inspection = inspect(&source)?;
        let validator =
            options().build(&source).map_err(|error| violation::schema_error(&error))?;
        Ok(Self { source, validator, inspection, in_path: Vec::new(), places: OnceLock::new() })
    }

    /// Requires of these arguments too that they can stand in the path of a URL.
    ///
    /// ```
    /// use manos_schema::{Checked, MendOptions, RawArguments, ToolSchema};
    /// use serde_json::json;
    ///
    /// let schema = ToolSchema::compile(&json!({"properties": {"id": {"type": "string"}}}))?
    ///     .with_path_arguments(["id".to_owned()]);
    /// let check = |text| schema.check(RawArguments::Text(text), MendOptions::default());
    /// assert!(matches!(check(r#"{"id":"P-1"}"#), Checked::Valid { .. }));
    /// assert!(matches!(check(r#"{"id":"../admin"}"#), Checked::Invalid(_)));
    /// # Ok::<(), manos_schema::SchemaError>(())
    /// ```
    #[must_use]
    pub fn with_path_arguments(mut self, names: impl IntoIterator<Item = String>) -> Self {
        self.in_path = names.into_iter().collect();
        self
    }

    /// Returns the schema as it was given, or the one that stands for a tool without parameters.
    pub fn source(&self) -> &Value {
        &self.source
    }

    /// Reads, checks and if need be mends the arguments of one call.
    ///
    /// Valid arguments come back unchanged and cost one validation. Otherwise the lossless mends are
    /// tried, each only where the value as sent is not valid and the mended one is. What is still
    /// wrong then comes back as violations. Numbers keep their digits: `1.0` where an integer is due
    /// is an integer to JSON Schema and stays `1.0`.
    ///
    /// # Examples
    ///
    /// ```
    /// use manos_schema::{Checked, MendOptions, RawArguments, ToolSchema};
    /// use serde_json::json;
    ///
    /// let schema = ToolSchema::compile(&json!({
    ///     "type": "object",
    ///     "properties": { "cantidad": { "type": "integer", "minimum": 1 } },
    /// }))?;
    /// let Checked::Invalid(error) =
    ///     schema.check(RawArguments::Text(r#"{"cantidad":0}"#), MendOptions::default())
    /// else {
    ///     panic!("zero is too few");
    /// };
    /// let told = serde_json::to_value(error.violations()).unwrap();
    /// assert_eq!(told, json!([{"path": "/cantidad", "expected": "minimum 1", "got": 0}]));
    /// # Ok::<(), manos_schema::SchemaError>(())
    /// ```
    pub fn check(&self, raw: RawArguments<'_>, options: MendOptions) -> Checked {
        let taken = match intake::take(raw) {
            Ok(taken) => taken,
            Err(error) => return Checked::Invalid(self.without_secrets(error)),
        };
        let mut value = Value::Object(taken.arguments);
        let mut mends = taken.mends;
        if !self.validator.is_valid(&value) {
            let mender = Mender::new(self, options);
            if let Some((mended, done)) = mender.mend(&value) {
                value = mended;
                mends.extend(done);
            }
            if !self.validator.is_valid(&value) {
                return Checked::Invalid(self.violations(&mender, &value));
            }
        }
        // Text that was read by a mend may have brought numbers of its own.
        if (taken.has_inexact || !mends.is_empty())
            && let Some(error) = self.inexact_number(&value)
        {
            return Checked::Invalid(error);
        }
        if let Some(error) = self.outside_a_path(&value) {
            return Checked::Invalid(error);
        }
        match value {
            Value::Object(arguments) => Checked::Valid { arguments, mends },
            other => {
                Checked::Invalid(ArgumentsError::NotAnObject { got: violation::type_name(&other) })
            }
        }
    }

    /// Lists what is wrong, or names the one place when listing would take too long.
    fn violations(&self, mender: &Mender<'_>, value: &Value) -> ArgumentsError {
        let shown = self.mask(value);
        if survey::depth(value) <= self.inspection.listing_depth_max {
            let errors = self.validator.iter_errors(value);
            let (violations, dropped) = violation::collect(errors, &self.source, &shown);
            return ArgumentsError::Violations { violations, dropped };
        }
        let path = mender.innermost_wrong(value);
        let got = shown.pointer(&path).unwrap_or(&Value::Null);
        let violations =
            vec![violation::new(&path, "a value that fits the schema".to_owned(), got)];
        ArgumentsError::Violations { violations, dropped: 0 }
    }

    fn inexact_number(&self, value: &Value) -> Option<ArgumentsError> {
        let (path, digits) = survey::inexact_number(value)?;
        let is_shown = self.mask(value).pointer(&path).is_some_and(Value::is_number);
        let text = if is_shown { digits } else { write_only::MASK.to_owned() };
        Some(ArgumentsError::InexactNumber { path, text })
    }

    /// Arguments that are to stand in a path and cannot.
    fn outside_a_path(&self, value: &Value) -> Option<ArgumentsError> {
        let shown = || self.mask(value);
        let violations: Vec<Violation> = self
            .in_path
            .iter()
            .filter(|name| value.get(name.as_str()).and_then(path_value).is_none())
            .map(|name| {
                let got = shown().get(name).cloned().unwrap_or_default();
                violation::new(&pointer::with_key("", name), PATH_VALUE_RULE.to_owned(), &got)
            })
            .collect();
        (!violations.is_empty()).then_some(ArgumentsError::Violations { violations, dropped: 0 })
    }

    /// Returns the properties at the root, in the order they are written.
    ///
    /// Follows `$ref` inside the document and `allOf` at the root; alternatives (`anyOf`, `oneOf`,
    /// `if`) are left out. A name that comes twice is returned once, with its first schema.
    pub fn properties(&self) -> impl Iterator<Item = (&str, &Value)> {
        let mut found: Map<String, Value> = Map::new();
        let mut list: Vec<(&str, &Value)> = Vec::new();
        let mut waiting = vec![Node::root(&self.source)];
        while let Some(node) = waiting.pop() {
            let named = node.schema.get("properties").and_then(Value::as_object);
            for (name, schema) in named.into_iter().flatten() {
                if found.insert(name.clone(), Value::Null).is_none() {
                    list.push((name, schema));
                }
            }
            // The last one pushed is looked at first: all of allOf in order, after the reference.
            waiting.extend(node.list("allOf").into_iter().rev());
            waiting.extend(node.reference(&self.source));
        }
        list.into_iter()
    }

    /// Returns the JSON Pointers, in the schema, of all schemas that say `writeOnly: true`.
    pub fn write_only_pointers(&self) -> &[String] {
        &self.inspection.write_only
    }

    /// Returns `arguments` with every value that a `writeOnly` schema speaks of replaced by `•••`.
    ///
    /// Works on any value, checked or not, and rather masks too much: a schema counts when some way
    /// through the schema leads to it, also through an alternative that does not apply.
    ///
    /// # Examples
    ///
    /// ```
    /// use manos_schema::ToolSchema;
    /// use serde_json::json;
    ///
    /// let schema = ToolSchema::compile(&json!({
    ///     "properties": { "user": {}, "pin": { "type": "string", "writeOnly": true } },
    /// }))?;
    /// let shown = schema.mask(&json!({"user": "ana", "pin": "1234"}));
    /// assert_eq!(shown, json!({"user": "ana", "pin": "•••"}));
    /// # Ok::<(), manos_schema::SchemaError>(())
    /// ```
    #[must_use]
    pub fn mask(&self, arguments: &Value) -> Value {
        if self.inspection.write_only.is_empty() {
            return arguments.clone();
        }
        write_only::mask(&self.source, &self.inspection.patterns, arguments)
    }

    /// Masks an object as [`ToolSchema::mask`] does; what has nothing to mask is not copied.
    pub fn mask_object<'a>(
        &self,
        arguments: &'a Map<String, Value>,
    ) -> Cow<'a, Map<String, Value>> {
        if self.inspection.write_only.is_empty() {
            return Cow::Borrowed(arguments);
        }
        match self.mask(&Value::Object(arguments.clone())) {
            Value::Object(masked) => Cow::Owned(masked),
            // An object that must not be shown at all.
            _ => Cow::Owned(Map::new()),
        }
    }

    pub(crate) fn inspection(&self) -> &Inspection {
        &self.inspection
    }

    /// The validators of the schemas inside, by pointer as a URI fragment (`#/properties/a`).
    pub(crate) fn places(&self) -> Option<&ValidatorMap> {
        self.places.get_or_init(|| options().build_map(&self.source).ok()).as_ref()
    }

    /// What cannot be read cannot be masked by place: with secrets about, none of it is repeated.
    fn without_secrets(&self, error: ArgumentsError) -> ArgumentsError {
        match error {
            ArgumentsError::Json { message, line, column, .. }
                if !self.inspection.write_only.is_empty() =>
            {
                let excerpt = write_only::MASK.to_owned();
                ArgumentsError::Json { message, line, column, excerpt }
            }
            other => other,
        }
    }
}

impl fmt::Debug for ToolSchema {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("ToolSchema").field("source", &self.source).finish_non_exhaustive()
    }
}

fn without_parameters() -> Value {
    json!({"type": "object", "properties": {}})
}

fn options() -> ValidationOptions<'static> {
    jsonschema::options()
        .offline()
        .should_validate_formats(false)
        .with_pattern_options(PatternOptions::regex().size_limit(PATTERN_BYTES_MAX))
}

fn check_root(source: &Value) -> Result<(), SchemaError> {
    let accepts_objects = match source.get("type") {
        Some(Value::String(name)) => name == "object",
        Some(Value::Array(names)) => names.iter().any(|name| name == "object"),
        // Absent, or wrong in a way that the draft's own rules name better.
        _ => true,
    };
    if !accepts_objects {
        return Err(SchemaError::RootType { pointer: "/type".to_owned() });
    }
    match source.get("$schema").and_then(Value::as_str) {
        Some(uri) if !is_known_draft(uri) => Err(SchemaError::UnknownDraft { uri: uri.to_owned() }),
        _ => Ok(()),
    }
}

fn is_known_draft(uri: &str) -> bool {
    let name = uri.strip_suffix('#').unwrap_or(uri);
    let name = name.strip_prefix("https://").or_else(|| name.strip_prefix("http://"));
    matches!(
        name,
        Some(
            "json-schema.org/draft-04/schema"
                | "json-schema.org/draft-06/schema"
                | "json-schema.org/draft-07/schema"
                | "json-schema.org/draft/2019-09/schema"
                | "json-schema.org/draft/2020-12/schema"
        )
    )
}

//! Carries JSON into the template engine and prints what comes out of it.
//!
//! By hand, since serialising would show the private form in which JSON numbers keep their digits.

use std::sync::Arc;

use minijinja::value::{Enumerator, Object, Value, ValueKind};
use minijinja::{Error, Output, State};
use serde_json::{Map, Number, Value as Json};

use crate::Formats;

/// The name filters find the formats under; no template can spell it.
const FORMATS: &str = "\0formats";

/// What a JSON `null` prints as: a blank would hide that a value is missing.
const NULL_SHOWN: &str = "—";

/// Makes the outermost scope of a rendering.
pub(super) fn root(vars: &Map<String, Json>, formats: &Formats) -> Value {
    let mut fields = fields(vars);
    fields.push((Arc::from(FORMATS), Value::from_object(SharedFormats(formats.clone()))));
    Value::from_object(Fields(fields))
}

/// Finds the formats of the rendering that `state` belongs to.
pub(super) fn formats_of<R>(
    state: &State<'_, '_>,
    write: impl FnOnce(&Formats) -> Result<R, Error>,
) -> Result<R, Error> {
    let value = state.lookup(FORMATS).unwrap_or(Value::UNDEFINED);
    match value.downcast_object_ref::<SharedFormats>() {
        Some(shared) => write(&shared.0),
        None => Err(Error::new(minijinja::ErrorKind::InvalidOperation, "no locale is set")),
    }
}

/// Prints a value the way people read it.
pub(super) fn print(
    out: &mut Output<'_>,
    state: &mut State<'_, '_>,
    value: &Value,
) -> Result<(), Error> {
    if value.is_none() {
        out.write_str(NULL_SHOWN).map_err(Error::from)
    } else if value.kind() == ValueKind::Bool {
        // As JSON writes it; the engine would write it as Python does.
        out.write_str(if value.is_true() { "true" } else { "false" }).map_err(Error::from)
    } else {
        minijinja::escape_formatter(out, state, value)
    }
}

fn convert(value: &Json) -> Value {
    match value {
        Json::Null => Value::from(()),
        Json::Bool(flag) => Value::from(*flag),
        Json::Number(number) => convert_number(number),
        Json::String(text) => Value::from(text.as_str()),
        Json::Array(items) => items.iter().map(convert).collect(),
        Json::Object(map) => Value::from_object(Fields(fields(map))),
    }
}

fn convert_number(number: &Number) -> Value {
    if let Some(whole) = number.as_i64() {
        return Value::from(whole);
    }
    let digits = number.as_str();
    if let Ok(whole) = digits.parse::<i128>() {
        return Value::from(whole);
    }
    match digits.parse::<f64>() {
        // A whole number that no type holds keeps its digits as text, as does an infinite one.
        Ok(real) if real.is_finite() && digits.contains(['.', 'e', 'E']) => Value::from(real),
        _ => Value::from(digits),
    }
}

fn fields(map: &Map<String, Json>) -> Vec<(Arc<str>, Value)> {
    map.iter().map(|(key, value)| (Arc::from(key.as_str()), convert(value))).collect()
}

/// A JSON object in the order it was written in.
#[derive(Debug)]
struct Fields(Vec<(Arc<str>, Value)>);

impl Object for Fields {
    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        self.get_value_by_str(key.as_str()?)
    }

    fn get_value_by_str(self: &Arc<Self>, key: &str) -> Option<Value> {
        self.0.iter().find(|(name, _)| &**name == key).map(|(_, value)| value.clone())
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::Values(self.0.iter().map(|(name, _)| Value::from(name.clone())).collect())
    }

    fn enumerator_len(self: &Arc<Self>) -> Option<usize> {
        Some(self.0.len())
    }
}

/// The formats on their way to the filters.
#[derive(Debug)]
struct SharedFormats(Formats);

impl Object for SharedFormats {
    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::NonEnumerable
    }
}

//! What one value could have been meant as, given what is due.

use serde_json::{Number, Value};

use super::due::Due;
use super::{MendKind, MendOptions};
use crate::limits::ARGUMENTS_DEPTH_MAX;
use crate::read::{Read, read};
use crate::{fence, number};

/// How models spell a missing value when they put quotes around it.
pub(super) const NULL_TEXT: &str = "null";

/// Returns what `value` can be turned into, the surest first.
///
/// `depth` is how many levels above the value there are, so that text that is read inside cannot
/// nest deeper than arguments may.
pub(super) fn of(
    value: &Value,
    due: Due,
    options: MendOptions,
    depth: usize,
) -> Vec<(MendKind, Value)> {
    let mut found = match value {
        // Where a text is due, a text that is wrong is wrong for another reason than its type.
        Value::String(text) if !due.has_text() => from_text(text, due, depth),
        Value::Number(number) if due.has_text() && !due.has_number() => {
            let digits = number.as_str();
            if number::is_integer(digits) {
                vec![(MendKind::DigitsAsText, Value::String(digits.to_owned()))]
            } else {
                Vec::new()
            }
        }
        Value::Object(_) if due.has_text() && !due.has_object() => {
            vec![(MendKind::ObjectAsText, Value::String(value.to_string()))]
        }
        _ => Vec::new(),
    };
    if options.single_as_array && due.has_array() && !value.is_array() && !value.is_null() {
        found.push((MendKind::SingleAsArray, Value::Array(vec![value.clone()])));
    }
    found
}

fn from_text(text: &str, due: Due, depth: usize) -> Vec<(MendKind, Value)> {
    let mut found = Vec::new();
    if due.has_number()
        && number::is_number(text)
        && number::is_exact(text)
        && let Ok(number) = text.parse::<Number>()
    {
        found.push((MendKind::NumberFromText, Value::Number(number)));
    }
    if due.has_boolean() {
        match text {
            "true" => found.push((MendKind::BooleanFromText, Value::Bool(true))),
            "false" => found.push((MendKind::BooleanFromText, Value::Bool(false))),
            _ => {}
        }
    }
    if due.has_null() && text == NULL_TEXT {
        found.push((MendKind::NullFromText, Value::Null));
    }
    if due.has_array() || due.has_object() {
        found.extend(from_json_text(text, due, ARGUMENTS_DEPTH_MAX.saturating_sub(depth)));
    }
    found
}

fn from_json_text(text: &str, due: Due, depth_max: usize) -> Option<(MendKind, Value)> {
    let is_due = |value: &Value| {
        value.is_array() && due.has_array() || value.is_object() && due.has_object()
    };
    match read(text, depth_max) {
        Ok(Read { value: Value::String(inner), .. }) => {
            let twice = read(&inner, depth_max).ok()?.value;
            is_due(&twice).then_some((MendKind::EncodedTwice, twice))
        }
        Ok(Read { value, .. }) => is_due(&value).then_some((MendKind::JsonTextParsed, value)),
        Err(_) => {
            let inside = text.get(fence::object_within(text)?)?;
            let value = read(inside, depth_max).ok()?.value;
            is_due(&value).then_some((MendKind::FenceRemoved, value))
        }
    }
}

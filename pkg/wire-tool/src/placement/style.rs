//! How lists and objects are written in one parameter.

use serde_json::Value;

use super::Parameter;
use crate::canonical;
use crate::http::percent_encoded;

/// How lists and objects are put together, by OpenAPI's names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Style {
    /// `color[R]=100&color[G]=200`.
    DeepObject,
    /// `color=blue&color=black`, or `color=blue,black`.
    #[default]
    Form,
    /// `color=blue|black`.
    PipeDelimited,
    /// `blue,black`: for paths and headers.
    Simple,
    /// `color=blue black`.
    SpaceDelimited,
}

/// Writes a value without its name, not encoded: for paths and headers.
pub(super) fn plain(parameter: &Parameter, value: &Value) -> String {
    if parameter.as_json {
        return canonical::text(value);
    }
    match value {
        Value::Array(items) => items.iter().map(scalar).collect::<Vec<_>>().join(","),
        Value::Object(properties) => {
            let joint = if parameter.explode { "=" } else { "," };
            let pair = |(name, value): (&String, &Value)| format!("{name}{joint}{}", scalar(value));
            properties.iter().map(pair).collect::<Vec<_>>().join(",")
        }
        other => scalar(other),
    }
}

/// Writes a value as `name=value` pairs, percent-encoded: for queries, cookies and forms.
pub(super) fn pairs(parameter: &Parameter, value: &Value) -> Vec<String> {
    let name = &parameter.name;
    let pair = |name: &str, text: &str| format!("{}={text}", percent_encoded(name));
    let encoded = |value: &Value| percent_encoded(&scalar(value));
    if parameter.as_json {
        return vec![pair(name, &percent_encoded(&canonical::text(value)))];
    }
    if parameter.style == Style::DeepObject && (value.is_object() || value.is_array()) {
        let mut pairs = Vec::new();
        deep(name, value, &mut pairs);
        return pairs;
    }
    match value {
        Value::Null => Vec::new(),
        Value::Array(items) if items.is_empty() => Vec::new(),
        Value::Array(items) if parameter.explode => {
            items.iter().map(|item| pair(name, &encoded(item))).collect()
        }
        Value::Array(items) => {
            let joint = match parameter.style {
                Style::PipeDelimited => "%7C",
                Style::SpaceDelimited => "%20",
                Style::DeepObject | Style::Form | Style::Simple => ",",
            };
            vec![pair(name, &items.iter().map(encoded).collect::<Vec<_>>().join(joint))]
        }
        Value::Object(properties) if properties.is_empty() => Vec::new(),
        Value::Object(properties) if parameter.explode => {
            properties.iter().map(|(key, value)| pair(key, &encoded(value))).collect()
        }
        Value::Object(properties) => {
            let both = |(key, value): (&String, &Value)| [percent_encoded(key), encoded(value)];
            vec![pair(name, &properties.iter().flat_map(both).collect::<Vec<_>>().join(","))]
        }
        other => vec![pair(name, &encoded(other))],
    }
}

fn deep(name: &str, value: &Value, pairs: &mut Vec<String>) {
    match value {
        Value::Null => {}
        Value::Object(properties) => {
            for (key, value) in properties {
                deep(&format!("{name}[{key}]"), value, pairs);
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                deep(&format!("{name}[{index}]"), item, pairs);
            }
        }
        other => {
            let text = percent_encoded(&scalar(other));
            pairs.push(format!("{}={text}", percent_encoded(name)));
        }
    }
}

/// A text as it is, anything else as JSON prints it.
pub(super) fn scalar(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => canonical::text(other),
    }
}

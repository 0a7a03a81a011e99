//! JSON arguments as values of SQLite. Nothing is rounded and nothing becomes part of the SQL.

use rusqlite::types::Value as Stored;
use serde_json::{Map, Number, Value};

use manos_model::{RunId, canonical_json};
use manos_ports::RunContext;

/// Facts that win over arguments of the same name.
const FACTS: [&str; 6] =
    ["ctx_channel", "ctx_chat", "ctx_locale", "ctx_now", "ctx_run", "ctx_user"];

/// Returns one value for each name. A name without argument is null.
///
/// The error is a sentence for the model.
pub(super) fn values(
    names: &[String],
    arguments: &Map<String, Value>,
    run_id: &RunId,
    context: &RunContext,
) -> Result<Vec<Stored>, String> {
    names
        .iter()
        .map(|name| match fact(name, run_id, context) {
            Some(text) => Ok(Stored::Text(text)),
            None if name.starts_with(FACT_PREFIX) => Ok(Stored::Null),
            None => arguments.get(name).map_or(Ok(Stored::Null), |value| stored(name, value)),
        })
        .collect()
}

/// Whether a name starts like a fact and is none: surely a slip of the pen.
pub(super) fn is_unknown_fact(name: &str) -> bool {
    name.starts_with(FACT_PREFIX) && !FACTS.contains(&name)
}

fn fact(name: &str, run_id: &RunId, context: &RunContext) -> Option<String> {
    Some(match name {
        "ctx_channel" => context.channel.as_str().to_owned(),
        "ctx_chat" => context.chat.as_str().to_owned(),
        "ctx_locale" => context.locale.clone(),
        "ctx_now" => context.written_at(),
        "ctx_run" => run_id.as_str().to_owned(),
        "ctx_user" => context.user.as_str().to_owned(),
        _ => return None,
    })
}

fn stored(name: &str, value: &Value) -> Result<Stored, String> {
    Ok(match value {
        Value::Null => Stored::Null,
        Value::Bool(truth) => Stored::Integer(i64::from(*truth)),
        Value::Number(number) => return stored_number(name, number),
        Value::String(text) => Stored::Text(text.clone()),
        Value::Array(_) | Value::Object(_) => Stored::Text(value.to_string()),
    })
}

/// Whole numbers become integers, others floating point, both only when they stay what they are.
fn stored_number(name: &str, number: &Number) -> Result<Stored, String> {
    if let Some(integer) = number.as_i64() {
        return Ok(Stored::Integer(integer));
    }
    let canonical = canonical_json(&Value::Number(number.clone()));
    if let Ok(integer) = canonical.parse::<i64>() {
        return Ok(Stored::Integer(integer));
    }
    let whole = canonical.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
    let real: f64 = canonical.parse().map_err(|_| too_large(name))?;
    if whole || !real.is_finite() {
        return Err(too_large(name));
    }
    let back = Number::from_f64(real).map(|back| canonical_json(&Value::Number(back)));
    if back.as_deref() == Some(canonical.as_str()) {
        return Ok(Stored::Real(real));
    }
    Err(format!("the number in {name:?} has more digits than the database keeps"))
}

fn too_large(name: &str) -> String {
    format!("the number in {name:?} is too large for the database")
}

const FACT_PREFIX: &str = "ctx_";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_kept_exactly_or_refused() {
        let cases: &[(&str, Result<Stored, ()>, &str)] = &[
            ("1", Ok(Stored::Integer(1)), "whole"),
            ("-0", Ok(Stored::Integer(0)), "minus nothing"),
            ("1.0", Ok(Stored::Integer(1)), "1 and 1.0 are one number"),
            ("1e3", Ok(Stored::Integer(1000)), "with an exponent"),
            ("9223372036854775807", Ok(Stored::Integer(i64::MAX)), "the largest"),
            ("-9223372036854775808", Ok(Stored::Integer(i64::MIN)), "the smallest"),
            ("9223372036854775808", Err(()), "one more"),
            ("1e400", Err(()), "far too large"),
            ("1e25", Err(()), "whole, and too large for an integer"),
            ("0.1", Ok(Stored::Real(0.1)), "no binary fraction, but it reads back"),
            ("1.50", Ok(Stored::Real(1.5)), "a trailing nought"),
            ("0.12345678901234567890123", Err(()), "digits would be lost"),
            ("1e-400", Err(()), "it would become nothing"),
        ];
        for (text, expected, why) in cases {
            let value: Value = serde_json::from_str(text).unwrap();
            assert_eq!(stored("n", &value).map_err(drop), *expected, "{why}: {text}");
        }
    }
}

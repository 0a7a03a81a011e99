//! One walk over a value that was read elsewhere: its limits, and what it may not hold.

use serde_json::Value;

use crate::arguments::ArgumentsError;
use crate::limits::{ARGUMENTS_BYTES_MAX, ARGUMENTS_DEPTH_MAX};
use crate::read::PRIVATE_KEY_PREFIX;
use crate::{number, pointer};

/// Checks the limits of a value and returns whether some number in it is not exact.
///
/// Bytes are counted as the shortest JSON text would have them, escapes not counted.
pub(crate) fn survey(value: &Value) -> Result<bool, ArgumentsError> {
    let mut survey = Survey { bytes: 0, has_inexact: false };
    survey.visit(value, ARGUMENTS_DEPTH_MAX).map_err(|problem| match problem {
        Problem::TooDeep => ArgumentsError::too_deep(),
        Problem::Unkeepable { path, problem } => ArgumentsError::Unkeepable { path, problem },
    })?;
    if survey.bytes > ARGUMENTS_BYTES_MAX {
        return Err(ArgumentsError::too_large(survey.bytes));
    }
    Ok(survey.has_inexact)
}

/// Returns the first number that is not exact: its pointer and its digits.
pub(crate) fn inexact_number(value: &Value) -> Option<(String, String)> {
    match value {
        Value::Number(number) => {
            let text = number.as_str();
            (!number::is_exact(text)).then(|| (String::new(), text.to_owned()))
        }
        Value::Array(items) => items.iter().enumerate().find_map(|(index, item)| {
            let (path, text) = inexact_number(item)?;
            Some((pointer::with_index("", index) + &path, text))
        }),
        Value::Object(map) => map.iter().find_map(|(key, inner)| {
            let (path, text) = inexact_number(inner)?;
            Some((pointer::with_key("", key) + &path, text))
        }),
        Value::Bool(_) | Value::Null | Value::String(_) => None,
    }
}

/// Returns how many levels a value has: 0 for a number, 1 for an object of numbers.
pub(crate) fn depth(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(depth).max().unwrap_or(0),
        Value::Object(map) => 1 + map.values().map(depth).max().unwrap_or(0),
        Value::Bool(_) | Value::Null | Value::Number(_) | Value::String(_) => 0,
    }
}

struct Survey {
    bytes: usize,
    has_inexact: bool,
}

enum Problem {
    TooDeep,
    Unkeepable { path: String, problem: &'static str },
}

impl Survey {
    fn visit(&mut self, value: &Value, depth_left: usize) -> Result<(), Problem> {
        /// Two quotes, or two brackets.
        const PAIR: usize = 2;
        match value {
            Value::Null => self.bytes += 4,
            Value::Bool(_) => self.bytes += 5,
            Value::Number(number) => {
                let text = number.as_str();
                self.bytes += text.len();
                self.has_inexact |= !number::is_exact(text);
            }
            Value::String(text) => {
                self.bytes += text.len() + PAIR;
                check_text(text)?;
            }
            Value::Array(items) => {
                let left = depth_left.checked_sub(1).ok_or(Problem::TooDeep)?;
                self.bytes += PAIR + items.len();
                for (index, item) in items.iter().enumerate() {
                    self.visit(item, left)
                        .map_err(|problem| problem.below(|| pointer::with_index("", index)))?;
                }
            }
            Value::Object(map) => {
                let left = depth_left.checked_sub(1).ok_or(Problem::TooDeep)?;
                self.bytes += PAIR;
                for (key, inner) in map {
                    self.bytes += key.len() + PAIR + 2;
                    check_text(key)
                        .and_then(|()| check_key(key))
                        .and_then(|()| self.visit(inner, left))
                        .map_err(|problem| problem.below(|| pointer::with_key("", key)))?;
                }
            }
        }
        Ok(())
    }
}

fn check_text(text: &str) -> Result<(), Problem> {
    if text.contains('\0') {
        return Err(Problem::Unkeepable { path: String::new(), problem: "NUL character" });
    }
    Ok(())
}

fn check_key(key: &str) -> Result<(), Problem> {
    if key.starts_with(PRIVATE_KEY_PREFIX) {
        return Err(Problem::Unkeepable { path: String::new(), problem: "reserved key" });
    }
    Ok(())
}

impl Problem {
    fn below(self, step: impl FnOnce() -> String) -> Self {
        match self {
            Self::Unkeepable { path, problem } => {
                Self::Unkeepable { path: step() + &path, problem }
            }
            Self::TooDeep => Self::TooDeep,
        }
    }
}

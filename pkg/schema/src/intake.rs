//! Raw arguments → an object, before any schema is asked.
//!
//! Owns what is true of every tool: nothing is `{}`, the limits, the two mends of the text as a
//! whole (encoded twice, a code fence around it), and saying where text breaks.

use serde_json::{Map, Value};

use crate::arguments::{ArgumentsError, RawArguments};
use crate::limits::{ARGUMENTS_BYTES_MAX, ARGUMENTS_DEPTH_MAX, EXCERPT_CHARS};
use crate::mend::{Mend, MendKind};
use crate::read::{Read, ReadError, ReadErrorKind, read, read_within};
use crate::{fence, survey, violation};

/// An object that was taken in.
#[derive(Debug, Default)]
pub(crate) struct Taken {
    pub(crate) arguments: Map<String, Value>,
    pub(crate) mends: Vec<Mend>,
    /// Some number in it is not exact.
    pub(crate) has_inexact: bool,
}

/// Takes the arguments in, or says why not.
pub(crate) fn take(raw: RawArguments<'_>) -> Result<Taken, ArgumentsError> {
    match raw {
        RawArguments::Missing | RawArguments::Value(Value::Null) => Ok(Taken::default()),
        RawArguments::Text(text) => take_text(text),
        RawArguments::Value(Value::String(text)) => take_text(text),
        RawArguments::Value(value) => {
            let has_inexact = survey::survey(value)?;
            match value {
                Value::Object(map) => {
                    Ok(Taken { arguments: map.clone(), mends: Vec::new(), has_inexact })
                }
                other => Err(ArgumentsError::NotAnObject { got: violation::type_name(other) }),
            }
        }
    }
}

fn take_text(text: &str) -> Result<Taken, ArgumentsError> {
    if text.len() > ARGUMENTS_BYTES_MAX {
        return Err(ArgumentsError::too_large(text.len()));
    }
    if is_blank(text) {
        return Ok(Taken::default());
    }
    let whole = match read(text, ARGUMENTS_DEPTH_MAX) {
        Ok(whole) => whole,
        Err(error) => return take_fenced(text, error),
    };
    match whole.value {
        Value::Null => Ok(Taken::default()),
        Value::Object(arguments) => {
            Ok(Taken { arguments, mends: Vec::new(), has_inexact: whole.has_inexact })
        }
        Value::String(inner) => take_encoded_twice(&inner),
        other => Err(ArgumentsError::NotAnObject { got: violation::type_name(&other) }),
    }
}

fn take_encoded_twice(inner: &str) -> Result<Taken, ArgumentsError> {
    let mends = vec![Mend { path: String::new(), kind: MendKind::EncodedTwice }];
    if is_blank(inner) {
        return Ok(Taken { mends, ..Taken::default() });
    }
    match read(inner, ARGUMENTS_DEPTH_MAX) {
        Ok(Read { value: Value::Object(arguments), has_inexact }) => {
            Ok(Taken { arguments, mends, has_inexact })
        }
        Ok(Read { value: Value::Null, .. }) => Ok(Taken { mends, ..Taken::default() }),
        // A broken object says where it breaks; any other text was never meant as one.
        Err(error) if inner.trim_start().starts_with('{') => Err(explain(inner, error)),
        Ok(_) | Err(_) => Err(ArgumentsError::NotAnObject { got: "string" }),
    }
}

fn take_fenced(text: &str, outer: ReadError) -> Result<Taken, ArgumentsError> {
    let Some(within) = fence::object_within(text) else {
        return Err(explain(text, outer));
    };
    match read_within(text, within.start, within.end, ARGUMENTS_DEPTH_MAX) {
        Ok(Read { value: Value::Object(arguments), has_inexact }) => {
            let mends = vec![Mend { path: String::new(), kind: MendKind::FenceRemoved }];
            Ok(Taken { arguments, mends, has_inexact })
        }
        Ok(_) => Err(explain(text, outer)),
        Err(inner) => Err(explain(text, inner)),
    }
}

fn is_blank(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r'))
}

fn explain(text: &str, error: ReadError) -> ArgumentsError {
    let message = match error.kind {
        ReadErrorKind::DuplicateKey { path, key } => {
            return ArgumentsError::DuplicateKey { path, key };
        }
        ReadErrorKind::TooDeep => return ArgumentsError::too_deep(),
        ReadErrorKind::Syntax(message) => message.to_owned(),
    };
    // The reader may stop inside a character: the place is then its first byte.
    let at = (0..=error.offset.min(text.len())).rev().find(|&at| text.is_char_boundary(at));
    let (before, after) = text.split_at(at.unwrap_or(0));
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let column = before.get(line_start..).unwrap_or_default().chars().count() + 1;
    let line = before.matches('\n').count() + 1;
    ArgumentsError::Json { message, line, column, excerpt: excerpt(before, after) }
}

fn excerpt(before: &str, after: &str) -> String {
    let head_start = before.char_indices().rev().nth(EXCERPT_CHARS - 1).map_or(0, |(at, _)| at);
    let tail_end = after.char_indices().nth(EXCERPT_CHARS).map_or(after.len(), |(at, _)| at);
    let head = before.get(head_start..).unwrap_or_default();
    let tail = after.get(..tail_end).unwrap_or_default();
    let cut_before = if head_start > 0 { "…" } else { "" };
    let cut_after = if tail_end < after.len() { "…" } else { "" };
    format!("{cut_before}{head}⟨here⟩{tail}{cut_after}")
}

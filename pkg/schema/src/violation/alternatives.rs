//! Which alternative was meant, and how to sum up those that were not.

use jsonschema::ValidationError;
use jsonschema::error::ValidationErrorKind;

use super::{expected, type_names, words};

/// Errors of one alternative that its summary names.
const ERRORS_NAMED_MAX: usize = 3;

/// Returns the errors of the one alternative that the value was plainly meant for.
///
/// An alternative is out when the value itself has the wrong type or is the wrong constant, and when
/// a property right inside is: that is how alternatives are told apart (`{"kind": "card", …}`).
pub(super) fn meant<'c, 'e>(
    path: &str,
    branches: &'c [Vec<ValidationError<'e>>],
) -> Option<&'c [ValidationError<'e>]> {
    let mut plausible =
        branches.iter().filter(|errors| !errors.iter().any(|error| tells_apart(path, error)));
    let only = plausible.next()?;
    plausible.next().is_none().then_some(only.as_slice())
}

/// Sums up in one sentence what each alternative wanted.
pub(super) fn summary(path: &str, branches: &[Vec<ValidationError<'_>>]) -> String {
    let mut names: Vec<String> = Vec::new();
    let mut only_types = true;
    for errors in branches {
        match errors.as_slice() {
            [error] if error.instance_path().as_str() == path => match error.kind() {
                ValidationErrorKind::Type { kind } => {
                    let new = type_names(kind).into_iter();
                    names.extend(new.filter(|name| !names.contains(name)).collect::<Vec<_>>());
                }
                _ => only_types = false,
            },
            _ => only_types = false,
        }
    }
    if only_types {
        return format!("type {}", words::types(&names));
    }
    let mut parts: Vec<String> = Vec::new();
    for part in branches.iter().map(|errors| branch(path, errors)) {
        if !parts.contains(&part) {
            parts.push(part);
        }
    }
    parts.join(", or ")
}

fn tells_apart(path: &str, error: &ValidationError<'_>) -> bool {
    let Some(below) = error.instance_path().as_str().strip_prefix(path) else {
        return false;
    };
    let steps = below.matches('/').count();
    match error.kind() {
        ValidationErrorKind::Type { .. } | ValidationErrorKind::FalseSchema => steps == 0,
        ValidationErrorKind::Constant { .. } | ValidationErrorKind::Enum { .. } => steps <= 1,
        _ => false,
    }
}

fn branch(path: &str, errors: &[ValidationError<'_>]) -> String {
    // What tells the alternatives apart comes first.
    let mut sorted: Vec<&ValidationError<'_>> = errors.iter().collect();
    sorted.sort_by_key(|error| !tells_apart(path, error));
    let named = sorted.into_iter().take(ERRORS_NAMED_MAX).map(|error| {
        let below = error.instance_path().as_str().strip_prefix(path).unwrap_or_default();
        match below.strip_prefix('/') {
            Some(below) => format!("{below} {}", expected(error)),
            None => expected(error),
        }
    });
    let text = named.collect::<Vec<_>>().join(" and ");
    if errors.len() > ERRORS_NAMED_MAX { format!("{text} and more") } else { text }
}

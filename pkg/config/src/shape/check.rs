//! Holds a tree against the table: unknown keys, missing ones, wrong types, values out of range.

use super::{Field, Shape, Struct, suggestion};
use crate::node::{Form, Node, Value, short};
use crate::report::{self, Report};
use crate::source::Span;
use crate::units;

/// Reports everything below a node that the shape does not allow.
///
/// `key` is what messages call the node.
pub(crate) fn check(node: &Node, shape: &Shape, key: &str, report: &mut Report<'_>) {
    if matches!(node.value, Value::Null) && !matches!(shape, Shape::Any) {
        let help = format!("give it a value ({}), or remove the key", expects(shape));
        report.error(report::WRONG_TYPE, node.span, format!("`{key}` is empty"), help);
        return;
    }
    match (shape, &node.value) {
        (Shape::Any, _) => traps(node, report),
        (Shape::Either(shapes), _) => match shapes.iter().find(|shape| fits(shape, node)) {
            Some(shape) => check(node, shape, key, report),
            None => wrong_type(node, shape, key, report),
        },
        (Shape::List(shape), Value::List(items)) => {
            for item in items {
                check(item, shape, key, report);
            }
        }
        (Shape::Map(shape), Value::Map(entries)) => {
            for entry in entries {
                check(&entry.node, shape, &entry.key, report);
            }
        }
        (Shape::Struct(known), Value::Map(_)) => check_struct(node, known, report),
        (Shape::Choice(words), Value::Text(text)) => {
            if !words.contains(&text.text.as_str()) {
                let message = format!("`{key}` is {}, and must be {}", node.kind(), expects(shape));
                let help = suggestion(&text.text, words);
                report.error(report::BAD_VALUE, node.span, message, help);
            }
        }
        _ if fits(shape, node) => {
            check_scalar(node, shape, key, report);
            comment_in_text(node, shape, report);
        }
        _ => wrong_type(node, shape, key, report),
    }
}

/// Whether a value is of the kind that the shape wants, its range apart.
fn fits(shape: &Shape, node: &Node) -> bool {
    match shape {
        Shape::Any => true,
        Shape::Bool => matches!(node.value, Value::Bool(_)),
        Shape::Choice(_) => matches!(node.value, Value::Text(_)),
        Shape::Count { .. } | Shape::Number { .. } => matches!(node.value, Value::Number(_)),
        Shape::Duration { .. }
        | Shape::Pattern
        | Shape::Secret
        | Shape::Size { .. }
        | Shape::Template
        | Shape::Text => matches!(node.value, Value::Number(_) | Value::Text(_)),
        Shape::Either(shapes) => shapes.iter().any(|shape| fits(shape, node)),
        Shape::List(_) => matches!(node.value, Value::List(_)),
        Shape::Map(_) | Shape::Struct(_) => matches!(node.value, Value::Map(_)),
    }
}

fn check_struct(node: &Node, known: &Struct, report: &mut Report<'_>) {
    for entry in node.entries() {
        match known.fields.iter().find(|field| field.name == entry.key) {
            Some(field) => check(&entry.node, &field.shape, field.name, report),
            None => unknown_key(&entry.key, entry.key_span, known, report),
        }
    }
    let missing = |field: &&Field| field.required && node.get(field.name).is_none();
    for field in known.fields.iter().filter(missing) {
        let place = Span::new(node.span.start, node.span.start + 1);
        report.error(
            report::MISSING_KEY,
            place,
            format!("this {} has no `{}`", known.name.replace('_', " "), field.name),
            format!("add `{}:` with {}", field.name, expects(&field.shape)),
        );
    }
}

fn unknown_key(key: &str, span: Span, known: &Struct, report: &mut Report<'_>) {
    if report.is_full() {
        // The search for a near name is not worth its time any more.
        return;
    }
    let names: Vec<&str> = known.fields.iter().map(|field| field.name).collect();
    let help = suggestion(key, &names);
    report.error(report::UNKNOWN_KEY, span, format!("unknown key `{}`", short(key)), help);
}

fn check_scalar(node: &Node, shape: &Shape, key: &str, report: &mut Report<'_>) {
    let Some(text) = node.text() else { return };
    let fine = match shape {
        Shape::Count { min, max } => {
            text.parse::<u64>().is_ok_and(|count| (*min..=*max).contains(&count))
        }
        Shape::Number { min, max } => {
            text.parse::<f64>().is_ok_and(|number| number >= *min && number <= *max)
        }
        Shape::Duration { min_ms, max_ms } => units::duration(text)
            .and_then(|duration| u64::try_from(duration.as_millis()).ok())
            .is_some_and(|ms| (*min_ms..=*max_ms).contains(&ms)),
        Shape::Size { min, max } => {
            units::size(text).is_some_and(|bytes| (*min..=*max).contains(&bytes))
        }
        _ => true,
    };
    if !fine {
        let message = format!("`{key}` is {}", node.kind());
        let help = format!("write {}", expects(shape));
        report.error(report::BAD_VALUE, node.span, message, help);
    }
}

fn wrong_type(node: &Node, shape: &Shape, key: &str, report: &mut Report<'_>) {
    let help = match (&node.value, shape) {
        (Value::Text(text), Shape::Bool) => match text.text.to_lowercase().as_str() {
            "true" | "yes" | "on" | "y" | "si" | "sí" => "write true, without quotes",
            "false" | "no" | "off" | "n" => "write false, without quotes",
            _ => "write true or false",
        },
        (Value::Text(text), Shape::Count { .. } | Shape::Number { .. }) => match text.form {
            Form::Plain if text.trap => "write it as JSON does: 755, not 0755; 1000, not 1_000",
            Form::Variable => "a value from a variable is always text; write the number itself",
            Form::Plain => "",
            _ => "write the number without quotes",
        },
        (Value::Bool(_), Shape::Text | Shape::Secret | Shape::Template | Shape::Choice(_)) => {
            "quote it if it is meant as text"
        }
        (Value::Text(_) | Value::Number(_), Shape::List(_)) => "write it as a list: [ … ]",
        _ => "",
    };
    let message = format!("`{key}` must be {}, and is {}", expects(shape), node.kind());
    report.error(report::WRONG_TYPE, node.span, message, help);
}

/// Warns of `Pide el #1`: what follows a blank and `#` is no part of a plain text.
fn comment_in_text(node: &Node, shape: &Shape, report: &mut Report<'_>) {
    let Value::Text(text) = &node.value else { return };
    if text.form != Form::Plain || !matches!(shape, Shape::Text | Shape::Template) {
        return;
    }
    let rest = report.source.text.get(node.span.end..).unwrap_or_default();
    let blanks = rest.len() - rest.trim_start_matches([' ', '\t']).len();
    let Some(comment) = rest.get(blanks..).and_then(|rest| rest.strip_prefix('#')) else { return };
    if comment.starts_with(|c: char| c.is_alphanumeric()) {
        let at = node.span.end + blanks;
        let line_end = at + rest[blanks..].find(['\n', '\r']).unwrap_or(rest.len() - blanks);
        let message = "this is a comment to YAML, and no part of the text before it";
        let help = "quote the text if it belongs there; else put a blank after `#`";
        report.warning(report::YAML_TRAP, Span::new(at, line_end), message, help);
    }
}

/// Refuses, in free JSON, what YAML's versions read differently.
fn traps(node: &Node, report: &mut Report<'_>) {
    match &node.value {
        Value::List(items) => items.iter().for_each(|item| traps(item, report)),
        Value::Map(entries) => entries.iter().for_each(|entry| traps(&entry.node, report)),
        Value::Text(text) if text.trap => report.error(
            report::YAML_TRAP,
            node.span,
            format!("`{}` is a number to some readers of YAML and text to others", text.text),
            format!(
                "quote it if it is text: \"{}\"; else write the number as JSON does",
                text.text
            ),
        ),
        _ => {}
    }
}

/// What a value must be, for the middle of a sentence.
fn expects(shape: &Shape) -> String {
    match shape {
        Shape::Any => "a JSON value".to_owned(),
        Shape::Bool => "true or false".to_owned(),
        Shape::Choice(words) => {
            let quoted: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
            match quoted.as_slice() {
                [only] => only.clone(),
                _ => format!("one of {}", quoted.join(", ")),
            }
        }
        Shape::Count { min, max } if *max >= 1_000_000_000 => {
            format!("a whole number from {min} up")
        }
        Shape::Count { min, max } => format!("a whole number from {min} to {max}"),
        Shape::Duration { min_ms: 0, .. } => {
            "a duration such as `90s`, `2m` or `1h`, or 0".to_owned()
        }
        Shape::Duration { .. } => "a duration above 0 such as `90s`, `2m` or `1h`".to_owned(),
        Shape::Either(shapes) => shapes.iter().map(expects).collect::<Vec<_>>().join(", or "),
        Shape::List(_) => "a list".to_owned(),
        Shape::Map(_) | Shape::Struct(_) => "a map".to_owned(),
        Shape::Number { min, max } => format!("a number from {min} to {max}"),
        Shape::Pattern => "a regular expression".to_owned(),
        Shape::Secret | Shape::Text => "text".to_owned(),
        Shape::Size { .. } => "a size such as `16KiB` or `1MiB`".to_owned(),
        Shape::Template => "a template".to_owned(),
    }
}

//! `${NAME}` and `${NAME:-default}` in the sections that take them.
//!
//! Values are put in place after the YAML is parsed, once, inside string values only. They stay
//! text, whatever they look like, and what comes from a variable is a secret.

use manos_model::Secret;

use crate::node::{Form, Node, Text, Value};
use crate::report::{self, Report};
use crate::shape::Shape;
use crate::source::Span;

/// What the outside world offers while a file is loaded. The shell implements it.
pub trait World {
    /// Reads a file by its path relative to the agent file.
    ///
    /// # Errors
    ///
    /// A sentence that says why it cannot be read.
    fn read(&self, relative: &str) -> Result<String, String>;

    /// Returns an environment variable, or what a `.env` file says in its place.
    fn variable(&self, name: &str) -> Option<String>;

    /// Returns a time zone by its IANA name.
    fn zone(&self, name: &str) -> Option<jiff::tz::TimeZone>;

    /// Whether the program that loads the file has a handler for this tool.
    fn handles(&self, _tool: &str) -> bool {
        false
    }
}

/// A variable that is not set.
#[derive(Debug)]
pub(crate) struct Missing {
    pub(crate) name: String,
    pub(crate) span: Span,
    /// The whole value.
    pub(crate) value: Span,
}

/// What replacing found.
#[derive(Debug, Default)]
pub(crate) struct Found {
    pub(crate) secrets: Vec<Secret<String>>,
    pub(crate) missing: Vec<Missing>,
    /// Where literal secrets stand.
    pub(crate) secret_spans: Vec<Span>,
    /// `${` that no `}` closes, or a name that is none.
    pub(crate) broken: Vec<Span>,
}

impl Found {
    /// Reports the variables that are not set and the references that cannot be read.
    pub(crate) fn tell(&self, report: &mut Report<'_>) {
        for missing in &self.missing {
            report.error(
                report::MISSING_VARIABLE,
                missing.span,
                format!("the variable `{}` is not set", missing.name),
                format!(
                    "set it in the environment or in a `.env` beside the file, or give a default: ${{{}:-…}}",
                    missing.name
                ),
            );
        }
        for span in &self.broken {
            report.error(
                report::BAD_VALUE,
                *span,
                "this is no variable",
                "write ${NAME} or ${NAME:-default}; a literal `${` is written `$${`",
            );
        }
    }
}

/// Replaces variables below every key whose shape takes them. Script entries, patterns and
/// templates are left alone wherever they stand.
pub(crate) fn replace(
    node: &mut Node,
    shape: &Shape,
    active: bool,
    world: &dyn World,
    report: &Report<'_>,
    found: &mut Found,
) {
    let mut go = |node: &mut Node, shape: &Shape, active: bool| {
        replace(node, shape, active, world, report, found);
    };
    match (shape, &mut node.value) {
        (Shape::Struct(known), Value::Map(entries)) => {
            for entry in entries {
                if let Some(field) = known.fields.iter().find(|field| field.name == entry.key) {
                    go(&mut entry.node, &field.shape, active || field.variables);
                }
            }
        }
        (Shape::List(inner), Value::List(items)) => {
            for item in items {
                go(item, inner, active);
            }
        }
        (Shape::Map(inner), Value::Map(entries)) => {
            for entry in entries {
                go(&mut entry.node, inner, active);
            }
        }
        (Shape::Either(shapes), _) => {
            // At most one of them is a collection of the kind that stands here.
            for shape in *shapes {
                go(node, shape, active);
            }
        }
        (Shape::Any, Value::List(items)) => {
            for item in items {
                go(item, &Shape::Any, active);
            }
        }
        (Shape::Any, Value::Map(entries)) => {
            for entry in entries {
                go(&mut entry.node, &Shape::Any, active);
            }
        }
        (Shape::Pattern | Shape::Template, _) => {}
        (_, Value::Text(text)) if active && text.form != Form::Variable => {
            if matches!(shape, Shape::Secret) && !text.text.contains("${") && !text.text.is_empty()
            {
                found.secrets.push(Secret::new(text.text.clone()));
                found.secret_spans.push(node.span);
            }
            let span = node.span;
            let place = |offset, length| {
                let node = Node { value: Value::Text(text.clone()), span };
                node.within(report.source, offset, length)
            };
            if let Some(new) = expand(&text.text, world, span, &place, found) {
                *text = Text { text: new, form: Form::Variable, trap: false };
            }
        }
        _ => {}
    }
}

/// Returns the text with its variables, or `None` when it has none.
fn expand(
    text: &str,
    world: &dyn World,
    whole: Span,
    place: &dyn Fn(usize, usize) -> Span,
    found: &mut Found,
) -> Option<String> {
    if !text.contains("${") {
        return None;
    }
    let mut out = String::new();
    let mut at = 0;
    while let Some(step) = text[at..].find("${") {
        let start = at + step;
        if text[..start].ends_with('$') && start > at {
            // `$${` is a literal `${`.
            out.push_str(&text[at..start - 1]);
            out.push_str("${");
            at = start + 2;
            continue;
        }
        out.push_str(&text[at..start]);
        let Some(length) = text[start..].find('}') else {
            found.broken.push(place(start, text.len() - start));
            return Some(out);
        };
        let body = &text[start + 2..start + length];
        let (name, default) = match body.split_once(":-") {
            Some((name, default)) => (name, Some(default)),
            None => (body, None),
        };
        let value = world.variable(name).filter(|value| default.is_none() || !value.is_empty());
        match (is_name(name), value, default) {
            (false, ..) => found.broken.push(place(start, length + 1)),
            (true, Some(value), _) => {
                out.push_str(&value);
                if !value.is_empty() {
                    found.secrets.push(Secret::new(value));
                }
            }
            (true, None, Some(default)) => out.push_str(default),
            (true, None, None) => {
                found.missing.push(Missing {
                    name: name.to_owned(),
                    span: place(start, length + 1),
                    value: whole,
                });
            }
        }
        at = start + length + 1;
    }
    out.push_str(&text[at..]);
    Some(out)
}

fn is_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Fixed;

    impl World for Fixed {
        fn read(&self, _: &str) -> Result<String, String> {
            Err("no files".to_owned())
        }

        fn variable(&self, name: &str) -> Option<String> {
            match name {
                "A" => Some("va".to_owned()),
                "NESTED" => Some("${A}".to_owned()),
                "EMPTY" => Some(String::new()),
                _ => None,
            }
        }

        fn zone(&self, _: &str) -> Option<jiff::tz::TimeZone> {
            None
        }
    }

    #[test]
    fn a_variable_is_replaced_once_and_by_text() {
        let cases = [
            ("none", "plain", None),
            ("alone", "${A}", Some("va")),
            ("inside", "x-${A}-${A}", Some("x-va-va")),
            ("a value is never read again", "${NESTED}", Some("${A}")),
            ("a default", "${NO:-d}", Some("d")),
            ("a default may be empty", "[${NO:-}]", Some("[]")),
            ("an empty value takes the default", "${EMPTY:-d}", Some("d")),
            ("an empty value without one stays", "[${EMPTY}]", Some("[]")),
            ("escaped", "$${A}", Some("${A}")),
            ("escaped, then not", "$${A}${A}", Some("${A}va")),
            ("dollars before", "$$", None),
            ("a default with a colon", "${NO:-http://h:1}", Some("http://h:1")),
        ];
        for (why, text, expected) in cases {
            let mut found = Found::default();
            let place = |start, length| Span::new(start, start + length);
            assert_eq!(
                expand(text, &Fixed, Span::default(), &place, &mut found).as_deref(),
                expected,
                "{why}"
            );
            assert!(found.missing.is_empty() && found.broken.is_empty(), "{why}");
        }
    }

    #[test]
    fn what_is_missing_or_broken_has_its_place() {
        let place = |start, length| Span::new(start, start + length);
        let mut found = Found::default();
        expand("a ${NO} ${1X} ${A", &Fixed, Span::default(), &place, &mut found);
        assert_eq!(found.missing[0].span, Span::new(2, 7));
        assert_eq!(found.broken, [Span::new(8, 13), Span::new(14, 17)]);
        assert!(found.secrets.is_empty());
    }
}

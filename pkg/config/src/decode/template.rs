//! Templates and regular expressions, with their mistakes at their places.

use std::collections::BTreeSet;

use manos_text::{Template, TemplateError};
use regex::{Regex, RegexBuilder};
use serde_json::Value as Json;

use super::Decoder;
use crate::agent::Fixed;
use crate::node::{Node, Value, short};
use crate::report;
use crate::shape::suggestion;

/// The largest compiled expression, in bytes.
pub const PATTERN_BYTES_MAX: usize = 1 << 20;

/// Names that every template has.
const EVERYWHERE: [&str; 5] = ["range", "dict", "namespace", "joiner", "cycler"];
/// What may follow a map as a method.
const METHODS: [&str; 4] = ["get", "items", "keys", "values"];

/// What a template may look up.
#[derive(Debug, Clone, Default)]
pub(super) struct Scope {
    /// First names.
    pub(super) names: BTreeSet<String>,
    /// Second names behind a first one, where they are known: `args.items`.
    pub(super) below: Vec<(&'static str, BTreeSet<String>)>,
}

impl Scope {
    pub(super) fn of<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        Self { names: names.into_iter().map(str::to_owned).collect(), below: Vec::new() }
    }

    /// Lets only these names follow `first`.
    pub(super) fn below(mut self, first: &'static str, names: BTreeSet<String>) -> Self {
        self.below.push((first, names));
        self
    }
}

impl Decoder<'_, '_> {
    /// Compiles a template and holds its names against what it will be given.
    pub(super) fn template(&mut self, node: &Node, scope: &Scope) -> Option<Template> {
        let text = node.text()?;
        let template = match Template::compile(text) {
            Ok(template) => template,
            Err(error) => {
                let span = template_place(self, node, text, &error);
                let help = "templates are Jinja: {{ value }}, {% for x in list %} … {% endfor %}";
                self.error(report::TEMPLATE, span, error.message, help);
                return None;
            }
        };
        for variable in template.variables() {
            self.known_in(node, text, &variable, scope);
        }
        Some(template)
    }

    fn known_in(&mut self, node: &Node, text: &str, variable: &str, scope: &Scope) {
        let mut steps = variable.split('.');
        let first = steps.next().unwrap_or_default();
        let second = steps.next();
        let (wrong, names) = if scope.names.contains(first) {
            let below = scope.below.iter().find(|(name, _)| *name == first);
            let (Some(second), Some((_, names))) = (second, below) else { return };
            (second, names)
        } else {
            (first, &scope.names)
        };
        let is_ours = names.contains(wrong)
            || if wrong == first { EVERYWHERE.contains(&wrong) } else { METHODS.contains(&wrong) };
        if is_ours {
            return;
        }
        let known: Vec<&str> = names.iter().map(String::as_str).collect();
        let whole = if wrong == first { first.to_owned() } else { format!("{first}.{wrong}") };
        let at = text.find(&whole).map(|at| at + whole.len() - wrong.len());
        let span = at.map_or(node.span, |at| node.within(self.report.source, at, wrong.len()));
        let message = format!("this template has no `{whole}`");
        self.error(report::BAD_ARGUMENT, span, message, suggestion(wrong, &known));
    }

    /// Compiles an expression.
    pub(super) fn pattern(&mut self, node: &Node) -> Option<Regex> {
        let text = node.text()?;
        match RegexBuilder::new(text).size_limit(PATTERN_BYTES_MAX).build() {
            Ok(regex) => Some(regex),
            Err(error) => {
                let whole = error.to_string();
                let why = whole.lines().last().unwrap_or_default();
                let why = why.trim_start_matches("error: ").to_owned();
                let span = pattern_place(self, node, text, &whole);
                let (message, help) = match error {
                    regex::Error::CompiledTooBig(_) => (
                        format!(
                            "this expression is larger than {PATTERN_BYTES_MAX} bytes compiled"
                        ),
                        "repeat less: `{1000}` inside `{1000}` is a million",
                    ),
                    _ if why.contains("look-around") || why.contains("backreferences") => (
                        format!("this expression cannot be used: {why}"),
                        "expressions run in linear time and have no look-around, no backreferences",
                    ),
                    _ => (format!("this expression cannot be read: {why}"), ""),
                };
                self.error(report::PATTERN, span, message, help);
                None
            }
        }
    }

    /// A value that may be a template when it is text.
    pub(super) fn filled(&mut self, node: &Node, scope: &Scope) -> Option<Fixed> {
        if let Value::Text(text) = &node.value {
            return if is_template(&text.text) {
                self.template(node, scope).map(Fixed::Template)
            } else {
                Some(Fixed::Value(Json::String(text.text.clone())))
            };
        }
        self.refuse_templates_below(node);
        Some(Fixed::Value(node.json()))
    }

    fn refuse_templates_below(&mut self, node: &Node) {
        let below = node.items().iter().chain(node.entries().iter().map(|entry| &entry.node));
        for node in below {
            if let Value::Text(text) = &node.value
                && is_template(&text.text)
            {
                let message = format!("`{}` would not be filled in here", short(&text.text));
                let help = "only a text that is the whole value is a template, not one inside a \
                            list or a map";
                self.error(report::BAD_VALUE, node.span, message, help);
            }
            self.refuse_templates_below(node);
        }
    }
}

pub(super) fn is_template(text: &str) -> bool {
    ["{{", "{%", "{#"].iter().any(|mark| text.contains(mark))
}

fn template_place(
    d: &Decoder<'_, '_>,
    node: &Node,
    text: &str,
    error: &TemplateError,
) -> crate::source::Span {
    let Some(before) = error.line.checked_sub(1) else { return node.span };
    let start: usize = text.split_inclusive('\n').take(before).map(str::len).sum();
    let line = text.get(start..).and_then(|rest| rest.split('\n').next()).unwrap_or_default();
    let column = error.column.unwrap_or(1).saturating_sub(1);
    let within = line.char_indices().nth(column).map_or(0, |(at, _)| at);
    let length = if error.column.is_some() { 1 } else { line.len() };
    node.within(d.report.source, start + within, length)
}

/// The `^` in what the regex crate prints stands under the place.
fn pattern_place(
    d: &Decoder<'_, '_>,
    node: &Node,
    text: &str,
    printed: &str,
) -> crate::source::Span {
    let lines: Vec<&str> = printed.lines().collect();
    let caret = lines.iter().position(|line| line.trim_start().starts_with('^'));
    let place = caret.filter(|at| *at > 0 && !text.contains('\n')).and_then(|at| {
        let indent = lines[at - 1].strip_suffix(text)?.len();
        let column = lines[at].find('^')?.checked_sub(indent)?;
        let (offset, _) = text.char_indices().nth(column)?;
        Some(node.within(d.report.source, offset, lines[at].matches('^').count()))
    });
    place.unwrap_or(node.span)
}

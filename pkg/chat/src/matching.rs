//! Which rule fits a message, and what its call is made of.

use jiff::Zoned;
use regex::{Captures, Regex};
use serde_json::{Map, Value};
use unicode_normalization::UnicodeNormalization as _;

use manos_engine::{Step, Tool};
use manos_model::UserId;
use manos_text::TemplateError;

use crate::{RuleArgument, When};

/// A message on its way through the rules.
pub(crate) struct Message<'a> {
    pub(crate) text: &'a str,
    pub(crate) user: &'a UserId,
}

/// The named groups of the match that a rule found; empty for a rule without a pattern.
pub(crate) type Groups = Map<String, Value>;

impl When {
    /// Whether the rule fits, and with which groups.
    pub(crate) fn fits(&self, message: &Message<'_>, step: &Step<'_>) -> Option<Groups> {
        let text = message.text.trim();
        let equal = |wanted: &String| fold(wanted.trim()) == fold(text);
        let command = |wanted: &String| {
            let word = text.split_whitespace().next().unwrap_or_default();
            word.strip_prefix('/').is_some_and(|name| name.eq_ignore_ascii_case(wanted))
        };
        let channel = step.chat.channel();
        let now = step.now.to_zoned(step.agent.formats.time_zone().clone());
        let channel = channel.as_str();
        let fits = any(&self.equals, equal)
            && self.command.as_ref().is_none_or(command)
            && any(&self.channel, |wanted| wanted == channel)
            && any(&self.role, |role| step.agent.access.has_role(message.user, role))
            && self.between.is_none_or(|span| inside(span, &now));
        if !fits {
            return None;
        }
        match &self.matches {
            None => Some(Groups::new()),
            Some(pattern) => pattern.captures(text).map(|found| groups(pattern, &found)),
        }
    }
}

/// Whether one of the wanted texts fits; nothing wanted is no condition.
fn any(wanted: &[String], fits: impl Fn(&String) -> bool) -> bool {
    wanted.is_empty() || wanted.iter().any(fits)
}

fn inside((from, to): (u16, u16), now: &Zoned) -> bool {
    let minute = u16::from(now.hour().unsigned_abs()) * 60 + u16::from(now.minute().unsigned_abs());
    if from <= to { (from..to).contains(&minute) } else { minute >= from || minute < to }
}

/// The named groups that took part in the match, as text.
fn groups(pattern: &Regex, found: &Captures<'_>) -> Groups {
    pattern
        .capture_names()
        .flatten()
        .filter_map(|name| {
            let text = found.name(name)?.as_str();
            Some((name.to_owned(), Value::String(text.trim().to_owned())))
        })
        .collect()
}

/// Makes the arguments of a rule's call; `None` when the rule does not match after all.
///
/// # Errors
///
/// [`TemplateError`] when one of its templates cannot be written.
pub(crate) fn arguments(
    rule_arguments: &[(String, RuleArgument)],
    groups: &Groups,
    tool: Option<&Tool>,
    step: &Step<'_>,
) -> Result<Option<Map<String, Value>>, TemplateError> {
    let mut arguments = Map::new();
    let mut variables = step.memory.kept.clone();
    variables.extend(groups.clone());
    for (name, argument) in rule_arguments {
        let value = match argument {
            RuleArgument::Each { pattern, group } => {
                let text = groups.get(group).and_then(Value::as_str);
                let Some(items) = text.and_then(|text| each(pattern, text)) else {
                    return Ok(None);
                };
                Value::Array(items.into_iter().map(|item| in_item(item, name, tool)).collect())
            }
            RuleArgument::Filled(filled) => {
                let value = filled.fill(&step.agent.formats, &variables)?;
                read_value(value, name, schema_of(tool, name, None), tool)
            }
        };
        arguments.insert(name.clone(), value);
    }
    Ok(Some(arguments))
}

/// One object for each match; `None` unless the matches cover the text whole.
fn each(pattern: &Regex, text: &str) -> Option<Vec<Groups>> {
    let mut items = Vec::new();
    let mut covered = 0;
    for found in pattern.captures_iter(text) {
        let whole = found.get(0)?;
        if !text.get(covered..whole.start())?.trim().is_empty() {
            return None;
        }
        covered = whole.end();
        items.push(groups(pattern, &found));
    }
    (!items.is_empty() && text.get(covered..)?.trim().is_empty()).then_some(items)
}

fn in_item(item: Groups, list: &str, tool: Option<&Tool>) -> Value {
    let read = item.into_iter().map(|(key, value)| {
        let schema = schema_of(tool, list, Some(&key));
        let value = read_value(value, &key, schema, tool);
        (key, value)
    });
    Value::Object(read.collect())
}

/// The schema of an argument, or of one key of the objects in a list.
fn schema_of<'a>(tool: Option<&'a Tool>, name: &str, key: Option<&str>) -> Option<&'a Value> {
    let (_, schema) = tool?.spec.schema.properties().find(|(property, _)| *property == name)?;
    match key {
        None => Some(schema),
        Some(key) => schema.get("items")?.get("properties")?.get(key),
    }
}

/// Text that equals a label, or another word for it, becomes its key; digits become a number where the schema wants one.
fn read_value(value: Value, key: &str, schema: Option<&Value>, tool: Option<&Tool>) -> Value {
    let Value::String(text) = &value else { return value };
    if let Some(labels) = tool.and_then(|tool| tool.labels.get(key)) {
        let wanted = fold(text);
        let found = labels
            .iter()
            .find(|(raw, words)| {
                fold(raw) == wanted || words.all().any(|word| fold(word) == wanted)
            })
            .map(|(raw, _)| raw);
        if let Some(raw) = found {
            return Value::String(raw.clone());
        }
    }
    let wants_number = schema
        .and_then(|schema| schema.get("type"))
        .and_then(Value::as_str)
        .is_some_and(|kind| kind == "integer" || kind == "number");
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if wants_number && digits {
        let trimmed = text.trim_start_matches('0');
        let digits = if trimmed.is_empty() { "0" } else { trimmed };
        if let Ok(number) = serde_json::from_str(digits) {
            return Value::Number(number);
        }
    }
    value
}

/// Folds case and accents, and runs of blanks.
pub(crate) fn fold(text: &str) -> String {
    let plain: String = text
        .nfd()
        .filter(|c| !unicode_normalization::char::is_combining_mark(*c))
        .flat_map(char::to_lowercase)
        .collect();
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn matches_must_cover_the_text_whole() {
        let pattern =
            Regex::new(r"(?i)(?<cantidad>\d+)\s+(?<producto>[^\d,]+?)\s*(?:,|\sy\s|$)").unwrap();
        let read = |text: &str| each(&pattern, text).map(|items| json!(items));
        assert_eq!(
            read("2 pan de bono y 1 café"),
            Some(json!([
                {"cantidad": "2", "producto": "pan de bono"},
                {"cantidad": "1", "producto": "café"}
            ]))
        );
        assert_eq!(read("dame 2 cafés"), None, "words before the first match");
        assert_eq!(read("2 cafés 3"), None, "digits that no match takes");
        assert_eq!(read(""), None, "nothing");
    }

    #[test]
    fn a_span_of_the_day_may_pass_midnight() {
        let at = |text: &str| text.parse::<Zoned>().unwrap();
        let night = (22 * 60, 6 * 60);
        assert!(inside(night, &at("2026-01-05T23:30[UTC]")));
        assert!(inside(night, &at("2026-01-05T05:59[UTC]")));
        assert!(!inside(night, &at("2026-01-05T06:00[UTC]")));
        assert!(inside((8 * 60, 18 * 60), &at("2026-01-05T08:00[UTC]")));
        assert!(!inside((8 * 60, 18 * 60), &at("2026-01-05T18:00[UTC]")));
    }

    #[test]
    fn labels_are_found_without_case_and_accents() {
        assert_eq!(fold("  CAFÉ   con leche "), "cafe con leche");
    }
}

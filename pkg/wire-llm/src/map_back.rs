//! Arguments as they were asked for → arguments as the declared schema has them.
//!
//! Owns the way back of what a schema compiler changed in order to be taken by a provider: keys that
//! had to be renamed, optional keys that had to be asked for as `null`, values that had to be asked
//! for as JSON text. Nothing is guessed: what does not look as it was asked for stays as it came, and
//! the declared schema is enforced afterwards in any case.

use std::collections::{BTreeMap, BTreeSet};

use manos_model::CallArguments;
use serde_json::{Map, Value};

mod unique;

/// The longest argument text that is led back, in bytes; longer text stays as it came, and is
/// refused by the check of arguments that follows.
pub const MAP_BACK_BYTES_MAX: usize = 64 * 1024;

/// What leads the arguments of one tool back to its declared schema, where a provider was shown
/// another form of it. The default changes nothing.
///
/// # Examples
///
/// ```
/// use manos_model::CallArguments;
/// use manos_wire_llm::{SchemaForm, compile};
/// use serde_json::json;
///
/// let declared = json!({ "type": "object", "properties": { "note": { "type": "string" } } });
/// let compiled = compile(&declared, SchemaForm::OpenAiStrict);
/// let mut arguments = CallArguments::Text(r#"{"note":null}"#.into());
/// compiled.back.apply(&mut arguments);
/// assert_eq!(arguments, CallArguments::Value(json!({})));
/// ```
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct MapBack {
    pub(crate) step: Step,
}

impl MapBack {
    pub(crate) fn new(step: Step) -> Self {
        Self { step }
    }

    /// Returns whether it changes nothing, so that arguments need not be looked at.
    pub fn is_identity(&self) -> bool {
        self.step.is_identity()
    }

    /// Leads arguments back. Text that is no JSON, or that has a key twice, stays as it is.
    pub fn apply(&self, arguments: &mut CallArguments) {
        if self.is_identity() {
            return;
        }
        match arguments {
            CallArguments::Missing => {}
            CallArguments::Text(text) => {
                if text.len() <= MAP_BACK_BYTES_MAX
                    && let Some(mut value) = unique::parse(text)
                {
                    let sent = value.clone();
                    self.apply_to(&mut value);
                    if value != sent {
                        *arguments = CallArguments::Value(value);
                    }
                }
            }
            CallArguments::Value(value) => self.apply_to(value),
        }
    }

    /// Leads one value back.
    pub fn apply_to(&self, value: &mut Value) {
        self.step.apply(value);
    }
}

/// What is done to one value, and to the values in it.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Step {
    /// The value was asked for as text that holds JSON of one of these kinds.
    pub(crate) json_text: Option<BTreeSet<&'static str>>,
    /// By the key on the wire; only keys at which something is to do.
    pub(crate) keys: BTreeMap<String, KeyStep>,
    /// For every item of a list.
    pub(crate) items: Option<Box<Step>>,
    /// For the value of every key that has no name.
    pub(crate) others: Option<Box<Step>>,
    /// The object was asked for under this key.
    pub(crate) unwrap: Option<String>,
    /// The first that fits is done: text that holds JSON where it was asked for, an object with these
    /// keys alone, then the one
    /// that names most of them.
    pub(crate) choices: Vec<ChoiceStep>,
}

/// What is done to one key of an object.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct KeyStep {
    /// Its declared name, where that is another.
    pub(crate) name: Option<String>,
    /// Whether `null` stands for its absence.
    pub(crate) null_is_absent: bool,
    /// What is done to its value.
    pub(crate) step: Step,
}

/// One of several forms a value may have.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct ChoiceStep {
    /// The kinds of JSON that it takes.
    pub(crate) kinds: BTreeSet<&'static str>,
    /// The keys that an object of it has.
    pub(crate) required: BTreeSet<String>,
    /// The keys that have names in an object of it.
    pub(crate) named: BTreeSet<String>,
    /// Whether an object of it has no others.
    pub(crate) closed: bool,
    pub(crate) step: Step,
}

impl KeyStep {
    pub(crate) fn is_identity(&self) -> bool {
        self.name.is_none() && !self.null_is_absent && self.step.is_identity()
    }
}

impl Step {
    pub(crate) fn is_identity(&self) -> bool {
        self.json_text.is_none()
            && self.keys.values().all(KeyStep::is_identity)
            && self.items.as_ref().is_none_or(|items| items.is_identity())
            && self.others.as_ref().is_none_or(|others| others.is_identity())
            && self.unwrap.is_none()
            && self.choices.iter().all(|choice| choice.step.is_identity())
    }

    /// The value that was asked for as JSON text.
    fn json_in(&self, value: &Value) -> Option<Value> {
        let kinds = self.json_text.as_ref()?;
        let text = value.as_str().filter(|text| text.len() <= MAP_BACK_BYTES_MAX)?;
        unique::parse(text).filter(|inner| kinds.contains(kind(inner)))
    }

    fn apply(&self, value: &mut Value) {
        if let Some(inner) = self.json_in(value) {
            *value = inner;
            return;
        }
        // Text that holds what was asked for as text is that, and no other text.
        let choice = self.choices.iter().find(|choice| choice.step.json_in(value).is_some());
        let choice = choice
            .or_else(|| self.choices.iter().find(|choice| choice.fits(value, true)))
            .or_else(|| self.nearest(value));
        if let Some(choice) = choice {
            choice.step.apply(value);
        }
        match value {
            Value::Array(values) => {
                if let Some(items) = &self.items {
                    for value in values {
                        items.apply(value);
                    }
                }
            }
            Value::Object(map) if !self.keys.is_empty() || self.others.is_some() => {
                *map = std::mem::take(map).into_iter().filter_map(|pair| self.key(pair)).collect();
            }
            Value::Bool(_)
            | Value::Null
            | Value::Number(_)
            | Value::Object(_)
            | Value::String(_) => {}
        }
        if let Some(key) = &self.unwrap
            && let Value::Object(map) = value
            && map.len() == 1
            && map.get(key).is_some_and(Value::is_object)
        {
            *value = map.remove(key).unwrap_or_default();
        }
    }

    /// The choice that fits and has names for most of the keys; of equals the first.
    fn nearest(&self, value: &Value) -> Option<&ChoiceStep> {
        let fitting = self.choices.iter().filter(|choice| choice.fits(value, choice.closed));
        fitting.rev().max_by_key(|choice| {
            let keys = value.as_object().into_iter().flat_map(Map::keys);
            keys.filter(|key| choice.named.contains(*key)).count()
        })
    }

    fn key(&self, (key, mut value): (String, Value)) -> Option<(String, Value)> {
        let Some(at) = self.keys.get(&key) else {
            if let Some(others) = &self.others {
                others.apply(&mut value);
            }
            return Some((key, value));
        };
        if at.null_is_absent && value.is_null() {
            return None;
        }
        at.step.apply(&mut value);
        Some((at.name.clone().unwrap_or(key), value))
    }
}

impl ChoiceStep {
    /// Whether a value looks like this form, with no other keys than those with names if `only_named`.
    fn fits(&self, value: &Value, only_named: bool) -> bool {
        let keys = |map: &Map<String, Value>| {
            self.required.iter().all(|key| map.contains_key(key))
                && (!only_named || map.keys().all(|key| self.named.contains(key)))
        };
        self.kinds.contains(kind(value)) && value.as_object().is_none_or(keys)
    }
}

/// The kind of a value, as JSON Schema names it; every number is a `number`.
pub(crate) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Array(_) => "array",
        Value::Bool(_) => "boolean",
        Value::Null => "null",
        Value::Number(_) => "number",
        Value::Object(_) => "object",
        Value::String(_) => "string",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn at(key: &str, at: KeyStep) -> Step {
        Step { keys: BTreeMap::from([(key.to_owned(), at)]), ..Step::default() }
    }

    #[test]
    fn each_step_leads_back_what_was_asked_for_and_leaves_the_rest() {
        let renamed = at("a_o", KeyStep { name: Some("año".into()), ..KeyStep::default() });
        let null = at("a", KeyStep { null_is_absent: true, ..KeyStep::default() });
        let text = at(
            "a",
            KeyStep {
                step: Step { json_text: Some(BTreeSet::from(["object"])), ..Step::default() },
                ..KeyStep::default()
            },
        );
        let items = Step { items: Some(Box::new(null.clone())), ..Step::default() };
        let choices = Step {
            choices: vec![
                ChoiceStep {
                    kinds: BTreeSet::from(["object"]),
                    required: BTreeSet::from(["a".into(), "b".into()]),
                    named: BTreeSet::from(["a".into(), "b".into()]),
                    closed: true,
                    step: Step::default(),
                },
                ChoiceStep {
                    kinds: BTreeSet::from(["object"]),
                    required: BTreeSet::from(["a".into()]),
                    named: BTreeSet::from(["a".into()]),
                    closed: true,
                    step: null.clone(),
                },
            ],
            ..Step::default()
        };
        let cases = [
            ("a renamed key", &renamed, json!({"x": 1, "a_o": 2}), json!({"x": 1, "año": 2})),
            ("null for an absent key", &null, json!({"a": null, "b": null}), json!({"b": null})),
            ("a key that is there", &null, json!({"a": 0}), json!({"a": 0})),
            ("an object as text", &text, json!({"a": "{\"b\":1.50}"}), json!({"a": {"b": "x"}})),
            ("other JSON as text", &text, json!({"a": "[1]"}), json!({"a": "[1]"})),
            (
                "text with a key twice",
                &text,
                json!({"a": "{\"b\":1,\"b\":2}"}),
                json!({"a": "{\"b\":1,\"b\":2}"}),
            ),
            ("items", &items, json!([{"a": null}, {"a": 1}, null]), json!([{}, {"a": 1}, null])),
            ("the first choice", &choices, json!({"a": null, "b": 1}), json!({"a": null, "b": 1})),
            ("the second choice", &choices, json!({"a": null}), json!({})),
            ("no choice", &choices, json!({"a": null, "c": 1}), json!({"a": null, "c": 1})),
        ];
        for (why, step, sent, mut expected) in cases {
            if why == "an object as text" {
                // Digits stay as they were written.
                expected = serde_json::from_str(r#"{"a":{"b":1.50}}"#).unwrap();
            }
            let mut value = sent;
            MapBack::new(step.clone()).apply_to(&mut value);
            assert_eq!(value.to_string(), expected.to_string(), "{why}");
        }
    }

    #[test]
    fn text_is_only_replaced_where_something_changes() {
        let back = MapBack::new(at("a", KeyStep { null_is_absent: true, ..KeyStep::default() }));
        let cases = [
            ("no JSON", "{\"a\":nul", None),
            ("a key twice", "{\"a\":null,\"a\":null}", None),
            ("nothing to do", "{ \"a\": 1 }", None),
            ("something to do", "{\"a\":null}", Some(json!({}))),
        ];
        for (why, text, expected) in cases {
            let mut arguments = CallArguments::Text(text.into());
            back.apply(&mut arguments);
            let expected = expected.map_or(CallArguments::Text(text.into()), CallArguments::Value);
            assert_eq!(arguments, expected, "{why}");
        }
        let mut missing = CallArguments::Missing;
        back.apply(&mut missing);
        assert_eq!(missing, CallArguments::Missing);
    }
}

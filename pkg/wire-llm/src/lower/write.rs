//! A [`Shape`] → a schema in the words of one form, with the way back.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::kinds::Kinds;
use super::rules::{Any, Rules};
use super::shape::{Others, Shape};
use super::strict::Budget;
use super::{Change, Note, words};
use crate::map_back::Step;

mod choice;
mod members;

/// The key under which arguments without named keys are asked for where there must be a name.
const WHOLE: &str = "arguments";

/// Writes one schema in the words of one form.
pub(super) struct Writer {
    pub(super) rules: Rules,
    pub(super) notes: Vec<Note>,
    /// Why it cannot be strict, when it is to be.
    pub(super) not_strict: Option<&'static str>,
    pub(super) budget: Budget,
}

/// A schema that was written.
pub(super) struct Written {
    pub(super) schema: Map<String, Value>,
    pub(super) step: Step,
    /// The kinds of JSON that come, and for an object its keys on the wire.
    kinds: BTreeSet<&'static str>,
    required: BTreeSet<String>,
    named: BTreeSet<String>,
    closed: bool,
}

/// Where a schema stands.
#[derive(Clone)]
pub(super) struct Place {
    at: String,
    depth: usize,
}

impl Place {
    fn key(&self, key: &str) -> Self {
        let key = key.replace('~', "~0").replace('/', "~1");
        Self { at: format!("{}/{key}", self.at), depth: self.depth + 1 }
    }
}

impl Writer {
    pub(super) fn new(rules: Rules) -> Self {
        Self { rules, notes: Vec::new(), not_strict: None, budget: Budget::default() }
    }

    /// Writes the schema of all arguments: always an object with named keys, without a choice.
    pub(super) fn root(&mut self, shape: &Shape) -> Written {
        let root = Place { at: String::new(), depth: 1 };
        let is_free = matches!(shape.others, Others::Any | Others::Of(_));
        if self.rules.map_as_text && shape.properties.is_empty() && is_free {
            let whole = Shape { kinds: Kinds::OBJECT, ..shape.clone() };
            let outer = Shape {
                kinds: Kinds::OBJECT,
                properties: vec![(WHOLE.to_owned(), whole)],
                required: BTreeSet::from([WHOLE.to_owned()]),
                ..Shape::any()
            };
            let mut written = self.one(&outer, Kinds::OBJECT, false, &root);
            written.step.unwrap = Some(WHOLE.to_owned());
            return written;
        }
        let mut written = self.one(shape, Kinds::OBJECT, false, &root);
        written.schema.entry("properties").or_insert_with(|| json!({}));
        written
    }

    fn schema(&mut self, shape: &Shape, place: &Place) -> Written {
        if shape.cut || place.depth > self.rules.depth_max {
            self.note(place, Change::Cut);
            self.fail("it is nested too deep, or contains itself");
            return self.any(shape);
        }
        if !shape.choices.is_empty() {
            let alternatives = shape.alternatives();
            return self.choice(shape, alternatives, place);
        }
        if shape.kinds == Kinds::ANY && shape.values.is_none() {
            return self.any(shape);
        }
        let kinds = shape.kinds.without(Kinds::NULL);
        if kinds.is_none() {
            return self.null(shape);
        }
        let parts = self.parts(shape);
        if parts.is_empty() {
            return self.one(shape, kinds, shape.takes_null(), place);
        }
        let parts = parts.into_iter().map(|part| Shape { description: None, ..part }).collect();
        self.choice(shape, parts, place)
    }

    /// Writes a schema of one kind, or of several in a list of types.
    fn one(&mut self, shape: &Shape, kinds: Kinds, null: bool, place: &Place) -> Written {
        if kinds == Kinds::OBJECT && shape.properties.is_empty() && place.depth > 1 {
            if self.rules.map_as_text {
                return self.json_text(shape, kinds, null, place);
            }
            if shape.others != Others::None {
                self.fail("it has an object whose keys have no names");
            }
        }
        let mut schema = Map::from_iter([("type".to_owned(), self.types(kinds, null))]);
        let mut sentences = Vec::new();
        self.values(shape, kinds, null, &mut schema, &mut sentences);
        let mut written = leaf(Map::new(), wire_kinds(kinds, null));
        if kinds == Kinds::OBJECT {
            self.members(shape, place, &mut schema, &mut written, &mut sentences);
        }
        if kinds.meets(Kinds::ARRAY) {
            self.items(shape, place, &mut schema, &mut written);
        }
        self.plain(shape, kinds, place, &mut schema, &mut sentences);
        if let Some(text) = words::described(shape.description.clone(), &sentences) {
            // Second, where people look for it.
            let mut ordered = Map::new();
            for (key, value) in schema {
                let is_type = key == "type";
                ordered.insert(key, value);
                if is_type {
                    ordered.insert("description".to_owned(), text.as_str().into());
                }
            }
            schema = ordered;
        }
        if null && self.rules.nullable {
            schema.insert("nullable".to_owned(), true.into());
        }
        written.schema = schema;
        written
    }

    fn types(&self, kinds: Kinds, null: bool) -> Value {
        let kinds = if null && !self.rules.nullable { kinds.or(Kinds::NULL) } else { kinds };
        let mut names: Vec<&str> = kinds.names().collect();
        if names.len() == 1 { names.remove(0).into() } else { names.into() }
    }

    fn values(
        &mut self,
        shape: &Shape,
        kinds: Kinds,
        null: bool,
        schema: &mut Map<String, Value>,
        sentences: &mut Vec<String>,
    ) {
        let Some(values) = &shape.values else { return };
        let mut values: Vec<Value> = values
            .iter()
            .filter(|value| {
                kinds.has(Kinds::of(value)) || (kinds.has(Kinds::INTEGER) && value.is_number())
            })
            .cloned()
            .collect();
        let flat = values.iter().all(|value| !value.is_object() && !value.is_array());
        let taken = if self.rules.enum_of_text {
            kinds == Kinds::STRING && values.iter().all(|value| value != "")
        } else {
            flat || !self.rules.strict
        };
        if taken {
            if null && !self.rules.nullable {
                values.push(Value::Null);
            }
            if let Err(why) = self.budget.take_values(&values) {
                self.fail(why);
            }
            schema.insert("enum".to_owned(), values.into());
        } else {
            sentences.extend(words::of_values(&values));
        }
    }

    /// Shows each plain keyword that says something of these kinds, or tells it in words.
    fn plain(
        &mut self,
        shape: &Shape,
        kinds: Kinds,
        place: &Place,
        schema: &mut Map<String, Value>,
        sentences: &mut Vec<String>,
    ) {
        for (keyword, value) in &shape.plain {
            if !kinds.meets(kinds_of(keyword)) {
                continue;
            }
            if self.rules.shows(keyword, value, kinds) {
                schema.insert(keyword.clone(), value.clone());
            } else {
                self.note(place, Change::Dropped(keyword.clone()));
                sentences.extend(words::of_plain(keyword, value));
            }
        }
        for keyword in shape.hard.keys() {
            self.note(place, Change::Dropped(keyword.clone()));
        }
        sentences.extend(words::of_hard(&shape.hard));
    }

    fn null(&self, shape: &Shape) -> Written {
        let mut schema = Map::new();
        if self.rules.nullable {
            schema.insert("type".to_owned(), "string".into());
        } else {
            schema.insert("type".to_owned(), "null".into());
        }
        if let Some(description) = &shape.description {
            schema.insert("description".to_owned(), description.as_str().into());
        }
        if self.rules.nullable {
            schema.insert("nullable".to_owned(), true.into());
        }
        leaf(schema, BTreeSet::from(["null"]))
    }

    /// Writes what takes a value of any kind.
    fn any(&mut self, shape: &Shape) -> Written {
        self.fail("it takes a value of any kind");
        let mut sentences: Vec<String> = words::of_hard(&shape.hard).into_iter().collect();
        let default = shape.plain.get("default");
        sentences.extend(default.and_then(|value| words::of_plain("default", value)));
        let kinds = wire_kinds(Kinds::ANY, true);
        let mut schema = Map::new();
        let mut step = Step::default();
        match self.rules.any {
            Any::Empty => {}
            Any::JsonText => {
                schema.insert("type".to_owned(), "string".into());
                sentences.push("Any value, as JSON text.".to_owned());
                step.json_text = Some(kinds.clone());
            }
            Any::Types => {
                schema.insert("type".to_owned(), Kinds::ANY.names().collect());
            }
        }
        if let Some(text) = words::described(shape.description.clone(), &sentences) {
            schema.insert("description".to_owned(), text.into());
        }
        Written { step, ..leaf(schema, kinds) }
    }

    /// Writes text that holds JSON of one kind.
    fn json_text(&mut self, shape: &Shape, kinds: Kinds, null: bool, place: &Place) -> Written {
        self.note(place, Change::JsonText);
        let names: Vec<&str> = kinds.without(Kinds::NULL).names().collect();
        let mut sentences = vec![format!("As JSON text: {}.", names.join(" or "))];
        sentences.extend(words::of_hard(&shape.hard));
        let mut schema = Map::from_iter([("type".to_owned(), "string".into())]);
        if let Some(text) = words::described(shape.description.clone(), &sentences) {
            schema.insert("description".to_owned(), text.into());
        }
        if null {
            schema.insert("nullable".to_owned(), true.into());
        }
        let json_text = Some(wire_kinds(kinds, null));
        Written {
            step: Step { json_text, ..Step::default() },
            ..leaf(schema, BTreeSet::from(["null", "string"]))
        }
    }

    fn note(&mut self, place: &Place, change: Change) {
        let note = Note { at: place.at.clone(), change };
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    fn fail(&mut self, why: &'static str) {
        if self.rules.strict {
            self.not_strict.get_or_insert(why);
        }
    }
}

fn leaf(schema: Map<String, Value>, kinds: BTreeSet<&'static str>) -> Written {
    Written {
        schema,
        step: Step::default(),
        kinds,
        required: BTreeSet::new(),
        named: BTreeSet::new(),
        closed: false,
    }
}

/// The kinds as the way back tells them apart: every number is one kind.
fn wire_kinds(kinds: Kinds, null: bool) -> BTreeSet<&'static str> {
    let mut names: BTreeSet<&'static str> = kinds
        .without(Kinds::NULL)
        .names()
        .map(|name| if name == "integer" { "number" } else { name })
        .collect();
    if null {
        names.insert("null");
    }
    names
}

/// The kinds of value of which a plain keyword says something.
fn kinds_of(keyword: &str) -> Kinds {
    match keyword {
        "contentEncoding" | "contentMediaType" | "maxLength" | "minLength" | "pattern" => {
            Kinds::STRING
        }
        "exclusiveMaximum" | "exclusiveMinimum" | "maximum" | "minimum" | "multipleOf" => {
            Kinds::NUMBER
        }
        "maxItems" | "minItems" | "uniqueItems" => Kinds::ARRAY,
        "maxProperties" | "minProperties" => Kinds::OBJECT,
        _ => Kinds::ANY,
    }
}

//! What an object and a list hold.

use serde_json::{Map, Value};

use super::{Place, Writer, Written};
use crate::lower::Change;
use crate::lower::rules::Any;
use crate::lower::shape::{Others, Shape};
use crate::map_back::KeyStep;
use crate::names::NameTable;

impl Writer {
    pub(super) fn members(
        &mut self,
        shape: &Shape,
        place: &Place,
        schema: &mut Map<String, Value>,
        written: &mut Written,
        sentences: &mut Vec<String>,
    ) {
        let keys = shape.properties.iter().map(|(key, _)| key.as_str());
        let table = self.rules.keys.map(|rule| NameTable::by(rule, keys));
        let mut properties = Map::new();
        let mut required = Vec::new();
        for (key, property) in &shape.properties {
            let place = place.key(key);
            let wire =
                table.as_ref().map_or_else(|| key.clone(), |table| table.to_wire(key).into_owned());
            let is_required = shape.required.contains(key);
            let null_is_absent = self.rules.strict && !is_required && !property.takes_null();
            let one = if null_is_absent {
                self.schema(&property.clone().or_null(), &place)
            } else {
                self.schema(property, &place)
            };
            if wire != *key {
                self.note(&place, Change::Renamed(wire.clone()));
            }
            if let Err(why) = self.budget.take_key(&wire) {
                self.fail(why);
            }
            let at = KeyStep {
                name: (wire != *key).then(|| key.clone()),
                null_is_absent,
                step: one.step,
            };
            if !at.is_identity() {
                written.step.keys.insert(wire.clone(), at);
            }
            if is_required || self.rules.strict {
                required.push(wire.clone());
            }
            properties.insert(wire, Value::Object(one.schema));
        }
        written.required = required.iter().cloned().collect();
        let is_map = properties.is_empty();
        written.named = properties.keys().cloned().collect();
        written.closed = self.rules.strict || shape.others == Others::None;
        // To a grammar, an object with no named keys has none at all.
        if !is_map || self.rules.strict || self.rules.any == Any::Empty {
            schema.insert("properties".to_owned(), properties.into());
        }
        if !required.is_empty() || self.rules.strict {
            schema.insert("required".to_owned(), required.into());
        }
        self.others(shape, place, schema, written, sentences);
    }

    fn others(
        &mut self,
        shape: &Shape,
        place: &Place,
        schema: &mut Map<String, Value>,
        written: &mut Written,
        sentences: &mut Vec<String>,
    ) {
        const KEY: &str = "additionalProperties";
        if self.rules.strict {
            if matches!(shape.others, Others::Any | Others::Of(_)) {
                self.fail("it takes keys that have no names");
            }
            schema.insert(KEY.to_owned(), false.into());
            return;
        }
        match &shape.others {
            Others::Unsaid => {}
            Others::Any | Others::Of(_) if !self.rules.others => {
                sentences.push("More keys are allowed.".to_owned());
            }
            Others::None if !self.rules.others => {}
            Others::Any => {
                schema.insert(KEY.to_owned(), true.into());
            }
            Others::None => {
                schema.insert(KEY.to_owned(), false.into());
            }
            Others::Of(of) => {
                let one = self.schema(of, &place.key("*"));
                if !one.step.is_identity() {
                    written.step.others = Some(Box::new(one.step));
                }
                schema.insert(KEY.to_owned(), Value::Object(one.schema));
            }
        }
    }

    pub(super) fn items(
        &mut self,
        shape: &Shape,
        place: &Place,
        schema: &mut Map<String, Value>,
        written: &mut Written,
    ) {
        let of = if shape.heads.is_empty() {
            match &shape.items {
                Some(of) => (**of).clone(),
                None if self.rules.items => Shape::any(),
                None => return,
            }
        } else {
            let rest = shape.items.iter().map(|of| (**of).clone());
            Shape::or(shape.heads.iter().cloned().chain(rest).collect())
        };
        let one = self.schema(&of, &place.key("*"));
        if !one.step.is_identity() {
            written.step.items = Some(Box::new(one.step));
        }
        schema.insert("items".to_owned(), Value::Object(one.schema));
    }
}

//! A value that may be of several shapes.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::{Place, Writer, Written, leaf};
use crate::lower::kinds::Kinds;
use crate::lower::shape::Shape;
use crate::map_back::{ChoiceStep, Step};

impl Writer {
    /// The parts of a shape of several kinds, where these cannot stand in one schema.
    pub(super) fn parts(&self, shape: &Shape) -> Vec<Shape> {
        let kinds = shape.kinds.without(Kinds::NULL);
        let is_any = shape.kinds == Kinds::ANY && shape.values.is_none();
        let listed = self.rules.type_lists && !kinds.meets(Kinds::ARRAY.or(Kinds::OBJECT));
        if is_any || !shape.choices.is_empty() || listed || kinds.each().count() <= 1 {
            return Vec::new();
        }
        let mut parts: Vec<Shape> = kinds.each().map(|kind| shape.only(kind)).collect();
        if shape.takes_null() {
            parts.push(Shape { kinds: Kinds::NULL, ..Shape::any() });
        }
        parts
    }

    /// Writes a choice. What was said beside it is in each alternative already.
    pub(super) fn choice(
        &mut self,
        shape: &Shape,
        alternatives: Vec<Shape>,
        place: &Place,
    ) -> Written {
        let alternatives = self.prepared(shape, alternatives);
        let mut written: Vec<Written> = Vec::new();
        for alternative in &alternatives {
            let one = self.schema(alternative, place);
            if !written.iter().any(|other| other.schema == one.schema && other.step == one.step) {
                written.push(one);
            }
        }
        if written.len() == 1
            && let Some(one) = written.pop()
        {
            return one;
        }
        if written.is_empty() {
            return self.any(shape);
        }
        if look_alike(&written) {
            self.fail("two alternatives cannot be told apart");
            if self.rules.map_as_text {
                let kinds = alternatives.iter().fold(Kinds::NONE, |all, shape| all.or(shape.kinds));
                return self.json_text(shape, kinds, kinds.has(Kinds::NULL), place);
            }
        }
        let mut schema = Map::new();
        if !self.rules.lone_choice
            && let Some(description) = &shape.description
        {
            schema.insert("description".to_owned(), description.as_str().into());
        }
        if self.rules.strict && has_equal_first_keys(&written) {
            self.fail("two alternatives begin with the same key");
        }
        let mut kinds = BTreeSet::new();
        let (mut list, mut choices) = (Vec::new(), Vec::new());
        for one in written {
            kinds.extend(one.kinds.iter().copied());
            list.push(Value::Object(one.schema));
            choices.push(ChoiceStep {
                kinds: one.kinds,
                required: one.required,
                named: one.named,
                closed: one.closed,
                step: one.step,
            });
        }
        schema.insert("anyOf".to_owned(), list.into());
        let mut step = Step::default();
        if choices.iter().any(|choice| !choice.step.is_identity()) {
            step.choices = choices;
        }
        Written { step, ..leaf(schema, kinds) }
    }

    /// Opens parts, puts `null` where the form has it, and gives each its description where none may
    /// stand beside the choice.
    fn prepared(&self, shape: &Shape, alternatives: Vec<Shape>) -> Vec<Shape> {
        let mut alternatives: Vec<Shape> = alternatives
            .into_iter()
            .flat_map(|shape| match self.parts(&shape) {
                parts if parts.is_empty() => vec![shape],
                parts => parts,
            })
            .collect();
        let is_null = |shape: &Shape| shape.kinds == Kinds::NULL;
        if alternatives.iter().any(is_null) && alternatives.len() > 1 {
            alternatives.retain(|shape| !is_null(shape));
            if self.rules.nullable {
                alternatives = alternatives.into_iter().map(Shape::or_null).collect();
            } else if !alternatives.iter().any(Shape::takes_null) {
                // Last, and once.
                alternatives.push(Shape { kinds: Kinds::NULL, ..Shape::any() });
            }
        }
        if self.rules.lone_choice || alternatives.len() == 1 {
            for alternative in &mut alternatives {
                alternative.description =
                    alternative.description.take().or_else(|| shape.description.clone());
            }
        }
        alternatives
    }
}

impl Shape {
    /// The part of it that is of one kind.
    fn only(&self, kind: Kinds) -> Self {
        let of_kind = |value: &Value| kind.has(Kinds::of(value));
        let values = self.values.as_ref().map(|values| {
            values.iter().filter(|value| of_kind(value)).cloned().collect::<Vec<_>>()
        });
        Self { kinds: kind, values: values.filter(|values| !values.is_empty()), ..self.clone() }
    }
}

/// Whether two alternatives are led back differently and what comes would fit both.
fn look_alike(written: &[Written]) -> bool {
    let both = |kind: &str, one: &Written, other: &Written| {
        one.kinds.contains(kind) && other.kinds.contains(kind)
    };
    written.iter().enumerate().any(|(at, one)| {
        written.iter().take(at).any(|other| {
            let apart =
                !one.required.is_subset(&other.named) || !other.required.is_subset(&one.named);
            one.step != other.step
                && (both("array", one, other) || (both("object", one, other) && !apart))
        })
    })
}

/// OpenAI cannot tell two objects apart that begin with the same key:
/// <https://zenn.dev/nicopin/scraps/a8d8f53f5faebb>.
fn has_equal_first_keys(written: &[Written]) -> bool {
    let mut seen = BTreeSet::new();
    written.iter().any(|one| {
        let first = one.schema.get("properties").and_then(Value::as_object);
        first
            .and_then(|properties| properties.keys().next())
            .is_some_and(|key| !seen.insert(key.clone()))
    })
}

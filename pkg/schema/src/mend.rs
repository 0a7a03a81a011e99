//! Lossless mends: what a model meant, when there is exactly one way to read it.
//!
//! Owns which mends there are and where they are tried. Each is tried only at a place whose value is
//! not valid as sent, and kept only if the mended value is valid at that place. The validator alone
//! says what is valid; the schema is read only to know what to try. Nothing is ever closed, guessed
//! or renamed.

use std::cell::Cell;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::keyword::Node;
use crate::limits::MEND_VALUES_MAX;
use crate::pointer;
use crate::tool_schema::ToolSchema;

mod candidates;
mod due;
mod place;

use place::Place;

/// Which mends an agent allows beyond the ones that are always tried.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MendOptions {
    /// A single value where an array of it is due becomes an array of one.
    pub single_as_array: bool,
}

/// One mend: what was done, and where.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mend {
    /// The JSON Pointer of the value in the arguments; `""` is the arguments as a whole.
    pub path: String,
    /// What was done.
    pub kind: MendKind,
}

/// What can be done to a value without losing anything of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MendKind {
    /// `"true"` or `"false"` where a boolean is due.
    BooleanFromText,
    /// An integer where a text is due: its digits as sent.
    DigitsAsText,
    /// JSON text that was encoded twice.
    EncodedTwice,
    /// A code fence around one whole object.
    FenceRemoved,
    /// JSON text where an object or an array is due.
    JsonTextParsed,
    /// `null` for an optional property that does not take it: left out.
    NullDropped,
    /// The text `"null"` where `null` is due and a text is not.
    NullFromText,
    /// The text `"null"` for an optional property that takes neither: left out.
    NullTextDropped,
    /// A number in quotes where a number is due.
    NumberFromText,
    /// An object where JSON text is due.
    ObjectAsText,
    /// A single value where an array of it is due; only when the agent opts in.
    SingleAsArray,
}

/// Tries the mends on the arguments of one call.
pub(crate) struct Mender<'s> {
    schema: &'s ToolSchema,
    options: MendOptions,
    /// How many more values may be looked at.
    left: Cell<usize>,
}

/// What came of one place.
struct Attempt {
    /// The value after the mends; `None` when there were none.
    changed: Option<Value>,
    mends: Vec<Mend>,
    valid: bool,
}

/// Whether the value of a place may be turned into another kind of value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Turning {
    Allowed,
    /// It was just turned once: a mend of a mend is a guess.
    Done,
}

impl<'s> Mender<'s> {
    pub(crate) fn new(schema: &'s ToolSchema, options: MendOptions) -> Self {
        Self { schema, options, left: Cell::new(MEND_VALUES_MAX) }
    }

    /// Returns the mended arguments and what was mended, or nothing when nothing could be.
    ///
    /// The result may still be invalid at other places.
    pub(crate) fn mend(&self, arguments: &Value) -> Option<(Value, Vec<Mend>)> {
        let root = Node::root(self.schema.source());
        let attempt = self.attempt(&[root], arguments, "", Turning::Done);
        attempt.changed.map(|value| (value, attempt.mends))
    }

    /// Mends the value of one place, where all of `schemas` apply.
    fn attempt(
        &self,
        schemas: &[Node<'s>],
        value: &Value,
        path: &str,
        turning: Turning,
    ) -> Attempt {
        let mut attempt = Attempt { changed: None, mends: Vec::new(), valid: false };
        if !self.spend(value) {
            return attempt;
        }
        attempt.valid = self.is_valid(schemas, value);
        if attempt.valid {
            return attempt;
        }
        let place = Place::of(self, schemas, value);
        self.mend_inside(&place, value, path, &mut attempt);
        self.settle(schemas, value, &mut attempt);
        if !attempt.valid && turning == Turning::Allowed {
            self.turn(&place, schemas, value, path, &mut attempt);
        }
        if !attempt.valid {
            self.mend_by_choice(&place, schemas, value, path, turning, &mut attempt);
        }
        attempt
    }

    /// Returns the pointer of the innermost value that is not valid, going only where one schema
    /// decides.
    pub(crate) fn innermost_wrong(&self, arguments: &Value) -> String {
        let mut path = String::new();
        let mut schemas = vec![Node::root(self.schema.source())];
        let mut value = arguments;
        while let Some((step, below, inner)) = self.wrong_inside(&schemas, value) {
            path.push_str(&step);
            (schemas, value) = (below, inner);
        }
        path
    }

    fn wrong_inside<'v>(
        &self,
        schemas: &[Node<'s>],
        value: &'v Value,
    ) -> Option<(String, Vec<Node<'s>>, &'v Value)> {
        let place = Place::of(self, schemas, value);
        match value {
            Value::Array(items) => items.iter().enumerate().find_map(|(index, item)| {
                let below = place.item(index);
                let is_wrong = !self.is_valid(&below, item);
                is_wrong.then(|| (pointer::with_index("", index), below, item))
            }),
            Value::Object(map) => map.iter().find_map(|(key, property)| {
                let below = place.property(self.schema.inspection(), key);
                let is_wrong = !self.is_valid(&below, property);
                is_wrong.then(|| (pointer::with_key("", key), below, property))
            }),
            Value::Bool(_) | Value::Null | Value::Number(_) | Value::String(_) => None,
        }
    }

    fn settle(&self, schemas: &[Node<'s>], value: &Value, attempt: &mut Attempt) {
        if attempt.changed.is_some() {
            let current = attempt.changed.as_ref().unwrap_or(value);
            attempt.valid = self.is_valid(schemas, current);
        }
    }

    /// Turns the value itself into another kind of value, if that makes the place valid.
    fn turn(
        &self,
        place: &Place<'s>,
        schemas: &[Node<'s>],
        value: &Value,
        path: &str,
        attempt: &mut Attempt,
    ) {
        let depth = path.matches('/').count();
        let due = due::of(self, place, value);
        for (kind, turned) in candidates::of(value, due, self.options, depth) {
            let inner = self.attempt(schemas, &turned, path, Turning::Done);
            if inner.valid {
                let mut mends = vec![Mend { path: path.to_owned(), kind }];
                mends.extend(inner.mends);
                let changed = Some(inner.changed.unwrap_or(turned));
                *attempt = Attempt { changed, mends, valid: true };
                return;
            }
        }
    }

    /// Mends by the one alternative that can be mended; two that can are a guess.
    fn mend_by_choice(
        &self,
        place: &Place<'s>,
        schemas: &[Node<'s>],
        value: &Value,
        path: &str,
        turning: Turning,
        attempt: &mut Attempt,
    ) {
        for choice in &place.choices {
            let current = attempt.changed.as_ref().unwrap_or(value);
            let is_met = |branch: &Node<'s>| self.is_valid(std::slice::from_ref(branch), current);
            if choice.iter().any(is_met) {
                continue;
            }
            let mut mended: Vec<Attempt> = Vec::new();
            for branch in choice {
                let one = self.attempt(std::slice::from_ref(branch), current, path, turning);
                if one.valid && !mended.iter().any(|other| other.changed == one.changed) {
                    mended.push(one);
                }
            }
            if mended.len() == 1
                && let Some(only) = mended.pop()
            {
                attempt.changed = only.changed;
                attempt.mends.extend(only.mends);
                self.settle(schemas, value, attempt);
            }
        }
    }

    /// Mends the properties and items inside the value.
    fn mend_inside(&self, place: &Place<'s>, value: &Value, path: &str, attempt: &mut Attempt) {
        match value {
            Value::Array(items) => {
                let mut changed: Option<Vec<Value>> = None;
                for (index, item) in items.iter().enumerate() {
                    let schemas = place.item(index);
                    if schemas.is_empty() {
                        continue;
                    }
                    let path = pointer::with_index(path, index);
                    let inner = self.attempt(&schemas, item, &path, Turning::Allowed);
                    if let Some(mended) = inner.changed
                        && let Some(slot) =
                            changed.get_or_insert_with(|| items.clone()).get_mut(index)
                    {
                        *slot = mended;
                        attempt.mends.extend(inner.mends);
                    }
                }
                attempt.changed = changed.map(Value::Array);
            }
            Value::Object(map) => {
                let mut changed: Option<Map<String, Value>> = None;
                for (key, property) in map {
                    let schemas = place.property(self.schema.inspection(), key);
                    if schemas.is_empty() {
                        continue;
                    }
                    let path = pointer::with_key(path, key);
                    let inner = self.attempt(&schemas, property, &path, Turning::Allowed);
                    if let Some(mended) = inner.changed {
                        changed.get_or_insert_with(|| map.clone()).insert(key.clone(), mended);
                        attempt.mends.extend(inner.mends);
                    } else if !inner.valid
                        && place.is_optional(key)
                        && let Some(kind) = self.drop_kind(&schemas, property)
                    {
                        changed.get_or_insert_with(|| map.clone()).shift_remove(key);
                        attempt.mends.push(Mend { path, kind });
                    }
                }
                attempt.changed = changed.map(Value::Object);
            }
            Value::Bool(_) | Value::Null | Value::Number(_) | Value::String(_) => {}
        }
    }

    /// Says how a property that is not valid as sent may be left out: when it says nothing.
    fn drop_kind(&self, schemas: &[Node<'s>], property: &Value) -> Option<MendKind> {
        match property {
            Value::Null => Some(MendKind::NullDropped),
            Value::String(text) if text == candidates::NULL_TEXT => {
                let place = Place::of(self, schemas, property);
                let due = due::of(self, &place, property);
                (!due.has_text()).then_some(MendKind::NullTextDropped)
            }
            _ => None,
        }
    }

    /// Says whether `value` is valid by all of `schemas`; a schema that cannot be asked says no.
    fn is_valid(&self, schemas: &[Node<'s>], value: &Value) -> bool {
        let Some(places) = self.schema.places() else {
            return false;
        };
        schemas.iter().all(|node| {
            places.get(&format!("#{}", node.pointer)).is_some_and(|schema| schema.is_valid(value))
        })
    }

    /// Takes the size of `value` from what may still be looked at.
    fn spend(&self, value: &Value) -> bool {
        /// What a place costs besides its values: gathering its schemas.
        const PLACE_COST: usize = 4;
        match self.left.get().checked_sub(count(value) + PLACE_COST) {
            Some(left) => {
                self.left.set(left);
                true
            }
            None => false,
        }
    }
}

fn count(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(count).sum::<usize>(),
        Value::Object(map) => 1 + map.values().map(count).sum::<usize>(),
        Value::Bool(_) | Value::Null | Value::Number(_) | Value::String(_) => 1,
    }
}

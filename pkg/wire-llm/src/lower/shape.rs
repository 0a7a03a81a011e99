//! What a schema says, read once: references followed, `allOf` merged, drafts forgotten.
//!
//! A shape takes at least what its schema takes. It is what all forms are written from.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::kinds::Kinds;

/// A schema that was read.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Shape {
    pub(super) kinds: Kinds,
    pub(super) description: Option<String>,
    /// The only values, by `enum` or `const`.
    pub(super) values: Option<Vec<Value>>,
    /// Keywords whose value is no schema, by name: bounds, `pattern`, `format`, `default`, `title`.
    pub(super) plain: Map<String, Value>,
    /// Keywords that only the check of arguments understands, as they were written.
    pub(super) hard: Map<String, Value>,
    pub(super) items: Option<Box<Shape>>,
    /// The first items, where they have schemas of their own.
    pub(super) heads: Vec<Shape>,
    pub(super) properties: Vec<(String, Shape)>,
    pub(super) required: BTreeSet<String>,
    pub(super) others: Others,
    /// One of these must be met too; none when there is no choice.
    pub(super) choices: Vec<Shape>,
    /// Whether a schema that contains itself was cut here.
    pub(super) cut: bool,
}

/// Keys beyond those that have names.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Others {
    /// Allowed, of any value.
    Any,
    /// Forbidden.
    None,
    /// Allowed, with values of this shape.
    Of(Box<Shape>),
    /// Nothing was said: allowed, but nobody counts on them.
    Unsaid,
}

impl Shape {
    /// Takes everything.
    pub(super) fn any() -> Self {
        Self {
            kinds: Kinds::ANY,
            description: None,
            values: None,
            plain: Map::new(),
            hard: Map::new(),
            items: None,
            heads: Vec::new(),
            properties: Vec::new(),
            required: BTreeSet::new(),
            others: Others::Unsaid,
            choices: Vec::new(),
            cut: false,
        }
    }

    /// Takes nothing.
    pub(super) fn never() -> Self {
        Self { kinds: Kinds::NONE, ..Self::any() }
    }

    /// Whether every value is taken; words do not matter.
    pub(super) fn is_any(&self) -> bool {
        let bare = Self { description: None, cut: false, ..self.clone() };
        bare == Self::any() || (self.kinds == Kinds::ANY && self.says_only_words())
    }

    /// Whether nothing is said but the kinds.
    pub(super) fn is_only_kinds(&self) -> bool {
        *self == Self { kinds: self.kinds, ..Self::any() }
    }

    fn says_only_words(&self) -> bool {
        const WORDS: [&str; 4] = ["default", "deprecated", "examples", "title"];
        self.values.is_none()
            && self.hard.is_empty()
            && self.plain.keys().all(|key| WORDS.contains(&key.as_str()))
            && self.items.is_none()
            && self.heads.is_empty()
            && self.properties.is_empty()
            && self.required.is_empty()
            && self.others == Others::Unsaid
            && self.choices.is_empty()
    }

    /// What both take, or more than that.
    pub(super) fn and(mut self, other: Self) -> Self {
        let kinds = self.kinds.and(other.kinds);
        if !kinds.is_none() {
            self.kinds = kinds;
        }
        self.description = self.description.or(other.description);
        self.values = match (self.values, other.values) {
            (Some(mine), Some(theirs)) => {
                let both: Vec<Value> =
                    mine.iter().filter(|value| theirs.contains(value)).cloned().collect();
                Some(if both.is_empty() { mine } else { both })
            }
            (mine, theirs) => mine.or(theirs),
        };
        for (key, value) in other.plain {
            merge_plain(&mut self.plain, key, value);
        }
        for (key, value) in other.hard {
            self.hard.entry(key).or_insert(value);
        }
        self.items = match (self.items, other.items) {
            (Some(mine), Some(theirs)) => Some(Box::new(mine.and(*theirs))),
            (mine, theirs) => mine.or(theirs),
        };
        if self.heads.is_empty() {
            self.heads = other.heads;
        }
        for (key, shape) in other.properties {
            match self.properties.iter_mut().find(|(mine, _)| *mine == key) {
                Some((_, mine)) => *mine = mine.clone().and(shape),
                None => self.properties.push((key, shape)),
            }
        }
        self.required.extend(other.required);
        self.others = match (self.others, other.others) {
            (Others::None, _) | (_, Others::None) => Others::None,
            (Others::Unsaid, said) | (said, Others::Unsaid | Others::Any) => said,
            (Others::Any, Others::Of(shape)) => Others::Of(shape),
            (Others::Of(mine), Others::Of(theirs)) => Others::Of(Box::new(mine.and(*theirs))),
        };
        if self.choices.is_empty() {
            self.choices = other.choices;
        }
        self.cut |= other.cut;
        self
    }

    /// What one of them takes.
    pub(super) fn or(shapes: Vec<Self>) -> Self {
        let mut distinct: Vec<Self> = Vec::new();
        if !shapes.is_empty() && shapes.iter().all(Self::is_only_kinds) {
            let kinds = shapes.iter().fold(Kinds::NONE, |all, shape| all.or(shape.kinds));
            return Self { kinds, ..Self::any() };
        }
        for shape in shapes {
            if shape.is_any() {
                return shape;
            }
            if !distinct.contains(&shape) {
                distinct.push(shape);
            }
        }
        match distinct.len() {
            0 => Self::any(),
            1 => distinct.remove(0),
            _ => Self { choices: distinct, ..Self::any() },
        }
    }

    /// Takes `null` too.
    pub(super) fn or_null(mut self) -> Self {
        if !self.choices.is_empty() && !self.choices.iter().any(Self::takes_null) {
            self.choices.push(Self { kinds: Kinds::NULL, ..Self::any() });
        }
        self.kinds = self.kinds.or(Kinds::NULL);
        if let Some(values) = &mut self.values
            && !values.contains(&Value::Null)
        {
            values.push(Value::Null);
        }
        self
    }

    /// Whether `null` is taken, as far as kinds and values tell.
    pub(super) fn takes_null(&self) -> bool {
        self.kinds.has(Kinds::NULL)
            && self.values.as_ref().is_none_or(|values| values.contains(&Value::Null))
            && (self.choices.is_empty() || self.choices.iter().any(Self::takes_null))
    }

    /// The choices with what is said beside them, choices inside choices opened.
    pub(super) fn alternatives(&self) -> Vec<Self> {
        let beside = Self { choices: Vec::new(), description: None, ..self.clone() };
        let mut all = Vec::new();
        for choice in &self.choices {
            if !self.kinds.meets(choice.kinds) {
                continue;
            }
            let merged = Self { choices: Vec::new(), ..choice.clone() }.and(beside.clone());
            if choice.choices.is_empty() {
                all.push(merged);
            } else {
                all.extend(Self { choices: choice.choices.clone(), ..merged }.alternatives());
            }
        }
        all
    }

    /// One object that takes what every choice takes: for the root, where there may be none.
    pub(super) fn without_choices(self) -> Self {
        if self.choices.is_empty() {
            return self;
        }
        let alternatives = self.alternatives();
        let objects: Vec<&Self> =
            alternatives.iter().filter(|shape| shape.kinds.has(Kinds::OBJECT)).collect();
        let mut whole = Self { choices: Vec::new(), ..self };
        for shape in &objects {
            for (key, _) in &shape.properties {
                if !whole.properties.iter().any(|(known, _)| known == key) {
                    let of_key = objects
                        .iter()
                        .flat_map(|shape| &shape.properties)
                        .filter(|(other, _)| other == key)
                        .map(|(_, shape)| shape.clone())
                        .collect();
                    whole.properties.push((key.clone(), Self::or(of_key)));
                }
            }
        }
        let mut shared = objects.first().map(|shape| shape.required.clone()).unwrap_or_default();
        for shape in &objects {
            shared.retain(|key| shape.required.contains(key));
        }
        whole.required.extend(shared);
        if whole.others == Others::Unsaid
            && !objects.is_empty()
            && objects.iter().all(|shape| shape.others == Others::None)
        {
            whole.others = Others::None;
        } else if objects.iter().any(|shape| matches!(shape.others, Others::Any | Others::Of(_)))
            && whole.others == Others::Unsaid
        {
            whole.others = Others::Any;
        }
        whole
    }
}

/// Of two bounds the tighter one stays; of two other values the first.
fn merge_plain(plain: &mut Map<String, Value>, key: String, value: Value) {
    const LOWER: [&str; 5] =
        ["exclusiveMinimum", "minItems", "minLength", "minProperties", "minimum"];
    const UPPER: [&str; 5] =
        ["exclusiveMaximum", "maxItems", "maxLength", "maxProperties", "maximum"];
    let Some(mine) = plain.get_mut(&key) else {
        plain.insert(key, value);
        return;
    };
    let (Some(a), Some(b)) = (mine.as_f64(), value.as_f64()) else { return };
    let tighter =
        (LOWER.contains(&key.as_str()) && b > a) || (UPPER.contains(&key.as_str()) && b < a);
    if tighter {
        *mine = value;
    }
}

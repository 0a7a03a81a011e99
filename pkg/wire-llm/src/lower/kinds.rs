//! Which kinds of JSON a value may be of.

use serde_json::Value;

/// A set of kinds. A number's set holds the integers too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Kinds(u8);

/// The kinds in the order in which they are shown.
const NAMES: [(&str, Kinds); 7] = [
    ("string", Kinds::STRING),
    ("integer", Kinds::INTEGER),
    ("number", Kinds::FRACTION),
    ("boolean", Kinds::BOOLEAN),
    ("object", Kinds::OBJECT),
    ("array", Kinds::ARRAY),
    ("null", Kinds::NULL),
];

impl Kinds {
    pub(super) const NULL: Self = Self(1);
    pub(super) const BOOLEAN: Self = Self(2);
    pub(super) const INTEGER: Self = Self(4);
    const FRACTION: Self = Self(8);
    pub(super) const NUMBER: Self = Self(4 | 8);
    pub(super) const STRING: Self = Self(16);
    pub(super) const ARRAY: Self = Self(32);
    pub(super) const OBJECT: Self = Self(64);
    pub(super) const ANY: Self = Self(127);
    pub(super) const NONE: Self = Self(0);

    /// What `type` says, one name or a list of them; any kind where it says nothing known.
    pub(super) fn of_type(kinds: Option<&Value>) -> Self {
        let one = |name: &Value| match name.as_str() {
            Some("number") => Self::NUMBER,
            Some(name) => {
                NAMES.iter().find(|(known, _)| *known == name).map_or(Self::ANY, |found| found.1)
            }
            None => Self::ANY,
        };
        match kinds {
            None => Self::ANY,
            Some(Value::Array(names)) => {
                names.iter().map(one).fold(Self::NONE, Self::or).or_any_if_none()
            }
            Some(name) => one(name),
        }
    }

    /// The kind of a value.
    pub(super) fn of(value: &Value) -> Self {
        match value {
            Value::Array(_) => Self::ARRAY,
            Value::Bool(_) => Self::BOOLEAN,
            Value::Null => Self::NULL,
            Value::Number(number) => {
                let text = number.to_string();
                if text.contains(['.', 'e', 'E']) { Self::NUMBER } else { Self::INTEGER }
            }
            Value::Object(_) => Self::OBJECT,
            Value::String(_) => Self::STRING,
        }
    }

    pub(super) const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(super) const fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    pub(super) const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    pub(super) const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    pub(super) const fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    pub(super) const fn is_none(self) -> bool {
        self.0 == 0
    }

    fn or_any_if_none(self) -> Self {
        if self.is_none() { Self::ANY } else { self }
    }

    /// The names of the kinds, `integer` only where a fraction is not taken.
    pub(super) fn names(self) -> impl Iterator<Item = &'static str> {
        NAMES.into_iter().filter_map(move |(name, kind)| {
            let hidden = name == "integer" && self.has(Self::NUMBER);
            (self.has(kind) && !hidden).then_some(name)
        })
    }

    /// The sets of one kind each that this is made of; `null` is not among them.
    pub(super) fn each(self) -> impl Iterator<Item = Self> {
        let fraction = self.has(Self::NUMBER);
        NAMES.into_iter().filter_map(move |(name, kind)| match name {
            "null" => None,
            "integer" if fraction => None,
            "number" => fraction.then_some(Self::NUMBER),
            _ => self.has(kind).then_some(kind),
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_type_is_a_set_of_kinds_and_has_its_names_back() {
        let cases = [
            ("one", json!("string"), vec!["string"]),
            ("a number", json!("number"), vec!["number"]),
            ("an integer", json!("integer"), vec!["integer"]),
            ("a list", json!(["null", "integer", "string"]), vec!["string", "integer", "null"]),
            ("both numbers", json!(["integer", "number"]), vec!["number"]),
        ];
        for (why, kind, names) in cases {
            assert_eq!(Kinds::of_type(Some(&kind)).names().collect::<Vec<_>>(), names, "{why}");
        }
        for unknown in [None, Some(json!("dict")), Some(json!([])), Some(json!(1))] {
            assert_eq!(Kinds::of_type(unknown.as_ref()), Kinds::ANY);
        }
    }
}

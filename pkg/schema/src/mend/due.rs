//! Which kinds of value a place takes.

use serde_json::Value;

use super::Mender;
use super::place::Place;

/// A set of JSON types.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Due(u8);

const NULL: u8 = 1;
const BOOLEAN: u8 = 1 << 1;
const NUMBER: u8 = 1 << 2;
const TEXT: u8 = 1 << 3;
const ARRAY: u8 = 1 << 4;
const OBJECT: u8 = 1 << 5;
const ANYTHING: u8 = NULL | BOOLEAN | NUMBER | TEXT | ARRAY | OBJECT;

/// Alternatives inside alternatives are read so far; beyond it everything counts as due.
const CHOICE_DEPTH_MAX: usize = 8;

impl Due {
    pub(super) fn has_null(self) -> bool {
        self.0 & NULL != 0
    }

    pub(super) fn has_boolean(self) -> bool {
        self.0 & BOOLEAN != 0
    }

    pub(super) fn has_number(self) -> bool {
        self.0 & NUMBER != 0
    }

    pub(super) fn has_text(self) -> bool {
        self.0 & TEXT != 0
    }

    pub(super) fn has_array(self) -> bool {
        self.0 & ARRAY != 0
    }

    pub(super) fn has_object(self) -> bool {
        self.0 & OBJECT != 0
    }
}

/// Returns the kinds of value that the schemas of `place` take, by `type`, `enum` and `const`.
pub(super) fn of(mender: &Mender<'_>, place: &Place<'_>, value: &Value) -> Due {
    Due(bits(mender, place, value, 0))
}

fn bits<'s>(mender: &Mender<'s>, place: &Place<'s>, value: &Value, depth: usize) -> u8 {
    if depth > CHOICE_DEPTH_MAX {
        return ANYTHING;
    }
    let mut due = ANYTHING;
    for node in &place.all {
        due &= by_keywords(node.schema);
    }
    for choice in &place.choices {
        due &= choice.iter().fold(0, |some, branch| {
            let branch = Place::of(mender, std::slice::from_ref(branch), value);
            some | bits(mender, &branch, value, depth + 1)
        });
    }
    due
}

fn by_keywords(schema: &Value) -> u8 {
    let by_type = match schema.get("type") {
        Some(Value::String(name)) => of_name(name),
        Some(Value::Array(names)) => {
            names.iter().filter_map(Value::as_str).fold(0, |some, name| some | of_name(name))
        }
        _ => ANYTHING,
    };
    let by_enum = match schema.get("enum") {
        Some(Value::Array(values)) => values.iter().fold(0, |some, value| some | of_value(value)),
        _ => ANYTHING,
    };
    let by_const = schema.get("const").map_or(ANYTHING, of_value);
    let by_boolean = if schema == &Value::Bool(false) { 0 } else { ANYTHING };
    by_type & by_enum & by_const & by_boolean
}

fn of_name(name: &str) -> u8 {
    match name {
        "array" => ARRAY,
        "boolean" => BOOLEAN,
        "integer" | "number" => NUMBER,
        "null" => NULL,
        "object" => OBJECT,
        "string" => TEXT,
        _ => 0,
    }
}

fn of_value(value: &Value) -> u8 {
    match value {
        Value::Array(_) => ARRAY,
        Value::Bool(_) => BOOLEAN,
        Value::Null => NULL,
        Value::Number(_) => NUMBER,
        Value::Object(_) => OBJECT,
        Value::String(_) => TEXT,
    }
}

//! Rows as JSON.
//!
//! A row is an object, its keys in the order of the columns. Numbers, text and null are themselves;
//! a number that JSON has no word for is null, bytes are base64 without padding. What a column says
//! is JSON is read as JSON: see [`crate::SqlSpec`] for the rule.

use rusqlite::Rows;
use rusqlite::types::ValueRef;
use serde_json::{Map, Number, Value};

use manos_wire_tool::sql::ResultColumn;

/// What counting costs for a value that is no text.
const VALUE_BYTES: usize = 8;

/// A result column.
#[derive(Debug)]
pub(super) struct Column {
    name: String,
    json: bool,
    /// Whether a row with this column alone is the column's value.
    whole: bool,
}

/// Why rows could not be read.
#[derive(Debug)]
pub(super) enum RowsError {
    /// They are too many.
    TooLarge,
    /// The database failed.
    Sqlite(rusqlite::Error),
}

impl From<rusqlite::Error> for RowsError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(error)
    }
}

/// Tells which columns hold JSON: by expression, by name, by declared type.
pub(super) fn columns(statement: &rusqlite::Statement<'_>, shapes: &[ResultColumn]) -> Vec<Column> {
    let known = shapes.len() == statement.column_count();
    statement
        .columns()
        .enumerate()
        .map(|(index, column)| {
            let shape = shapes.get(index).filter(|_| known).copied().unwrap_or_default();
            let name = column.name();
            let declared = column.decl_type().is_some_and(|kind| kind.eq_ignore_ascii_case("json"));
            let called = name.eq_ignore_ascii_case("json");
            let json = shape.json || declared || called;
            let unnamed = shape.json && !shape.named;
            let whole = json && (unnamed || called || name.eq_ignore_ascii_case("result"));
            Column { name: name.to_owned(), json, whole }
        })
        .collect()
}

/// Reads all rows, at most about so many bytes of JSON.
pub(super) fn read(
    rows: &mut Rows<'_>,
    columns: &[Column],
    bytes_max: usize,
) -> Result<Vec<Value>, RowsError> {
    let mut found = Vec::new();
    let mut bytes = 0_usize;
    while let Some(row) = rows.next()? {
        let mut object = Map::new();
        for (index, column) in columns.iter().enumerate() {
            let stored = row.get_ref(index)?;
            let size = match stored {
                ValueRef::Text(text) | ValueRef::Blob(text) => text.len(),
                ValueRef::Null | ValueRef::Integer(_) | ValueRef::Real(_) => VALUE_BYTES,
            };
            bytes = bytes.saturating_add(size).saturating_add(column.name.len());
            if bytes > bytes_max {
                return Err(RowsError::TooLarge);
            }
            object.insert(column.name.clone(), json_value(stored, column.json));
        }
        found.push(match columns {
            [only] if only.whole => match object.remove(&only.name) {
                Some(value @ (Value::Object(_) | Value::Array(_))) => value,
                Some(value) => {
                    object.insert(only.name.clone(), value);
                    Value::Object(object)
                }
                None => Value::Null,
            },
            _ => Value::Object(object),
        });
    }
    Ok(found)
}

fn json_value(stored: ValueRef<'_>, json: bool) -> Value {
    match stored {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => Value::from(number),
        ValueRef::Real(number) => Number::from_f64(number).map_or(Value::Null, Value::Number),
        ValueRef::Text(bytes) => {
            let text = String::from_utf8_lossy(bytes);
            let parsed = if json { serde_json::from_str(&text).ok() } else { None };
            parsed.unwrap_or_else(|| Value::String(text.into_owned()))
        }
        ValueRef::Blob(bytes) => Value::String(manos_wire_tool::mask::base64(bytes)),
    }
}

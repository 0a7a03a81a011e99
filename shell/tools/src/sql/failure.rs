//! What a model may read when a database says no. Never the SQL, never a path.

use rusqlite::ffi;
use rusqlite::{Error, ErrorCode};

/// A sentence for the model.
pub(super) fn sentence(error: &Error, reads_only: bool) -> String {
    let Error::SqliteFailure(cause, message) = error else {
        return match error {
            Error::SqlInputError { .. } => PREPARE.to_owned(),
            _ => FAILED.to_owned(),
        };
    };
    let known = match cause.code {
        ErrorCode::ConstraintViolation => {
            return constraint(cause.extended_code, message.as_deref());
        }
        ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => "the database is busy",
        ErrorCode::ReadOnly if reads_only => "this tool may only read",
        ErrorCode::ReadOnly | ErrorCode::PermissionDenied => "the database cannot be written",
        ErrorCode::DiskFull => "the disk of the database is full",
        ErrorCode::CannotOpen => "the database cannot be opened",
        ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => "the database file is damaged",
        ErrorCode::TooBig => "a value is too long for the database",
        ErrorCode::TypeMismatch => "a value has a type that the table does not take",
        ErrorCode::SystemIoFailure => "the database could not be read or written",
        _ if message.as_deref().is_some_and(is_misfit) => PREPARE,
        _ => FAILED,
    };
    known.to_owned()
}

/// Names the rule that was broken, by the table's own words.
fn constraint(extended_code: i32, message: Option<&str>) -> String {
    let message = message.unwrap_or_default();
    // SQLite writes `UNIQUE constraint failed: orders.code`.
    let named = message.split_once("failed: ").map(|(_, name)| name);
    let rule = match extended_code {
        // `raise(abort, '…')` in a trigger: the author wrote it to be read.
        ffi::SQLITE_CONSTRAINT_TRIGGER => return message.to_owned(),
        ffi::SQLITE_CONSTRAINT_UNIQUE | ffi::SQLITE_CONSTRAINT_PRIMARYKEY => {
            "there is already a row with this value"
        }
        ffi::SQLITE_CONSTRAINT_ROWID => "there is already a row with this number",
        ffi::SQLITE_CONSTRAINT_NOTNULL => "a value is missing",
        ffi::SQLITE_CONSTRAINT_FOREIGNKEY => "it refers to a row that does not exist, or is needed",
        ffi::SQLITE_CONSTRAINT_CHECK => "a value is not allowed",
        ffi::SQLITE_CONSTRAINT_DATATYPE => "a value has the wrong type",
        _ => "a rule of the database does not allow it",
    };
    // A check without a name is called by its expression, which is SQL.
    match named.filter(|name| is_name(name)) {
        Some(name) => format!("{rule}: {name}"),
        None => rule.to_owned(),
    }
}

/// Whether the database lacks what the query names; SQLite has no code for that.
fn is_misfit(message: &str) -> bool {
    message.starts_with("no such ") || message.contains(" has no column named ")
}

/// A name, or columns as in `orders.day, orders.hour`.
fn is_name(text: &str) -> bool {
    text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | ',' | ' '))
        && text.split(", ").all(|part| !part.contains(' '))
}

const FAILED: &str = "the query failed";
const PREPARE: &str = "the query of this tool does not fit its database";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_told_and_sql_is_not() {
        let cases = [
            ("orders.code", true),
            ("orders.day, orders.hour", true),
            ("ck_amount", true),
            ("amount > 0", false),
            ("length(name) < 10", false),
            ("a is not null", false),
        ];
        for (text, expected) in cases {
            assert_eq!(is_name(text), expected, "{text}");
        }
    }

    #[test]
    fn each_refusal_has_a_sentence_without_sql_or_paths() {
        let cases = [
            (ffi::SQLITE_READONLY, false, "the database cannot be written"),
            (ffi::SQLITE_READONLY, true, "this tool may only read"),
            (ffi::SQLITE_FULL, false, "the disk of the database is full"),
            (ffi::SQLITE_BUSY, false, "the database is busy"),
            (ffi::SQLITE_CORRUPT, false, "the database file is damaged"),
            (ffi::SQLITE_NOTADB, true, "the database file is damaged"),
            (ffi::SQLITE_CANTOPEN, false, "the database cannot be opened"),
            (ffi::SQLITE_TOOBIG, false, "a value is too long for the database"),
            (ffi::SQLITE_ERROR, false, "the query failed"),
        ];
        for (code, reads_only, expected) in cases {
            let message = Some("near \"select * from /srv/x\"".to_owned());
            let error = Error::SqliteFailure(ffi::Error::new(code), message);
            assert_eq!(sentence(&error, reads_only), expected);
        }
    }
}

//! What one call does on a connection: one transaction, statement by statement.

use rusqlite::types::Value as Stored;
use rusqlite::{Connection, ErrorCode, TransactionBehavior};
use serde_json::{Value, json};

use manos_model::{Failure, RunId, ToolName, says_no};
use manos_wire_tool::sql::{SqlError, Statement, statements};

use super::lane::Ticket;
use super::rows::{self, RowsError};
use super::{SqlSpec, failure, journal};

/// What the working side needs to know.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) statements: Vec<Statement>,
    /// Every parameter once, sorted.
    pub(super) names: Vec<String>,
    pub(super) one_row: bool,
    pub(super) journal: bool,
    pub(super) reads_only: bool,
}

/// One run on its way to the working side.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) values: Vec<Stored>,
    pub(super) run_id: RunId,
    pub(super) tool: ToolName,
    pub(super) at: String,
    pub(super) result_bytes_max: usize,
}

/// How the working side ended, when not with a result.
#[derive(Debug)]
pub(super) enum SqlEnd {
    /// Rolled back.
    NotDone(Failure),
    /// Rolled back because it was stopped.
    Stopped,
    /// The commit failed in a way that leaves it open.
    Unknown(Failure),
}

impl Plan {
    pub(super) fn new(spec: &SqlSpec) -> Result<Self, SqlError> {
        let statements = statements(&spec.query)?;
        let mut names: Vec<String> = statements
            .iter()
            .flat_map(|statement| &statement.parameters)
            .map(|parameter| parameter.name.clone())
            .collect();
        names.sort();
        names.dedup();
        let reads_only = spec.read_only || statements.iter().all(|statement| statement.is_query);
        let journal = spec.journal && !reads_only;
        Ok(Self { statements, names, one_row: spec.one_row, journal, reads_only })
    }

    pub(super) fn read(
        &self,
        db: &mut Connection,
        ticket: &Ticket,
        call: &Call,
    ) -> Result<Value, SqlEnd> {
        let fail = |error: rusqlite::Error| self.not_done(ticket, call, &error);
        // A statement alone sees one state of the database anyway.
        let snapshot = self.statements.len() > 1;
        if snapshot {
            db.execute_batch("begin").map_err(fail)?;
        }
        let end = self.statements(db, ticket, call);
        ticket.seal();
        if snapshot && !db.is_autocommit() {
            db.execute_batch("rollback").map_err(fail)?;
        }
        end
    }

    pub(super) fn write(
        &self,
        db: &mut Connection,
        ticket: &Ticket,
        call: &Call,
    ) -> Result<Value, SqlEnd> {
        let fail = |error: rusqlite::Error| self.not_done(ticket, call, &error);
        let transaction =
            db.transaction_with_behavior(TransactionBehavior::Immediate).map_err(fail)?;
        let run_id = call.run_id.as_str();
        if self.journal {
            journal::prepare(&transaction).map_err(fail)?;
            if let Some(result) = journal::find(&transaction, run_id).map_err(fail)? {
                return Ok(result);
            }
        }
        let end = self.statements(&transaction, ticket, call).and_then(|result| {
            if self.journal {
                journal::write(&transaction, run_id, call.tool.as_str(), &result, &call.at)
                    .map_err(fail)?;
            }
            Ok(result)
        });
        // From here on nothing interrupts: neither a commit nor a rollback is left half done.
        let go_on = ticket.seal();
        // On failure the transaction rolls back as it is dropped.
        let result = end?;
        if !go_on {
            return Err(SqlEnd::Stopped);
        }
        match transaction.commit() {
            Ok(()) => Ok(result),
            // The bytes may or may not have reached the disk; the journal will tell.
            Err(error) if error.sqlite_error_code() == Some(ErrorCode::SystemIoFailure) => {
                Err(SqlEnd::Unknown(self.failure(call, &error)))
            }
            Err(error) => Err(fail(error)),
        }
    }

    /// Runs every statement; the last one's rows are the result.
    fn statements(&self, db: &Connection, ticket: &Ticket, call: &Call) -> Result<Value, SqlEnd> {
        let mut result = Value::Null;
        for (index, statement) in self.statements.iter().enumerate() {
            if ticket.is_stopped() {
                return Err(SqlEnd::Stopped);
            }
            let last = index + 1 == self.statements.len();
            match self.statement(db, statement, call, last) {
                Ok(value) => result = value,
                Err(RowsError::Sqlite(error)) => return Err(self.not_done(ticket, call, &error)),
                Err(RowsError::TooLarge) => {
                    let max = call.result_bytes_max;
                    return Err(SqlEnd::NotDone(Failure::Transport {
                        kind: "too_large".to_owned(),
                        message: format!("the query gives more than {max} bytes"),
                    }));
                }
            }
        }
        if says_no(&result) {
            return Err(SqlEnd::NotDone(Failure::Said(result)));
        }
        if let Value::Array(rows) = &result
            && let [row] = &rows[..]
            && says_no(row)
        {
            return Err(SqlEnd::NotDone(Failure::Said(row.clone())));
        }
        Ok(result)
    }

    fn statement(
        &self,
        db: &Connection,
        statement: &Statement,
        call: &Call,
        last: bool,
    ) -> Result<Value, RowsError> {
        let mut prepared = db.prepare_cached(&statement.text)?;
        self.bind(&mut prepared, &call.values)?;
        if prepared.column_count() == 0 {
            return Ok(json!({"changed": prepared.raw_execute()?}));
        }
        let columns = rows::columns(&prepared, &statement.columns);
        let mut found = prepared.raw_query();
        if !last {
            while found.next()?.is_some() {}
            return Ok(Value::Null);
        }
        let mut rows = rows::read(&mut found, &columns, call.result_bytes_max)?;
        if self.one_row {
            return Ok(if rows.is_empty() { Value::Null } else { rows.swap_remove(0) });
        }
        Ok(Value::Array(rows))
    }

    pub(super) fn bind(
        &self,
        prepared: &mut rusqlite::Statement<'_>,
        values: &[Stored],
    ) -> rusqlite::Result<()> {
        for index in 1..=prepared.parameter_count() {
            let name = prepared.parameter_name(index).unwrap_or_default();
            let known = name.strip_prefix(':').and_then(|name| {
                self.names.binary_search_by(|known| known.as_str().cmp(name)).ok()
            });
            // SQLite has the last word on what is a parameter; where it and our reading differ, a
            // silent null would be the worst answer.
            let Some(value) = known.and_then(|place| values.get(place)) else {
                return Err(rusqlite::Error::InvalidParameterName(name.to_owned()));
            };
            prepared.raw_bind_parameter(index, value)?;
        }
        Ok(())
    }

    fn not_done(&self, ticket: &Ticket, call: &Call, error: &rusqlite::Error) -> SqlEnd {
        let stopped = matches!(
            error.sqlite_error_code(),
            Some(ErrorCode::OperationInterrupted | ErrorCode::DatabaseBusy)
        );
        if stopped && ticket.is_stopped() {
            return SqlEnd::Stopped;
        }
        SqlEnd::NotDone(self.failure(call, error))
    }

    fn failure(&self, call: &Call, error: &rusqlite::Error) -> Failure {
        tracing::warn!(tool = %call.tool, run_id = %call.run_id, %error, "the SQL of a tool failed");
        Failure::Failed { message: failure::sentence(error, self.reads_only) }
    }
}

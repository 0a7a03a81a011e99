//! The `sql` runner: arguments bound to a query, one transaction, rows as the result.

use std::sync::Arc;
use std::time::Duration;

use rusqlite::Connection;
use rusqlite::types::Value as Stored;
use serde_json::Value;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use manos_model::{Failure, RunEnd, RunId};
use manos_ports::{RunContext, Settled};

mod bind;
mod database;
mod failure;
mod journal;
mod lane;
mod plan;
mod rows;

pub use database::{DatabaseError, Databases, SqliteDatabase};
pub use journal::JOURNAL_TABLE;

use crate::executor::{RunParts, ToolProblem};
use crate::stop::{Stop, stopped};
use lane::{LaneEnd, Ticket};
use plan::{Call, Plan, SqlEnd};

/// How long settling may take when the run has no timeout.
const SETTLE_WAIT_MAX: Duration = Duration::from_secs(15);

/// A tool that runs SQL.
///
/// Arguments are bound to `:name`; a missing one is null, an array or object is its JSON text,
/// `true` is 1, and a number that the database cannot keep exactly is refused. `:ctx_chat`,
/// `:ctx_user`, `:ctx_channel`, `:ctx_locale`, `:ctx_now` and `:ctx_run` come from the run and win
/// over arguments of the same name.
///
/// # Shape
///
/// The last statement's rows are the result: an array of objects, or with `one_row` the first
/// row's object and `null` when there is none. A last statement that has no columns (an `insert`
/// without `returning`) gives `{"changed": N}`.
///
/// Text stays text, except in a column that is JSON: one written as a call of a JSON function
/// ([`manos_wire_tool::sql::ResultColumn::json`]), one declared with type `JSON`, or one named
/// `json`. Its text is read as JSON where that is what it is. A row whose only column is JSON and
/// has no name, or is named `json` or `result`, *is* that array or object.
///
/// A result, or only row, whose `error` is neither null nor false is the tool saying no: the
/// transaction is rolled back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SqlSpec {
    /// The database's name.
    pub database: String,
    /// One statement or several.
    pub query: String,
    /// Whether the result is one object.
    pub one_row: bool,
    /// Whether a run that writes is written down in [`JOURNAL_TABLE`].
    pub journal: bool,
    /// Whether it may not write. A query that surely only reads never writes anyway.
    pub read_only: bool,
}

/// A spec whose SQL was read and whose database is there.
#[derive(Debug)]
pub(crate) struct SqlTool {
    database: Arc<SqliteDatabase>,
    plan: Arc<Plan>,
}

impl SqlTool {
    pub(crate) fn new(spec: &SqlSpec, databases: &Databases) -> Result<Self, ToolProblem> {
        let database = databases
            .get(&spec.database)
            .ok_or_else(|| ToolProblem::UnknownDatabase { database: spec.database.clone() })?;
        let plan = Plan::new(spec).map_err(|source| ToolProblem::Sql { source })?;
        if plan.statements.is_empty() {
            return Err(ToolProblem::EmptySql);
        }
        if let Some(name) = plan.names.iter().find(|name| bind::is_unknown_fact(name)) {
            return Err(ToolProblem::UnknownFact { name: name.clone() });
        }
        Ok(Self { database: Arc::clone(database), plan: Arc::new(plan) })
    }

    pub(crate) async fn run(&self, run: RunParts<'_>) -> RunEnd {
        let RunParts { run_id, context, .. } = run;
        let stop = stopped(run.cancel, Instant::now(), context.timeout);
        let values = match bind::values(&self.plan.names, run.arguments, run_id, context) {
            Ok(values) => values,
            Err(message) => return RunEnd::NotDone(Failure::Failed { message }),
        };
        let call = Call {
            values,
            run_id: run_id.clone(),
            tool: run.tool.clone(),
            at: context.written_at(),
            result_bytes_max: context.result_bytes_max,
        };
        let plan = Arc::clone(&self.plan);
        let end = match self.database.readers().filter(|_| self.plan.reads_only) {
            Some(readers) => {
                readers.run(stop, move |db, ticket| plan.read(db, ticket, &call)).await
            }
            None if self.plan.reads_only => {
                let work = move |db: &mut Connection, ticket: &Ticket| {
                    query_only(db, |db| plan.read(db, ticket, &call))
                };
                self.database.writer().run(stop, work).await
            }
            None => {
                let writer = self.database.writer();
                writer.run(stop, move |db, ticket| plan.write(db, ticket, &call)).await
            }
        };
        run_end(end, self.plan.reads_only)
    }

    /// Prepares each statement; the error is the database's own.
    pub(crate) async fn check(&self) -> Result<(), String> {
        let plan = Arc::clone(&self.plan);
        let never = CancellationToken::new();
        let stop = stopped(&never, Instant::now(), Some(SETTLE_WAIT_MAX));
        let nulls = vec![Stored::Null; plan.names.len()];
        let work = move |db: &mut Connection, _: &Ticket| {
            plan.statements.iter().try_for_each(|statement| {
                plan.bind(&mut *db.prepare_cached(&statement.text)?, &nulls)
            })
        };
        let end: LaneEnd<rusqlite::Result<()>> = self.database.writer().run(stop, work).await;
        match end {
            LaneEnd::Ended(result, _) => result.map_err(|error| error.to_string()),
            _ => Err("the database did not answer in time".to_owned()),
        }
    }

    /// Says whether the run is written down.
    pub(crate) async fn settle(&self, run_id: &RunId, context: &RunContext) -> Settled {
        if self.plan.reads_only {
            return Settled::NotDone;
        }
        if !self.plan.journal {
            return Settled::Unknown;
        }
        let timeout = context.timeout.unwrap_or(SETTLE_WAIT_MAX);
        let never = CancellationToken::new();
        let stop = stopped(&never, Instant::now(), Some(timeout));
        let run_id = run_id.clone();
        // The connection that writes, since only it may bring a torn journal back into order.
        let work = move |db: &mut Connection, _: &Ticket| {
            if !journal::exists(db)? {
                return Ok(None);
            }
            journal::find(db, run_id.as_str())
        };
        let end: LaneEnd<rusqlite::Result<Option<Value>>> =
            self.database.writer().run(stop, work).await;
        match end {
            LaneEnd::Ended(Ok(Some(result)), _) => Settled::Done(result),
            LaneEnd::Ended(Ok(None), _) => Settled::NotDone,
            LaneEnd::Ended(Err(error), _) => {
                tracing::warn!(%error, "a run could not be settled from its database");
                Settled::Unknown
            }
            LaneEnd::NotStarted(_) | LaneEnd::StillRunning(_) | LaneEnd::Lost => Settled::Unknown,
        }
    }
}

fn run_end(end: LaneEnd<Result<Value, SqlEnd>>, reads_only: bool) -> RunEnd {
    let lost = || Failure::Failed { message: "the database work was lost".to_owned() };
    match end {
        LaneEnd::Ended(Ok(result), _) => RunEnd::Done(result),
        LaneEnd::Ended(Err(SqlEnd::NotDone(failure)), _) => RunEnd::NotDone(failure),
        LaneEnd::Ended(Err(SqlEnd::Unknown(failure)), _) => RunEnd::Unknown(failure),
        LaneEnd::Ended(Err(SqlEnd::Stopped), stop) => {
            RunEnd::NotDone(stop.unwrap_or(Stop::Cancelled).undone())
        }
        LaneEnd::NotStarted(stop) => RunEnd::NotDone(stop.undone()),
        LaneEnd::StillRunning(stop) if reads_only => RunEnd::NotDone(stop.undone()),
        LaneEnd::StillRunning(stop) => RunEnd::Unknown(stop.unclear()),
        LaneEnd::Lost if reads_only => RunEnd::NotDone(lost()),
        LaneEnd::Lost => RunEnd::Unknown(lost()),
    }
}

/// For a database in memory, whose one connection must not write now.
fn query_only<T>(db: &mut Connection, work: impl FnOnce(&mut Connection) -> T) -> T {
    let set = |db: &Connection, on: bool| {
        if let Err(error) = db.pragma_update(None, "query_only", on) {
            tracing::warn!(%error, "query_only could not be set");
        }
    };
    set(db, true);
    let end = work(db);
    set(db, false);
    end
}

#[cfg(test)]
mod tests;

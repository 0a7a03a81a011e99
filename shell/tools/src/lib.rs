//! Runs approved calls: SQL, commands, HTTP endpoints and native handlers.
//!
//! Each runner stops at its timeout or when its token fires, and then says what is known: *not
//! done* where it could be undone or never began, *unknown* elsewhere. What a failing tool says is
//! masked and cut before anybody reads it.

mod command;
mod executor;
#[cfg(test)]
mod fixture;
mod http;
mod native;
mod sql;
mod stop;

pub use command::{COMMAND_OUTPUT_BYTES_MAX, CommandSpec};
pub use executor::{Executor, ExecutorBuilder, ExecutorError, LateEnd, Runner, ToolProblem};
pub use http::{EndpointSpec, HttpTools};
pub use native::{NativeContext, NativeError, NativeTool, native, native_blocking};
pub use sql::{DatabaseError, Databases, JOURNAL_TABLE, SqlSpec, SqliteDatabase};

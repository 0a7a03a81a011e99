//! One file for each command.

pub(crate) mod audit;
pub(crate) mod call;
pub(crate) mod chat;
pub(crate) mod chats;
pub(crate) mod check;
pub(crate) mod classify;
pub(crate) mod completions;
pub(crate) mod init;
pub(crate) mod replay;
pub(crate) mod reset;
pub(crate) mod runs;
pub(crate) mod schema;
pub(crate) mod tools;

use std::future::Future;

use crate::failure::Failure;

/// Runs a future to its end on all cores.
pub(crate) fn block_on<T>(future: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::failed(format!("no threads can be started: {error}")))?
        .block_on(future)
}

//! One file for each command.

pub(crate) mod audit;
pub(crate) mod call;
pub(crate) mod chat;
pub(crate) mod chats;
pub(crate) mod check;
pub(crate) mod classify;
pub(crate) mod completions;
pub(crate) mod deliveries;
pub(crate) mod import;
pub(crate) mod init;
pub(crate) mod notices;
pub(crate) mod replay;
pub(crate) mod reset;
pub(crate) mod runs;
pub(crate) mod schema;
#[cfg(feature = "serve")]
pub(crate) mod serve;
pub(crate) mod signing;
pub(crate) mod tools;

use std::future::Future;
use std::sync::Arc;

use manos::config::StoreConfig;
use manos::open_store_to_read;
use manos::ports::Store;

use crate::agent_file::LoadedFile;
use crate::failure::Failure;

/// Opens what an agent has stored, to look at it; also while another process writes to it.
pub(crate) fn stored(file: &LoadedFile) -> Result<Arc<dyn Store>, Failure> {
    let store = &file.agent.store;
    if matches!(store, StoreConfig::Memory) {
        return Err(Failure::failed("`store: memory` forgets everything when the agent stops")
            .hint("give the file a store that stays: `store: sqlite:NAME.db`"));
    }
    if let StoreConfig::Sqlite { path } = store
        && !file.folder.join(path).exists()
    {
        return Err(Failure::failed(format!("nothing is kept yet: there is no file {path}"))
            .hint("talk to the agent first: manos chat FILE"));
    }
    Ok(open_store_to_read(store, &file.folder)?)
}

/// Runs a future to its end on all cores.
pub(crate) fn block_on<T>(future: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::failed(format!("no threads can be started: {error}")))?;
    let end = runtime.block_on(future);
    // A thread that waits for the next line of standard input may wait for ever.
    runtime.shutdown_background();
    end
}

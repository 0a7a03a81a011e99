//! Copying the write-ahead log into the file, beside the commits.

use std::sync::Arc;
use std::sync::mpsc::{SyncSender, TrySendError, sync_channel};
use std::thread::JoinHandle;

use rusqlite::Connection;

use super::counters::Counters;
use super::open;
use super::place::Place;

/// From this length of the log on (4 MiB) it is copied into the file by a thread of its own.
pub(crate) const LOG_PAGES: u32 = 1_024;

/// From this length on (64 MiB) the writer copies it itself and commits wait: under a load that
/// never pauses the log could otherwise grow without end.
pub(crate) const LOG_PAGES_MAX: u32 = 16_384;

/// Copies what can be copied without waiting for anybody.
pub(crate) fn run(connection: &Connection) -> rusqlite::Result<()> {
    connection.prepare_cached("PRAGMA wal_checkpoint(PASSIVE)")?.query_row([], |_| Ok(()))
}

/// The thread that copies; it is started when it is first needed.
#[derive(Debug)]
pub(crate) struct Checkpointer {
    place: Place,
    counters: Arc<Counters>,
    running: Option<(SyncSender<()>, JoinHandle<()>)>,
}

impl Checkpointer {
    /// Makes the handle; starts nothing.
    pub(crate) fn new(place: &Place, counters: Arc<Counters>) -> Self {
        Self { place: place.clone(), counters, running: None }
    }

    /// Asks for one round. Does nothing while one is running already.
    pub(crate) fn wake(&mut self) {
        if self.running.is_none() {
            self.running = self.start();
        }
        if let Some((wake, _)) = &self.running
            && let Err(TrySendError::Disconnected(())) = wake.try_send(())
        {
            tracing::warn!(store = %self.place, "the thread that shortens the log has stopped");
            self.running = None;
        }
    }

    fn start(&self) -> Option<(SyncSender<()>, JoinHandle<()>)> {
        let (wake, woken) = sync_channel(1);
        let (place, counters) = (self.place.clone(), Arc::clone(&self.counters));
        let work = move || {
            let connection = match open::checkpointer(&place) {
                Ok(connection) => connection,
                Err(error) => {
                    tracing::warn!(store = %place, %error, "the log cannot be shortened");
                    return;
                }
            };
            while woken.recv().is_ok() {
                counters.count_checkpoint();
                if let Err(error) = run(&connection) {
                    tracing::warn!(store = %place, %error, "the log could not be shortened");
                }
            }
        };
        let thread = std::thread::Builder::new().name("manos-store-log".to_owned()).spawn(work);
        match thread {
            Ok(thread) => Some((wake, thread)),
            Err(error) => {
                tracing::warn!(store = %self.place, %error, "no thread to shorten the log");
                None
            }
        }
    }
}

impl Drop for Checkpointer {
    fn drop(&mut self) {
        if let Some((wake, thread)) = self.running.take() {
            drop(wake);
            if thread.join().is_err() {
                tracing::error!(store = %self.place, "the thread that shortens the log panicked");
            }
        }
    }
}

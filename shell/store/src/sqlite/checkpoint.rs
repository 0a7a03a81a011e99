//! Copying the write-ahead log into the file, beside the commits.

use std::sync::Arc;
use std::sync::mpsc::{SyncSender, TrySendError, sync_channel};
use std::thread::JoinHandle;

use rusqlite::Connection;

use super::counters::Counters;
use super::open;
use super::place::Place;

/// Each time the log has grown by so much (4 MiB), a thread of its own copies it into the file.
const LOG_PAGES: u32 = 1_024;

/// From this length on (32 MiB) the writer copies the rest itself while commits wait: the log
/// starts anew only when all of it was copied, which under a load that never pauses the thread
/// beside never achieves.
const LOG_PAGES_MAX: u32 = 8_192;

/// What to do about the log after a transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Due {
    /// Nothing: little has come since.
    Nothing,
    /// Copy it beside the commits.
    Beside,
    /// Copy it before the next commit.
    Now,
}

/// Remembers how long the log was when it was last dealt with.
#[derive(Debug, Default)]
pub(crate) struct Schedule {
    pages_seen: u32,
}

impl Schedule {
    /// Decides, for a log that is so long now.
    pub(crate) fn due(&mut self, pages: u32) -> Due {
        if pages < self.pages_seen {
            // It has started anew.
            self.pages_seen = 0;
        }
        if pages < self.pages_seen.saturating_add(LOG_PAGES) {
            return Due::Nothing;
        }
        self.pages_seen = pages;
        if pages >= LOG_PAGES_MAX { Due::Now } else { Due::Beside }
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_log_is_copied_for_each_stretch_it_grows() {
        let mut schedule = Schedule::default();
        let cases = [
            ("short", 1_000, Due::Nothing),
            ("a stretch", 1_030, Due::Beside),
            ("little more", 2_000, Due::Nothing),
            ("another stretch", 2_054, Due::Beside),
            ("started anew", 10, Due::Nothing),
            ("a stretch after that", 1_024, Due::Beside),
            ("one huge commit", 9_000, Due::Now),
            ("still not started anew: a reader is in the way", 9_500, Due::Nothing),
            ("tried again a stretch later", 10_024, Due::Now),
        ];
        for (why, pages, expected) in cases {
            assert_eq!(schedule.due(pages), expected, "{why}");
        }
    }
}

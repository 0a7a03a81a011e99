//! The event store: in memory and SQLite, behind one contract.
//!
//! [`MemoryStore`] forgets everything with its process; [`SqliteStore`] keeps it in one file that
//! one process at a time may write. Both pass `manos_testkit::store_contract!`, which is where the
//! behaviour they share is written down. This package keeps bytes: it never looks into an event,
//! a state or a history, except to put `id` in front of an audit event.

mod lines;
mod memory;
mod sqlite;

pub use memory::MemoryStore;
pub use sqlite::{SqliteOptions, SqliteStore, StoreCounters};

//! The event store: in memory and SQLite, behind one contract.

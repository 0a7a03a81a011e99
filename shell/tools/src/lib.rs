//! Runs approved calls: SQL, commands and native handlers.

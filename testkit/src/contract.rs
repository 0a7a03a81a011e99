//! What every implementation of a port must do, as tests that each implementation runs.

#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]
#![expect(clippy::panic, reason = "a test stops at the first surprise")]
#![expect(clippy::missing_panics_doc, reason = "each case panics when what its name says fails")]

pub mod store;

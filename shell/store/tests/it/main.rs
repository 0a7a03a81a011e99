//! The stores from outside.

#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]
#![expect(clippy::panic, reason = "a test stops at the first surprise")]

mod bad_places;
mod child;
mod contract;
mod crash;
mod full_disk;
mod golden;
mod groups;
mod lock;
mod log_length;
mod sample;

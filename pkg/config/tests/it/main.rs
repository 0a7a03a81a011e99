//! Whole files: good ones, bad ones, and any text at all.
#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod any_text;
mod bad_files;
mod good_files;
mod traps;
mod world;

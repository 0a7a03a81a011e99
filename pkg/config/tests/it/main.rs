//! Whole files: good ones, bad ones, and any text at all.
#![expect(clippy::panic, clippy::unwrap_used, reason = "a test stops at the first surprise")]
#![expect(clippy::disallowed_methods, reason = "the files of a test are read from a folder")]

mod any_text;
mod bad_files;
mod error_pages;
mod good_files;
mod traps;
mod world;

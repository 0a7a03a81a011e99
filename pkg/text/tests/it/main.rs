//! What the package promises from outside: the questions of every language, and properties.
#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod properties;
mod questions;

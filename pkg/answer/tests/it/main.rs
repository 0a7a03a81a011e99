//! The rows of `fixtures/answers/`, and properties that hold for any message.

#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod rows;

//! Chats played as scripts, what must always hold, and the stored form.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test stops at the first surprise")]

#[path = "../../../engine/tests/it/agent.rs"]
mod agent;
mod script;
mod watch;

mod answers;
mod bounds;
mod cost;
mod crashes;
mod effects;
mod gathering;
mod keeping;
mod known_calls;
mod left_over;
mod properties;
mod questions;
mod routing;
mod rules;
mod stored;

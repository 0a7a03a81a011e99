//! Turns alone, event by event. Whole chats are played in `manos-chat`, over the same agents.

#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

#[expect(dead_code, reason = "the chats of manos-chat use the rest")]
mod agent;
mod stage;
mod turn;

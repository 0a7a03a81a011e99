//! Drives chats: decides, keeps, acts.
//!
//! The loop is the same for every chat: take an event, let the pure core decide, keep the event and
//! the state in the store, and only then start what it causes. Nothing here decides; every rule is
//! in `manos-chat` and below.
//!
//! | file | subject |
//! | --- | --- |
//! | `runtime.rs` | the handle: delivering, waiting, shutting down |
//! | `registry.rs` | which chats are awake |
//! | `actor.rs` | one awake chat |
//! | `commit.rs` | a decision as one commit of the store |
//! | `effects.rs` | model calls and tool runs |
//! | `late.rs` | whose run it was, for ends that come late |
//! | `outbox.rs` | one output on its way |
//! | `remembered.rs` | how long message ids and calls from outside are known |
//! | `system.rs` | the machine's clock and chance |

mod actor;
mod commit;
mod effects;
mod late;
mod outbox;
mod registry;
mod remembered;
mod runtime;
mod system;

pub use commit::Batch;
pub use remembered::CALLS_KEPT;
pub use runtime::{
    CallError, DeliverError, Ended, KnownOutcome, Parts, Receipt, Runtime, agent_chat,
};
pub use system::{Chance, SystemChance, SystemClock};

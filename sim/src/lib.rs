//! Chats, people, models, tools, channels, stores and clocks, played from one number; with faults
//! at every boundary, and a watch over what is promised.
//!
//! A *world* is drawn from its number and played step by step: [`play()`]. It is watched from
//! outside: what is kept, and what reaches tools, models and people. A world that breaks a promise
//! is cut down to the steps that matter: [`shrink()`].
//!
//! | file | subject |
//! | --- | --- |
//! | `step.rs` | the language of scenarios |
//! | `agent.rs` | the agents that are played |
//! | `world.rs` | everything but the process, and what really happened |
//! | `watch.rs` | what must hold |
//! | `process.rs` | a process without threads and timers |
//! | `real.rs` | the same worlds through `manos-runtime` |
//! | `play.rs` | a world from its first step until it is at rest |
//! | `shrink.rs` | dropping steps |

mod agent;
mod chance;
mod play;
mod process;
mod real;
mod shrink;
mod step;
mod watch;
mod world;

pub use play::{Played, play, replay};
pub use real::play_real;
pub use shrink::shrink;
pub use step::Step;
pub use watch::{Broken, Promise};

//! `manos chat` with a person at a terminal: the command in a window of tmux, keys in, screen out.
//!
//! | file | subject |
//! | --- | --- |
//! | `window.rs` | a window of tmux with the command in it |
//! | `model.rs` | a model that answers slowly |
//! | `questions.rs` | answering by key, by words, not at all |
//! | `turns.rs` | what is seen while a turn runs |
//! | `looks.rs` | narrow windows, terminals that can do less |
//! | `leaving.rs` | leaving, and coming back |

#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]
#![expect(clippy::panic, reason = "a screen that never comes is shown")]

mod leaving;
mod looks;
mod model;
mod questions;
mod turns;
mod window;

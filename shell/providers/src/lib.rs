//! Model providers over the network, and the scripted one.
//!
//! Each keeps the [`Provider`](manos_ports::Provider) port: what goes over the wire is written and
//! read by `manos-wire-llm`, sent by `manos-net`; what is left to own here is the order of tries,
//! the model timeout and cancelling. [`HttpModel`] knows no provider by name: a further one is a
//! dialect of `manos-wire-llm` and a line in the registry of the composition root.

mod failure;
mod fallback;
mod http_model;
mod scripted;
mod tries;

pub use fallback::{Candidate, DOWN_FOR, Fallback};
pub use http_model::{HttpModel, HttpModelConfig, MODEL_IDLE_WAIT, TOOL_SETS_KEPT_MAX};
pub use scripted::{Scripted, ScriptedError};

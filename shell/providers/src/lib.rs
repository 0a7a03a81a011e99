//! Model providers over the network, and the scripted one.
//!
//! Each keeps the [`Provider`](manos_ports::Provider) port: what goes over the wire is written and
//! read by `manos-wire-llm`, sent by `manos-net`; what is left to own here is the order of tries,
//! the model timeout and cancelling. A further provider is a file beside `openai.rs`.

mod failure;
mod openai;
mod scripted;
mod tries;

pub use openai::{OpenAi, OpenAiConfig, TOOL_SETS_KEPT_MAX};
pub use scripted::{Scripted, ScriptedError};

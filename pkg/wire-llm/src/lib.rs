//! Model dialects: request to bytes, bytes to a reply. No sockets, no clock.
//!
//! - [`SseReader`] turns bytes cut anywhere into events, [`Assembler`] turns pieces of tool calls
//!   into calls, [`NameTable`] maps tool names, [`acceptable`] makes any list of messages one that
//!   every provider takes: shared by all dialects.
//! - [`openai`] is the one dialect so far: OpenAI Chat Completions. A further one is a folder beside
//!   it with the same files.
//! - [`RetryPolicy`] decides on further tries; [`Script`] is the model that needs no network.

mod assemble;
mod decode_error;
mod mend;
mod names;
pub mod openai;
mod pieces;
mod retry;
mod script;
mod sse;
mod trouble;

pub use assemble::{
    AssembleError, Assembler, CALL_BYTES_MAX, CALLS_BYTES_MAX, CALLS_MAX, CallPiece, NAME_BYTES_MAX,
};
pub use decode_error::DecodeError;
pub use mend::{Told, acceptable};
pub use names::{NameTable, WIRE_NAME_BYTES_MAX};
pub use retry::{RetryPolicy, Trouble, is_passing, retry_after};
pub use script::{NoEntry, Script, ScriptCall, ScriptEntry, ScriptWhen, script_values};
pub use sse::{EVENT_BYTES_MAX, SseError, SseEvent, SseReader};
pub use trouble::{MESSAGE_CHARS_MAX, Refusal, safe_words};

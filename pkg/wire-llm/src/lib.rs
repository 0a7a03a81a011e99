//! Model dialects: request to bytes, bytes to a reply. No sockets, no clock.
//!
//! - [`Dialect`] is what a family of providers is: how a request becomes bytes and bytes a reply. Its
//!   file says how to add one. [`anthropic`] is Anthropic Messages, [`gemini`] Google's
//!   generateContent, [`openai`] OpenAI Chat Completions, [`responses`] OpenAI Responses, [`ollama`]
//!   Ollama's own API.
//! - Shared by all dialects: [`Decoder`] finds out what kind of body comes, [`SseReader`] turns bytes
//!   cut anywhere into events, [`Assembler`] turns pieces of tool calls into calls, [`EncodedTools`]
//!   with [`NameTable`] maps tools there and back, [`acceptable`] makes any list of messages one
//!   that every provider takes.
//! - [`RetryPolicy`] decides on further tries; [`Script`] is the model that needs no network.

pub mod anthropic;
mod assemble;
mod body;
mod complaints;
mod decode_error;
mod dialect;
mod error_words;
pub mod gemini;
#[cfg(test)]
mod histories;
mod leaked;
mod lenient;
mod lower;
mod map_back;
mod mend;
mod names;
pub mod ollama;
pub mod openai;
mod pieces;
#[cfg(test)]
mod recorded;
mod refusals;
pub mod responses;
mod retry;
#[cfg(test)]
mod sample;
mod script;
mod sse;
mod tools;
mod trouble;
#[cfg(test)]
mod variations;
mod write;

pub use assemble::{
    AssembleError, Assembler, CALL_BYTES_MAX, CALLS_BYTES_MAX, CALLS_MAX, CallPiece, NAME_BYTES_MAX,
};
pub use body::{Decoder, OPAQUE_BYTES_MAX, REPLY_BYTES_MAX, ReplyReader};
pub use decode_error::DecodeError;
pub use dialect::{
    CallOptions, Dialect, KeepAlive, KeyPlace, Setting, Streaming, Strict, ToolChoice, WireRequest,
    endpoint,
};
pub use lower::{Change, Compiled, Note, SchemaForm, compile, refused};
pub use map_back::{MAP_BACK_BYTES_MAX, MapBack};
pub use mend::{IdAlphabet, IdForm, Told, acceptable, acceptable_as};
pub use names::{NameTable, WIRE_NAME_BYTES_MAX};
pub use retry::{RetryPolicy, Trouble, is_passing, retry_after};
pub use script::{NoEntry, Script, ScriptCall, ScriptEntry, ScriptWhen, script_values};
pub use sse::{EVENT_BYTES_MAX, SseError, SseEvent, SseReader};
pub use tools::EncodedTools;
pub use trouble::{MESSAGE_CHARS_MAX, Refusal, safe_words};

//! OpenAI Chat Completions, as OpenAI and the many servers that copy it speak it.
//!
//! [`encode()`] makes a request's body out of ready bytes, [`Decoder`] takes the response's bytes as
//! they come, streamed or not, and [`refusal`] reads a response that is an error. Quirks are taken
//! as a matter of course: every field may be absent or of an odd kind, only the end mark is asked for.
//!
//! # Source
//!
//! <https://platform.openai.com/docs/api-reference/chat>, and for the quirks `SOURCE.md` beside the
//! recorded cases.

mod decode;
mod encode;
mod failure;
mod lower;
mod types;

pub use decode::{Decoder, OPAQUE_BYTES_MAX, REPLY_BYTES_MAX};
pub use encode::{EncodedTools, Streaming, encode, endpoint};
pub use failure::refusal;

/// The family of the opaque items that this dialect makes and takes.
pub const FAMILY: &str = "openai-chat";

#[cfg(test)]
mod tests;

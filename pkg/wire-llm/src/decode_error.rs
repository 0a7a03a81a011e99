//! Why bytes are no reply.

use thiserror::Error;

use manos_model::{ModelFailure, ModelFailureKind};

use crate::{AssembleError, Refusal, SseError};

/// Why the bytes of a successful response do not make a reply.
#[derive(Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum DecodeError {
    /// The tool calls cannot be put together.
    #[error("the reply's tool calls cannot be put together: {0}")]
    Assemble(#[from] AssembleError),
    /// The body is compressed, which nobody asked for.
    #[error(
        "the model's server answered compressed, which it was not asked to do: check model.base_url and what stands between"
    )]
    Compressed,
    /// Nothing came.
    #[error("the model's server answered with nothing")]
    Empty,
    /// The body is a web page.
    #[error("the model's server answered with a web page: check model.base_url")]
    Html,
    /// The stream carried an error in place of a reply, or in the middle of one.
    #[error("{}", .0.failure.message)]
    InBand(Refusal),
    /// Data that is no JSON.
    #[error("the model's server sent something that is no JSON")]
    NotJson,
    /// JSON, but no reply.
    #[error("the model's server answered with JSON that is no reply: check model.base_url")]
    NotAReply,
    /// The stream cannot be read on.
    #[error("the model's reply cannot be read: {0}")]
    Sse(#[from] SseError),
    /// More than the decoder takes.
    #[error("the model's reply is larger than {max} bytes")]
    TooLarge {
        /// The limit.
        max: usize,
    },
    /// The stream ended before the provider ended the reply.
    #[error("the model's reply broke off before its end")]
    Truncated,
}

impl DecodeError {
    /// Returns the failure as the turn takes it.
    pub fn failure(&self) -> ModelFailure {
        match self {
            Self::InBand(refusal) => refusal.failure.clone(),
            Self::Compressed | Self::Html => {
                ModelFailure { kind: ModelFailureKind::Config, message: self.to_string() }
            }
            Self::Assemble(_)
            | Self::Empty
            | Self::NotAReply
            | Self::NotJson
            | Self::Sse(_)
            | Self::TooLarge { .. }
            | Self::Truncated => {
                ModelFailure { kind: ModelFailureKind::BadReply, message: self.to_string() }
            }
        }
    }
}

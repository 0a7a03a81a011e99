//! The wire structs, and only those. Everything is optional, and what has an odd kind is absent.

use serde_json::value::RawValue;

use crate::lenient::{Many, One, Raw};

/// An event of a stream.
#[derive(Debug, Default, serde::Deserialize)]
pub(super) struct Event<'a> {
    #[serde(borrow, default)]
    pub(super) arguments: Raw<'a>,
    #[serde(borrow, default)]
    pub(super) content_index: Raw<'a>,
    #[serde(borrow, default)]
    pub(super) delta: Raw<'a>,
    #[serde(borrow, default)]
    pub(super) error: Raw<'a>,
    #[serde(borrow, default)]
    pub(super) input: Raw<'a>,
    #[serde(borrow, default)]
    pub(super) item: Raw<'a>,
    #[serde(borrow, default)]
    pub(super) item_id: Raw<'a>,
    #[serde(borrow, default, rename = "type")]
    pub(super) kind: Raw<'a>,
    #[serde(borrow, default)]
    pub(super) output_index: Raw<'a>,
    #[serde(borrow, default)]
    pub(super) part: One<Part<'a>>,
    #[serde(borrow, default)]
    pub(super) refusal: Raw<'a>,
    #[serde(borrow, default)]
    pub(super) response: One<Response<'a>>,
    #[serde(borrow, default)]
    pub(super) text: Raw<'a>,
}

/// A whole response.
#[derive(Debug, Default, serde::Deserialize)]
pub(super) struct Response<'a> {
    #[serde(borrow, default)]
    pub(super) error: Raw<'a>,
    #[serde(borrow, default)]
    pub(super) incomplete_details: One<Incomplete<'a>>,
    /// Each as its text, since reasoning goes back byte for byte.
    #[serde(borrow, default)]
    pub(super) output: Option<Many<&'a RawValue>>,
    #[serde(borrow, default)]
    pub(super) status: Raw<'a>,
    #[serde(borrow, default)]
    pub(super) usage: One<Usage<'a>>,
}

/// Why a response is not complete.
#[derive(Debug, Default, serde::Deserialize)]
pub(super) struct Incomplete<'a> {
    #[serde(borrow, default)]
    pub(super) reason: Raw<'a>,
}

/// An item of the output, of any type.
#[derive(Debug, Default, serde::Deserialize)]
pub(super) struct Item<'a> {
    #[serde(borrow, default)]
    pub(super) arguments: Raw<'a>,
    #[serde(borrow, default)]
    pub(super) call_id: Raw<'a>,
    #[serde(borrow, default)]
    pub(super) content: Many<One<Part<'a>>>,
    #[serde(borrow, default)]
    pub(super) encrypted_content: Raw<'a>,
    #[serde(borrow, default)]
    pub(super) id: Raw<'a>,
    #[serde(borrow, default)]
    pub(super) input: Raw<'a>,
    #[serde(borrow, default, rename = "type")]
    pub(super) kind: Raw<'a>,
    #[serde(borrow, default)]
    pub(super) name: Raw<'a>,
    #[serde(borrow, default)]
    pub(super) phase: Raw<'a>,
    #[serde(borrow, default)]
    pub(super) status: Raw<'a>,
    #[serde(borrow, default)]
    pub(super) summary: Raw<'a>,
}

/// A part of a message.
#[derive(Debug, Default, serde::Deserialize)]
pub(super) struct Part<'a> {
    #[serde(borrow, default)]
    pub(super) refusal: Raw<'a>,
    #[serde(borrow, default)]
    pub(super) text: Raw<'a>,
}

/// Tokens.
#[derive(Debug, Default, serde::Deserialize)]
pub(super) struct Usage<'a> {
    #[serde(borrow, default)]
    pub(super) input_tokens: Raw<'a>,
    #[serde(borrow, default)]
    pub(super) input_tokens_details: One<InputDetails<'a>>,
    #[serde(borrow, default)]
    pub(super) output_tokens: Raw<'a>,
    #[serde(borrow, default)]
    pub(super) output_tokens_details: One<OutputDetails<'a>>,
}

/// Of the request.
#[derive(Debug, Default, serde::Deserialize)]
pub(super) struct InputDetails<'a> {
    #[serde(borrow, default)]
    pub(super) cached_tokens: Raw<'a>,
}

/// Of the reply.
#[derive(Debug, Default, serde::Deserialize)]
pub(super) struct OutputDetails<'a> {
    #[serde(borrow, default)]
    pub(super) reasoning_tokens: Raw<'a>,
}

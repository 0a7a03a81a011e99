//! The wire structs, and only those. Everything is optional, and what has an odd kind is absent.

use serde_json::value::RawValue;

use crate::lenient::{Many, One, Raw};

/// An event of a stream, or a whole response.
#[derive(Debug, Default, serde::Deserialize)]
pub(super) struct Event<'a> {
    #[serde(borrow, default)]
    pub(super) content: Many<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) content_block: Raw<'a>,
    #[serde(borrow, default)]
    pub(super) delta: One<Delta<'a>>,
    #[serde(borrow, default)]
    pub(super) error: Raw<'a>,
    #[serde(borrow, default)]
    pub(super) index: Raw<'a>,
    #[serde(borrow, default, rename = "type")]
    pub(super) kind: Raw<'a>,
    #[serde(borrow, default)]
    pub(super) message: One<Message<'a>>,
    #[serde(borrow, default)]
    pub(super) stop_reason: Raw<'a>,
    #[serde(borrow, default)]
    pub(super) usage: One<Usage<'a>>,
}

/// The message that a stream begins with; it has no content yet.
#[derive(Debug, Default, serde::Deserialize)]
pub(super) struct Message<'a> {
    #[serde(borrow, default)]
    pub(super) usage: One<Usage<'a>>,
}

/// A piece of a block, or the end of the message.
#[derive(Debug, Default, serde::Deserialize)]
pub(super) struct Delta<'a> {
    #[serde(borrow, default, rename = "type")]
    pub(super) kind: Raw<'a>,
    #[serde(borrow, default)]
    pub(super) partial_json: Raw<'a>,
    #[serde(borrow, default)]
    pub(super) signature: Raw<'a>,
    #[serde(borrow, default)]
    pub(super) stop_reason: Raw<'a>,
    #[serde(borrow, default)]
    pub(super) text: Raw<'a>,
    #[serde(borrow, default)]
    pub(super) thinking: Raw<'a>,
}

/// A block: the whole of it, or how it begins.
#[derive(Debug, Default, serde::Deserialize)]
pub(super) struct Block<'a> {
    #[serde(borrow, default)]
    pub(super) id: Raw<'a>,
    #[serde(borrow, default)]
    pub(super) input: Raw<'a>,
    #[serde(borrow, default, rename = "type")]
    pub(super) kind: Raw<'a>,
    #[serde(borrow, default)]
    pub(super) name: Raw<'a>,
    #[serde(borrow, default)]
    pub(super) signature: Raw<'a>,
    #[serde(borrow, default)]
    pub(super) text: Raw<'a>,
    #[serde(borrow, default)]
    pub(super) thinking: Raw<'a>,
}

/// Tokens.
#[expect(clippy::struct_field_names, reason = "the names are the provider's")]
#[derive(Debug, Default, serde::Deserialize)]
pub(super) struct Usage<'a> {
    #[serde(borrow, default)]
    pub(super) cache_creation_input_tokens: Raw<'a>,
    #[serde(borrow, default)]
    pub(super) cache_read_input_tokens: Raw<'a>,
    #[serde(borrow, default)]
    pub(super) input_tokens: Raw<'a>,
    #[serde(borrow, default)]
    pub(super) output_tokens: Raw<'a>,
}

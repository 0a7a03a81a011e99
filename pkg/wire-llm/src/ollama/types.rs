//! The wire structs, and only those. Everything is optional, and what has an odd kind is absent.

use crate::lenient::{One, OneOrMany, Raw};

/// A line of a stream, or a whole response.
#[derive(Debug, Default, serde::Deserialize)]
pub(super) struct Chunk<'a> {
    #[serde(borrow, default)]
    pub(super) done: Raw<'a>,
    #[serde(borrow, default)]
    pub(super) done_reason: Raw<'a>,
    #[serde(borrow, default)]
    pub(super) error: Raw<'a>,
    #[serde(borrow, default)]
    pub(super) eval_count: Raw<'a>,
    #[serde(borrow, default)]
    pub(super) message: One<Message<'a>>,
    #[serde(borrow, default)]
    pub(super) prompt_eval_count: Raw<'a>,
}

/// A piece of a reply, or the whole of it.
#[derive(Debug, Default, serde::Deserialize)]
pub(super) struct Message<'a> {
    #[serde(borrow, default)]
    pub(super) content: Raw<'a>,
    #[serde(borrow, default)]
    pub(super) thinking: Raw<'a>,
    #[serde(borrow, default)]
    pub(super) tool_calls: OneOrMany<One<Call<'a>>>,
}

/// A call, always whole.
#[derive(Debug, Default, serde::Deserialize)]
pub(super) struct Call<'a> {
    #[serde(borrow, default)]
    pub(super) function: One<Function<'a>>,
    #[serde(borrow, default)]
    pub(super) id: Raw<'a>,
}

/// Name and arguments.
#[derive(Debug, Default, serde::Deserialize)]
pub(super) struct Function<'a> {
    #[serde(borrow, default)]
    pub(super) arguments: Raw<'a>,
    #[serde(borrow, default)]
    pub(super) name: Raw<'a>,
}

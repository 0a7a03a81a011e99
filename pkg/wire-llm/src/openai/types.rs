//! The wire structs, and only those. Everything is optional, and what has an odd kind is absent.

use serde_json::value::RawValue;

use crate::lenient::{Many, One, OneOrMany, Raw};

/// A chunk of a stream, or a whole response.
#[derive(Debug, Default, serde::Deserialize)]
pub(super) struct Chunk<'a> {
    #[serde(borrow, default)]
    pub(super) choices: Many<One<Choice<'a>>>,
    #[serde(borrow, default)]
    pub(super) error: Raw<'a>,
    #[serde(borrow, default)]
    pub(super) object: Raw<'a>,
    #[serde(borrow, default)]
    pub(super) usage: One<Usage<'a>>,
}

/// One of the replies; only the first is read.
#[derive(Debug, Default, serde::Deserialize)]
pub(super) struct Choice<'a> {
    #[serde(borrow, default)]
    pub(super) delta: One<Delta<'a>>,
    #[serde(borrow, default)]
    pub(super) finish_reason: Raw<'a>,
    #[serde(borrow, default)]
    pub(super) index: Raw<'a>,
    #[serde(borrow, default)]
    pub(super) message: One<Delta<'a>>,
}

/// A piece of a reply, or the whole of it.
#[derive(Debug, Default, serde::Deserialize)]
pub(super) struct Delta<'a> {
    #[serde(borrow, default)]
    pub(super) content: Raw<'a>,
    #[serde(borrow, default)]
    pub(super) function_call: One<Function<'a>>,
    #[serde(borrow, default)]
    pub(super) reasoning_content: Raw<'a>,
    #[serde(borrow, default)]
    pub(super) reasoning_details: Many<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) refusal: Raw<'a>,
    #[serde(borrow, default)]
    pub(super) tool_calls: OneOrMany<One<Call<'a>>>,
}

/// A piece of a tool call.
#[derive(Debug, Default, serde::Deserialize)]
pub(super) struct Call<'a> {
    #[serde(borrow, default)]
    pub(super) extra_content: Raw<'a>,
    #[serde(borrow, default)]
    pub(super) function: One<Function<'a>>,
    #[serde(borrow, default)]
    pub(super) id: Raw<'a>,
    #[serde(borrow, default)]
    pub(super) index: Raw<'a>,
}

/// Name and arguments.
#[derive(Debug, Default, serde::Deserialize)]
pub(super) struct Function<'a> {
    #[serde(borrow, default)]
    pub(super) arguments: Raw<'a>,
    #[serde(borrow, default)]
    pub(super) name: Raw<'a>,
}

/// One part of a content that is a list.
#[derive(Debug, Default, serde::Deserialize)]
pub(super) struct ContentPart<'a> {
    #[serde(borrow, default)]
    pub(super) text: Raw<'a>,
}

/// Tokens.
#[derive(Debug, Default, serde::Deserialize)]
pub(super) struct Usage<'a> {
    #[serde(borrow, default)]
    pub(super) completion_tokens: Raw<'a>,
    #[serde(borrow, default)]
    pub(super) completion_tokens_details: One<CompletionDetails<'a>>,
    #[serde(borrow, default)]
    pub(super) prompt_tokens: Raw<'a>,
    #[serde(borrow, default)]
    pub(super) prompt_tokens_details: One<PromptDetails<'a>>,
}

/// Of the reply.
#[derive(Debug, Default, serde::Deserialize)]
pub(super) struct CompletionDetails<'a> {
    #[serde(borrow, default)]
    pub(super) reasoning_tokens: Raw<'a>,
}

/// Of the request.
#[derive(Debug, Default, serde::Deserialize)]
pub(super) struct PromptDetails<'a> {
    #[serde(borrow, default)]
    pub(super) cached_tokens: Raw<'a>,
}

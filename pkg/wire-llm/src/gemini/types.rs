//! The wire structs, and only those. Everything is optional, and what has an odd kind is absent.

use serde_json::value::RawValue;

use crate::lenient::{Many, One, Raw};

/// A chunk of a stream, or a whole response.
#[derive(Debug, Default, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Chunk<'a> {
    #[serde(borrow, default)]
    pub(super) candidates: Many<One<Candidate<'a>>>,
    #[serde(borrow, default)]
    pub(super) error: Raw<'a>,
    #[serde(borrow, default)]
    pub(super) prompt_feedback: One<PromptFeedback<'a>>,
    #[serde(borrow, default)]
    pub(super) usage_metadata: One<UsageMetadata<'a>>,
}

/// One of the replies; only the first is read.
#[derive(Debug, Default, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Candidate<'a> {
    #[serde(borrow, default)]
    pub(super) content: One<Content<'a>>,
    #[serde(borrow, default)]
    pub(super) finish_message: Raw<'a>,
    #[serde(borrow, default)]
    pub(super) finish_reason: Raw<'a>,
    #[serde(borrow, default)]
    pub(super) index: Raw<'a>,
}

/// What a candidate says.
#[derive(Debug, Default, serde::Deserialize)]
pub(super) struct Content<'a> {
    #[serde(borrow, default)]
    pub(super) parts: Many<One<Part<'a>>>,
}

/// One part of it.
#[derive(Debug, Default, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Part<'a> {
    #[serde(borrow, default)]
    pub(super) function_call: One<FunctionCall<'a>>,
    #[serde(borrow, default)]
    pub(super) text: Raw<'a>,
    #[serde(borrow, default)]
    pub(super) thought: Raw<'a>,
    /// Some gateways write it in the other style.
    #[serde(borrow, default, alias = "thought_signature")]
    pub(super) thought_signature: Raw<'a>,
}

/// A call; it always comes whole.
#[derive(Debug, Default, serde::Deserialize)]
pub(super) struct FunctionCall<'a> {
    #[serde(borrow, default)]
    pub(super) args: Raw<'a>,
    #[serde(borrow, default)]
    pub(super) id: Raw<'a>,
    #[serde(borrow, default)]
    pub(super) name: Raw<'a>,
}

/// Why a request was answered with nothing.
#[derive(Debug, Default, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PromptFeedback<'a> {
    #[serde(borrow, default)]
    pub(super) block_reason: Raw<'a>,
}

/// Tokens.
#[expect(clippy::struct_field_names, reason = "the names are the provider's")]
#[derive(Debug, Default, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct UsageMetadata<'a> {
    #[serde(borrow, default)]
    pub(super) cached_content_token_count: Raw<'a>,
    #[serde(borrow, default)]
    pub(super) candidates_token_count: Raw<'a>,
    #[serde(borrow, default)]
    pub(super) prompt_token_count: Raw<'a>,
    #[serde(borrow, default)]
    pub(super) thoughts_token_count: Raw<'a>,
    #[serde(borrow, default)]
    pub(super) tool_use_prompt_token_count: Raw<'a>,
}

/// What an error says beside its words.
#[derive(Debug, Default, serde::Deserialize)]
pub(super) struct ErrorBody<'a> {
    #[serde(borrow, default)]
    pub(super) details: Many<One<Detail<'a>>>,
    #[serde(borrow, default)]
    pub(super) error: Raw<'a>,
}

/// One of the details: only what a quota says of itself is read.
#[derive(Debug, Default, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Detail<'a> {
    #[serde(borrow, default)]
    pub(super) reason: Raw<'a>,
    #[serde(borrow, default)]
    pub(super) retry_delay: Raw<'a>,
    #[serde(borrow, default)]
    pub(super) violations: Many<One<Violation<'a>>>,
}

/// A quota that was used up.
#[derive(Debug, Default, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Violation<'a> {
    #[serde(borrow, default)]
    pub(super) quota_id: Raw<'a>,
    #[serde(borrow, default)]
    pub(super) quota_value: Raw<'a>,
}

/// A whole response that is a list: a stream without `alt=sse`, or an error.
pub(super) type Chunks<'a> = Many<&'a RawValue>;

//! The vocabulary of Manos: ids, messages, tool calls, failures and audit events.
//!
//! Everything here is plain data. Types that are stored use externally tagged enums only, since
//! numbers keep their digits and buffered forms of serde cannot carry them.

mod audit;
mod canonical;
mod cost;
mod fault;
mod ids;
mod message;
mod notice;
mod outcome;
mod path_value;
mod secret;
mod stamp;

pub use audit::{AuditEvent, AuditFields, AuditKind, CursorId};
pub use canonical::{canonical_json, canonical_object, equal_values, sha256_hex};
pub use cost::{Amount, Cost, NoAmount, NoPrice, PRICE_DECIMALS_MAX, Price, Spent};
pub use fault::Fault;
pub use ids::{
    AgentName, ChannelName, ChatKey, ConfirmationId, DeliveryId, MessageId, NoticeEndpointId,
    NoticeEventId, RunId, ToolCallId, ToolName, ToolNameError, TurnId, UserId,
};
pub use message::{
    CallArguments, FinishReason, HistoryEntry, ModelFailure, ModelFailureKind, ModelReply,
    ModelRequest, Opaque, ReplyOrigin, RequestedCall, Role, StepMessage, ToldCall, ToolDeclaration,
    ToolResult, ToolSet, Unanswered, Usage,
};
pub use notice::NoticeTrouble;
pub use outcome::{Failure, RunEnd, RunFact, Violation, says_no};
pub use path_value::{PATH_VALUE_RULE, path_value};
pub use secret::Secret;
pub use stamp::{Ids, Seed, Stamp};

/// An instant, printed as RFC 3339 in UTC.
pub use jiff::Timestamp;

//! May this call run? Access, confirmation and approval.

#![warn(clippy::wildcard_enum_match_arm)]

mod call;

pub use call::{ApprovalRecord, ApprovedCall, Digest, PreparedCall, RunOrder};

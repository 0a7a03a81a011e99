//! May this call run? Access, confirmation and approval.
//!
//! Only this package makes an [`ApprovedCall`]: [`decide`] for tools that need no yes,
//! [`Confirmation::approve`] for a person's yes, [`reapprove`] from a stored record.

#![warn(clippy::wildcard_enum_match_arm)]

mod access;
mod admit;
mod call;
mod confirmation;
mod tool;
mod verdict;

pub use access::{Access, EVERYONE, Role};
pub use admit::{Admitted, NEAR_NAMES_MAX, admit, unknown_tool};
pub use call::{ApprovalRecord, ApprovedCall, Digest, PreparedCall, RunOrder};
pub use confirmation::{Confirmation, ConfirmationError, Who, reapprove};
pub use tool::{Dedupe, ToolSpec};
pub use verdict::{Asking, Standing, Verdict, decide};

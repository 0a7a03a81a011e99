//! Being called by others: what a request of another platform says, whether it is really theirs,
//! by which names a call is known, and the reply.
//!
//! | module | subject |
//! | --- | --- |
//! | `check` | signatures and secrets of each platform |
//! | `exact` | JSON in which no key stands twice |
//! | `identity` | the names by which a call that comes again is known |
//! | `request` | the parts of a request that are looked at |
//! | `reply` | what came of a call, as each platform reads it |
//!
//! The bodies themselves are read by [`http::vapi`](crate::http::vapi) and
//! [`http::retell`](crate::http::retell), which write them too. Tested by tables, by the platforms'
//! own vectors, and by checking what was signed.

mod check;
mod exact;
mod identity;
mod reply;
mod request;

pub use check::{CallerError, Proof, check_manos, check_retell, check_vapi, is_secret};
pub use exact::{ExactError, read_exact};
pub use identity::{IDEMPOTENCY_KEY_BYTES_MAX, Identity};
pub use reply::{Answer, standard_reply, vapi_end};
pub use request::{HeaderError, Request};

/// Who calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Platform {
    /// Another agent of ours, or anybody who signs as we do.
    Manos,
    /// Retell.
    Retell,
    /// Vapi.
    Vapi,
}

impl Platform {
    /// Returns the word that stands in names and in the first part of a path.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Manos => "tools",
            Self::Retell => "retell",
            Self::Vapi => "vapi",
        }
    }
}

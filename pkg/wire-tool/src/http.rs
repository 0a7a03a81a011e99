//! Function tools over HTTP: which bytes go out for a call, and what the bytes that come back mean.
//!
//! Owns the request formats, path templates, queries, the webhook's envelope, ids of calls, and the
//! sorting of replies and troubles into *done*, *not done* and *unknown*. Sending, waiting and
//! trying again are the shell's. Tested by tables, and by decoding what was encoded.
//!
//! | module | subject |
//! | --- | --- |
//! | `call_id` | the id of the call, in headers and in JSON |
//! | `endpoint` | a call of a tool to the bytes of its request |
//! | `percent` | percent-encoding |
//! | `redirect` | where a GET may be sent on to |
//! | `reply` | status and body to the end of a run |
//! | `template` | addresses with arguments in the path |
//! | `trouble` | what is tried again, and what several tries come to |
//! | [`retell`], [`vapi`] | the formats of two platforms, both ways |
//! | `webhook` | the envelope for tools without an endpoint |

mod call_id;
mod endpoint;
mod percent;
mod query;
mod redirect;
mod reply;
pub mod retell;
mod template;
mod trouble;
pub mod vapi;
mod webhook;

pub use call_id::{CALL_ID_BYTES_MAX, CallId};
pub use endpoint::{Call, Encoded, Endpoint, RequestFormat};
pub use percent::percent_encoded;
pub use redirect::{REDIRECTS_MAX, RedirectError, redirected};
pub use reply::{ERROR_BODY_BYTES_MAX, Read, read_reply};
pub use template::{UrlTemplate, UrlTemplateError};
pub use trouble::{TRIES_MAX, Tries, is_worth_another_try};
pub use webhook::{Envelope, Place, Webhook};

/// An HTTP method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "methods are named by the protocol")]
pub enum Method {
    Delete,
    Get,
    Patch,
    Post,
    Put,
}

impl Method {
    /// Returns the name as it is sent and signed.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Delete => "DELETE",
            Self::Get => "GET",
            Self::Patch => "PATCH",
            Self::Post => "POST",
            Self::Put => "PUT",
        }
    }

    /// Whether arguments go into the body; else they go into the query, and the body is empty.
    pub fn has_body(self) -> bool {
        matches!(self, Self::Patch | Self::Post | Self::Put)
    }

    /// Whether a request by this method changes nothing, by the protocol.
    pub fn only_reads(self) -> bool {
        matches!(self, Self::Get)
    }
}

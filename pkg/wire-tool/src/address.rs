//! Where a request may go: addresses taken apart, special-purpose ranges, and the rule for each
//! kind of caller.
//!
//! Nothing here looks a name up. Whoever connects does it in this order: [`Target::parse`],
//! [`AddressPolicy::check_target`], look the name up once, [`AddressPolicy::check_address`] for
//! each address that came, connect to one of exactly those. A name that answers differently the
//! second time gains nothing, as there is no second time. A redirect is a new target, by
//! [`redirect`].

mod host;
mod policy;
mod redirects;
mod special;
mod target;

#[cfg(test)]
mod tests;

pub use host::{HOST_BYTES_MAX, Host};
pub use policy::{AddressPolicy, AddressRefusal, HOST_PATTERNS_MAX, HostPattern, HostPatternError};
pub use redirects::{RedirectRefusal, Redirects, redirect};
pub use special::{Special, special};
pub use target::{AddressError, Scheme, Target, URL_BYTES_MAX};

//! Tells subscribed endpoints what happened, from the audit trail.
//!
//! A fact is kept in the trail by the same commit as what it is about, so nothing is lost between a
//! run and its notice, however the process ends. Each endpoint has a cursor into the trail and a
//! task of its own, which reads on, takes up what the endpoint wants, sends what is due and keeps
//! what came of it. No turn waits for any of this, and no endpoint for another. What is told, in
//! which bytes, and when it is tried again is decided in `manos_wire_tool::notice`.
//!
//! | file | subject |
//! | --- | --- |
//! | `notices.rs` | the handle: beginning, looking, ending |
//! | `layer.rs` | the store in front of which nothing is kept before its endpoints are known |
//! | `pump.rs` | the task of one endpoint |
//! | `trail.rs` | facts read from the trail, and the bytes made of them |
//! | `post.rs` | one try over HTTP |

mod layer;
mod notices;
mod post;
mod pump;
mod trail;

pub use layer::NoticedStore;
pub use notices::{Chance, NOTICES_GRACE, Notices, NoticesParts};
pub use post::{Endpoint, HttpPost, POST_WAIT, Post, Posted};
pub use pump::{DUE_PAGE, POSTS_MAX, STORE_WAIT, WAITING_MAX};
pub use trail::TRAIL_PAGE;

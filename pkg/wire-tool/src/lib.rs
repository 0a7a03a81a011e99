//! Tool dialects without sockets or files: what bytes an HTTP endpoint is sent and how they are
//! signed, what is told of a run afterwards, where a request may go, what SQL text asks for, and how
//! secrets are kept out of what a failing tool says.

pub mod address;
pub mod called;
pub mod canonical;
pub mod http;
pub mod mask;
pub mod notice;
pub mod placement;
pub mod signing;
pub mod sql;

//! Tool dialects without sockets or files: what SQL text asks for, and how secrets are kept out of
//! what a failing tool says.

pub mod mask;
pub mod sql;

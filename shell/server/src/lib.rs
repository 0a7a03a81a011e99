//! The HTTP server: other platforms call an agent's tools through it.
//!
//! It decides nothing about calls. Who is believed, by which names a call is known and what the
//! reply says is `manos_wire_tool::called`; whether a call may run is the agent's own path, the same
//! as for a model's call.
//!
//! | file | subject |
//! | --- | --- |
//! | `server.rs` | binding, serving, ending in order |
//! | `connection.rs` | one connection, with its time limits |
//! | `gate.rs` | how many requests and calls are let in |
//! | `addressed.rs` | whether a request is meant for us: `Host` and `Origin` |
//! | `routes.rs` | paths |
//! | `handle.rs` | one request to one reply |
//! | `served.rs` | an agent that is served, with its secrets and keys |
//! | `calls.rs`, `calls/` | calls of tools: ours, Retell's and Vapi's |
//! | `channel.rs` | the channel of chats that have no person |
//! | `problem.rs` | errors as `application/problem+json` |

mod addressed;
mod calls;
mod channel;
mod connection;
mod gate;
mod handle;
mod problem;
mod routes;
mod served;
mod server;

pub use addressed::HOSTS_MAX;
pub use calls::{BODY_BYTES_MAX, CALLS_AT_ONCE_MAX, CALLS_PER_CHAT_MAX};
pub use channel::CallChannel;
pub use connection::{BODY_WAIT, CONNECTIONS_MAX, HEAD_BYTES_MAX, HEAD_WAIT};
pub use gate::{ADDRESSES_MAX, REQUESTS_PER_MINUTE_MAX};
pub use problem::CODES;
pub use served::Served;
pub use server::{ServeError, Server};

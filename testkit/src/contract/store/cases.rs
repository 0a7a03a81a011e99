//! The cases, one function each; the names say what must hold.

mod chats;
mod ledger;
mod trail;

pub use chats::*;
pub use ledger::*;
pub use trail::*;

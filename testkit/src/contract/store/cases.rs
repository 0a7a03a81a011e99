//! The cases, one function each; the names say what must hold.

mod chats;
mod deliveries;
mod ledger;
mod trail;

pub use chats::*;
pub use deliveries::*;
pub use ledger::*;
pub use trail::*;

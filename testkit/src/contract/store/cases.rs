//! The cases, one function each; the names say what must hold.

mod calls;
mod chats;
mod deliveries;
mod ledger;
mod trail;

pub use calls::*;
pub use chats::*;
pub use deliveries::*;
pub use ledger::*;
pub use trail::*;

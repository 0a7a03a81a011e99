//! Stand-ins for everything around a chat, led by the test.
//!
//! Each of them keeps what it was asked in a [`Seen`], which a test can wait on: no test sleeps.

mod channel;
mod clock;
mod executor;
mod gate;
mod provider;
mod seen;
mod store;

pub use channel::{FakeChannel, Taking};
pub use clock::FakeClock;
pub use executor::{Asked, FakeExecutor, Plan};
pub use gate::Gate;
pub use provider::FakeProvider;
pub use seen::Seen;
pub use store::FlakyStore;

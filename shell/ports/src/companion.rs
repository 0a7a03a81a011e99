//! Work that goes on beside the chats.

use std::fmt::Debug;
use std::time::Duration;

use async_trait::async_trait;

/// Work beside the chats of a runtime, such as telling others what happened. It looks after its own
/// tasks, and ends after the chats do.
#[async_trait]
pub trait Companion: Debug + Send + Sync {
    /// Ends: what can be done at once is done, for at most `grace`; the rest is left to the next
    /// process. Asked again, it ends sooner.
    ///
    /// # Cancel safety
    ///
    /// When the future is dropped, the work still ends by itself once nothing can be done at once.
    async fn stop(&self, grace: Duration);
}

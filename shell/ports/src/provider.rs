//! A service that hosts models.

use std::fmt::Debug;

use async_trait::async_trait;
use tokio_util::sync::CancellationToken;

use manos_model::{ModelFailure, ModelReply, ModelRequest};

/// Takes pieces of text while a reply is on its way. Only for showing: the reply decides.
pub trait Deltas: Send + Sync {
    /// Takes the next piece.
    fn text(&self, piece: &str);
}

/// Makes model calls.
///
/// It retries what time can mend inside the model timeout, before the first content byte only.
#[async_trait]
pub trait Provider: Debug + Send + Sync {
    /// Makes one call and returns the whole reply.
    ///
    /// # Errors
    ///
    /// [`ModelFailure`] when no whole reply came; its message says what to do.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future, or firing the token, closes the socket.
    async fn reply(
        &self,
        request: ModelRequest,
        deltas: &dyn Deltas,
        cancel: &CancellationToken,
    ) -> Result<ModelReply, ModelFailure>;
}

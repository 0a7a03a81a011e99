//! A model whose words hold no secrets, whatever its server repeats in them.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use manos_model::{ModelFailure, ModelReply, ModelRequest, Secret};
use manos_ports::{Deltas, Provider};
use manos_wire_tool::mask::Masker;
use tokio_util::sync::CancellationToken;

/// Masks the text of replies and of failures: a model is told no secret, but its server has its key.
/// Pieces of a reply that are shown while it is on its way go through; what is kept and sent does not.
pub(crate) struct MaskedProvider {
    inner: Arc<dyn Provider>,
    masker: Masker,
}

impl MaskedProvider {
    /// Puts a mask before `provider`.
    pub(crate) fn before(
        provider: Arc<dyn Provider>,
        secrets: &[Secret<String>],
    ) -> Arc<dyn Provider> {
        Arc::new(Self { inner: provider, masker: Masker::new(secrets.iter().cloned()) })
    }
}

impl fmt::Debug for MaskedProvider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MaskedProvider").field("inner", &self.inner).finish_non_exhaustive()
    }
}

#[async_trait]
impl Provider for MaskedProvider {
    async fn reply(
        &self,
        request: ModelRequest,
        deltas: &dyn Deltas,
        cancel: &CancellationToken,
    ) -> Result<ModelReply, ModelFailure> {
        let reply = self.inner.reply(request, deltas, cancel).await;
        match reply {
            Ok(reply) => Ok(ModelReply { text: self.masker.words(reply.text), ..reply }),
            Err(failure) => Err(ModelFailure {
                message: self.masker.mask(&failure.message).into_owned(),
                ..failure
            }),
        }
    }
}

//! The channel of chats that have no person: calls by other platforms.

use async_trait::async_trait;
use manos_model::ChatKey;
use manos_ports::{Accepted, Channel, ChannelError, Output, Progress};

/// Serves the chats of calls from outside. Their outcome is read by whoever called; a text that
/// goes there all the same has no reader.
#[derive(Debug, Clone, Copy, Default)]
pub struct CallChannel;

#[async_trait]
impl Channel for CallChannel {
    fn serves(&self, chat: &ChatKey) -> bool {
        matches!(chat.channel().as_str(), "api" | "call")
    }

    async fn send(&self, chat: &ChatKey, output: &Output) -> Result<Accepted, ChannelError> {
        tracing::debug!(%chat, delivery_id = %output.delivery_id, "a text in a chat without a person");
        Ok(Accepted)
    }

    fn progress(&self, _chat: &ChatKey, _progress: Progress) {}
}

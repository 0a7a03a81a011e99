//! The channel of a program that reads the agent's words itself.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;
use manos_model::ChatKey;
use manos_ports::{Accepted, Channel, ChannelError, Output, OutputKind, Progress};

/// Outputs kept for a chat that nobody reads; beyond it the oldest is dropped.
const OUTPUTS_MAX: usize = 1_000;

/// Keeps what goes out until it is taken.
#[derive(Debug, Default)]
pub(crate) struct Collector {
    outputs: Mutex<HashMap<ChatKey, Vec<Output>>>,
}

impl Collector {
    /// Takes the texts that went out to a chat since the last time.
    pub(crate) fn take(&self, chat: &ChatKey) -> Vec<String> {
        let mut outputs = self.outputs.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = outputs.remove(chat).unwrap_or_default();
        taken
            .into_iter()
            .filter_map(|output| match output.kind {
                OutputKind::Confirm { text, .. } | OutputKind::Reply { text } => Some(text),
                OutputKind::Edit { .. } => None,
            })
            .collect()
    }
}

#[async_trait]
impl Channel for Collector {
    fn serves(&self, _chat: &ChatKey) -> bool {
        true
    }

    async fn send(&self, chat: &ChatKey, output: &Output) -> Result<Accepted, ChannelError> {
        let mut outputs = self.outputs.lock().unwrap_or_else(PoisonError::into_inner);
        let waiting = outputs.entry(chat.clone()).or_default();
        if waiting.len() >= OUTPUTS_MAX {
            waiting.remove(0);
        }
        waiting.push(output.clone());
        Ok(Accepted)
    }

    fn progress(&self, _chat: &ChatKey, _progress: Progress) {}
}

//! A channel that keeps what it is sent.

use std::fmt;

use async_trait::async_trait;
use manos_model::ChatKey;
use manos_ports::{Accepted, Channel, ChannelError, Output, OutputKind, Progress};

use super::{Gate, Seen};

/// What the channel does with an output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Taking {
    /// It arrives.
    Arrives,
    /// It does not arrive.
    Fails,
    /// The channel never says.
    Hangs,
    /// The adapter is broken.
    Panics,
    /// It may have arrived.
    Unclear,
}

type Decide = dyn Fn(&Output) -> Taking + Send + Sync;

/// A channel led by a closure.
pub struct FakeChannel {
    decide: Box<Decide>,
    serves: bool,
    /// What it was asked to send, whatever became of it.
    pub tried: Seen<(ChatKey, Output)>,
    /// What arrived.
    pub arrived: Seen<(ChatKey, Output)>,
    /// Outputs wait while it is shut.
    pub gate: Gate,
}

impl fmt::Debug for FakeChannel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FakeChannel").field("arrived", &self.arrived).finish_non_exhaustive()
    }
}

impl Default for FakeChannel {
    fn default() -> Self {
        Self::new(|_| Taking::Arrives)
    }
}

impl FakeChannel {
    /// Does with each output what the closure says.
    pub fn new(decide: impl Fn(&Output) -> Taking + Send + Sync + 'static) -> Self {
        Self {
            decide: Box::new(decide),
            serves: true,
            tried: Seen::default(),
            arrived: Seen::default(),
            gate: Gate::default(),
        }
    }

    /// A channel that reaches nobody.
    pub fn of_nobody() -> Self {
        Self { serves: false, ..Self::default() }
    }

    /// Returns the texts that arrived in a chat.
    pub fn texts(&self, chat: &ChatKey) -> Vec<String> {
        let arrived = self.arrived.all();
        arrived.iter().filter(|(of, _)| of == chat).map(|(_, output)| text(output)).collect()
    }
}

fn text(output: &Output) -> String {
    match &output.kind {
        OutputKind::Confirm { text, .. } => format!("ask {text}"),
        OutputKind::Edit { text, .. } => format!("edit {text}"),
        OutputKind::Reply { text } => text.clone(),
    }
}

#[async_trait]
impl Channel for FakeChannel {
    fn serves(&self, _chat: &ChatKey) -> bool {
        self.serves
    }

    #[expect(clippy::panic, reason = "a broken adapter is what is played")]
    async fn send(&self, chat: &ChatKey, output: &Output) -> Result<Accepted, ChannelError> {
        self.tried.push((chat.clone(), output.clone()));
        self.gate.pass().await;
        match (self.decide)(output) {
            Taking::Arrives => {
                self.arrived.push((chat.clone(), output.clone()));
                Ok(Accepted)
            }
            Taking::Fails => Err(ChannelError::NotSent { source: "no line".into() }),
            Taking::Hangs => std::future::pending().await,
            Taking::Panics => panic!("the adapter is broken"),
            Taking::Unclear => Err(ChannelError::Unclear { source: "the line broke".into() }),
        }
    }

    fn progress(&self, _chat: &ChatKey, _progress: Progress) {}
}

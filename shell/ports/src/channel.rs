//! A place where people talk.

use std::fmt::Debug;

use async_trait::async_trait;

use manos_model::{ChatKey, ConfirmationId, DeliveryId, Timestamp, TurnId};

/// A button under a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutputButton {
    /// `yes` or `no`.
    pub answer: &'static str,
    /// What stands on it.
    pub label: String,
}

/// What goes out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OutputKind {
    /// A question.
    Confirm {
        /// Its id.
        id: ConfirmationId,
        /// The tool it is about.
        tool: String,
        /// The tool's title.
        title: String,
        /// The whole text.
        text: String,
        /// Yes and No; empty where the channel has none.
        buttons: Vec<OutputButton>,
        /// Until when it waits.
        expires_at: Timestamp,
    },
    /// New text for a question that no longer waits; its buttons go.
    Edit {
        /// The question.
        id: ConfirmationId,
        /// Its new text.
        text: String,
    },
    /// A text.
    Reply {
        /// The text.
        text: String,
    },
}

/// One output for one chat.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Output {
    /// Equal for every try of it.
    pub delivery_id: DeliveryId,
    /// The turn it belongs to.
    pub turn_id: Option<TurnId>,
    /// What it is.
    pub kind: OutputKind,
}

/// The channel took it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Accepted;

/// Why an output did not arrive.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ChannelError {
    /// It surely did not arrive; it may be sent again.
    #[error("the channel did not take the message")]
    NotSent {
        /// The cause.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// It may have arrived.
    #[error("it is not known whether the message arrived")]
    Unclear {
        /// The cause.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

/// What goes on while a turn runs. May be lost; never kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Progress {
    /// A piece of a reply that is on its way, provisional until its step ends.
    Text(String),
    /// The step's text was not the answer after all, or has been sent as a reply.
    TextEnded,
    /// The model is asked.
    Thinking,
    /// A tool runs, by its title.
    ToolStarted(String),
    /// It ended.
    ToolEnded,
}

/// A channel adapter.
#[async_trait]
pub trait Channel: Debug + Send + Sync {
    /// Whether this adapter reaches the people of this chat.
    fn serves(&self, chat: &ChatKey) -> bool;

    /// Sends one output.
    ///
    /// # Errors
    ///
    /// [`ChannelError`] when it did not, or may not have, arrived.
    async fn send(&self, chat: &ChatKey, output: &Output) -> Result<Accepted, ChannelError>;

    /// Shows what goes on, where the channel can.
    fn progress(&self, chat: &ChatKey, progress: Progress);
}

//! Whatever runs approved calls.

use std::fmt::Debug;
use std::time::Duration;

use async_trait::async_trait;
use tokio_util::sync::CancellationToken;

use manos_model::{
    AgentName, ChannelName, ChatKey, RunEnd, RunId, Timestamp, ToolName, TurnId, UserId,
};
use manos_policy::RunOrder;

/// Facts about a run that no model may choose.
#[derive(Debug, Clone, PartialEq)]
pub struct RunContext {
    /// The agent.
    pub agent: AgentName,
    /// Where it was asked for.
    pub chat: ChatKey,
    /// Who asked.
    pub user: UserId,
    /// The chat's channel.
    pub channel: ChannelName,
    /// The locale tag of the agent, such as `es-CO`.
    pub locale: String,
    /// When the run was started.
    pub at: Timestamp,
    /// The turn.
    pub turn_id: TurnId,
    /// The model call of the turn that asked for it.
    pub step: Option<u32>,
    /// How long it may take; `None` is without limit.
    pub timeout: Option<Duration>,
    /// The longest result that is read, in bytes.
    pub result_bytes_max: usize,
}

/// What is known about a run that an earlier process began and did not end.
#[derive(Debug, Clone, PartialEq)]
pub enum Settled {
    /// It was done, with this result.
    Done(serde_json::Value),
    /// It was not done, for certain.
    NotDone,
    /// Nobody can tell.
    Unknown,
}

/// Runs approved calls.
#[async_trait]
pub trait ToolExecutor: Debug + Send + Sync {
    /// Runs one call to its end.
    ///
    /// The executor itself stops the run when `cancel` fires or `context.timeout` has passed, and
    /// then says how it ended: not done when it could be undone, else unknown. It never panics on
    /// the tool's account: a panic of a handler is a failure.
    async fn run(
        &self,
        order: &RunOrder,
        context: &RunContext,
        cancel: &CancellationToken,
    ) -> RunEnd;

    /// Says what is known of a run that an earlier process began. It does not run anything.
    async fn settle(&self, tool: &ToolName, run_id: &RunId, context: &RunContext) -> Settled;
}

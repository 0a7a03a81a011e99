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

impl RunContext {
    /// When the run was started, as tools read it: RFC 3339 in UTC with milliseconds, always of one
    /// length, so that such texts sort as the times do.
    pub fn written_at(&self) -> String {
        format!("{:.3}", self.at)
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_in_one_length_and_sort() {
        let context = |ms: i64| RunContext {
            agent: "a".into(),
            chat: "terminal:local".into(),
            user: "terminal:local".into(),
            channel: "terminal".into(),
            locale: "en".to_owned(),
            at: Timestamp::constant(1_767_323_045, 0) + Duration::from_millis(ms.unsigned_abs()),
            turn_id: "t".into(),
            step: None,
            timeout: None,
            result_bytes_max: 0,
        };
        let written = [0, 5, 50, 500, 525].map(|ms| context(ms).written_at());
        assert_eq!(written[3], "2026-01-02T03:04:05.500Z");
        assert!(written.is_sorted(), "{written:?}");
    }
}

//! Everything but effects: a run that would change something is printed instead.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use manos_model::{Failure, RunEnd, RunId, ToolName};
use manos_policy::RunOrder;
use manos_ports::{RunContext, Settled, ToolExecutor};
use serde_json::json;
use tokio_util::sync::CancellationToken;

/// Told of each run that would have been: the tool and its arguments as JSON.
pub type WouldRun = Arc<dyn Fn(&str, &str) + Send + Sync>;

/// Runs what only reads, and tells of the rest.
pub(crate) struct DryRun {
    pub(crate) inner: Arc<dyn ToolExecutor>,
    pub(crate) read_only: BTreeSet<String>,
    pub(crate) would_run: WouldRun,
}

impl fmt::Debug for DryRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DryRun").field("inner", &self.inner).finish_non_exhaustive()
    }
}

#[async_trait]
impl ToolExecutor for DryRun {
    async fn run(
        &self,
        order: &RunOrder,
        context: &RunContext,
        cancel: &CancellationToken,
    ) -> RunEnd {
        let tool = order.call.tool().as_str();
        if self.read_only.contains(tool) {
            return self.inner.run(order, context, cancel).await;
        }
        let arguments = serde_json::to_string(order.call.arguments()).unwrap_or_default();
        (self.would_run)(tool, &arguments);
        // Not done, and said so: nobody may be told that something happened.
        RunEnd::NotDone(Failure::Said(json!({"error": "dry run: nothing was done"})))
    }

    async fn settle(&self, _tool: &ToolName, _run_id: &RunId, _context: &RunContext) -> Settled {
        Settled::NotDone
    }
}

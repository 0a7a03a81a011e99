//! Runs for tests, without the policy that alone can approve a real call.

use std::time::Duration;

use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use manos_model::{Failure, RunEnd, RunId, Timestamp, ToolCallId, ToolName};
use manos_ports::RunContext;

use crate::{Executor, ExecutorBuilder, Runner};

/// An executor whose one tool is called `tool`, and one run of it.
#[derive(Debug)]
pub(crate) struct Bench {
    pub(crate) executor: Executor,
    pub(crate) context: RunContext,
    pub(crate) cancel: CancellationToken,
}

impl Bench {
    pub(crate) fn new(builder: ExecutorBuilder, runner: Runner) -> Self {
        let executor = builder.tool(name(), runner).build().unwrap();
        Self { executor, context: context(), cancel: CancellationToken::new() }
    }

    pub(crate) fn timeout_ms(mut self, ms: u64) -> Self {
        self.context.timeout = Some(Duration::from_millis(ms));
        self
    }

    pub(crate) fn with_new_token(mut self) -> Self {
        self.cancel = CancellationToken::new();
        self
    }

    pub(crate) async fn run(&self, arguments: Value) -> RunEnd {
        self.run_as("run-1", arguments).await
    }

    pub(crate) async fn run_as(&self, run_id: &str, arguments: Value) -> RunEnd {
        let arguments = arguments.as_object().cloned().unwrap_or_else(Map::new);
        let run_id = RunId::new(run_id);
        let call_id = ToolCallId::new("call-1");
        self.executor
            .run_parts(crate::executor::RunParts {
                tool: &name(),
                call_id: &call_id,
                run_id: &run_id,
                arguments: &arguments,
                context: &self.context,
                cancel: &self.cancel,
            })
            .await
    }
}

pub(crate) fn name() -> ToolName {
    ToolName::new("tool").unwrap()
}

pub(crate) fn failed(message: &str) -> Failure {
    Failure::Failed { message: message.to_owned() }
}

pub(crate) fn context() -> RunContext {
    RunContext {
        agent: "agent".into(),
        chat: "terminal:ana".into(),
        user: "terminal:ana".into(),
        channel: "terminal".into(),
        locale: "es-CO".to_owned(),
        at: "2026-01-02T03:04:05Z".parse::<Timestamp>().unwrap(),
        turn_id: "turn-1".into(),
        step: Some(1),
        timeout: Some(Duration::from_secs(15)),
        result_bytes_max: 1024 * 1024,
    }
}

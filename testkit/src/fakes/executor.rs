//! Tools that do what the test says.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;
use manos_model::{Failure, RunEnd, RunId, ToolName};
use manos_policy::RunOrder;
use manos_ports::{RunContext, Settled, ToolExecutor};
use serde_json::{Value, json};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use super::Seen;

/// What a run does.
#[derive(Debug, Clone)]
pub enum Plan {
    /// It ends like this, at once.
    Ends(RunEnd),
    /// It panics.
    Panics,
    /// It ends when the test says, or is stopped: then nobody can tell.
    Waits,
    /// It ends when the test says, and does not stop when it is told to.
    WaitsAnyway,
}

/// A run as the executor was asked for it.
#[derive(Debug, Clone, PartialEq)]
pub struct Asked {
    /// The run.
    pub run_id: RunId,
    /// The tool.
    pub tool: String,
    /// Its arguments.
    pub arguments: Value,
}

type Planned = dyn Fn(&RunOrder) -> Plan + Send + Sync;

/// An executor led by a closure.
pub struct FakeExecutor {
    plan: Box<Planned>,
    /// What was run, in the order of the starts.
    pub started: Seen<Asked>,
    /// Runs that were told to stop.
    pub stopped: Seen<RunId>,
    /// Runs that were asked about.
    pub asked_about: Seen<RunId>,
    waiting: Mutex<HashMap<RunId, oneshot::Sender<RunEnd>>>,
    known: Settled,
}

impl fmt::Debug for FakeExecutor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FakeExecutor").field("started", &self.started).finish_non_exhaustive()
    }
}

impl Default for FakeExecutor {
    fn default() -> Self {
        Self::new(|_| Plan::Ends(RunEnd::Done(json!({"ok": true}))))
    }
}

impl FakeExecutor {
    /// Does for each run what the closure says.
    pub fn new(plan: impl Fn(&RunOrder) -> Plan + Send + Sync + 'static) -> Self {
        Self {
            plan: Box::new(plan),
            started: Seen::default(),
            stopped: Seen::default(),
            asked_about: Seen::default(),
            waiting: Mutex::default(),
            known: Settled::Unknown,
        }
    }

    /// Says this of every run of an earlier process.
    #[must_use]
    pub fn settling(mut self, settled: Settled) -> Self {
        self.known = settled;
        self
    }

    /// Ends a run that waits; says whether there was one.
    pub fn end(&self, run_id: &RunId, end: RunEnd) -> bool {
        let waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner).remove(run_id);
        waiting.is_some_and(|waiting| waiting.send(end).is_ok())
    }
}

#[async_trait]
impl ToolExecutor for FakeExecutor {
    #[expect(clippy::panic, reason = "a broken executor is what is played")]
    async fn run(
        &self,
        order: &RunOrder,
        _context: &RunContext,
        cancel: &CancellationToken,
    ) -> RunEnd {
        let plan = (self.plan)(order);
        let (sender, mut receiver) = oneshot::channel();
        let run_id = order.run_id.clone();
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).insert(run_id.clone(), sender);
        self.started.push(Asked {
            run_id: run_id.clone(),
            tool: order.call.tool().as_str().to_owned(),
            arguments: Value::Object(order.call.arguments().clone()),
        });
        let unknown = RunEnd::Unknown(Failure::Interrupted);
        match plan {
            Plan::Ends(end) => end,
            Plan::Panics => panic!("the executor is broken"),
            Plan::Waits => tokio::select! {
                biased;
                () = cancel.cancelled() => {
                    self.stopped.push(run_id);
                    unknown
                }
                end = &mut receiver => end.unwrap_or(unknown),
            },
            Plan::WaitsAnyway => receiver.await.unwrap_or(unknown),
        }
    }

    async fn settle(&self, _tool: &ToolName, run_id: &RunId, _context: &RunContext) -> Settled {
        self.asked_about.push(run_id.clone());
        self.known.clone()
    }
}

//! Which runner a tool has, and the port that runs them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use serde_json::{Map, Value};
use tokio::sync::Semaphore;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use manos_model::{Failure, Fault, RunEnd, RunId, ToolCallId, ToolName};
use manos_policy::RunOrder;
use manos_ports::{RunContext, Settled, ToolExecutor};
use manos_wire_tool::http::{Method, Webhook};
use manos_wire_tool::mask::Masker;
use manos_wire_tool::sql::SqlError;

use crate::command::{self, CommandSpec};
use crate::http::{EndpointSpec, HttpTools};
use crate::native::{self, NativeContext, NativeTool};
use crate::sql::{Databases, SqlSpec, SqlTool};
use crate::stop::{Stop, stopped};

/// How many processes run at once; the next call waits, within its own timeout.
const COMMANDS_MAX: usize = 64;

/// Hears how a run ended whose end had been called unknown.
pub type LateEnd = Arc<dyn Fn(RunId, RunEnd) + Send + Sync>;

/// How one tool is run.
#[derive(Clone)]
pub enum Runner {
    /// A process for each call.
    Command(CommandSpec),
    /// A request to an endpoint.
    Endpoint(EndpointSpec),
    /// A handler in this process.
    Native(Arc<dyn NativeTool>),
    /// A query.
    Sql(SqlSpec),
    /// A request to the webhook.
    Webhook {
        /// Whether running it twice is running it once, so that it may be tried again.
        idempotent: bool,
    },
}

impl fmt::Debug for Runner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Command(spec) => f.debug_tuple("Command").field(spec).finish(),
            Self::Endpoint(spec) => f.debug_tuple("Endpoint").field(spec).finish(),
            Self::Native(_) => f.write_str("Native(…)"),
            Self::Sql(spec) => f.debug_tuple("Sql").field(spec).finish(),
            Self::Webhook { idempotent } => {
                f.debug_struct("Webhook").field("idempotent", idempotent).finish()
            }
        }
    }
}

/// What is wrong with one tool's runner.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ToolProblem {
    /// A command without a program.
    #[error("the command is empty")]
    EmptyCommand,
    /// A tool over HTTP, and nothing to send it with.
    #[error("there is nothing to send requests with")]
    NoHttp,
    /// A tool without an endpoint, and no webhook.
    #[error("there is no webhook that runs it")]
    NoWebhook,
    /// SQL without a statement.
    #[error("the query is empty")]
    EmptySql,
    /// The SQL cannot be used.
    #[error("the query cannot be used")]
    Sql {
        /// The cause, with its place.
        source: SqlError,
    },
    /// No such database.
    #[error("there is no database {database:?}")]
    UnknownDatabase {
        /// The name.
        database: String,
    },
    /// A parameter that starts with `ctx_` and is no fact.
    #[error("there is no fact :{name}")]
    UnknownFact {
        /// The name.
        name: String,
    },
}

/// Every tool that cannot be run, with the reason.
#[derive(Debug, thiserror::Error)]
#[error("{} of the tools cannot be run", problems.len())]
pub struct ExecutorError {
    /// The tools, in the order in which they were given.
    pub problems: Vec<(ToolName, ToolProblem)>,
}

impl ExecutorError {
    /// Says who can do something about it.
    pub fn fault(&self) -> Fault {
        Fault::Config
    }
}

/// Collects what an [`Executor`] needs.
#[derive(Default)]
pub struct ExecutorBuilder {
    databases: Databases,
    http: Option<HttpTools>,
    masker: Masker,
    late: Option<LateEnd>,
    runners: Vec<(ToolName, Runner)>,
}

impl fmt::Debug for ExecutorBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ExecutorBuilder").field("runners", &self.runners).finish_non_exhaustive()
    }
}

impl ExecutorBuilder {
    /// Sets the databases that `sql` tools name.
    #[must_use]
    pub fn databases(mut self, databases: Databases) -> Self {
        self.databases = databases;
        self
    }

    /// Sets what tools over HTTP share.
    #[must_use]
    pub fn http(mut self, http: HttpTools) -> Self {
        self.http = Some(http);
        self
    }

    /// Sets what is kept out of results and failures.
    #[must_use]
    pub fn masker(mut self, masker: Masker) -> Self {
        self.masker = masker;
        self
    }

    /// Sets who hears of a handler that returns after its run was called unknown.
    #[must_use]
    pub fn late(mut self, late: impl Fn(RunId, RunEnd) + Send + Sync + 'static) -> Self {
        self.late = Some(Arc::new(late));
        self
    }

    /// Adds a tool; of two with one name the last counts.
    #[must_use]
    pub fn tool(mut self, name: ToolName, runner: Runner) -> Self {
        self.runners.push((name, runner));
        self
    }

    /// Checks every runner.
    ///
    /// # Errors
    ///
    /// [`ExecutorError`] with all that is wrong.
    pub fn build(self) -> Result<Executor, ExecutorError> {
        let mut runners = BTreeMap::new();
        let mut problems = Vec::new();
        let http = self.http.map(Arc::new);
        for (name, runner) in self.runners {
            match ready(runner, &self.databases, http.as_ref()) {
                Ok(runner) => {
                    runners.insert(name, runner);
                }
                Err(problem) => problems.push((name, problem)),
            }
        }
        if !problems.is_empty() {
            return Err(ExecutorError { problems });
        }
        Ok(Executor {
            runners,
            masker: self.masker,
            late: self.late,
            tasks: TaskTracker::new(),
            commands: Semaphore::new(COMMANDS_MAX),
            path: std::env::var_os("PATH"),
        })
    }
}

fn ready(
    runner: Runner,
    databases: &Databases,
    http: Option<&Arc<HttpTools>>,
) -> Result<Ready, ToolProblem> {
    let http = || http.map(Arc::clone).ok_or(ToolProblem::NoHttp);
    Ok(match runner {
        Runner::Command(spec) if spec.argv.is_empty() => return Err(ToolProblem::EmptyCommand),
        Runner::Command(spec) => Ready::Command(spec),
        Runner::Endpoint(spec) => Ready::Endpoint { spec, http: http()? },
        Runner::Native(tool) => Ready::Native(tool),
        Runner::Sql(spec) => Ready::Sql(SqlTool::new(&spec, databases)?),
        Runner::Webhook { idempotent } => {
            let http = http()?;
            let webhook = http.webhook.clone().ok_or(ToolProblem::NoWebhook)?;
            Ready::Webhook { webhook, idempotent, http }
        }
    })
}

enum Ready {
    Command(CommandSpec),
    Endpoint { spec: EndpointSpec, http: Arc<HttpTools> },
    Native(Arc<dyn NativeTool>),
    Sql(SqlTool),
    Webhook { webhook: Webhook, idempotent: bool, http: Arc<HttpTools> },
}

/// Runs calls of tools in SQL, as commands and in this process.
pub struct Executor {
    runners: BTreeMap<ToolName, Ready>,
    masker: Masker,
    late: Option<LateEnd>,
    tasks: TaskTracker,
    commands: Semaphore,
    /// Of this process, for commands.
    path: Option<std::ffi::OsString>,
}

impl fmt::Debug for Executor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.runners.keys().map(ToolName::as_str).collect();
        f.debug_struct("Executor").field("tools", &names).finish_non_exhaustive()
    }
}

/// What a runner is handed, taken apart.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RunParts<'a> {
    pub(crate) tool: &'a ToolName,
    pub(crate) call_id: &'a ToolCallId,
    pub(crate) run_id: &'a RunId,
    pub(crate) arguments: &'a Map<String, Value>,
    pub(crate) context: &'a RunContext,
    pub(crate) cancel: &'a CancellationToken,
}

impl Executor {
    /// Starts without tools.
    pub fn builder() -> ExecutorBuilder {
        ExecutorBuilder::default()
    }

    /// Prepares every statement of every `sql` tool in its database, without running any.
    ///
    /// Returns what the databases say, for the author of the tools. A statement that needs what an
    /// earlier one of the same tool makes is refused here although it would run.
    pub async fn check_databases(&self) -> Vec<(ToolName, String)> {
        let mut problems = Vec::new();
        for (name, runner) in &self.runners {
            if let Ready::Sql(tool) = runner
                && let Err(problem) = tool.check().await
            {
                problems.push((name.clone(), problem));
            }
        }
        problems
    }

    /// Reaches each address of tools over HTTP, without running any of them.
    ///
    /// Returns what is wrong, once for each address, with the first tool that has it.
    pub async fn check_endpoints(&self) -> Vec<(ToolName, String)> {
        let mut asked = BTreeSet::new();
        let mut problems = Vec::new();
        for (name, runner) in &self.runners {
            let (http, method, target) = match runner {
                Ready::Endpoint { spec, http } => {
                    (http, spec.endpoint.method, spec.endpoint.url.example())
                }
                Ready::Webhook { webhook, http, .. } => (http, Method::Post, webhook.target()),
                Ready::Command(_) | Ready::Native(_) | Ready::Sql(_) => continue,
            };
            if !asked.insert((target.url(), method.only_reads())) {
                continue;
            }
            if let Err(problem) = http.reach(method, target).await {
                problems.push((name.clone(), problem));
            }
        }
        problems
    }

    /// Waits until handlers that were left behind have returned.
    pub async fn wait_for_late(&self) {
        self.tasks.close();
        self.tasks.wait().await;
    }

    pub(crate) async fn run_parts(&self, run: RunParts<'_>) -> RunEnd {
        if run.cancel.is_cancelled() {
            return RunEnd::NotDone(Stop::Cancelled.undone());
        }
        let end = match self.runners.get(run.tool) {
            None => RunEnd::NotDone(Failure::Failed { message: "this tool cannot run".to_owned() }),
            Some(Ready::Sql(tool)) => tool.run(run).await,
            Some(Ready::Command(spec)) => self.run_command(spec, run).await,
            Some(Ready::Endpoint { spec, http }) => http.run_endpoint(spec, run).await,
            Some(Ready::Webhook { webhook, idempotent, http }) => {
                http.run_webhook(webhook, *idempotent, run).await
            }
            Some(Ready::Native(tool)) => {
                let context = NativeContext {
                    run: run.context.clone(),
                    run_id: run.run_id.clone(),
                    call_id: run.call_id.clone(),
                    cancel: run.cancel.clone(),
                };
                let tool = Arc::clone(tool);
                let late = self.late.as_ref().map(|late| masked_late(late, &self.masker));
                native::run(tool, run.arguments.clone(), context, &self.tasks, late.as_ref()).await
            }
        };
        masked(end, &self.masker)
    }

    async fn run_command(&self, spec: &CommandSpec, run: RunParts<'_>) -> RunEnd {
        let mut stop = std::pin::pin!(stopped(run.cancel, Instant::now(), run.context.timeout));
        let place = tokio::select! {
            biased;
            place = self.commands.acquire() => place,
            stop = &mut stop => return RunEnd::NotDone(stop.undone()),
        };
        let Ok(_place) = place else {
            return RunEnd::NotDone(Failure::Failed { message: "we are stopping".to_owned() });
        };
        command::run(spec, self.path.as_deref(), run, stop).await
    }
}

#[async_trait]
impl ToolExecutor for Executor {
    async fn run(
        &self,
        order: &RunOrder,
        context: &RunContext,
        cancel: &CancellationToken,
    ) -> RunEnd {
        let call = &order.call;
        self.run_parts(RunParts {
            tool: call.tool(),
            call_id: call.id(),
            run_id: &order.run_id,
            arguments: call.arguments(),
            context,
            cancel,
        })
        .await
    }

    async fn settle(&self, tool: &ToolName, run_id: &RunId, context: &RunContext) -> Settled {
        match self.runners.get(tool) {
            Some(Ready::Sql(tool)) => match tool.settle(run_id, context).await {
                Settled::Done(result) => Settled::Done(self.masker.answer(result)),
                other => other,
            },
            // Commands and handlers keep no record of their own.
            Some(
                Ready::Command(_)
                | Ready::Endpoint { .. }
                | Ready::Native(_)
                | Ready::Webhook { .. },
            )
            | None => Settled::Unknown,
        }
    }
}

fn masked_late(late: &LateEnd, masker: &Masker) -> LateEnd {
    let (late, masker) = (Arc::clone(late), masker.clone());
    Arc::new(move |run_id, end| late(run_id, masked(end, &masker)))
}

/// Keeps secrets out of whatever a tool said, and long texts out of what a failing one said.
fn masked(end: RunEnd, masker: &Masker) -> RunEnd {
    match end {
        RunEnd::Done(result) => RunEnd::Done(masker.answer(result)),
        RunEnd::NotDone(failure) => RunEnd::NotDone(masked_failure(failure, masker)),
        RunEnd::Unknown(failure) => RunEnd::Unknown(masked_failure(failure, masker)),
    }
}

fn masked_failure(failure: Failure, masker: &Masker) -> Failure {
    match failure {
        Failure::Exit { code, message } => {
            Failure::Exit { code, message: masker.failure_tail(&message) }
        }
        Failure::Failed { message } => Failure::Failed { message: masker.failure_text(&message) },
        // Bounded where it was read.
        Failure::HttpStatus { status, body } => {
            Failure::HttpStatus { status, body: masker.answer(body) }
        }
        Failure::Said(value) => Failure::Said(masker.failure_value(&value)),
        Failure::Transport { kind, message } => {
            Failure::Transport { kind, message: masker.failure_text(&message) }
        }
        other => other,
    }
}

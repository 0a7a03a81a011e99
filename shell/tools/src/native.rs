//! Handlers written in Rust, and what is known when they panic, hang or come late.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use serde_json::{Map, Value};
use tokio::task::JoinError;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use manos_model::{Failure, RunEnd, RunId, ToolCallId};
use manos_ports::RunContext;

use crate::executor::LateEnd;
use crate::stop::stopped;

/// How long a handler has to return after it was asked to stop; then its end is unknown.
const STOP_GRACE: Duration = Duration::from_millis(250);

/// What a handler may know about its run. Nothing here is chosen by a model.
#[derive(Debug, Clone)]
pub struct NativeContext {
    /// Who, where, when.
    pub run: RunContext,
    /// Equal for every try of this run: good as an idempotency key.
    pub run_id: RunId,
    /// The tool call.
    pub call_id: ToolCallId,
    /// Fires when the handler should stop: its time is up, or nobody wants the result.
    pub cancel: CancellationToken,
}

/// Why a handler gives no result. The message is read by a model: it must be safe to show.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NativeError {
    /// Nothing was done.
    #[error("{message}")]
    NotDone {
        /// A safe sentence.
        message: String,
    },
    /// It may have been done.
    #[error("{message}")]
    Unknown {
        /// A safe sentence.
        message: String,
    },
}

impl NativeError {
    /// Says that nothing was done.
    pub fn not_done(message: impl Into<String>) -> Self {
        Self::NotDone { message: message.into() }
    }

    /// Says that it may have been done.
    pub fn unknown(message: impl Into<String>) -> Self {
        Self::Unknown { message: message.into() }
    }
}

/// A handler.
///
/// A result whose `error` is neither null nor false says that nothing was done. A panic is caught;
/// what was done by then is unknown.
#[async_trait]
pub trait NativeTool: Send + Sync {
    /// Runs once with checked arguments.
    ///
    /// # Errors
    ///
    /// [`NativeError`], which says whether something may have been done.
    ///
    /// # Cancel safety
    ///
    /// The future is not dropped when time is up: the token fires, and a result that comes late
    /// is still recorded.
    async fn call(
        &self,
        arguments: Map<String, Value>,
        context: NativeContext,
    ) -> Result<Value, NativeError>;
}

struct AsyncHandler<F>(F);

#[async_trait]
impl<F, R> NativeTool for AsyncHandler<F>
where
    F: Fn(Map<String, Value>, NativeContext) -> R + Send + Sync,
    R: Future<Output = Result<Value, NativeError>> + Send,
{
    async fn call(
        &self,
        arguments: Map<String, Value>,
        context: NativeContext,
    ) -> Result<Value, NativeError> {
        (self.0)(arguments, context).await
    }
}

struct BlockingHandler<F>(Arc<F>);

#[async_trait]
impl<F> NativeTool for BlockingHandler<F>
where
    F: Fn(Map<String, Value>, NativeContext) -> Result<Value, NativeError> + Send + Sync + 'static,
{
    async fn call(
        &self,
        arguments: Map<String, Value>,
        context: NativeContext,
    ) -> Result<Value, NativeError> {
        let handler = Arc::clone(&self.0);
        let task = tokio::task::spawn_blocking(move || handler(arguments, context));
        match task.await {
            Ok(result) => result,
            Err(error) => match error.try_into_panic() {
                // Caught one level up, where panics of all handlers are.
                Ok(panic) => std::panic::resume_unwind(panic),
                Err(_) => Err(NativeError::unknown("the tool was stopped")),
            },
        }
    }
}

/// Makes a handler of an async function.
///
/// ```
/// use manos_tools::{NativeError, native};
/// use serde_json::json;
/// let tool = native(|arguments, _context| async move {
///     match arguments.get("name").and_then(|name| name.as_str()) {
///         Some(name) => Ok(json!({"greeting": format!("hello {name}")})),
///         None => Err(NativeError::not_done("a name is needed")),
///     }
/// });
/// # let _: std::sync::Arc<dyn manos_tools::NativeTool> = tool;
/// ```
pub fn native<F, R>(handler: F) -> Arc<dyn NativeTool>
where
    F: Fn(Map<String, Value>, NativeContext) -> R + Send + Sync + 'static,
    R: Future<Output = Result<Value, NativeError>> + Send + 'static,
{
    Arc::new(AsyncHandler(handler))
}

/// Makes a handler of a function that may block; it runs on a thread of its own.
pub fn native_blocking<F>(handler: F) -> Arc<dyn NativeTool>
where
    F: Fn(Map<String, Value>, NativeContext) -> Result<Value, NativeError> + Send + Sync + 'static,
{
    Arc::new(BlockingHandler(Arc::new(handler)))
}

/// Runs a handler as a task of its own, so that it may be left behind.
pub(crate) async fn run(
    tool: Arc<dyn NativeTool>,
    arguments: Map<String, Value>,
    mut context: NativeContext,
    tasks: &TaskTracker,
    late: Option<&LateEnd>,
) -> RunEnd {
    let started = Instant::now();
    let outer = context.cancel;
    let inner = CancellationToken::new();
    context.cancel = inner.clone();
    let timeout = context.run.timeout;
    let run_id = context.run_id.clone();
    // When nobody waits any more the handler is told so.
    let told = inner.clone().drop_guard();
    let mut task = tasks.spawn(async move { tool.call(arguments, context).await });
    let stop = tokio::select! {
        biased;
        end = &mut task => {
            told.disarm();
            return run_end(end);
        }
        stop = stopped(&outer, started, timeout) => stop,
    };
    inner.cancel();
    match tokio::time::timeout(STOP_GRACE, &mut task).await {
        Ok(Ok(Ok(result))) => RunEnd::of_result(result),
        // It gave up because we asked it to; how far it had come is not known.
        Ok(_) => RunEnd::Unknown(stop.unclear()),
        Err(_) => {
            if let Some(late) = late.cloned() {
                tasks.spawn(async move { late(run_id, run_end(task.await)) });
            }
            RunEnd::Unknown(stop.unclear())
        }
    }
}

fn run_end(end: Result<Result<Value, NativeError>, JoinError>) -> RunEnd {
    match end {
        Ok(Ok(result)) => RunEnd::of_result(result),
        Ok(Err(NativeError::NotDone { message })) => RunEnd::NotDone(Failure::Failed { message }),
        Ok(Err(NativeError::Unknown { message })) => RunEnd::Unknown(Failure::Failed { message }),
        Err(error) => {
            // The panic's words may hold anything; the panic hook has already logged them.
            tracing::error!(panicked = error.is_panic(), "the handler of a tool did not end well");
            RunEnd::Unknown(Failure::Failed { message: "the tool crashed".to_owned() })
        }
    }
}

#[cfg(test)]
mod tests;

//! What policy knows of a tool.

use std::sync::Arc;
use std::time::Duration;

use manos_model::ToolName;
use manos_schema::ToolSchema;

/// When an equal call is not run again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dedupe {
    /// How long a done run counts.
    pub window: Duration,
    /// The argument names that say what is meant; `None` is all of them.
    pub key: Option<Vec<String>>,
}

impl Dedupe {
    /// The window of `dedupe: args`.
    pub const WINDOW: Duration = Duration::from_mins(10);

    /// `dedupe: args`.
    pub fn args() -> Self {
        Self { window: Self::WINDOW, key: None }
    }
}

/// A tool as policy sees it.
#[derive(Debug)]
pub struct ToolSpec {
    /// Its name.
    pub name: ToolName,
    /// What its arguments must be.
    pub schema: Arc<ToolSchema>,
    /// Whether a person is asked before it runs.
    pub confirm: bool,
    /// When an equal call is not run again.
    pub dedupe: Option<Dedupe>,
    /// Whether it changes nothing.
    pub read_only: bool,
    /// Whether running it twice is running it once.
    pub idempotent: bool,
    /// A digest of its whole definition: schema, runner, fixed values, confirmation texts.
    pub definition: String,
}

impl ToolSpec {
    /// Whether an interrupted run may simply be made again.
    pub fn repeatable(&self) -> bool {
        self.read_only || self.idempotent
    }
}

//! An agent in a Rust program: a file, handlers by name, chats.

use std::collections::BTreeMap;
use std::fmt;
use std::future::Future;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use manos_chat::{Inbound, InboundBody};
use manos_config::Diagnostic;
use manos_engine::Surface;
use manos_model::{ChatKey, UserId};
use manos_ports::{Channel, StoreError};
use manos_runtime::{DeliverError, Runtime};
use manos_tools::{NativeContext, NativeError, NativeTool, native, native_blocking};
use serde_json::{Map, Value};

use crate::collector::Collector;
use crate::open::{OpenError, Opening, open};
use crate::read::{ReadAgent, read_agent, read_text};

/// Handlers by the name of their tool.
pub type Handlers = BTreeMap<String, Arc<dyn NativeTool>>;

/// An agent that is not running yet.
pub struct Agent {
    source: Source,
    handlers: Handlers,
}

enum Source {
    File(PathBuf),
    Text(String),
}

impl fmt::Debug for Agent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let handlers: Vec<&String> = self.handlers.keys().collect();
        f.debug_struct("Agent").field("handlers", &handlers).finish_non_exhaustive()
    }
}

/// Why an agent does not start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// The file says things that cannot be.
    #[error("the agent file has {} mistakes:\n{}", .mistakes.len(), printed(.mistakes))]
    File {
        /// All of them, by place.
        mistakes: Vec<Diagnostic>,
    },
    /// A handler is for a tool that the file does not have.
    #[error("there is a handler for `{name}`, and the file has no such tool without a runner")]
    HandlerWithoutTool {
        /// The name.
        name: String,
    },
    /// Something the agent needs cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The file cannot be read.
    #[error("the agent file cannot be read")]
    Read {
        /// Why.
        #[from]
        source: io::Error,
    },
    /// The store did not keep the first event.
    #[error("the store does not keep what happens")]
    Keep {
        /// Why.
        #[from]
        source: DeliverError,
    },
    /// What an earlier process left cannot be taken up.
    #[error("what an earlier process left cannot be taken up")]
    Resume {
        /// Why.
        #[from]
        source: StoreError,
    },
}

fn printed(mistakes: &[Diagnostic]) -> String {
    mistakes.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

impl Agent {
    /// An agent from its file.
    pub fn from_file(path: impl Into<PathBuf>) -> Self {
        Self { source: Source::File(path.into()), handlers: Handlers::new() }
    }

    /// An agent from text; relative paths start from the working folder.
    pub fn from_text(text: impl Into<String>) -> Self {
        Self { source: Source::Text(text.into()), handlers: Handlers::new() }
    }

    /// Gives the tool of this name a handler. In the file it has no runner.
    #[must_use]
    pub fn handler<F, R>(self, tool: &str, handler: F) -> Self
    where
        F: Fn(Map<String, Value>, NativeContext) -> R + Send + Sync + 'static,
        R: Future<Output = Result<Value, NativeError>> + Send + 'static,
    {
        self.with(tool, native(handler))
    }

    /// Gives the tool of this name a handler that may block its thread.
    #[must_use]
    pub fn blocking_handler<F>(self, tool: &str, handler: F) -> Self
    where
        F: Fn(Map<String, Value>, NativeContext) -> Result<Value, NativeError>
            + Send
            + Sync
            + 'static,
    {
        self.with(tool, native_blocking(handler))
    }

    /// Gives the tool of this name a handler.
    #[must_use]
    pub fn with(mut self, tool: &str, handler: Arc<dyn NativeTool>) -> Self {
        self.handlers.insert(tool.to_owned(), handler);
        self
    }

    /// Opens the agent, takes up what an earlier process left, and runs it for
    /// [`Started::chat`].
    ///
    /// # Errors
    ///
    /// [`StartError`] with everything that is wrong.
    pub async fn start(self) -> Result<Started, StartError> {
        let collector = Arc::new(Collector::default());
        let channel: Arc<dyn Channel> = Arc::clone(&collector) as Arc<dyn Channel>;
        let runtime = self.start_on(channel).await?;
        Ok(Started { runtime, collector })
    }

    /// Opens the agent for people on another channel.
    ///
    /// # Errors
    ///
    /// [`StartError`] with everything that is wrong.
    pub async fn start_on(self, channel: Arc<dyn Channel>) -> Result<Runtime, StartError> {
        let handled = self.handlers.keys().cloned().collect();
        let ReadAgent { loaded, digest, folder, .. } = match &self.source {
            Source::File(path) => read_agent(path, &handled)?,
            Source::Text(text) => read_text(text, Path::new("."), &handled)?,
        };
        let mistakes: Vec<Diagnostic> =
            loaded.errors.into_iter().chain(loaded.unsupported).collect();
        let Some(file) = loaded.agent.filter(|_| mistakes.is_empty()) else {
            return Err(StartError::File { mistakes });
        };
        let unknown = self.handlers.keys().find(|name| file.tool(name).is_none());
        if let Some(name) = unknown {
            return Err(StartError::HandlerWithoutTool { name: name.clone() });
        }
        let runtime = open(Opening {
            file: &file,
            secrets: &loaded.secrets,
            folder: &folder,
            channel,
            handlers: self.handlers,
            answers_too: None,
            dry_run: None,
        })?;
        runtime.announce(&digest).await?;
        runtime.resume().await?;
        Ok(runtime)
    }
}

/// A running agent.
#[derive(Debug)]
pub struct Started {
    runtime: Runtime,
    collector: Arc<Collector>,
}

/// How long [`Started::stop`] waits for running tools.
const STOP_GRACE: std::time::Duration = std::time::Duration::from_secs(30);

impl Started {
    /// Returns a chat by its key.
    pub fn chat(&self, key: &str) -> Chat<'_> {
        Chat { agent: self, key: ChatKey::new(key) }
    }

    /// Returns the runtime, for everything that a chat has no words for.
    pub fn runtime(&self) -> &Runtime {
        &self.runtime
    }

    /// Takes no new input, waits for what runs, and ends.
    pub async fn stop(self) {
        self.runtime.shutdown(STOP_GRACE).await;
    }
}

/// One chat of a running agent.
#[derive(Debug)]
pub struct Chat<'a> {
    agent: &'a Started,
    key: ChatKey,
}

impl Chat<'_> {
    /// Sends a message as the chat's only user, waits until the agent has answered or asks
    /// something, and returns what it said.
    ///
    /// # Errors
    ///
    /// [`DeliverError`] when the message was not taken; nothing of it is kept then.
    pub async fn send(&self, text: &str) -> Result<Vec<String>, DeliverError> {
        let inbound = Inbound {
            message_id: None,
            user: UserId::new(self.key.as_str()),
            surface: Surface { repeats: true, ..Surface::default() },
            body: InboundBody::Text(text.to_owned()),
        };
        self.agent.runtime.deliver(&self.key, inbound).await?;
        self.agent.runtime.settled(&self.key).await;
        Ok(self.agent.collector.take(&self.key))
    }
}

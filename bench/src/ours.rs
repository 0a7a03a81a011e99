//! The same turns by the facade: store with a sync at each durable point, audit trail on.

use std::path::Path;
use std::sync::Arc;

use manos::{Agent, Started};
use tokio::task::JoinSet;

use crate::workload::{self, MESSAGE, TOOL, Workload};

/// A running agent.
pub(crate) struct Ours {
    agent: Arc<Started>,
    chats: usize,
}

impl Ours {
    /// Starts the agent of a workload over a store in this folder.
    pub(crate) async fn start(
        workload: &Workload,
        base_url: &str,
        folder: &Path,
        chats: usize,
    ) -> anyhow::Result<Self> {
        let store = format!("sqlite:{}", folder.join("bench.db").display());
        let file = workload::agent_file(workload, base_url, &store);
        let mut agent = Agent::from_text(file);
        for tool in workload::tools(workload.tools) {
            agent = agent.handler(&tool.name, |_, _| async { Ok(workload::result()) });
        }
        Ok(Self { agent: Arc::new(agent.start().await?), chats })
    }

    /// Makes turns in several chats at once, and waits for all of them.
    pub(crate) async fn make_turns(&self, at_once: usize, turns: usize) -> anyhow::Result<()> {
        self.make_turns_from(0, at_once, turns).await
    }

    /// The same, in the chats from this one on.
    pub(crate) async fn make_turns_from(
        &self,
        chat: usize,
        at_once: usize,
        turns: usize,
    ) -> anyhow::Result<()> {
        let mut tasks = JoinSet::new();
        let chats = self.chats;
        for first in 0..at_once {
            let agent = Arc::clone(&self.agent);
            tasks.spawn(async move {
                let mut at = chat + first;
                for _ in 0..turns / at_once {
                    let said = agent.chat(&key(at % chats)).send(MESSAGE).await?;
                    anyhow::ensure!(said == [workload::ANSWER], "another answer: {said:?}");
                    at += at_once;
                }
                Ok(())
            });
        }
        while let Some(ended) = tasks.join_next().await {
            ended??;
        }
        Ok(())
    }

    /// Ends the agent and closes its store.
    pub(crate) async fn stop(self) {
        if let Some(agent) = Arc::into_inner(self.agent) {
            agent.stop().await;
        }
    }
}

fn key(chat: usize) -> String {
    format!("bench:{chat:06}")
}

/// What the trail of a store holds about tool runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Trail {
    /// Audit events.
    pub(crate) events: u64,
    /// Of them, runs of the tool that ended well.
    pub(crate) succeeded: u64,
}

/// Reads the trail of a closed store.
pub(crate) async fn trail(folder: &Path) -> anyhow::Result<Trail> {
    use manos::ports::{AuditQuery, Store as _};
    let store = manos::store::SqliteStore::open_read(folder.join("bench.db"))?;
    let mut trail = Trail { events: 0, succeeded: 0 };
    let mut after = 0;
    loop {
        let query = AuditQuery { after, limit: 10_000, ..AuditQuery::default() };
        let rows = store.audit(query).await?;
        let Some(last) = rows.last() else { return Ok(trail) };
        after = last.id;
        trail.events += rows.len() as u64;
        let ended = |json: &str| json.contains("\"tool.succeeded\"") && json.contains(TOOL);
        trail.succeeded += rows.iter().filter(|row| ended(&row.json)).count() as u64;
    }
}

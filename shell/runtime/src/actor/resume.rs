//! Taking up what an earlier process left: its runs are settled before anything new is read.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use manos_chat::{Event, Inbound, InboundBody};
use manos_engine::{KnownEnd, Running};
use manos_ports::{RunContext, Settled};

use super::{Actor, Offered, Resume};
use crate::effects;

/// How long a tool may take to say what became of a run; then nobody can tell.
const SETTLE_WAIT: Duration = Duration::from_secs(30);

impl Actor {
    /// Puts the taking-up before the first event that must find the chat taken up.
    ///
    /// Nobody needs to have asked: a message may come before [`crate::Runtime::resume`] has reached
    /// the chat. A chat that is cleared needs no turn taken up first, and a human who settles a run
    /// wants nothing else to happen.
    pub(super) async fn add_resumed(&mut self, events: &mut VecDeque<Offered>) {
        if self.shared.closing.is_cancelled() {
            return;
        }
        let place = match self.resume {
            Resume::Unknown | Resume::Done => return,
            Resume::Asked => Some(0),
            Resume::Due => events.iter().position(|offered| reads_the_chat(&offered.event)),
        };
        let reset = events.iter().any(|offered| is_reset(&offered.event));
        let Some(place) = place.or_else(|| reset.then_some(events.len())) else { return };
        let known = self.known_ends().await;
        events.insert(place, Offered::happened(Event::Resumed { known }));
        self.resume = Resume::Asked;
    }

    async fn known_ends(&self) -> Vec<(manos_model::RunId, KnownEnd)> {
        let Some(loaded) = &self.loaded else { return Vec::new() };
        let mut known = Vec::new();
        for run in loaded.chat.runs_under_way() {
            let spec = &self.shared.parts.spec;
            let end = match spec.agent.tool(run.call.tool.as_str()) {
                None => KnownEnd::Unknown,
                Some(tool) => {
                    let facts = effects::settle_context(&self.key, &loaded.chat, spec, tool, run);
                    self.known_end(run, facts).await
                }
            };
            known.push((run.run_id.clone(), end));
        }
        known
    }

    /// Asks the tool. In a task of its own: a tool that panics or hangs must not take the chat along.
    async fn known_end(&self, run: &Running, facts: RunContext) -> KnownEnd {
        let executor = Arc::clone(&self.shared.parts.executor);
        let (tool, run_id) = (run.call.tool.clone(), run.run_id.clone());
        let asked =
            self.shared.tasks.spawn(async move { executor.settle(&tool, &run_id, &facts).await });
        let stop = asked.abort_handle();
        match tokio::time::timeout(SETTLE_WAIT, asked).await {
            Ok(Ok(Settled::Done(value))) => KnownEnd::Done(value),
            Ok(Ok(Settled::NotDone)) => KnownEnd::NotDone,
            Ok(Ok(Settled::Unknown) | Err(_)) => KnownEnd::Unknown,
            Err(_) => {
                stop.abort();
                tracing::warn!(run_id = %run.run_id, "a tool does not say what became of its run");
                KnownEnd::Unknown
            }
        }
    }
}

fn is_reset(event: &Event) -> bool {
    matches!(event, Event::Received(Inbound { body: InboundBody::Reset, .. }))
}

/// Whether what is decided depends on the turn that an earlier process left.
fn reads_the_chat(event: &Event) -> bool {
    matches!(event, Event::Received(_)) && !is_reset(event)
}

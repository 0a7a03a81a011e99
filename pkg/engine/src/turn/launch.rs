//! How an approved run starts. Nothing else in the turn causes [`Effect::RunTool`].

use manos_model::{AuditKind, ChatKey, RunId, Timestamp};
use manos_policy::{ApprovalRecord, ApprovedCall, PreparedCall, RunOrder};

use super::ask::after;
use super::call::shown_arguments;
use super::{Purpose, Running, Turn};
use crate::trail::Note;
use crate::{AgentSpec, Effect, EntryState, Step, Tool, ToolRun};

/// Whether a yes is too old for its call to start.
pub(super) fn approval_is_stale(
    approval: &ApprovalRecord,
    agent: &AgentSpec,
    chat: &ChatKey,
    now: Timestamp,
) -> bool {
    match approval {
        ApprovalRecord::ByPerson { at, .. } => now > after(*at, agent.confirm.timeout_in(chat)),
        ApprovalRecord::ByPolicy => false,
    }
}

impl ToolRun {
    /// Whether it must not start any more: keeping it took so long that the person's yes is stale.
    /// Its end is then [`manos_model::Failure::Expired`], not done.
    pub fn is_stale(&self, agent: &AgentSpec, chat: &ChatKey, now: Timestamp) -> bool {
        approval_is_stale(self.order.call.approval(), agent, chat, now)
    }
}

impl Turn {
    /// Starts an approved run.
    pub(super) fn start_run(
        &mut self,
        approved: ApprovedCall,
        purpose: Purpose,
        tool: &Tool,
        step: &mut Step<'_>,
    ) {
        let run_id = self.run_id_for(&approved, tool, step);
        self.launch(RunOrder { call: approved, run_id }, purpose, tool, step);
    }

    /// An idempotent tool runs again under the id of the run whose end is not known.
    fn run_id_for(&self, approved: &ApprovedCall, tool: &Tool, step: &mut Step<'_>) -> RunId {
        if tool.spec.idempotent && !tool.spec.read_only {
            let unknown = step.memory.ledger.entries().iter().rev().find(|entry| {
                entry.state == EntryState::Unknown
                    && entry.digest == *approved.digest()
                    && entry.user == self.user
            });
            if let Some(entry) = unknown {
                return entry.run_id.clone();
            }
        }
        step.ids.next_hex().into()
    }

    pub(super) fn launch(
        &mut self,
        order: RunOrder,
        purpose: Purpose,
        tool: &Tool,
        step: &mut Step<'_>,
    ) {
        let mut note = Note::new(AuditKind::ToolStarted)
            .turn(&self.id)
            .step(self.step)
            .tool(tool.spec.name.as_str())
            .call(order.call.id())
            .run(&order.run_id)
            .with("digest", order.call.digest().as_str())
            .with("arguments", shown_arguments(order.call.arguments(), tool));
        if let ApprovalRecord::ByPerson { confirmation_id, by, .. } = order.call.approval() {
            note = note
                .with("confirmation_id", confirmation_id.as_str())
                .with("approved_by", by.as_str());
        }
        if purpose == Purpose::Quote {
            note = note.with("for", "confirm");
        }
        step.note(note);
        self.runs.push(Running {
            run_id: order.run_id.clone(),
            call: PreparedCall {
                id: order.call.id().clone(),
                tool: order.call.tool().clone(),
                arguments: order.call.arguments().clone(),
                digest: order.call.digest().clone(),
            },
            approval: order.call.approval().clone(),
            started_at: step.now,
            purpose,
        });
        step.cause(Effect::RunTool(Box::new(ToolRun {
            order,
            title: tool.title.clone(),
            turn_id: self.id.clone(),
            step: self.step,
            user: self.user.clone(),
            read_only: tool.spec.read_only,
        })));
    }
}

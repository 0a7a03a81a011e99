//! Warnings: what works, and deserves a look.

use manos_model::UserId;

use super::Decoder;
use crate::agent::{AgentFile, RunnerFile, ToolFile};
use crate::node::Node;
use crate::report;
use crate::source::Span;

/// Built-in tools that reach further than the chat.
const REACHING: [&str; 4] = ["ssh_command", "read_file", "matrix_send", "http_post"];

impl Decoder<'_, '_> {
    pub(super) fn advice(&mut self, agent: &AgentFile) {
        for tool in &agent.tools {
            let place = self.place_of(tool);
            // A wrong value in the file is told elsewhere, and an imported tool always says it.
            let says = self.node_of(tool).is_some_and(|node| node.get("confirm").is_some());
            if !tool.read_only && !says && tool.confirm.is_none() {
                let message = format!("`{}` changes things and nobody is asked first", tool.name);
                let help = "say `confirm: true` or `confirm: false`, or `read_only: true`";
                self.report.warning(report::UNDECIDED_CONFIRM, place, message, help);
            }
            self.exposed(agent, tool, place);
        }
        self.unsigned(agent);
    }

    /// Where a tool stands in the file.
    pub(super) fn node_of(&self, tool: &ToolFile) -> Option<&Node> {
        let nodes = self.root.get("tools").map(Node::items).unwrap_or_default();
        nodes.iter().find(|node| name_of(node).and_then(Node::text) == Some(tool.name.as_str()))
    }

    /// The place of a tool's name.
    fn place_of(&self, tool: &ToolFile) -> Span {
        self.node_of(tool).and_then(name_of).map_or(self.root.span, |place| place.span)
    }

    fn exposed(&mut self, agent: &AgentFile, tool: &ToolFile, place: Span) {
        let RunnerFile::Builtin(builtin) = &tool.runner else { return };
        // Somebody nobody knows, who is in no role but everyone's.
        let stranger = UserId::new("\u{0}");
        let open = agent.access.may_use(&stranger, tool.name.as_str());
        if open && !agent.channels.is_empty() && REACHING.contains(&builtin.name.as_str()) {
            let channels: Vec<&str> = agent.channels.keys().map(String::as_str).collect();
            let message =
                format!("everyone on {} may use `{}`", channels.join(" and "), builtin.name);
            let help = "give it to a role: `security.roles.everyone.tools` lists what all may use";
            self.report.warning(report::EXPOSED_TOOL, place, message, help);
        }
    }

    fn unsigned(&mut self, agent: &AgentFile) {
        if agent.webhook.as_ref().is_some_and(|webhook| !webhook.secrets.is_empty()) {
            return;
        }
        let endpoint =
            agent.tools.iter().find(|tool| matches!(tool.runner, RunnerFile::Endpoint(_)));
        let webhook = self.root.entry("webhook").map(|entry| entry.key_span);
        let Some(span) = webhook.or_else(|| endpoint.map(|tool| self.place_of(tool))) else {
            return;
        };
        let message = "requests are not signed: there is no `webhook.secret`";
        let help = "with one, an endpoint can tell our requests from others'";
        self.report.warning(report::UNSIGNED, span, message, help);
    }
}

fn name_of(node: &Node) -> Option<&Node> {
    node.get("function").unwrap_or(node).get("name").or(node.get("builtin"))
}

//! What the file asks for and this build cannot run.

use super::Decoder;
use crate::agent::{AgentFile, RunnerFile, ToolFile};
use crate::built;
use crate::node::Node;
use crate::report;

/// Sources of tools that cannot be reached.
const SOURCES: [(&str, &str); 2] =
    [("mcp", "the tools of MCP servers"), ("openapi", "OpenAPI documents that must be fetched")];

/// Keys that are read and have no effect yet.
const WITHOUT_EFFECT: [(&str, &str); 1] = [("store_keep", "nothing is removed from the store yet")];

impl Decoder<'_, '_> {
    /// Tells of every tool that cannot be run: it stops the agent when somebody could be offered
    /// it, else it is only worth a warning.
    pub(super) fn unbuilt(&mut self, agent: &AgentFile) {
        for (key, message) in WITHOUT_EFFECT {
            if let Some(entry) = self.root.entry(key) {
                let help = format!("take `{key}` out, or keep it for a later build");
                self.report.warning(
                    report::NOT_BUILT_YET,
                    entry.key_span,
                    message.to_owned(),
                    help,
                );
            }
        }
        for tool in &agent.tools {
            let Some((key, what)) = missing_runner(tool) else { continue };
            if matches!(tool.runner, RunnerFile::Webhook) && agent.webhook.is_none() {
                // That nothing runs it is an error already.
                continue;
            }
            let span = self
                .node_of(tool)
                .and_then(|node| node.entry(key).or(node.entry("function")))
                .map_or(self.root.span, |entry| entry.key_span);
            if agent.allowed().any(|name| *name == tool.name) {
                let help = format!("take `{}` out, or run it by `sql` or `command`", tool.name);
                self.report.not_built(span, &what, help);
            } else {
                let message = format!("this build cannot run {what} yet");
                let help =
                    format!("`{}` is not in `allowed_tools`, so nobody is offered it", tool.name);
                self.report.warning(report::NOT_BUILT_YET, span, message, help);
            }
        }
        for node in self.root.get("tools").map(Node::items).unwrap_or_default() {
            for (key, what) in SOURCES {
                let Some(entry) = node.entry(key) else { continue };
                if key == "openapi" && entry.node.get("url").is_none() {
                    continue;
                }
                let help = match key {
                    "openapi" => "save the document beside this file and name it with `file`",
                    _ => "take it out for now",
                };
                if needs_sources(agent) {
                    self.report.not_built(entry.key_span, what, help);
                } else {
                    let message = format!("this build cannot run {what} yet");
                    let help = "all of `allowed_tools` are in this file, so it is not needed";
                    self.report.warning(report::NOT_BUILT_YET, entry.key_span, message, help);
                }
            }
        }
    }
}

/// Whether a tool may be used that this file does not have itself.
fn needs_sources(agent: &AgentFile) -> bool {
    let allowed = agent.access.allowed_tools.as_ref();
    allowed.is_none_or(|allowed| allowed.iter().any(|name| agent.tool(name).is_none()))
}

/// The key that asks for a runner which is not there, and what that is.
fn missing_runner(tool: &ToolFile) -> Option<(&'static str, String)> {
    match &tool.runner {
        RunnerFile::Endpoint(_) if !built::ENDPOINTS => {
            Some(("endpoint", "HTTP endpoints".to_owned()))
        }
        RunnerFile::Webhook if !built::ENDPOINTS => Some(("name", "the webhook".to_owned())),
        RunnerFile::Builtin(builtin) if !built::BUILTINS.contains(&builtin.name.as_str()) => {
            Some(("builtin", format!("`{}`", builtin.name)))
        }
        _ => None,
    }
}

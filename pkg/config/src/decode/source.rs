//! Sources that bring tools when they are reached: MCP servers and `OpenAPI` documents.

use super::runner::environment;
use super::{Decoder, value};
use crate::agent::{Mcp, McpServer, ToolSourceFile};
use crate::node::Node;
use crate::report;

/// Keys of a single tool that mean nothing for a whole source.
const OF_ONE_TOOL: [&str; 12] = [
    "name",
    "description",
    "parameters",
    "function",
    "type",
    "confirm_message",
    "confirm_lines",
    "labels",
    "dedupe",
    "fixed",
    "env",
    "cwd",
];

impl Decoder<'_, '_> {
    /// Reads an MCP server.
    pub(super) fn tool_source(&mut self, node: &Node) -> Option<ToolSourceFile> {
        self.of_many_tools(node);
        self.mcp(node, node.get("mcp")?)
    }

    /// Tells of keys that only one tool can have.
    pub(super) fn of_many_tools(&mut self, node: &Node) {
        self.one_runner(node);
        for entry in OF_ONE_TOOL.iter().filter_map(|key| node.entry(key)) {
            let message = format!("`{}` is for one tool, and this brings many", entry.key);
            self.error(report::CONFLICT, entry.key_span, message, "remove it");
        }
    }

    fn mcp(&mut self, tool: &Node, node: &Node) -> Option<ToolSourceFile> {
        let place = tool.entry("mcp").map_or(node.span, |entry| entry.key_span);
        let server = match (node.get("url"), node.get("command")) {
            (Some(url), None) => {
                self.web_address(url, None);
                let url = value::secret(node, "url")?;
                McpServer::Url { url, headers: self.headers(node, "Manos") }
            }
            (None, Some(_)) => McpServer::Command {
                argv: value::texts(node, "command").unwrap_or_default(),
                env: environment(node),
            },
            _ => {
                let help = "write `mcp: { url: … }` or `mcp: { command: [ … ] }`";
                self.error(
                    report::CONFLICT,
                    place,
                    "an MCP server has a `url` or a `command`",
                    help,
                );
                return None;
            }
        };
        Some(ToolSourceFile::Mcp(Mcp {
            server,
            name: value::text(node, "name"),
            include: value::texts(node, "include"),
            exclude: value::texts(node, "exclude").unwrap_or_default(),
            confirm: value::bool(tool, "confirm"),
            read_only: value::bool_or(tool, "read_only", false),
        }))
    }
}

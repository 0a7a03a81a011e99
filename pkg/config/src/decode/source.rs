//! Sources that bring tools when they are reached: MCP servers and `OpenAPI` documents.

use manos_model::Secret;

use super::runner::environment;
use super::{Decoder, value};
use crate::agent::{Mcp, McpServer, OpenApi, Operations, ToolSourceFile};
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
    pub(super) fn tool_source(&mut self, node: &Node) -> Option<ToolSourceFile> {
        self.one_runner(node);
        for entry in OF_ONE_TOOL.iter().filter_map(|key| node.entry(key)) {
            let message = format!("`{}` is for one tool, and this brings many", entry.key);
            self.error(report::CONFLICT, entry.key_span, message, "remove it");
        }
        match node.get("mcp") {
            Some(mcp) => self.mcp(node, mcp),
            None => self.openapi(node),
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

    fn openapi(&mut self, tool: &Node) -> Option<ToolSourceFile> {
        let node = tool.get("openapi")?;
        let place = tool.entry("openapi").map_or(node.span, |entry| entry.key_span);
        let (document, is_url) = match (value::text(node, "file"), value::text(node, "url")) {
            (Some(file), None) => (file, false),
            (None, Some(url)) => (url, true),
            _ => {
                let message = "an OpenAPI document is a `file` or a `url`";
                self.error(report::CONFLICT, place, message, "write one of them");
                return None;
            }
        };
        let operations =
            |key| node.get(key).map(|list| list.items().iter().map(operations).collect());
        let auth = node.get("auth").map(Node::entries).unwrap_or_default().iter();
        Some(ToolSourceFile::OpenApi(OpenApi {
            document,
            is_url,
            include: operations("include"),
            exclude: operations("exclude").unwrap_or_default(),
            auth: auth.map(|e| (e.key.clone(), Secret::new(e.node.json()))).collect(),
            confirm: value::bool(tool, "confirm"),
        }))
    }
}

fn operations(node: &Node) -> Operations {
    Operations {
        tag: value::text(node, "tag"),
        path: value::text(node, "path"),
        operation: value::text(node, "operation"),
    }
}

//! Names that must be those of tools and roles.

use manos_policy::EVERYONE;

use super::Decoder;
use crate::agent::{AgentFile, ToolFile};
use crate::node::Node;
use crate::report;
use crate::shape::suggestion;

impl Decoder<'_, '_> {
    pub(super) fn references(&mut self, agent: &AgentFile) {
        // Tools of MCP servers and documents get their names when these are reached.
        if agent.sources.is_empty() {
            self.tool_names(agent);
        }
        self.role_names(agent);
        self.command_names(agent);
        self.lookups(agent);
    }

    fn tool_names(&mut self, agent: &AgentFile) {
        let Some(security) = self.root.get("security") else { return };
        let roles = security.get("roles").map(Node::entries).unwrap_or_default();
        let lists = security.get("allowed_tools").into_iter().chain(
            roles.iter().flat_map(|role| [role.node.get("tools"), role.node.get("deny")]).flatten(),
        );
        for place in lists.flat_map(Node::items) {
            let Some(name) = place.text() else { continue };
            let is_pattern = name.contains('*');
            let in_allowed = security
                .get("allowed_tools")
                .is_some_and(|list| list.items().iter().any(|item| std::ptr::eq(item, place)));
            if is_pattern && in_allowed {
                let help = "name the tools; leave `allowed_tools` out for all of this file";
                self.error(report::BAD_VALUE, place.span, "patterns are for roles", help);
            } else if !is_pattern && agent.tool(name).is_none() {
                self.unknown_tool(place, name, &agent.tools);
            }
        }
    }

    /// Roles can be given `/reset` and the commands of this file's rules.
    fn command_names(&mut self, agent: &AgentFile) {
        let own = agent.rules.iter().filter_map(|rule| rule.when.command.as_deref());
        let known: Vec<&str> = std::iter::once("reset").chain(own).collect();
        let roles = self.root.get("security").and_then(|security| security.get("roles"));
        let roles = roles.map(Node::entries).unwrap_or_default();
        for place in roles.iter().filter_map(|role| role.node.get("commands")).flat_map(Node::items)
        {
            let Some(name) = place.text().map(|name| name.trim_start_matches('/')) else {
                continue;
            };
            if name.contains('*') || known.iter().any(|known| known.eq_ignore_ascii_case(name)) {
                continue;
            }
            let message = format!("there is no command `/{name}`");
            self.error(report::UNKNOWN_NAME, place.span, message, suggestion(name, &known));
        }
    }

    fn role_names(&mut self, agent: &AgentFile) {
        let mut known: Vec<&str> =
            agent.access.roles.iter().map(|role| role.name.as_str()).collect();
        if !known.contains(&EVERYONE) {
            known.push(EVERYONE);
        }
        let rules = self.root.get("rules").map(Node::items).unwrap_or_default();
        let in_rules = rules.iter().filter_map(|rule| rule.get("when")?.get("role"));
        for place in in_rules.chain(self.root.get("direct_tools")) {
            for one in std::iter::once(place).chain(place.items()) {
                let Some(name) = one.text().filter(|name| !known.contains(name)) else { continue };
                let message = format!("there is no role `{name}`");
                let help = suggestion(name, &known);
                self.error(report::UNKNOWN_NAME, one.span, message, help);
            }
        }
    }

    /// A lookup for a question must only read, and must not ask itself.
    fn lookups(&mut self, agent: &AgentFile) {
        let nodes = self.root.get("tools").map(Node::items).unwrap_or_default();
        for node in nodes {
            let Some(lines) = node.get("confirm_lines") else { continue };
            let Some(from) = lines.get("from") else { continue };
            let Some(name) = from.text() else { continue };
            let Some(lookup) = agent.tool(name) else {
                if agent.sources.is_empty() {
                    self.unknown_tool(from, name, &agent.tools);
                } else {
                    let message = format!("`{name}` is no tool that this file itself has");
                    let help = "a lookup must be known to be read-only: name it in this file";
                    self.error(report::UNKNOWN_NAME, from.span, message, help);
                }
                continue;
            };
            if !lookup.read_only {
                let message = format!("`{name}` is not read-only, and would run before the yes");
                let help = "name a tool that only reads; say `read_only: true` if it does";
                self.error(report::NOT_READ_ONLY, from.span, message, help);
            } else if lookup.confirm == Some(true) {
                let message = format!("`{name}` asks itself, and a question cannot wait for one");
                self.error(report::CONFLICT, from.span, message, "name a tool without `confirm`");
            }
            self.lookup_arguments(lines, lookup);
        }
    }

    fn lookup_arguments(&mut self, lines: &Node, lookup: &ToolFile) {
        let names: Vec<&str> = lookup.schema.properties().map(|(name, _)| name).collect();
        for entry in lines.get("args").map(Node::entries).unwrap_or_default() {
            if names.contains(&entry.key.as_str()) {
                continue;
            }
            let message = format!("the tool `{}` has no argument `{}`", lookup.name, entry.key);
            let help = suggestion(&entry.key, &names);
            self.error(report::BAD_ARGUMENT, entry.key_span, message, help);
        }
    }
}

//! The HTTP server: where it listens, its keys, and the platforms that call its tools.

use std::collections::BTreeMap;

use manos_model::Secret;

use super::{Decoder, value};
use crate::agent::{ApiKey, Caller, ServerConfig, ToolFile, ToolSourceFile};
use crate::node::Node;
use crate::report;
use crate::shape::suggestion;

/// Shorter keys can be guessed.
const API_KEY_BYTES_MIN: usize = 16;

impl Decoder<'_, '_> {
    pub(super) fn server(
        &mut self,
        tools: &[ToolFile],
        sources: &[ToolSourceFile],
    ) -> ServerConfig {
        let none = Node { value: crate::node::Value::Null, span: self.root.span };
        let node = self.root.get("server").unwrap_or(&none);
        ServerConfig {
            listen: value::text(node, "listen").unwrap_or_else(|| "127.0.0.1:8080".to_owned()),
            hosts: value::texts(node, "hosts").unwrap_or_default(),
            api_keys: self.api_keys(node),
            callers: self.callers(node, tools, sources),
        }
    }

    fn api_keys(&mut self, server: &Node) -> BTreeMap<String, ApiKey> {
        let mut api_keys = BTreeMap::new();
        for entry in server.get("api_keys").map(Node::entries).unwrap_or_default() {
            let key = match entry.node.text() {
                Some(text) => Some(Secret::new(text.to_owned())),
                None => value::secret(&entry.node, "key"),
            };
            let Some(key) = key else { continue };
            if key.expose().len() < API_KEY_BYTES_MIN {
                let message = format!("this key is shorter than {API_KEY_BYTES_MIN} characters");
                self.error(report::BAD_VALUE, entry.node.span, message, "draw a longer one");
            }
            let scopes = value::texts(&entry.node, "scopes").unwrap_or_default();
            let operate = scopes.iter().any(|scope| scope == "operate");
            api_keys.insert(entry.key.clone(), ApiKey { key, operate });
        }
        api_keys
    }

    fn callers(
        &mut self,
        server: &Node,
        tools: &[ToolFile],
        sources: &[ToolSourceFile],
    ) -> BTreeMap<String, Caller> {
        let mut callers = BTreeMap::new();
        for entry in server.get("callers").map(Node::entries).unwrap_or_default() {
            self.empty_secrets(&entry.node, "set the variable: an empty secret proves nothing");
            let confirms = entry.node.get("confirms").map(Node::items).unwrap_or_default();
            for item in confirms {
                self.confirmed_by_caller(item, tools, sources);
            }
            let caller = Caller {
                secrets: value::secrets(&entry.node, "secret"),
                confirms: value::texts(&entry.node, "confirms").unwrap_or_default(),
            };
            callers.insert(entry.key.clone(), caller);
        }
        callers
    }

    /// A tool that a platform is said to ask about must be there, and must ask.
    fn confirmed_by_caller(&mut self, item: &Node, tools: &[ToolFile], sources: &[ToolSourceFile]) {
        let Some(name) = item.text() else { return };
        match tools.iter().find(|tool| tool.name.as_str() == name) {
            Some(tool) if tool.confirm == Some(true) => {}
            Some(_) => {
                let message = format!("`{name}` asks nobody, so there is nothing to confirm");
                let help = "take it out here, or write `confirm: true` at the tool";
                self.error(report::CONFLICT, item.span, message, help);
            }
            // Tools of a source get their names when it is reached.
            None if !sources.is_empty() => {}
            None => {
                let asking = tools.iter().filter(|tool| tool.confirm == Some(true));
                let known: Vec<&str> = asking.map(|tool| tool.name.as_str()).collect();
                let message = format!("there is no tool `{name}`");
                self.error(report::UNKNOWN_NAME, item.span, message, suggestion(name, &known));
            }
        }
    }
}

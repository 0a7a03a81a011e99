//! Who is told what happened.

use std::collections::BTreeMap;

use manos_model::AuditKind;
use manos_wire_tool::address::Target;
use manos_wire_tool::notice::{PLACE_KINDS, is_kind};

use super::http::UNSIGNED;
use super::{Decoder, value};
use crate::agent::{Network, Notice};
use crate::node::Node;
use crate::report;
use crate::shape::suggestion;

/// The most endpoints of one file: each has a task of its own.
pub const NOTICES_MAX: usize = 20;

impl Decoder<'_, '_> {
    pub(super) fn notices(&mut self, network: &Network) -> Vec<Notice> {
        let runs = self.running_addresses();
        let mut told = BTreeMap::new();
        let mut found = Vec::new();
        let nodes = self.root.get("notices").map(Node::items).unwrap_or_default();
        if let Some(node) = nodes.get(NOTICES_MAX) {
            let message = format!("more than {NOTICES_MAX} endpoints are told");
            let help = "tell one that passes it on to the others";
            self.error(report::LIMIT, node.span, message, help);
        }
        for node in nodes {
            let Some(url) = node.get("url") else { continue };
            self.web_address(url, Some(network));
            self.whole_address(url);
            self.empty_secrets(node, UNSIGNED);
            self.kinds(node);
            let address = url.text().map(normal).unwrap_or_default();
            if let Some(line) = runs.get(&address) {
                let message =
                    format!("this address runs tools (line {line}): a notice would run them again");
                self.error(report::CONFLICT, url.span, message, "send notices elsewhere");
            }
            let line = self.report.source.line_of(url.span.start);
            let agent = value::text(node, "agent");
            if let Some(before) = told.insert((address, agent.clone()), line) {
                let message = format!("this address is told already (line {before})");
                let help = "put all its `events` into one entry";
                self.error(report::CONFLICT, url.span, message, help);
            }
            let secrets = value::secrets(node, "secret");
            if secrets.is_empty() {
                let message = "notices to this address are not signed: it has no `secret`";
                let help = "with one, it can tell our notices from others'";
                self.report.warning(report::UNSIGNED, url.span, message, help);
            }
            found.extend(value::secret(node, "url").map(|url| Notice {
                url,
                events: value::texts(node, "events").unwrap_or_default(),
                secrets,
                agent,
            }));
        }
        found
    }

    /// Says which of the kinds are none.
    fn kinds(&mut self, node: &Node) {
        for item in node.get("events").map(Node::items).unwrap_or_default() {
            let Some(name) = item.text().filter(|name| !is_kind(name)) else { continue };
            let facts = AuditKind::ALL.iter().map(|kind| kind.name());
            let known: Vec<&str> = PLACE_KINDS.into_iter().chain(facts).collect();
            let message = format!("nothing of the kind `{name}` is told");
            self.error(report::UNKNOWN_NAME, item.span, message, suggestion(name, &known));
        }
    }

    /// Addresses whose requests have effects, and the lines they stand on.
    fn running_addresses(&self) -> BTreeMap<String, usize> {
        let tools = self.root.get("tools").map(Node::items).unwrap_or_default();
        let endpoints = tools.iter().filter_map(|tool| tool.get("endpoint")?.get("url"));
        let webhook = self.root.get("webhook").and_then(|node| node.get("url"));
        endpoints
            .chain(webhook)
            .filter_map(|node| {
                Some((normal(node.text()?), self.report.source.line_of(node.span.start)))
            })
            .collect()
    }
}

/// An address as it is compared: two ways to write one are one.
fn normal(text: &str) -> String {
    Target::parse(text).map_or_else(|_| text.to_owned(), |target| target.url())
}

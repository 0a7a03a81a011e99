//! What a question says.

use std::collections::BTreeSet;

use manos_model::ToolName;
use manos_text::Template;

use super::Decoder;
use super::template::Scope;
use super::tool::Arguments;
use crate::agent::{ConfirmLines, Fixed};
use crate::node::Node;
use crate::report;

impl Decoder<'_, '_> {
    pub(super) fn question(
        &mut self,
        node: &Node,
        arguments: &Arguments,
        fixed: &BTreeSet<String>,
    ) -> (Option<Template>, Option<ConfirmLines>) {
        let lines = node.get("confirm_lines");
        let from = lines.and_then(|lines| lines.get("from"));
        let entry = node.entry("confirm_message").or(node.entry("confirm_lines"));
        if let Some(entry) = entry.filter(|_| node.get("confirm").is_none()) {
            let message = format!("`{}` is there, and nobody is asked", entry.key);
            let help = "add `confirm: true`, or `confirm: false` if that is meant";
            self.error(report::CONFLICT, entry.key_span, message, help);
        }
        let scope = scope(arguments, fixed, from.is_some());
        let message = node.get("confirm_message").and_then(|node| self.template(node, &scope));
        let lines = lines.and_then(|lines| match from {
            Some(from) => self.lookup(lines, from, &scope, arguments, fixed),
            None => self.template(lines, &scope).map(ConfirmLines::Template),
        });
        (message, lines)
    }

    fn lookup(
        &mut self,
        node: &Node,
        from: &Node,
        with_result: &Scope,
        arguments: &Arguments,
        fixed: &BTreeSet<String>,
    ) -> Option<ConfirmLines> {
        let plain = scope(arguments, fixed, false);
        let template = node.get("template").and_then(|node| self.template(node, with_result));
        let args = node.get("args").map(|args| {
            let entries = args.entries().iter();
            let filled = entries
                .filter_map(|entry| Some((entry.key.clone(), self.filled(&entry.node, &plain)?)));
            filled.collect::<Vec<(String, Fixed)>>()
        });
        let tool = ToolName::new(from.text()?).ok()?;
        Some(ConfirmLines::From { tool, args, template: template? })
    }
}

/// What a question's template sees: `args`, and `result` with a lookup.
fn scope(arguments: &Arguments, fixed: &BTreeSet<String>, with_result: bool) -> Scope {
    let names = if with_result { vec!["args", "result"] } else { vec!["args"] };
    let scope = Scope::of(names);
    // Without declared properties nothing is known of the arguments.
    if arguments.names.is_empty() {
        return scope;
    }
    scope.below("args", arguments.names.union(fixed).cloned().collect())
}

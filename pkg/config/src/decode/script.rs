//! The script of a `scripted` model, in the file or in one of its own.

use std::time::Duration;

use manos_model::{CallArguments, FinishReason};
use manos_wire_llm::{ScriptCall, ScriptEntry, ScriptWhen};

use super::template::Scope;
use super::{Decoder, value};
use crate::node::{self, Node, Value};
use crate::report::{self, Report};
use crate::shape::{SCRIPT, check};
use crate::source::{Source, SourceFile};

impl Decoder<'_, '_> {
    pub(super) fn script(&mut self, node: &Node) -> Vec<ScriptEntry> {
        let Some(path) = node.text() else { return self.entries(node) };
        let text = match self.world.read(path) {
            Ok(text) => text,
            Err(why) => {
                let message = format!("the script `{path}` cannot be read: {why}");
                let help = "paths are relative to the agent file";
                self.error(report::FILE, node.span, message, help);
                return Vec::new();
            }
        };
        let file = SourceFile::new(path, text);
        let source = Source::new(&file);
        let mut report = Report::new(&source);
        let mut entries = Vec::new();
        if let Some(tree) = node::read(&mut report) {
            check(&tree, &SCRIPT, "script", &mut report);
            let mut inner = Decoder {
                report: &mut report,
                world: self.world,
                root: &tree,
                notes: Vec::new(),
                elsewhere: Vec::new(),
            };
            entries = inner.entries(&tree);
        }
        self.elsewhere.append(&mut report.errors);
        entries
    }

    fn entries(&mut self, list: &Node) -> Vec<ScriptEntry> {
        list.items().iter().map(|node| self.entry(node)).collect()
    }

    fn entry(&mut self, node: &Node) -> ScriptEntry {
        let when = node.get("when");
        let mut pattern = |key| when.and_then(|when| when.get(key)).and_then(|n| self.pattern(n));
        let when = ScriptWhen { result: pattern("result"), user: pattern("user") };
        let calls = node.get("call").map(Node::items).unwrap_or_default();
        let say =
            node.get("say").and_then(|say| self.template(say, &Scope::of(["result", "user"])));
        let finish = value::text(node, "finish").and_then(|word| match word.as_str() {
            "stop" => Some(FinishReason::Stop),
            "tool_calls" => Some(FinishReason::ToolCalls),
            "length" => Some(FinishReason::Length),
            "content_filter" => Some(FinishReason::ContentFilter),
            _ => None,
        });
        ScriptEntry {
            when,
            calls: calls.iter().filter_map(|call| self.call(call)).collect(),
            say: say.map(|template| template.source().to_owned()),
            finish,
            once: value::bool_or(node, "once", false),
            delay: value::duration_or(node, "delay", Duration::ZERO),
        }
    }

    fn call(&mut self, node: &Node) -> Option<ScriptCall> {
        let tool = value::text(node, "tool")?;
        let arguments = match (node.get("args"), node.get("args_text")) {
            (Some(args), Some(_)) => {
                let message = "a call has either `args` or `args_text`";
                self.error(report::CONFLICT, args.span, message, "remove one of them");
                return None;
            }
            (Some(Node { value: Value::Null, .. }) | None, None) => CallArguments::Missing,
            (Some(args), None) => CallArguments::Value(args.json()),
            (None, Some(text)) => CallArguments::Text(text.text()?.to_owned()),
        };
        Some(ScriptCall { tool, arguments })
    }
}

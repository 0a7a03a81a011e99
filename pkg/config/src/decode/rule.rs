//! Rules: conditions, actions, arguments.

use std::collections::BTreeSet;

use jiff::civil::Time;
use manos_model::ToolName;

use super::template::Scope;
use super::{Decoder, value};
use crate::agent::{Action, Argument, Between, Fixed, RuleFile, ToolFile, ToolSourceFile, When};
use crate::node::{Entry, Node};
use crate::report;
use crate::shape::{EACH, Shape, check, suggestion};

/// The most rules in one file.
pub const RULES_MAX: usize = 1_000;
/// The keys that say what a rule does.
const ACTIONS: [&str; 4] = ["tool", "ask_model", "handoff", "ignore"];

/// What a rule may refer to.
struct Known<'k> {
    tools: &'k [ToolFile],
    /// Whether sources bring tools that are not known yet.
    open: bool,
    /// Results that rules keep.
    kept: BTreeSet<String>,
}

impl Decoder<'_, '_> {
    pub(super) fn rules(
        &mut self,
        tools: &[ToolFile],
        sources: &[ToolSourceFile],
    ) -> Vec<RuleFile> {
        let nodes = self.root.get("rules").map(Node::items).unwrap_or_default();
        let kept = nodes.iter().filter_map(|node| value::text(node.get("then")?, "result_as"));
        let known = Known { tools, open: !sources.is_empty(), kept: kept.collect() };
        if let Some(node) = nodes.get(RULES_MAX) {
            let message = format!("there are more than {RULES_MAX} rules");
            self.error(report::LIMIT, node.span, message, "let one expression serve for many");
        }
        nodes.iter().take(RULES_MAX).filter_map(|node| self.rule(node, &known)).collect()
    }

    fn rule(&mut self, node: &Node, known: &Known<'_>) -> Option<RuleFile> {
        let when = self.when(node.get("when")?);
        let groups: BTreeSet<String> = when
            .matches
            .iter()
            .flat_map(|regex| regex.capture_names().flatten())
            .map(str::to_owned)
            .collect();
        let then = self.then(node.get("then")?, &groups, known)?;
        let line = self.report.source.line_of(node.span.start);
        Some(RuleFile { when, then, line })
    }

    fn when(&mut self, node: &Node) -> When {
        let command = value::text(node, "command");
        let command = command.map(|command| command.trim_start_matches('/').to_owned());
        if let (Some(place), Some("")) = (node.get("command"), command.as_deref()) {
            self.error(report::BAD_VALUE, place.span, "this command has no name", "write `/menu`");
        }
        When {
            equals: value::text_or_texts(node, "equals"),
            command,
            matches: node.get("matches").and_then(|node| self.pattern(node)),
            channel: value::text_or_texts(node, "channel"),
            role: value::text_or_texts(node, "role"),
            between: node.get("between").and_then(|node| self.between(node)),
        }
    }

    fn between(&mut self, node: &Node) -> Option<Between> {
        let times: Vec<Option<Time>> =
            node.items().iter().map(|item| item.text().and_then(time_of_day)).collect();
        if let [Some(from), Some(to)] = times.as_slice() {
            return Some(Between { from: *from, to: *to });
        }
        let help = "write two times of day in quotes: [\"22:00\", \"06:00\"]";
        self.error(report::BAD_VALUE, node.span, "these are no two times of day", help);
        None
    }

    fn then(
        &mut self,
        node: &Node,
        groups: &BTreeSet<String>,
        known: &Known<'_>,
    ) -> Option<Action> {
        let found: Vec<&Entry> = ACTIONS.iter().filter_map(|key| node.entry(key)).collect();
        if let [first, second, ..] = found.as_slice() {
            let message = format!("a rule does one thing, and `{}` is there as well", first.key);
            self.error(report::CONFLICT, second.key_span, message, "keep one of them");
            return None;
        }
        for entry in &found {
            if entry.node.bool() == Some(false) {
                let message = format!("`{}: false` does nothing", entry.key);
                self.error(report::BAD_VALUE, entry.node.span, message, "write true, or remove it");
            }
        }
        let action = found.first().map(|entry| entry.key.as_str());
        self.misplaced(node, action);
        match action {
            Some("tool") => self.call_rule(node, groups, known),
            Some("ask_model") => {
                if self.root.get("model").is_none() {
                    let place = node.get("ask_model").map_or(node.span, |node| node.span);
                    let message = "there is no model to ask";
                    self.error(report::CONFLICT, place, message, "add `model`, or remove this");
                }
                Some(Action::AskModel)
            }
            Some("handoff") => {
                let scope = reply_scope(groups, known);
                let reply = node.get("reply").and_then(|node| self.template(node, &scope));
                Some(Action::Handoff { reply })
            }
            Some(_) => Some(Action::Ignore),
            None => {
                let Some(reply) = node.get("reply") else {
                    let help = "add one of `reply`, `tool`, `ask_model`, `handoff`, `ignore`";
                    self.error(report::MISSING_KEY, node.span, "this rule does nothing", help);
                    return None;
                };
                self.template(reply, &reply_scope(groups, known)).map(Action::Reply)
            }
        }
    }

    /// Keys that mean nothing beside this action.
    fn misplaced(&mut self, node: &Node, action: Option<&str>) {
        let takes: &[&str] = match action {
            Some("tool") => &["reply", "otherwise", "args", "result_as"],
            Some("handoff") | None => &["reply"],
            Some(_) => &[],
        };
        for key in ["reply", "otherwise", "args", "result_as"] {
            let Some(entry) = node.entry(key).filter(|_| !takes.contains(&key)) else { continue };
            let message = match action {
                Some(action) => format!("`{key}` means nothing beside `{action}`"),
                None => format!("`{key}` means nothing without `tool`"),
            };
            self.error(report::CONFLICT, entry.key_span, message, "remove it");
        }
    }

    fn call_rule(
        &mut self,
        node: &Node,
        groups: &BTreeSet<String>,
        known: &Known<'_>,
    ) -> Option<Action> {
        let place = node.get("tool")?;
        let name = place.text()?;
        let tool = known.tools.iter().find(|tool| tool.name.as_str() == name);
        if tool.is_none() && !known.open {
            self.unknown_tool(place, name, known.tools);
        }
        let mut args = Vec::new();
        for entry in node.get("args").map(Node::entries).unwrap_or_default() {
            if let Some(tool) = tool {
                self.known_argument(entry, tool);
            }
            args.extend(self.argument(entry, groups, known).map(|arg| (entry.key.clone(), arg)));
        }
        let mut template =
            |key, end| node.get(key).and_then(|node| self.template(node, &end_scope(end, tool)));
        let (reply, otherwise) = (template("reply", "result"), template("otherwise", "failure"));
        Some(Action::Tool {
            tool: ToolName::new(name).ok()?,
            args,
            reply,
            otherwise,
            result_as: value::text(node, "result_as"),
        })
    }

    /// Arguments that a tool's schema names; a schema that takes others is not asked.
    fn known_argument(&mut self, entry: &Entry, tool: &ToolFile) {
        let names: Vec<&str> = tool.schema.properties().map(|(name, _)| name).collect();
        if names.contains(&entry.key.as_str()) {
            return;
        }
        let is_open = tool.parameters.get("additionalProperties").is_some_and(|v| *v != false);
        if is_open && tool.fixed.iter().all(|(name, _)| *name != entry.key) {
            return;
        }
        let message = format!("the tool `{}` has no argument `{}`", tool.name, entry.key);
        let help = suggestion(&entry.key, &names);
        self.error(report::BAD_ARGUMENT, entry.key_span, message, help);
    }

    fn argument(
        &mut self,
        entry: &Entry,
        groups: &BTreeSet<String>,
        known: &Known<'_>,
    ) -> Option<Argument> {
        let node = &entry.node;
        if node.get("each").is_some() {
            check(node, &Shape::Struct(&EACH), &entry.key, self.report);
            let each = node.get("each").and_then(|node| self.pattern(node))?;
            if each.capture_names().flatten().next().is_none() {
                let place = node.get("each").map_or(node.span, |node| node.span);
                let message = "this expression has no named group, so its objects are empty";
                self.error(report::PATTERN, place, message, "name its parts: (?<amount>\\d+)");
            }
            let within = node.get("in")?;
            let name = within.text()?;
            self.known_group(within, name, groups);
            return Some(Argument::Each { each, within: name.to_owned() });
        }
        self.filled(node, &reply_scope(groups, known)).map(|filled| match filled {
            Fixed::Template(template) => Argument::Template(template),
            Fixed::Value(value) => Argument::Value(value),
        })
    }

    fn known_group(&mut self, node: &Node, name: &str, groups: &BTreeSet<String>) {
        if !groups.contains(name) {
            let known: Vec<&str> = groups.iter().map(String::as_str).collect();
            let help = match known.as_slice() {
                [] => "name a part of `matches`: (?<list>…)".to_owned(),
                _ => suggestion(name, &known),
            };
            let message = format!("`matches` has no group `{name}`");
            self.error(report::UNKNOWN_NAME, node.span, message, help);
        }
    }

    /// Says that a name is no tool of this file.
    pub(super) fn unknown_tool(&mut self, place: &Node, name: &str, tools: &[ToolFile]) {
        let known: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
        let help = match known.as_slice() {
            [] => "this file has no tools".to_owned(),
            _ => suggestion(name, &known),
        };
        self.error(report::UNKNOWN_NAME, place.span, format!("there is no tool `{name}`"), help);
    }
}

/// What a rule's own reply and its arguments see: the named groups, and results that rules keep.
fn reply_scope(groups: &BTreeSet<String>, known: &Known<'_>) -> Scope {
    Scope::of(groups.iter().chain(&known.kept).map(String::as_str))
}

/// What a rule sees once its tool was called: `args`, and what came of it.
fn end_scope(end: &'static str, tool: Option<&ToolFile>) -> Scope {
    let scope = Scope::of(["args", end]);
    let names: BTreeSet<String> = tool
        .map(|tool| tool.schema.properties().map(|(name, _)| name.to_owned()).collect())
        .unwrap_or_default();
    if names.is_empty() { scope } else { scope.below("args", names) }
}

fn time_of_day(text: &str) -> Option<Time> {
    let (hour, minute) = text.split_once(':')?;
    let two = |part: &str| {
        let fits = (1..=2).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_digit());
        fits.then(|| part.parse::<i8>().ok()).flatten()
    };
    Time::new(two(hour)?, two(minute)?, 0, 0).ok()
}

//! What runs a tool: SQL, a program, an endpoint, one of ours, or the webhook.

use std::collections::{BTreeMap, BTreeSet};

use manos_model::{Secret, ToolName};
use manos_wire_tool::sql;
use serde_json::Value as Json;

use super::tool::{Arguments, Context, FACTS};
use super::{Decoder, value};
use crate::agent::{Builtin, CommandRunner, Method, RunnerFile, SqlRunner};
use crate::node::{Entry, Node};
use crate::report;
use crate::shape::suggestion;

/// The keys that say what runs a tool.
const RUNNERS: [&str; 6] = ["sql", "command", "endpoint", "builtin", "mcp", "openapi"];
/// Keys that belong to a runner, and which.
const OWNED: [(&str, &[&str]); 6] = [
    ("env", &["command"]),
    ("cwd", &["command"]),
    ("allow_hosts", &["http_get", "http_post"]),
    ("roots", &["read_file", "list_files"]),
    ("targets", &["ssh_command"]),
    ("rooms", &["matrix_send"]),
];

impl Decoder<'_, '_> {
    pub(super) fn runner(
        &mut self,
        node: &Node,
        name: &ToolName,
        arguments: &Arguments,
        fixed: &BTreeSet<String>,
        context: &Context<'_>,
    ) -> RunnerFile {
        self.one_runner(node);
        self.owned_keys(node);
        if let Some(sql) = node.get("sql") {
            return RunnerFile::Sql(self.sql(sql, arguments, fixed, context));
        }
        if let Some(command) = node.get("command") {
            if command.items().is_empty() {
                let message = "this command is empty";
                let help = "write the program and its arguments: [./bin/tool, --fast]";
                self.error(report::BAD_VALUE, command.span, message, help);
            }
            return RunnerFile::Command(CommandRunner {
                argv: value::texts(node, "command").unwrap_or_default(),
                env: environment(node),
                cwd: value::text(node, "cwd"),
            });
        }
        if let Some(endpoint) = node.get("endpoint") {
            return RunnerFile::Endpoint(self.endpoint(endpoint, arguments, context));
        }
        if let Some(builtin) = value::text(node, "builtin") {
            return RunnerFile::Builtin(self.builtin(node, builtin));
        }
        if self.world.handles(name.as_str()) {
            return RunnerFile::Native;
        }
        if !context.has_webhook {
            let span =
                node.get("function").unwrap_or(node).get("name").map_or(node.span, |n| n.span);
            let message = format!("nothing runs the tool `{name}`");
            let help = "add `sql`, `command` or `endpoint` to it, or a `webhook` to the file";
            self.error(report::MISSING_KEY, span, message, help);
        }
        RunnerFile::Webhook
    }

    /// Two runners are one too many.
    pub(super) fn one_runner(&mut self, node: &Node) {
        let found: Vec<&Entry> = RUNNERS.iter().filter_map(|key| node.entry(key)).collect();
        if let [first, second, ..] = found.as_slice() {
            let (first, second) =
                if first.key_span < second.key_span { (first, second) } else { (second, first) };
            let message = format!("a tool has one runner, and `{}` is there already", first.key);
            self.error(report::CONFLICT, second.key_span, message, "keep one of them");
        }
    }

    fn owned_keys(&mut self, node: &Node) {
        let builtin = value::text(node, "builtin").unwrap_or_default();
        for (key, owners) in OWNED {
            let Some(entry) = node.entry(key) else { continue };
            let fits = |owner: &&str| *owner == builtin || node.get(owner).is_some();
            if !owners.iter().any(fits) {
                let owners: Vec<String> = owners.iter().map(|owner| format!("`{owner}`")).collect();
                let message = format!("`{key}` belongs to {}", owners.join(" and "));
                self.error(report::CONFLICT, entry.key_span, message, "remove it");
            }
        }
    }

    fn builtin(&mut self, node: &Node, builtin: String) -> Builtin {
        if let Some(entry) = node.entry("parameters") {
            let message = format!("`{builtin}` has parameters of its own");
            self.error(report::CONFLICT, entry.key_span, message, "remove them here");
        }
        let needs = OWNED.iter().skip(2).find(|(_, owners)| owners.contains(&builtin.as_str()));
        if let Some((key, _)) = needs.filter(|(key, _)| node.get(key).is_none()) {
            let place = node.get("builtin").map_or(node.span, |node| node.span);
            let message = format!("`{builtin}` needs `{key}`");
            self.error(report::MISSING_KEY, place, message, "say what it may reach");
        }
        Builtin {
            name: builtin,
            allow_hosts: self.hosts(node, "allow_hosts"),
            roots: value::texts(node, "roots").unwrap_or_default(),
            targets: node.get("targets").map_or(Json::Null, Node::json),
            rooms: value::texts(node, "rooms").unwrap_or_default(),
        }
    }

    fn sql(
        &mut self,
        node: &Node,
        arguments: &Arguments,
        fixed: &BTreeSet<String>,
        context: &Context<'_>,
    ) -> SqlRunner {
        if let Some(query) = node.get("query") {
            self.query(query, arguments, fixed);
        }
        SqlRunner {
            database: self.database(node, context).unwrap_or_default(),
            query: value::text(node, "query").unwrap_or_default(),
            one_row: value::bool_or(node, "one_row", false),
            journal: value::bool_or(node, "journal", true),
        }
    }

    fn database(&mut self, node: &Node, context: &Context<'_>) -> Option<String> {
        // A database that could not be read is in the file all the same, and told of there.
        let declared = self.root.get("databases").map(Node::entries).unwrap_or_default();
        let known: Vec<&str> = declared.iter().map(|entry| entry.key.as_str()).collect();
        let Some(place) = node.get("database") else {
            if let [only] = known.as_slice() {
                return Some((*only).to_owned());
            }
            let help = match known.as_slice() {
                [] => "declare one under `databases`".to_owned(),
                _ => format!("write one of {}", known.join(", ")),
            };
            let span = crate::source::Span::new(node.span.start, node.span.start + 1);
            self.error(report::MISSING_KEY, span, "this SQL names no `database`", help);
            return None;
        };
        let name = place.text()?;
        if !context.databases.contains_key(name) && !known.contains(&name) {
            let help = match known.as_slice() {
                [] => "declare it under `databases`".to_owned(),
                _ => suggestion(name, &known),
            };
            let message = format!("there is no database `{name}`");
            self.error(report::UNKNOWN_NAME, place.span, message, help);
        }
        Some(name.to_owned())
    }

    /// Reads the statements and holds their parameters against what will be bound.
    fn query(&mut self, node: &Node, arguments: &Arguments, fixed: &BTreeSet<String>) {
        let Some(text) = node.text() else { return };
        let statements = match sql::statements(text) {
            Ok(statements) => statements,
            Err(error) => {
                let span = node.within(self.report.source, error.offset(), 1);
                let help = "arguments stand in SQL as `:name`";
                self.error(report::SQL, span, error.to_string(), help);
                return;
            }
        };
        if statements.is_empty() {
            let message = "there is no statement in this SQL";
            self.error(report::SQL, node.span, message, "write one");
        }
        let facts: Vec<String> = FACTS.iter().map(|fact| format!("ctx_{fact}")).collect();
        let known: Vec<&str> =
            arguments.names.iter().chain(fixed).chain(&facts).map(String::as_str).collect();
        let mut told = BTreeSet::new();
        for parameter in statements.iter().flat_map(|statement| &statement.parameters) {
            let name = parameter.name.as_str();
            if known.contains(&name) || !told.insert(name) {
                continue;
            }
            let span = node.within(self.report.source, parameter.offset, name.len() + 1);
            let message = format!("nothing gives `:{name}` a value");
            let help = match suggestion(name, &known) {
                near if near.starts_with("did") => near,
                _ => format!("add `{name}` to the schema's properties or to `fixed`"),
            };
            self.error(report::BAD_ARGUMENT, span, message, help);
        }
    }

    /// Whether a tool changes nothing: declared, or known of what runs it.
    pub(super) fn is_read_only(&mut self, node: &Node, runner: &RunnerFile) -> bool {
        let declared = value::bool(node, "read_only");
        let known = match runner {
            // What cannot be read is told of where it is read.
            RunnerFile::Sql(runner) => sql::is_read_only(&runner.query).ok(),
            RunnerFile::Builtin(builtin) => {
                Some(matches!(builtin.name.as_str(), "http_get" | "read_file" | "list_files"))
            }
            RunnerFile::Endpoint(endpoint) => (endpoint.method == Method::Get).then_some(true),
            RunnerFile::Command(_) | RunnerFile::Native | RunnerFile::Webhook => None,
        };
        if declared == Some(true) && known == Some(false) {
            let place = node.get("read_only").map_or(node.span, |node| node.span);
            let message = match runner {
                RunnerFile::Sql(_) => "this tool is read-only, and its SQL is not all queries",
                _ => "this tool is read-only, and what runs it changes things",
            };
            let help = "remove `read_only: true`, and say whether a person is asked: `confirm:`";
            self.error(report::NOT_READ_ONLY, place, message, help);
        }
        declared.or(known).unwrap_or(false)
    }
}

/// The environment of a program.
pub(super) fn environment(node: &Node) -> BTreeMap<String, Secret<String>> {
    let entries = node.get("env").map(Node::entries).unwrap_or_default().iter();
    entries
        .filter_map(|entry| Some((entry.key.clone(), Secret::new(entry.node.text()?.to_owned()))))
        .collect()
}

//! Tools: the flat form, the function form, and what they have in common.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use manos_model::ToolName;
use manos_policy::Dedupe;
use manos_schema::ToolSchema;
use manos_text::{Labels, Words};
use manos_wire_tool::http::UrlTemplate;
use serde_json::Value as Json;

use super::template::Scope;
use super::{Decoder, value};
use crate::agent::{DatabaseConfig, Fixed, Network, RunnerFile, ToolFile, ToolSourceFile};
use crate::node::Node;
use crate::report;
use crate::shape::suggestion;

/// What of the rest of the file a tool needs.
pub(super) struct Context<'c> {
    pub(super) databases: &'c BTreeMap<String, DatabaseConfig>,
    pub(super) network: &'c Network,
    pub(super) prefix: String,
    pub(super) tool_timeout: Option<Duration>,
    pub(super) has_webhook: bool,
}

/// A schema and the names that its arguments have.
pub(super) struct Arguments {
    pub(super) schema: ToolSchema,
    pub(super) names: BTreeSet<String>,
}

/// What `:ctx_…` has in SQL.
pub(super) const FACTS: [&str; 6] = ["channel", "chat", "locale", "now", "run", "user"];
/// What `ctx` has in fixed values. These are part of what a person says yes to, so what differs
/// between the question and the run (time, run id) is not there.
const FIXED_FACTS: [&str; 4] = ["channel", "chat", "locale", "user"];
/// The most tools in one file; providers take fewer.
pub const TOOLS_MAX: usize = 1_000;
/// The longest time an HTTP tool may take.
const HTTP_TIMEOUT_MAX: Duration = Duration::from_mins(3);
const HTTP_TIMEOUT: Duration = Duration::from_secs(20);
const SSH_TIMEOUT: Duration = Duration::from_secs(30);

impl Decoder<'_, '_> {
    pub(super) fn tools(&mut self, context: &Context<'_>) -> (Vec<ToolFile>, Vec<ToolSourceFile>) {
        let (mut tools, mut sources) = (Vec::new(), Vec::new());
        let mut seen: BTreeMap<String, usize> = BTreeMap::new();
        let nodes = self.root.get("tools").map(Node::items).unwrap_or_default();
        if let Some(node) = nodes.get(TOOLS_MAX) {
            let message = format!("there are more than {TOOLS_MAX} tools");
            self.error(report::LIMIT, node.span, message, "models cannot choose among so many");
        }
        for node in nodes.iter().take(TOOLS_MAX) {
            if let Some(entry) = node.entry("openapi").filter(|_| node.get("mcp").is_none()) {
                self.of_many_tools(node);
                let Some(source) = self.openapi_source(node) else { continue };
                if source.is_url {
                    sources.push(ToolSourceFile::OpenApi(source));
                    continue;
                }
                for tool in self.operations(node, &source, context) {
                    let name = tool.name.as_str().to_owned();
                    let line = self.report.source.line_of(entry.key_span.start);
                    match seen.get(&name) {
                        Some(line) => self.duplicate_tool(&name, entry.key_span, *line),
                        None => {
                            seen.insert(name, line);
                        }
                    }
                    tools.push(tool);
                }
                continue;
            }
            if node.get("mcp").is_some() {
                sources.extend(self.tool_source(node));
                continue;
            }
            let Some((name, place)) = self.tool_name(node) else { continue };
            if let Some(line) = seen.get(name.as_str()) {
                let line = *line;
                self.duplicate_tool(name.as_str(), place.span, line);
            } else {
                let line = self.report.source.line_of(place.span.start);
                seen.insert(name.as_str().to_owned(), line);
            }
            tools.extend(self.tool(node, name, context));
        }
        if tools.len() > TOOLS_MAX {
            let message = format!("there are more than {TOOLS_MAX} tools, with those of documents");
            let help = "choose operations with `include`";
            self.error(report::LIMIT, self.root.span, message, help);
        }
        (tools, sources)
    }

    /// The name of a tool, from either form.
    fn tool_name<'n>(&mut self, node: &'n Node) -> Option<(ToolName, &'n Node)> {
        let function = node.get("function");
        if let (Some(_), Some(key)) = (
            function,
            ["name", "description", "parameters"].into_iter().find_map(|key| node.entry(key)),
        ) {
            let message = format!("`{}` stands in `function` in this form", key.key);
            self.error(report::CONFLICT, key.key_span, message, "remove it here");
        }
        if function.is_none() && node.get("type").is_some() {
            let help = "add `function: { name, description, parameters }`, or remove `type`";
            let span = node.entry("type").map_or(node.span, |entry| entry.key_span);
            self.error(report::MISSING_KEY, span, "this tool has no `function`", help);
        }
        let place = function.unwrap_or(node).get("name").or(node.get("builtin"));
        let Some(place) = place else {
            if function.is_none() {
                let span = crate::source::Span::new(node.span.start, node.span.start + 1);
                self.error(report::MISSING_KEY, span, "this tool has no `name`", "add one");
            }
            return None;
        };
        match ToolName::new(place.text()?) {
            Ok(name) => Some((name, place)),
            Err(error) => {
                self.error(report::BAD_VALUE, place.span, error.to_string(), "");
                None
            }
        }
    }

    fn tool(&mut self, node: &Node, name: ToolName, context: &Context<'_>) -> Option<ToolFile> {
        let form = node.get("function").unwrap_or(node);
        let fixed_names: BTreeSet<String> = node
            .get("fixed")
            .map(Node::entries)
            .unwrap_or_default()
            .iter()
            .map(|entry| entry.key.clone())
            .collect();
        let arguments = self.arguments(form.get("parameters"), &fixed_names)?;
        let fixed = self.fixed(node);
        let runner = self.runner(node, &name, &arguments, &fixed_names, context);
        let read_only = self.is_read_only(node, &runner);
        let in_path = path_arguments(&runner);
        let (confirm_message, confirm_lines) = self.question(node, &arguments, &fixed_names);
        Some(ToolFile {
            title: value::text(node, "title").unwrap_or_else(|| name.as_str().to_owned()),
            description: value::text(form, "description").unwrap_or_default(),
            timeout: self.timeout(node, &runner, context),
            confirm: value::bool(node, "confirm"),
            confirm_message,
            confirm_lines,
            labels: labels(node),
            dedupe: self.dedupe(node, &arguments),
            read_only,
            idempotent: value::bool_or(node, "idempotent", false),
            cancels: value::bool_or(node, "cancels", false),
            audit_redact: value::text(node, "audit").as_deref() == Some("redact"),
            fixed,
            runner,
            parameters: arguments.schema.source().clone(),
            schema: Arc::new(arguments.schema.with_path_arguments(in_path)),
            name,
        })
    }

    /// Compiles the schema; says which of its properties cannot be.
    fn arguments(&mut self, node: Option<&Node>, fixed: &BTreeSet<String>) -> Option<Arguments> {
        let source = node.map_or(Json::Null, Node::json);
        let schema = match ToolSchema::compile(&source) {
            Ok(schema) => schema,
            Err(error) => {
                let span = node.map(|node| node.at_pointer(error.pointer()).span);
                let span = span.unwrap_or(self.root.span);
                let named = node.map(|node| node.at_pointer(error.pointer()));
                let help = match named.and_then(Node::text) {
                    Some(name) if error.pointer().ends_with("/type") && !TYPES.contains(&name) => {
                        suggestion(name, &TYPES)
                    }
                    _ => error.advice().to_owned(),
                };
                self.error(report::SCHEMA, span, error.to_string(), help);
                return None;
            }
        };
        let names: BTreeSet<String> =
            schema.properties().map(|(name, _)| name.to_owned()).collect();
        for name in &names {
            let place = node
                .and_then(|node| node.get("properties"))
                .and_then(|properties| properties.entry(name))
                .map(|entry| entry.key_span)
                .or(node.map(|node| node.span));
            let Some(span) = place else { continue };
            if name.starts_with("ctx_") {
                let message = "a property cannot begin with `ctx_`: these facts come from us";
                self.error(report::CONFLICT, span, message, "give it another name");
            } else if fixed.contains(name) {
                let message =
                    format!("`{name}` is also in `fixed`, and what is fixed no model may choose");
                let help = "remove it from the schema or from `fixed`";
                self.error(report::CONFLICT, span, message, help);
            }
        }
        Some(Arguments { schema, names })
    }

    fn fixed(&mut self, node: &Node) -> Vec<(String, Fixed)> {
        let facts = FIXED_FACTS.into_iter().map(str::to_owned).collect();
        let scope = Scope::of(["ctx"]).below("ctx", facts);
        let entries = node.get("fixed").map(Node::entries).unwrap_or_default();
        entries
            .iter()
            .filter_map(|entry| Some((entry.key.clone(), self.filled(&entry.node, &scope)?)))
            .collect()
    }

    fn dedupe(&mut self, node: &Node, arguments: &Arguments) -> Option<Dedupe> {
        let dedupe = node.get("dedupe")?;
        if dedupe.text().is_some() {
            return Some(Dedupe::args());
        }
        let known: Vec<&str> = arguments.names.iter().map(String::as_str).collect();
        for key in dedupe.get("key").map(Node::items).unwrap_or_default() {
            let Some(name) = key.text().filter(|name| !arguments.names.contains(*name)) else {
                continue;
            };
            let message = format!("this tool has no argument `{name}`");
            self.error(report::BAD_ARGUMENT, key.span, message, suggestion(name, &known));
        }
        Some(Dedupe {
            window: value::duration_or(dedupe, "window", Dedupe::WINDOW),
            key: value::texts(dedupe, "key"),
        })
    }

    pub(super) fn timeout(
        &mut self,
        node: &Node,
        runner: &RunnerFile,
        context: &Context<'_>,
    ) -> Option<Duration> {
        let fresh = match runner {
            RunnerFile::Builtin(builtin) if builtin.name == "ssh_command" => Some(SSH_TIMEOUT),
            RunnerFile::Endpoint(_) | RunnerFile::Webhook => Some(HTTP_TIMEOUT),
            RunnerFile::Builtin(_)
            | RunnerFile::Command(_)
            | RunnerFile::Native
            | RunnerFile::Sql(_) => context.tool_timeout,
        };
        let Some(place) = node.get("timeout") else { return fresh };
        let timeout = value::duration(node, "timeout")?;
        let is_http = matches!(runner, RunnerFile::Endpoint(_) | RunnerFile::Webhook);
        if is_http && (timeout.is_zero() || timeout > HTTP_TIMEOUT_MAX) {
            let message = "the timeout of an HTTP tool is above 0 and at most 180s";
            self.error(report::BAD_VALUE, place.span, message, "");
        }
        Some(timeout).filter(|timeout| !timeout.is_zero())
    }
}

/// The arguments that stand in the path of an endpoint; what is wrong with it is told elsewhere.
fn path_arguments(runner: &RunnerFile) -> Vec<String> {
    let RunnerFile::Endpoint(endpoint) = runner else { return Vec::new() };
    let template = UrlTemplate::parse(endpoint.url.expose());
    template.map(|template| template.names().to_vec()).unwrap_or_default()
}

fn labels(node: &Node) -> Labels {
    let mut labels = Labels::new();
    for argument in node.get("labels").map(Node::entries).unwrap_or_default() {
        let words = argument.node.entries().iter();
        let words = words.filter_map(|entry| Some((entry.key.clone(), words_of(&entry.node)?)));
        labels.insert(argument.key.clone(), words.collect());
    }
    labels
}

/// What `type` may be in a JSON Schema.
const TYPES: [&str; 7] = ["array", "boolean", "integer", "null", "number", "object", "string"];

/// One word, or several of which the first is printed.
fn words_of(node: &Node) -> Option<Words> {
    if let Some(text) = node.text() {
        return Some(text.into());
    }
    let mut words = node.items().iter().filter_map(Node::text).map(str::to_owned);
    Some(Words::new(words.next()?, words.collect()))
}

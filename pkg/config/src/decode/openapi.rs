//! `openapi`: one tool per operation of a document beside the agent file.

use std::collections::BTreeMap;
use std::sync::Arc;

use manos_model::{Secret, ToolName};
use manos_openapi::{
    ImportOptions, Imported, ImportedTool, Scheme, SchemePlace, Selector, import, read_text,
};
use manos_schema::ToolSchema;
use manos_text::Labels;
use manos_wire_tool::http::percent_encoded;
use manos_wire_tool::mask::base64;

use super::tool::Context;
use super::{Decoder, value};
use crate::agent::{Endpoint, OpenApi, Operations, RequestFormat, RunnerFile, ToolFile};
use crate::node::Node;
use crate::report;
use crate::shape::suggestion;
use crate::source::Span;

impl Decoder<'_, '_> {
    /// Reads the key; tells what of it cannot be.
    pub(super) fn openapi_source(&mut self, tool: &Node) -> Option<OpenApi> {
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
        let auth = auth.filter_map(|entry| {
            Some((entry.key.clone(), Secret::new(entry.node.text()?.to_owned())))
        });
        Some(OpenApi {
            document,
            is_url,
            include: operations("include"),
            exclude: operations("exclude").unwrap_or_default(),
            auth: auth.collect(),
            server: value::text(node, "server"),
            confirm: value::bool(tool, "confirm"),
        })
    }

    /// Makes the tools of a document that is a file.
    pub(super) fn operations(
        &mut self,
        tool: &Node,
        source: &OpenApi,
        context: &Context<'_>,
    ) -> Vec<ToolFile> {
        let Some(node) = tool.get("openapi") else { return Vec::new() };
        let file = node.get("file").unwrap_or(node);
        let Some(imported) = self.imported(file, node, source, context) else { return Vec::new() };
        self.said_of(node, &imported);
        self.auth_names(node, source, &imported);
        let server = imported.title.as_deref().unwrap_or(&source.document);
        let mut lacking: BTreeMap<String, usize> = BTreeMap::new();
        let mut tools = Vec::new();
        for one in &imported.tools {
            let credentials = credentials(&one.security, &source.auth);
            if credentials.is_none()
                && let Some(scheme) = one.security.iter().flatten().next()
            {
                *lacking.entry(scheme.name.clone()).or_default() += 1;
            }
            let runner = RunnerFile::Endpoint(endpoint(one, &credentials.unwrap_or_default()));
            let timeout = self.timeout(tool, &runner, context);
            match tool_file(one, runner, server, source.confirm, timeout) {
                Ok(tool) => tools.push(tool),
                Err(problem) => {
                    let message = format!("{} cannot be a tool: {problem}", operation(one));
                    let help = "leave it out with `exclude`";
                    self.error(report::SCHEMA, file.span, message, help);
                }
            }
        }
        for (scheme, count) in lacking {
            let message = format!("{count} operations want the secret of `{scheme}`");
            let help = format!("add `auth: {{ {scheme}: \"${{A_VARIABLE}}\" }}`");
            self.report.warning(report::MISSING_KEY, node.span, message, help);
        }
        tools
    }

    fn imported(
        &mut self,
        file: &Node,
        node: &Node,
        source: &OpenApi,
        context: &Context<'_>,
    ) -> Option<Imported> {
        if let Some(server) = node.get("server") {
            self.web_address(server, Some(context.network));
        }
        let text = match self.world.read(&source.document) {
            Ok(text) => text,
            Err(error) => {
                let message = format!("`{}` cannot be read: {error}", source.document);
                let help = "paths are relative to this file";
                self.error(report::FILE, file.span, message, help);
                return None;
            }
        };
        let options = ImportOptions {
            include: source.include.iter().flatten().map(selector).collect(),
            exclude: source.exclude.iter().map(selector).collect(),
            server: source.server.clone(),
        };
        let imported = read_text(&text)
            .map_err(|error| error.to_string())
            .and_then(|document| import(&document, &options).map_err(|error| error.to_string()));
        match imported {
            Ok(imported) => Some(imported),
            Err(problem) => {
                let message = format!("`{}` cannot be imported: {problem}", source.document);
                self.error(report::BAD_VALUE, file.span, message, "");
                None
            }
        }
    }

    /// Tells of operations that are no tools, and of choices that choose nothing.
    fn said_of(&mut self, node: &Node, imported: &Imported) {
        for dropped in &imported.dropped {
            let message = format!("`{}` is no tool: {}", dropped.operation, dropped.reason);
            let help = "the other operations can be used";
            self.report.warning(report::BAD_VALUE, node.span, message, help);
        }
        for key in ["include", "exclude"] {
            for item in node.get(key).map(Node::items).unwrap_or_default() {
                if imported.idle.contains(&selector(&operations(item))) {
                    let message = "no operation of the document fits this";
                    let help = "look at the document's tags, paths and operation ids";
                    self.error(report::UNKNOWN_NAME, item.span, message, help);
                }
            }
        }
        if imported.tools.is_empty() && imported.idle.is_empty() {
            let help = "choose others, or remove the document";
            let message = "none of the document's operations is a tool";
            self.report.warning(report::BAD_VALUE, node.span, message.to_owned(), help);
        }
    }

    fn auth_names(&mut self, node: &Node, source: &OpenApi, imported: &Imported) {
        let schemes = imported.tools.iter().flat_map(|tool| tool.security.iter().flatten());
        let mut known: Vec<&str> = schemes.map(|scheme| scheme.name.as_str()).collect();
        known.sort_unstable();
        known.dedup();
        for entry in node.get("auth").map(Node::entries).unwrap_or_default() {
            let is_used =
                known.contains(&entry.key.as_str()) || !source.auth.contains_key(&entry.key);
            if !is_used {
                let message = format!("no chosen operation wants the secret of `{}`", entry.key);
                let help = suggestion(&entry.key, &known);
                self.error(report::UNKNOWN_NAME, entry.key_span, message, help);
            }
        }
    }

    /// Tells that two tools have one name, wherever they come from.
    pub(super) fn duplicate_tool(&mut self, name: &str, span: Span, line: usize) {
        let message = format!("the tool `{name}` is here and on line {line}; names are unique");
        self.error(report::DUPLICATE_TOOL, span, message, "rename one of them");
    }
}

fn operations(node: &Node) -> Operations {
    Operations {
        tag: value::text(node, "tag"),
        path: value::text(node, "path"),
        operation: value::text(node, "operation"),
        method: value::text(node, "method"),
    }
}

fn selector(operations: &Operations) -> Selector {
    Selector {
        tag: operations.tag.clone(),
        path: operations.path.clone(),
        operation: operations.operation.clone(),
        method: operations.method.clone(),
    }
}

fn operation(tool: &ImportedTool) -> String {
    format!("`{} {}`", tool.method.as_str(), tool.path)
}

/// The schemes of the first alternative that there is a secret for, with their secrets. Empty when
/// the operation asks for none; `None` when it asks and there is none.
fn credentials<'a>(
    alternatives: &'a [Vec<Scheme>],
    auth: &'a BTreeMap<String, Secret<String>>,
) -> Option<Vec<(&'a SchemePlace, &'a Secret<String>)>> {
    if alternatives.is_empty() {
        return Some(Vec::new());
    }
    alternatives.iter().find_map(|schemes| {
        schemes.iter().map(|one| Some((&one.place, auth.get(&one.name)?))).collect()
    })
}

fn endpoint(tool: &ImportedTool, credentials: &[(&SchemePlace, &Secret<String>)]) -> Endpoint {
    let (mut url, mut headers) = (tool.url.clone(), Vec::new());
    for (place, secret) in credentials {
        let secret = secret.expose();
        let mut header =
            |name: &str, value: String| headers.push((name.to_owned(), Secret::new(value)));
        match place {
            SchemePlace::Bearer => header("Authorization", format!("Bearer {secret}")),
            SchemePlace::Basic => {
                header("Authorization", format!("Basic {}", base64(secret.as_bytes())));
            }
            SchemePlace::Header(name) => header(name, secret.clone()),
            SchemePlace::Cookie(name) => header("Cookie", format!("{name}={secret}")),
            SchemePlace::Query(name) => {
                let joint = if url.contains('?') { '&' } else { '?' };
                let (name, secret) = (percent_encoded(name), percent_encoded(secret));
                url = format!("{url}{joint}{name}={secret}");
            }
            // A way in that this build does not know is not asked for by any alternative above.
            _ => {}
        }
    }
    Endpoint {
        url: Secret::new(url),
        method: tool.method,
        headers,
        request_format: RequestFormat::Standard,
        placement: Some(tool.placement.clone()),
    }
}

fn tool_file(
    tool: &ImportedTool,
    runner: RunnerFile,
    server: &str,
    confirm: Option<bool>,
    timeout: Option<std::time::Duration>,
) -> Result<ToolFile, String> {
    let schema = ToolSchema::compile(&tool.parameters).map_err(|error| error.to_string())?;
    let name = ToolName::new(&tool.name).map_err(|error| error.to_string())?;
    let in_path: Vec<String> = tool.placement.path_arguments().map(str::to_owned).collect();
    Ok(ToolFile {
        name,
        title: format!("{server}: {}", tool.name),
        description: tool.description.clone(),
        parameters: tool.parameters.clone(),
        schema: Arc::new(schema.with_path_arguments(in_path)),
        timeout,
        confirm: Some(confirm.unwrap_or(!tool.read_only)),
        confirm_message: None,
        confirm_lines: None,
        labels: Labels::new(),
        dedupe: None,
        read_only: tool.read_only,
        idempotent: false,
        cancels: false,
        audit_redact: false,
        fixed: Vec::new(),
        runner,
    })
}

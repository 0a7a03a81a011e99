//! Tools as the file has them.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use manos_model::{Secret, ToolName};
use manos_policy::Dedupe;
use manos_schema::ToolSchema;
use manos_text::{Labels, Template};
pub use manos_wire_tool::http::{Method, RequestFormat};
use manos_wire_tool::placement::Placement;
use serde_json::Value;

/// One tool.
#[derive(Debug, Clone)]
pub struct ToolFile {
    /// The name the model uses.
    pub name: ToolName,
    /// The name people read.
    pub title: String,
    /// What it does, for the model.
    pub description: String,
    /// What its arguments must be, compiled.
    pub schema: Arc<ToolSchema>,
    /// The schema as the file has it.
    pub parameters: Value,
    /// How long one run may take; `None` is without limit.
    pub timeout: Option<Duration>,
    /// Whether a person is asked; `None` when the file does not say (then nobody is).
    pub confirm: Option<bool>,
    /// The whole question.
    pub confirm_message: Option<Template>,
    /// The lines of the question.
    pub confirm_lines: Option<ConfirmLines>,
    /// Words for argument values.
    pub labels: Labels,
    /// When an equal call is not run again.
    pub dedupe: Option<Dedupe>,
    /// Whether it changes nothing: said, or known of its runner.
    pub read_only: bool,
    /// Whether running it twice is running it once.
    pub idempotent: bool,
    /// Whether it cancels or deletes.
    pub cancels: bool,
    /// Whether arguments and results stay out of the audit trail.
    pub audit_redact: bool,
    /// Arguments that no model may choose, in the order of the file.
    pub fixed: Vec<(String, Fixed)>,
    /// What runs it.
    pub runner: RunnerFile,
}

/// A value that the file gives.
#[derive(Debug, Clone)]
pub enum Fixed {
    /// A template; its output is text.
    Template(Template),
    /// As it is.
    Value(Value),
}

/// Where the lines of a question come from.
#[derive(Debug, Clone)]
pub enum ConfirmLines {
    /// A lookup, run before the question and after the yes.
    From {
        /// A read-only tool of this file.
        tool: ToolName,
        /// Its arguments; `None` is those of the call that it knows.
        args: Option<Vec<(String, Fixed)>>,
        /// The lines, over `args` and `result`.
        template: Template,
    },
    /// A template over `args`.
    Template(Template),
}

/// What runs a tool.
#[derive(Debug, Clone)]
pub enum RunnerFile {
    /// One of our own.
    Builtin(Builtin),
    /// A program.
    Command(CommandRunner),
    /// An HTTP endpoint.
    Endpoint(Endpoint),
    /// A handler in the program that loads the file.
    Native,
    /// SQL.
    Sql(SqlRunner),
    /// The webhook.
    Webhook,
}

/// A tool that is SQL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SqlRunner {
    /// One of the file's databases.
    pub database: String,
    /// The statements.
    pub query: String,
    /// Whether the result is one object.
    pub one_row: bool,
    /// Whether a run is recorded with its effect.
    pub journal: bool,
}

/// A tool that is a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandRunner {
    /// The program and its arguments.
    pub argv: Vec<String>,
    /// Its environment, apart from ours.
    pub env: BTreeMap<String, Secret<String>>,
    /// Where it runs, relative to the file; `None` is the file's folder.
    pub cwd: Option<String>,
}

/// A tool that is an HTTP endpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    /// Its address, a template for path arguments.
    pub url: Secret<String>,
    /// The method.
    pub method: Method,
    /// Own headers, in the order of the file.
    pub headers: Vec<(String, Secret<String>)>,
    /// The form of the body.
    pub request_format: RequestFormat,
    /// Where each argument goes, for operations of `OpenAPI` documents.
    pub placement: Option<Placement>,
}

/// One of our own tools.
#[derive(Debug, Clone, PartialEq)]
pub struct Builtin {
    /// Which.
    pub name: String,
    /// Where requests may go.
    pub allow_hosts: Vec<String>,
    /// Which folders may be read.
    pub roots: Vec<String>,
    /// Which machines may be reached, as written.
    pub targets: Value,
    /// Which rooms may be written to.
    pub rooms: Vec<String>,
}

/// Something that brings tools when it is reached.
#[derive(Debug, Clone)]
pub enum ToolSourceFile {
    /// An MCP server.
    Mcp(Mcp),
    /// An `OpenAPI` document.
    OpenApi(OpenApi),
}

/// An MCP server and which of its tools are taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mcp {
    /// How it is reached.
    pub server: McpServer,
    /// What it is called.
    pub name: Option<String>,
    /// Only these; all when `None`.
    pub include: Option<Vec<String>>,
    /// Not these.
    pub exclude: Vec<String>,
    /// What the file says of all its tools about confirming.
    pub confirm: Option<bool>,
    /// What the file says of all its tools about reading.
    pub read_only: bool,
}

/// How an MCP server is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum McpServer {
    /// By a program.
    Command {
        /// The program and its arguments.
        argv: Vec<String>,
        /// Its environment.
        env: BTreeMap<String, Secret<String>>,
    },
    /// By address.
    Url {
        /// The address.
        url: Secret<String>,
        /// Own headers.
        headers: Vec<(String, Secret<String>)>,
    },
}

/// An `OpenAPI` document and which of its operations are taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenApi {
    /// The file or the address.
    pub document: String,
    /// Whether [`OpenApi::document`] is an address.
    pub is_url: bool,
    /// Only these; all when `None`.
    pub include: Option<Vec<Operations>>,
    /// Not these.
    pub exclude: Vec<Operations>,
    /// Secrets by the name of their scheme in the document.
    pub auth: BTreeMap<String, Secret<String>>,
    /// The service's address, in place of the document's.
    pub server: Option<String>,
    /// What the file says of all its operations about confirming.
    pub confirm: Option<bool>,
}

/// Operations by what they have; all that is given must fit.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Operations {
    /// A tag.
    pub tag: Option<String>,
    /// A path.
    pub path: Option<String>,
    /// An operation id.
    pub operation: Option<String>,
    /// A method.
    pub method: Option<String>,
}

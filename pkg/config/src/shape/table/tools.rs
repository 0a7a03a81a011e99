//! The keys of a tool.

use super::{DAY_MS, TEXTS, TIMEOUT_OR_OFF};
use crate::shape::{Field, Shape, Struct};

/// One tool, in the flat form, the function form, or as a source of tools.
pub(super) static TOOL: Struct = Struct {
    name: "tool",
    doc: "Something the agent can do. One of `sql`, `command`, `endpoint`, `builtin`, `mcp` and `openapi` runs it, or the webhook.",
    fields: &[
        Field::new("name", Shape::Text, "The name the model uses."),
        Field::new("title", Shape::Text, "The name people read; the name when left out."),
        Field::new("description", Shape::Text, "What it does, for the model."),
        Field::new(
            "parameters",
            Shape::Any,
            "The JSON Schema of its arguments; without it, it takes none.",
        ),
        Field::new("type", Shape::Choice(&["function"]), "Of the function form."),
        Field::new(
            "function",
            Shape::Struct(&FUNCTION),
            "The function form: name, description and parameters.",
        ),
        Field::new("timeout", TIMEOUT_OR_OFF, "How long one run may take."),
        Field::new("confirm", Shape::Bool, "Whether a person is asked before it runs."),
        Field::new(
            "confirm_message",
            Shape::Template,
            "The whole question, over `args` and, with a lookup, `result`.",
        ),
        Field::new(
            "confirm_lines",
            Shape::Either(&[Shape::Template, Shape::Struct(&CONFIRM_LINES)]),
            "The lines of the question.",
        ),
        Field::new(
            "labels",
            Shape::Map(&Shape::Map(&Shape::Either(&[Shape::Text, TEXTS]))),
            "Words for argument values, by argument. Of a list the first is printed; rules read all.",
        ),
        Field::new(
            "dedupe",
            Shape::Either(&[Shape::Choice(&["args"]), Shape::Struct(&DEDUPE)]),
            "Whether an equal call a moment later is run again.",
        ),
        Field::new("read_only", Shape::Bool, "Whether it changes nothing."),
        Field::new("idempotent", Shape::Bool, "Whether running it twice is the same as once.")
            .default("false"),
        Field::new(
            "cancels",
            Shape::Bool,
            "Whether it cancels or deletes, so that \"cancel\" is no clear answer.",
        )
        .default("false"),
        Field::new(
            "audit",
            Shape::Choice(&["full", "redact"]),
            "Whether arguments and results stand in the audit trail.",
        )
        .default("full"),
        Field::new(
            "fixed",
            Shape::Map(&Shape::Any),
            "Arguments that no model may choose; texts are templates over `ctx`.",
        ),
        Field::new("sql", Shape::Struct(&SQL), "Runs SQL."),
        Field::new(
            "command",
            TEXTS,
            "Runs a program: JSON arguments on standard input, JSON result on standard output, no shell.",
        ),
        Field::new(
            "env",
            Shape::Map(&Shape::Text),
            "For `command`: its environment, apart from ours.",
        )
        .variables(),
        Field::new(
            "cwd",
            Shape::Text,
            "For `command`: where it runs; the file's folder when left out.",
        ),
        Field::new("endpoint", Shape::Struct(&ENDPOINT), "Calls an HTTP endpoint.").variables(),
        Field::new(
            "builtin",
            Shape::Choice(&[
                "http_get",
                "http_post",
                "read_file",
                "list_files",
                "ssh_command",
                "matrix_send",
            ]),
            "One of our own tools.",
        ),
        Field::new(
            "allow_hosts",
            TEXTS,
            "For `http_get` and `http_post`: the hosts; `*` is every public address.",
        ),
        Field::new("roots", TEXTS, "For `read_file` and `list_files`: the folders."),
        Field::new("targets", Shape::Any, "For `ssh_command`: the machines."),
        Field::new("rooms", TEXTS, "For `matrix_send`: the rooms."),
        Field::new("mcp", Shape::Struct(&MCP), "All tools of an MCP server.").variables(),
        Field::new("openapi", Shape::Struct(&OPENAPI), "The operations of an OpenAPI document."),
    ],
};

static FUNCTION: Struct = Struct {
    name: "function",
    doc: "The function form of a tool.",
    fields: &[
        Field::new("name", Shape::Text, "The name the model uses.").required(),
        Field::new("description", Shape::Text, "What it does, for the model.").required(),
        Field::new("parameters", Shape::Any, "The JSON Schema of its arguments.").required(),
        Field::new(
            "strict",
            Shape::Bool,
            "Taken for files made for other runtimes; arguments are always checked.",
        ),
    ],
};

static CONFIRM_LINES: Struct = Struct {
    name: "confirm_lines",
    doc: "Lines of the question from a lookup.",
    fields: &[
        Field::new("from", Shape::Text, "A read-only tool of this file.").required(),
        Field::new(
            "args",
            Shape::Map(&Shape::Any),
            "Its arguments, texts being templates over `args`; those of the call that it knows when left out.",
        ),
        Field::new("template", Shape::Template, "The lines, over `args` and `result`.").required(),
    ],
};

static DEDUPE: Struct = Struct {
    name: "dedupe",
    doc: "When a call counts as done already.",
    fields: &[
        Field::new("window", Shape::Duration { min_ms: 1, max_ms: 366 * DAY_MS }, "For how long.")
            .default("10m"),
        Field::new("key", TEXTS, "The arguments that must be equal; all when left out."),
    ],
};

static SQL: Struct = Struct {
    name: "sql",
    doc: "SQL with arguments bound as parameters, in one transaction.",
    fields: &[
        Field::new(
            "database",
            Shape::Text,
            "One of `databases`; may be left out when there is one.",
        )
        .default(""),
        Field::new("query", Shape::Text, "The statements; the last one's rows are the result.")
            .required(),
        Field::new("one_row", Shape::Bool, "Whether the result is one object.").default("false"),
        Field::new(
            "journal",
            Shape::Bool,
            "Whether a run is recorded in `manos_runs` in the same transaction.",
        )
        .default("true"),
    ],
};

static ENDPOINT: Struct = Struct {
    name: "endpoint",
    doc: "An HTTP endpoint; it never reaches the model.",
    fields: &[
        Field::new("url", Shape::Text, "Its address; `{name}` in the path takes an argument.")
            .required(),
        Field::new(
            "method",
            Shape::Choice(&["GET", "POST", "PUT", "PATCH", "DELETE"]),
            "The method.",
        )
        .default("POST"),
        Field::new("headers", Shape::Map(&Shape::Secret), "Headers, sent as they are."),
        Field::new(
            "request_format",
            Shape::Choice(&["standard", "vapi", "retell"]),
            "The form of the body.",
        )
        .default("standard"),
    ],
};

static MCP: Struct = Struct {
    name: "mcp",
    doc: "An MCP server, by address or by program.",
    fields: &[
        Field::new("url", Shape::Text, "Its address."),
        Field::new("command", TEXTS, "Its program."),
        Field::new("name", Shape::Text, "What it is called in titles and prefixes."),
        Field::new("env", Shape::Map(&Shape::Text), "The program's environment."),
        Field::new("headers", Shape::Map(&Shape::Secret), "Headers, sent as they are."),
        Field::new("include", TEXTS, "Only these tools."),
        Field::new("exclude", TEXTS, "Not these tools."),
    ],
};

static OPENAPI: Struct = Struct {
    name: "openapi",
    doc: "One tool per operation of an OpenAPI document.",
    fields: &[
        Field::new("file", Shape::Text, "The document."),
        Field::new("url", Shape::Text, "Where the document is."),
        Field::new("include", Shape::List(&Shape::Struct(&OPERATIONS)), "Only these operations."),
        Field::new("exclude", Shape::List(&Shape::Struct(&OPERATIONS)), "Not these operations."),
        Field::new("auth", Shape::Map(&Shape::Secret), "Secrets by security scheme.").variables(),
        Field::new("server", Shape::Text, "The service's address, in place of the document's."),
    ],
};

static OPERATIONS: Struct = Struct {
    name: "operations",
    doc: "Operations by what they have.",
    fields: &[
        Field::new("tag", Shape::Text, "A tag."),
        Field::new("path", Shape::Text, "A path."),
        Field::new("operation", Shape::Text, "An operation id."),
        Field::new("method", Shape::Text, "A method."),
    ],
};

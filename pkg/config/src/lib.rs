//! The agent file: YAML text to a checked agent, or diagnostics with line and column.
//!
//! [`load`] reads one file, tells of everything that is wrong with it at once, and gives an
//! [`AgentFile`] in which every default is filled in and every schema, template and expression is
//! compiled. It does no IO: files, variables and time zones come through [`World`].
//!
//! | module | owns |
//! | --- | --- |
//! | `source`, `diagnostic`, `report` | places, what is printed, what is gathered |
//! | `node` | YAML and JSON to a tree with places; nothing changes its value silently |
//! | `shape` | the one table of keys: checks, suggestions, JSON Schema |
//! | `variables` | `${NAME}` |
//! | `agent`, `decode` | the checked data, and how it comes about |
//! | `assemble` | the checked data as the agent that chats run with |
//! | `built` | what this build can run |
//!
//! Tested by tables beside the rules, and by a folder of files with a mistake each.

mod agent;
mod assemble;
mod built;
mod decode;
mod diagnostic;
mod import;
mod init;
mod load;
mod node;
mod report;
mod shape;
mod source;
mod units;
mod variables;

pub use agent::{
    Action, AgentFile, ApiKey, Argument, Between, Builtin, Caller, CommandRunner, ConfirmConfig,
    ConfirmLines, DatabaseConfig, Endpoint, Fixed, InitSql, Limits, Mcp, McpServer, Method,
    ModelChoice, ModelConfig, Network, Notice, OpenApi, Operations, RequestFormat, RuleFile,
    RunnerFile, ServerConfig, SqlRunner, StoreConfig, SystemNoteConfig, ToolFile, ToolSourceFile,
    Webhook, When,
};
pub use assemble::{AssembleError, Surroundings, assemble};
pub use decode::{NOTICES_MAX, PATTERN_BYTES_MAX, RULES_MAX, TOOLS_MAX};
pub use diagnostic::{Diagnostic, EXCERPT_COLUMNS_MAX, Severity};
pub use import::{ForeignTools, ImportError, ImportedFile, import_openapi, import_tools};
pub use init::{Starter, starter};
pub use load::{Loaded, load};
pub use node::{DEPTH_MAX, FILE_BYTES_MAX, NODES_MAX};
pub use report::{CODES, DIAGNOSTICS_MAX};
pub use shape::json_schema;
pub use source::SourceFile;
pub use units::{duration, size};
pub use variables::World;

//! What can be written on the command line.

mod signing;

use std::path::PathBuf;

use clap::builder::NonEmptyStringValueParser;
use clap::{Args, Parser, Subcommand, ValueEnum};

pub(crate) use signing::{SecretArgs, SignArgs, VerifyArgs};

/// Gives bots hands that ask before they touch.
#[derive(Debug, Parser)]
#[command(
    name = "manos",
    version,
    about = "Gives bots hands that ask before they touch",
    max_term_width = 100
)]
pub(crate) struct Cli {
    /// How log lines are written to standard error (what is logged: `RUST_LOG`)
    #[arg(long, global = true, value_enum, default_value_t = Log::Text)]
    pub(crate) log: Log,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The form of log lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Log {
    /// For people
    Text,
    /// For machines
    Json,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Write a commented agent file that runs
    Init(InitArgs),
    /// Talk to the agent in the terminal
    Chat(ChatArgs),
    /// Let other platforms call the tools of agents over HTTP
    #[cfg(feature = "serve")]
    Serve(ServeArgs),
    /// Say everything that is wrong with agent files
    Check(CheckArgs),
    /// List the tools of an agent, or print what a provider is sent
    Tools(ToolsArgs),
    /// Run one tool by the same path as a turn and print its result as JSON
    Call(CallArgs),
    /// Read the audit trail
    Audit(AuditArgs),
    /// List the chats in the store
    Chats(FileArgs),
    /// Clear a chat
    Reset(ResetArgs),
    /// List the ledger, or settle a run whose end is unknown
    Runs(RunsArgs),
    /// List the notices that endpoints were sent, are being sent, or did not take
    Deliveries(DeliveriesArgs),
    /// Look after the endpoints that are told what happens
    #[command(subcommand)]
    Notices(NoticesCommand),
    /// Play a stored turn again without touching the world
    Replay(ReplayArgs),
    /// Read answers to a yes/no question, one JSON object a line
    Classify(ClassifyArgs),
    /// Print tools that are described elsewhere as an agent file
    Import(ImportArgs),
    /// Print the headers that sign a request, whose body comes on standard input
    Sign(SignArgs),
    /// Check the signature of a request, whose body comes on standard input
    Verify(VerifyArgs),
    /// Print the JSON Schema of the agent file
    Schema,
    /// Print the completion script of a shell
    Completions(CompletionsArgs),
}

#[derive(Debug, Args)]
pub(crate) struct InitArgs {
    /// The folder, made when it is not there
    #[arg(default_value = ".")]
    pub(crate) dir: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct ChatArgs {
    /// The agent file
    pub(crate) file: PathBuf,
    /// Who is talking
    #[arg(long, value_name = "NAME", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) user: Option<String>,
    /// The key of the chat, as it stands
    #[arg(long, value_name = "KEY", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) chat: Option<String>,
    /// A language in which answers are understood too
    #[arg(long, value_name = "TAG")]
    pub(crate) lang: Option<String>,
    /// One JSON object a line, as a channel with buttons
    #[arg(long)]
    pub(crate) json: bool,
    /// Do everything but effects; print each run that would have been
    #[arg(long)]
    pub(crate) dry_run: bool,
}

#[cfg(feature = "serve")]
#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    /// The agent files
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Where to listen; `server.listen` of the files when left out
    #[arg(long, value_name = "ADDRESS:PORT", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) listen: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    /// The agent files
    #[arg(required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// Also open databases and reach endpoints
    #[arg(long)]
    pub(crate) online: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ToolsArgs {
    /// The agent file
    pub(crate) file: PathBuf,
    /// Print exactly what this provider would be sent
    #[arg(long, value_parser = clap::builder::PossibleValuesParser::new(manos::provider_names()))]
    pub(crate) provider: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct CallArgs {
    /// The agent file
    pub(crate) file: PathBuf,
    /// The tool
    pub(crate) tool: String,
    /// Its arguments
    #[arg(long, value_name = "JSON", default_value = "{}")]
    pub(crate) args: String,
    /// Say yes to what the tool asks
    #[arg(long)]
    pub(crate) yes: bool,
    /// The call that the run belongs to; its chat is `call:ID`
    #[arg(long, value_name = "ID", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) call_id: Option<String>,
    /// Who is calling
    #[arg(long, value_name = "NAME", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) user: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct AuditArgs {
    /// The agent file
    pub(crate) file: PathBuf,
    /// Only this chat
    #[arg(long, value_name = "KEY")]
    pub(crate) chat: Option<String>,
    /// One turn as a readable page
    #[arg(long, value_name = "ID")]
    pub(crate) turn: Option<String>,
    /// Go on as events come
    #[arg(long, conflicts_with = "cost")]
    pub(crate) follow: bool,
    /// Add up what the model calls used and cost
    #[arg(long, value_name = "BY", num_args = 0..=1, default_missing_value = "model")]
    pub(crate) cost: Option<CostBy>,
    /// One event a line
    #[arg(long)]
    pub(crate) json: bool,
}

/// What costs are added up by.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum CostBy {
    /// By chat
    Chat,
    /// By day, in UTC
    Day,
    /// By provider and model
    Model,
    /// By turn
    Turn,
}

impl CostBy {
    /// The head of its column.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Chat => "CHAT",
            Self::Day => "DAY",
            Self::Model => "MODEL",
            Self::Turn => "TURN",
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct FileArgs {
    /// The agent file
    pub(crate) file: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct ResetArgs {
    /// The agent file
    pub(crate) file: PathBuf,
    /// The key of the chat
    pub(crate) key: String,
}

#[derive(Debug, Args)]
pub(crate) struct RunsArgs {
    /// The agent file
    pub(crate) file: PathBuf,
    /// Only runs whose end is unknown
    #[arg(long)]
    pub(crate) unknown: bool,
    /// Say how an unknown run ended
    #[arg(long, num_args = 2, value_names = ["RUN", "done|not-done"])]
    pub(crate) settle: Option<Vec<String>>,
}

#[derive(Debug, Args)]
pub(crate) struct DeliveriesArgs {
    /// The agent file
    pub(crate) file: PathBuf,
    /// One delivery a line
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum NoticesCommand {
    /// Send `webhook.test` to every endpoint, and once more where it does not arrive
    Test(FileArgs),
}

#[derive(Debug, Args)]
pub(crate) struct ReplayArgs {
    /// The agent file
    pub(crate) file: PathBuf,
    /// The turn
    pub(crate) turn: String,
}

#[derive(Debug, Args)]
pub(crate) struct ClassifyArgs {
    /// The language of lines that name none
    #[arg(long, value_name = "TAG")]
    pub(crate) lang: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct ImportArgs {
    /// What the document is
    #[arg(value_enum)]
    pub(crate) from: ImportFrom,
    /// The document; `-` reads standard input
    #[arg(value_name = "DOCUMENT")]
    pub(crate) document: PathBuf,
}

/// What tools are imported from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ImportFrom {
    /// An OpenAPI document, in JSON or YAML
    Openapi,
    /// Custom functions of Retell, in JSON
    Retell,
    /// Tools of Vapi, in JSON
    Vapi,
}

#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// The shell
    pub(crate) shell: clap_complete::Shell,
}

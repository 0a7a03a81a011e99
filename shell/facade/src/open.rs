//! From a checked file to a running agent: the composition root.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use manos_answer::Language as AnswerLanguage;
use manos_chat::ChatSpec;
use manos_config::{
    AgentFile, AssembleError, CommandRunner, ModelChoice, RunnerFile, StoreConfig, Surroundings,
    assemble,
};
use manos_model::Secret;
use manos_net::HostPatternError;
use manos_net::HttpClient;
use manos_notices::NoticedStore;
use manos_ports::{Channel, Store, StoreError, ToolExecutor};
use manos_providers::ScriptedError;
use manos_runtime::{Parts, Runtime, SystemChance, SystemClock};
use manos_store::{MemoryStore, SqliteOptions, SqliteStore};
use manos_tools::{
    COMMAND_OUTPUT_BYTES_MAX, CommandSpec, DatabaseError, Databases, Executor, ExecutorError,
    NativeTool, Runner, SqlSpec, SqliteDatabase,
};
use manos_wire_tool::mask::Masker;

use crate::collector::Collector;
use crate::dry::{DryRun, WouldRun};
use crate::http::{self, HttpSetupError};
use crate::masked::{MaskedProvider, MaskedStore};
use crate::{network, notices, providers};

/// Why an agent does not start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// A checked file is no agent after all.
    #[error("the agent cannot be put together")]
    Assemble {
        /// Why.
        #[from]
        source: AssembleError,
    },
    /// A database of `sql` tools cannot be opened.
    #[error("the database `{name}` cannot be opened")]
    Database {
        /// Its name in the file.
        name: String,
        /// Why.
        source: DatabaseError,
    },
    /// An endpoint, or the webhook, cannot be used as it is.
    #[error("the endpoint of `{tool}` cannot be used: {problem}")]
    Endpoint {
        /// A tool that it runs.
        tool: String,
        /// What is wrong.
        problem: String,
    },
    /// Tools cannot be run.
    #[error("tools cannot be run")]
    Executor {
        /// Why.
        #[from]
        source: ExecutorError,
    },
    /// `network.allow_http` names what is no host.
    #[error("`network.allow_http` cannot be used")]
    Network {
        /// Why.
        #[from]
        source: HostPatternError,
    },
    /// A tool has no handler.
    #[error("the tool `{tool}` has no handler")]
    NoHandler {
        /// The tool.
        tool: String,
    },
    /// A provider has no address.
    #[error("the provider `{provider}` needs a `base_url`")]
    NoBaseUrl {
        /// The provider.
        provider: String,
    },
    /// An address, a header's name or a secret of tools over HTTP cannot be used.
    #[error("tools over HTTP cannot be set up")]
    Http {
        /// Why.
        #[from]
        source: HttpSetupError,
    },
    /// This build has no such store.
    #[error("this build has no {kind} store")]
    NotBuilt {
        /// The kind.
        kind: &'static str,
    },
    /// A database does not take a tool's SQL.
    #[error("the SQL of `{tool}` does not suit its database: {problem}")]
    Statement {
        /// The tool.
        tool: String,
        /// What the database says.
        problem: String,
    },
    /// The script of a scripted model cannot be used.
    #[error("the script of the model cannot be used")]
    Script {
        /// Why.
        source: ScriptedError,
    },
    /// The store cannot be opened.
    #[error("the store cannot be opened")]
    Store {
        /// Why.
        #[from]
        source: StoreError,
    },
}

/// How an agent is opened.
pub struct Opening<'a> {
    /// The checked file.
    pub file: &'a AgentFile,
    /// Values that must not appear in what tools say.
    pub secrets: &'a [Secret<String>],
    /// Where relative paths start.
    pub folder: &'a Path,
    /// Where people are.
    pub channel: Arc<dyn Channel>,
    /// Handlers in this program, by tool.
    pub handlers: BTreeMap<String, Arc<dyn NativeTool>>,
    /// A language in which answers are read too.
    pub answers_too: Option<AnswerLanguage>,
    /// Told of each run instead of running it; nothing is kept then.
    pub dry_run: Option<WouldRun>,
}

impl fmt::Debug for Opening<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Opening")
            .field("agent", &self.file.name)
            .field("folder", &self.folder)
            .finish_non_exhaustive()
    }
}

/// Opens the store, the databases and the model of an agent, and puts its runtime together.
/// Nothing left by an earlier process is taken up before [`Runtime::resume`].
///
/// # Errors
///
/// [`OpenError`], which says what to look at.
pub fn open(opening: Opening<'_>) -> Result<Runtime, OpenError> {
    let file = opening.file;
    let around = Surroundings {
        time_zone: jiff::tz::TimeZone::system(),
        answers_too: opening.answers_too,
        tools: Vec::new(),
    };
    let spec = Arc::new(assemble(file, around)?);
    // The store first: whoever holds it must not find that we touched a database.
    let store: Arc<dyn Store> = if opening.dry_run.is_some() {
        Arc::new(MemoryStore::default())
    } else {
        open_store_to_write(&file.store, opening.folder)?
    };
    let client = network::client(&file.network)?;
    let told = opening.dry_run.is_none().then(|| Arc::clone(&store));
    let told = told
        .map(|store| notices::notices(file, opening.secrets, client.clone(), store))
        .transpose()?
        .flatten();
    let store: Arc<dyn Store> = match &told {
        Some(told) => Arc::new(NoticedStore::new(store, Arc::clone(told))),
        None => store,
    };
    let store = MaskedStore::before(store, opening.secrets);
    let provider = match &file.model {
        ModelChoice::Use(model) => {
            let (others, formats) = (&file.fallback_models, &spec.agent.formats);
            let provider = providers::provider(model, others, formats, &client)?;
            Some(MaskedProvider::before(provider, opening.secrets))
        }
        ModelChoice::None | ModelChoice::Off { .. } => None,
    };
    let running = Arc::new(OnceLock::new());
    let executor = executor(&opening, &running, client)?;
    let executor = dry(executor, &spec, opening.dry_run);
    let runtime = Runtime::new(Parts {
        spec,
        store,
        provider,
        executor,
        channel: opening.channel,
        clock: Arc::new(SystemClock),
        chance: Arc::new(SystemChance),
    });
    // Each is set once, here.
    let _first = running.set(runtime.clone());
    if let Some(told) = told {
        let _first = runtime.accompany(told);
    }
    Ok(runtime)
}

/// Makes the agent of a checked file without opening anything; for looking at what is stored.
///
/// # Errors
///
/// [`OpenError::Assemble`].
pub fn spec_of(file: &AgentFile) -> Result<Arc<ChatSpec>, OpenError> {
    let around = Surroundings {
        time_zone: jiff::tz::TimeZone::system(),
        answers_too: None,
        tools: Vec::new(),
    };
    Ok(Arc::new(assemble(file, around)?))
}

/// Opens every database of a checked file, prepares every statement and reaches every endpoint;
/// returns what is wrong.
///
/// Nothing is made: of a database that is not there yet a copy is tried in memory.
pub async fn check_online(file: &AgentFile, folder: &Path) -> Vec<OpenError> {
    let file = tried_in_memory(file, folder);
    let opening = Opening {
        file: &file,
        secrets: &[],
        folder,
        channel: Arc::new(Collector::default()),
        handlers: BTreeMap::new(),
        answers_too: None,
        dry_run: None,
    };
    let executor = network::client(&file.network)
        .and_then(|client| executor(&opening, &Arc::new(OnceLock::new()), client));
    let executor = match executor {
        Ok(executor) => executor,
        Err(error) => return vec![error],
    };
    let statements = executor.check_databases().await.into_iter();
    let statements = statements
        .map(|(tool, problem)| OpenError::Statement { tool: tool.as_str().to_owned(), problem });
    let endpoints = executor.check_endpoints().await.into_iter();
    let endpoints = endpoints
        .map(|(tool, problem)| OpenError::Endpoint { tool: tool.as_str().to_owned(), problem });
    statements.chain(endpoints).collect()
}

/// The file with every SQLite database in memory that does not exist yet.
fn tried_in_memory(file: &AgentFile, folder: &Path) -> AgentFile {
    let mut file = file.clone();
    for database in file.databases.values_mut() {
        if let StoreConfig::Sqlite { path } = &database.location {
            let place = folder.join(path);
            let is_new = place.metadata().map_or(true, |found| found.len() == 0);
            // Where the folder is missing, opening says so.
            if is_new && place.parent().is_none_or(Path::is_dir) {
                database.location = StoreConfig::Memory;
            }
        }
    }
    file
}

fn dry(executor: Executor, spec: &ChatSpec, would_run: Option<WouldRun>) -> Arc<dyn ToolExecutor> {
    let inner: Arc<dyn ToolExecutor> = Arc::new(executor);
    let Some(would_run) = would_run else { return inner };
    let read_only = spec
        .agent
        .tools()
        .iter()
        .filter(|tool| tool.spec.read_only)
        .map(|tool| tool.spec.name.as_str().to_owned())
        .collect();
    Arc::new(DryRun { inner, read_only, would_run })
}

/// Opens an agent's store for this process alone.
///
/// # Errors
///
/// [`OpenError`] when it is held, of a newer program, not built, or cannot be opened.
pub fn open_store_to_write(
    store: &StoreConfig,
    folder: &Path,
) -> Result<Arc<dyn Store>, OpenError> {
    match store {
        StoreConfig::Memory => Ok(Arc::new(MemoryStore::default())),
        StoreConfig::Postgres { .. } => Err(OpenError::NotBuilt { kind: "PostgreSQL" }),
        StoreConfig::Sqlite { path } => {
            Ok(Arc::new(SqliteStore::open(folder.join(path), SqliteOptions::default())?))
        }
    }
}

/// Opens an agent's store to look at it, also while another process has it.
///
/// # Errors
///
/// [`OpenError`] when there is none, or it cannot be read.
pub fn open_store_to_read(store: &StoreConfig, folder: &Path) -> Result<Arc<dyn Store>, OpenError> {
    match store {
        StoreConfig::Memory => Ok(Arc::new(MemoryStore::default())),
        StoreConfig::Postgres { .. } => Err(OpenError::NotBuilt { kind: "PostgreSQL" }),
        StoreConfig::Sqlite { path } => Ok(Arc::new(SqliteStore::open_read(folder.join(path))?)),
    }
}

fn executor(
    opening: &Opening<'_>,
    running: &Arc<OnceLock<Runtime>>,
    client: HttpClient,
) -> Result<Executor, OpenError> {
    let mut builder = Executor::builder()
        .databases(databases(opening)?)
        .masker(Masker::new(opening.secrets.iter().cloned()))
        .http(http::tools(opening.file, client)?);
    let late = Arc::clone(running);
    builder = builder.late(move |run_id, end| {
        if let Some(runtime) = late.get() {
            runtime.late(run_id, end);
        }
    });
    for tool in &opening.file.tools {
        let runner = match &tool.runner {
            RunnerFile::Command(command) => Runner::Command(command_spec(command, opening)),
            RunnerFile::Native => {
                let name = tool.name.as_str();
                let handler = opening
                    .handlers
                    .get(name)
                    .ok_or_else(|| OpenError::NoHandler { tool: name.to_owned() })?;
                Runner::Native(Arc::clone(handler))
            }
            RunnerFile::Sql(sql) => Runner::Sql(SqlSpec {
                database: sql.database.clone(),
                query: sql.query.clone(),
                one_row: sql.one_row,
                journal: sql.journal,
                read_only: tool.read_only,
            }),
            RunnerFile::Endpoint(endpoint) => {
                Runner::Endpoint(http::endpoint(endpoint, tool.idempotent)?)
            }
            RunnerFile::Webhook => Runner::Webhook { idempotent: tool.idempotent },
            // The file was refused where this build cannot run one of these.
            RunnerFile::Builtin(_) => continue,
        };
        builder = builder.tool(tool.name.clone(), runner);
    }
    Ok(builder.build()?)
}

fn command_spec(command: &CommandRunner, opening: &Opening<'_>) -> CommandSpec {
    let cwd = command
        .cwd
        .as_ref()
        .map_or_else(|| opening.folder.to_owned(), |cwd| opening.folder.join(cwd));
    CommandSpec {
        argv: command.argv.clone(),
        env: command.env.clone(),
        cwd: absolute(cwd),
        output_bytes_max: COMMAND_OUTPUT_BYTES_MAX,
    }
}

fn absolute(path: PathBuf) -> PathBuf {
    std::path::absolute(&path).unwrap_or(path)
}

fn databases(opening: &Opening<'_>) -> Result<Databases, OpenError> {
    let mut databases = Databases::new();
    for (name, config) in &opening.file.databases {
        let path = match &config.location {
            StoreConfig::Memory => PathBuf::from(":memory:"),
            StoreConfig::Postgres { .. } => {
                return Err(OpenError::NotBuilt { kind: "PostgreSQL" });
            }
            StoreConfig::Sqlite { path } if path == ":memory:" => PathBuf::from(path),
            StoreConfig::Sqlite { path } => opening.folder.join(path),
        };
        let init = config.init.as_ref().map(|init| init.sql.as_str());
        let database = SqliteDatabase::open(path, init)
            .map_err(|source| OpenError::Database { name: name.clone(), source })?;
        databases.insert(name, database);
    }
    Ok(databases)
}

//! Loading the agent file and telling what is wrong with it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use manos::config::AgentFile;
use manos::model::Secret;
use manos::read_agent;

use crate::failure::Failure;
use crate::output;

/// An agent file without mistakes.
#[derive(Debug)]
pub(crate) struct LoadedFile {
    pub(crate) agent: AgentFile,
    pub(crate) folder: PathBuf,
    pub(crate) digest: String,
    pub(crate) secrets: Vec<Secret<String>>,
    pub(crate) notes: Vec<String>,
}

/// Whether what this build cannot run is a mistake.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// The agent will run.
    Run,
    /// The file is only looked at.
    Look,
}

/// Loads a file; prints every mistake in it.
pub(crate) fn load(path: &Path, purpose: Purpose) -> Result<LoadedFile, Failure> {
    let read = read_agent(path, &BTreeSet::new()).map_err(|error| {
        Failure::file("read", path, &error).hint("name an agent file, or make one: manos init")
    })?;
    let mut mistakes = read.loaded.errors;
    if purpose == Purpose::Run {
        mistakes.extend(read.loaded.unsupported);
    }
    mistakes.iter().for_each(output::diagnostic);
    let agent = read.loaded.agent.filter(|_| mistakes.is_empty()).ok_or_else(|| {
        let count = mistakes.len();
        let noun = if count == 1 { "mistake" } else { "mistakes" };
        Failure::failed(format!("{} has {count} {noun}", path.display()))
    })?;
    let mut notes = read.loaded.notes;
    if let Some(env_file) = read.env_file {
        notes.push(format!("variables were read from {}", env_file.display()));
    }
    Ok(LoadedFile {
        agent,
        folder: read.folder,
        digest: read.digest,
        secrets: read.loaded.secrets,
        notes,
    })
}

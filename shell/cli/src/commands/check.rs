//! `manos check`: everything that can be known about a file without calling out.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::ExitCode;

use manos::config::AgentFile;
use manos::{Declarations, check_online, declarations, providers_of, read_agent};

use crate::args::CheckArgs;
use crate::commands::block_on;
use crate::failure::Failure;
use crate::output;

pub(crate) fn run(args: &CheckArgs) -> ExitCode {
    let mut all_good = true;
    for path in &args.files {
        all_good &= check(path, args.online);
    }
    if all_good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn check(path: &Path, online: bool) -> bool {
    let read = match read_agent(path, &BTreeSet::new()) {
        Ok(read) => read,
        Err(error) => {
            // The other files are still looked at.
            output::failure(&Failure::file("read", path, &error));
            return false;
        }
    };
    let loaded = read.loaded;
    let mistakes = loaded.errors.len() + loaded.unsupported.len();
    for diagnostic in loaded.errors.iter().chain(&loaded.unsupported).chain(&loaded.warnings) {
        output::diagnostic(diagnostic);
    }
    for note in &loaded.notes {
        output::note(note);
    }
    if mistakes > 0 {
        let noun = if mistakes == 1 { "mistake" } else { "mistakes" };
        output::line(&format!("{}: {mistakes} {noun}", path.display()));
        return false;
    }
    let Some(agent) = &loaded.agent else { return false };
    shown_otherwise(agent);
    if online && !reached(agent, &read.folder) {
        return false;
    }
    let warnings = loaded.warnings.len();
    output::line(&match warnings {
        0 => format!("{}: good", path.display()),
        1 => format!("{}: good, 1 warning", path.display()),
        _ => format!("{}: good, {warnings} warnings", path.display()),
    });
    true
}

/// How many changes of one provider are said; the rest is counted.
const CHANGES_SAID_MAX: usize = 5;

/// Says what the providers of the file's models are shown otherwise than it was declared.
fn shown_otherwise(agent: &AgentFile) {
    for provider in providers_of(agent) {
        let Ok(Declarations { changes, .. }) = declarations(agent, provider) else { continue };
        for change in changes.iter().take(CHANGES_SAID_MAX) {
            output::note(&format!("note: {provider}: `{}`: {}", change.tool, change.what));
        }
        let more = changes.len().saturating_sub(CHANGES_SAID_MAX);
        if more > 0 {
            output::note(&format!(
                "note: {provider}: {more} more are listed by `manos tools --provider {provider}`"
            ));
        }
    }
}

/// Opens what the agent needs; says what cannot be.
fn reached(agent: &AgentFile, folder: &Path) -> bool {
    let problems = block_on(async { Ok(check_online(agent, folder).await) });
    let failures = match problems {
        Ok(problems) => problems.iter().map(|problem| Failure::of(problem)).collect(),
        Err(failure) => vec![failure],
    };
    failures.iter().for_each(output::failure);
    failures.is_empty()
}

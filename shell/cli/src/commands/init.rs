//! `manos init`: a commented agent file that runs.

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use manos::config::starter;

use crate::args::InitArgs;
use crate::failure::Failure;
use crate::output;

pub(crate) fn run(args: &InitArgs) -> Result<ExitCode, Failure> {
    let dir = &args.dir;
    fs::create_dir_all(dir).map_err(|error| Failure::file("made", dir, &error))?;
    let starter = starter(&agent_name(dir));
    let files = [
        ("agent.yaml", starter.agent.as_str()),
        ("schema.sql", starter.schema_sql.as_str()),
        (".gitignore", starter.gitignore.as_str()),
    ];
    let taken: Vec<String> = files
        .iter()
        .map(|(name, _)| dir.join(name))
        .filter(|path| path.exists() && !path.ends_with(".gitignore"))
        .map(|path| path.display().to_string())
        .collect();
    if !taken.is_empty() {
        return Err(Failure::failed(format!("already there: {}", taken.join(", ")))
            .hint("nothing was written; choose another folder: manos init DIR"));
    }
    for (name, text) in files {
        let path = dir.join(name);
        if path.exists() {
            output::note(&format!("{} is there already and was left as it is", path.display()));
            continue;
        }
        fs::write(&path, text).map_err(|error| Failure::file("written", &path, &error))?;
        output::line(&format!("wrote {}", path.display()));
    }
    output::line(&format!("now: manos chat {}", dir.join("agent.yaml").display()));
    Ok(ExitCode::SUCCESS)
}

/// The folder's name as an agent name: letters, digits, `-` and `_`.
fn agent_name(dir: &Path) -> String {
    let full = fs::canonicalize(dir).unwrap_or_else(|_| dir.to_owned());
    let folder = full.file_name().map(|name| name.to_string_lossy().into_owned());
    let name: String = folder
        .unwrap_or_default()
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || c == '_' { c.to_ascii_lowercase() } else { '-' })
        .collect();
    let name = name.trim_matches('-').to_owned();
    if name.is_empty() { "agent".to_owned() } else { name }
}

//! Reading an agent file with everything it names: files beside it, variables, zones.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

use manos_config::{Loaded, SourceFile, World, load};
use manos_model::sha256_hex;

/// An agent file that was read, with what is wrong with it.
#[derive(Debug)]
pub struct ReadAgent {
    /// The agent, or why there is none.
    pub loaded: Loaded,
    /// SHA-256 of the file, in hex.
    pub digest: String,
    /// The folder that its relative paths start from.
    pub folder: PathBuf,
    /// The `.env` file that was read beside it.
    pub env_file: Option<PathBuf>,
}

/// The longest `.env` file that is read, in bytes; a longer one is an error.
const ENV_FILE_BYTES_MAX: u64 = 64 * 1024;

/// The longest file that an agent file may name, in bytes.
const FILE_BYTES_MAX: u64 = 16 * 1024 * 1024;

/// Reads an agent file. What is wrong inside it is in the result, not an error.
///
/// # Errors
///
/// When the file itself, or the `.env` beside it, cannot be read.
pub fn read_agent(path: &Path, handled: &BTreeSet<String>) -> io::Result<ReadAgent> {
    let bytes = read_bounded(path, FILE_BYTES_MAX)?;
    // A file that is no UTF-8 gets a diagnostic with its place from the first bad byte on.
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new(".")).to_owned();
    let name = path.display().to_string();
    read(&SourceFile::new(name, text), folder, handled)
}

/// Reads an agent file that is in the program already; relative paths start from the folder.
///
/// # Errors
///
/// When the `.env` in the folder cannot be read.
pub fn read_text(text: &str, folder: &Path, handled: &BTreeSet<String>) -> io::Result<ReadAgent> {
    read(&SourceFile::new("agent.yaml", text), folder.to_owned(), handled)
}

fn read(file: &SourceFile, folder: PathBuf, handled: &BTreeSet<String>) -> io::Result<ReadAgent> {
    let env_path = folder.join(".env");
    let (variables, env_file) = match read_bounded(&env_path, ENV_FILE_BYTES_MAX) {
        Ok(bytes) => (env_lines(&String::from_utf8_lossy(&bytes)), Some(env_path)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => (BTreeMap::new(), None),
        Err(error) => return Err(error),
    };
    let world = Files { folder: folder.clone(), variables, handled };
    let digest = sha256_hex(&[file.text.as_bytes()]);
    Ok(ReadAgent { loaded: load(file, &world), digest, folder, env_file })
}

fn read_bounded(path: &Path, bytes_max: u64) -> io::Result<Vec<u8>> {
    let length = std::fs::metadata(path)?.len();
    if length > bytes_max {
        let message = format!("it has {length} bytes, and at most {bytes_max} are read");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, message));
    }
    std::fs::read(path)
}

/// Reads `NAME=value` lines; quotes around a value are taken off, `#` starts a comment line.
fn env_lines(text: &str) -> BTreeMap<String, String> {
    text.lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .filter_map(|line| line.strip_prefix("export ").unwrap_or(line).split_once('='))
        .map(|(name, value)| (name.trim().to_owned(), unquoted(value.trim()).to_owned()))
        .collect()
}

fn unquoted(value: &str) -> &str {
    for quote in ['"', '\''] {
        let inner = value.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote));
        if let Some(inner) = inner {
            return inner;
        }
    }
    value
}

/// The world of an agent file: the folder it is in, the environment, the system's zones.
struct Files<'a> {
    folder: PathBuf,
    variables: BTreeMap<String, String>,
    handled: &'a BTreeSet<String>,
}

impl World for Files<'_> {
    fn read(&self, relative: &str) -> Result<String, String> {
        let bytes = read_bounded(&self.folder.join(relative), FILE_BYTES_MAX)
            .map_err(|error| error.to_string())?;
        String::from_utf8(bytes).map_err(|_| "it is not UTF-8".to_owned())
    }

    fn variable(&self, name: &str) -> Option<String> {
        // The environment wins over the file beside the agent.
        std::env::var(name).ok().or_else(|| self.variables.get(name).cloned())
    }

    fn zone(&self, name: &str) -> Option<jiff::tz::TimeZone> {
        jiff::tz::TimeZone::get(name).ok()
    }

    fn handles(&self, tool: &str) -> bool {
        self.handled.contains(tool)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_env_file_is_names_and_values() {
        let read = env_lines("# a comment\nA=1\n export B=\"two words\"\nC='x=y'\n\nbroken\n");
        let expected = [("A", "1"), ("B", "two words"), ("C", "x=y")];
        let expected: BTreeMap<String, String> =
            expected.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
        assert_eq!(read, expected);
    }
}

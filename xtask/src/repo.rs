//! Where things are: the root of the checkout, its files, the cache of this user.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

/// The checkout that this command works on.
#[derive(Debug, Clone)]
pub(crate) struct Repo {
    pub(crate) root: PathBuf,
}

impl Repo {
    /// Finds the checkout: the folder above the one that cargo runs this package from, otherwise
    /// the nearest one above the current folder that holds this package.
    pub(crate) fn find() -> Result<Self> {
        let start = match std::env::var_os("CARGO_MANIFEST_DIR") {
            Some(folder) => PathBuf::from(folder),
            None => std::env::current_dir()?,
        };
        let root = start
            .ancestors()
            .find(|folder| folder.join("xtask/Cargo.toml").is_file())
            .context("run this inside the checkout: no xtask folder was found above here")?;
        Ok(Self { root: root.to_owned() })
    }

    /// Reads a file of the checkout.
    pub(crate) fn read(&self, path: &str) -> Result<String> {
        let full = self.root.join(path);
        fs::read_to_string(&full).with_context(|| format!("{path} cannot be read"))
    }

    /// Lists the files under a folder of the checkout whose name ends in `extension`, sorted, as
    /// paths from the root. A folder that does not exist has none.
    pub(crate) fn files(&self, folder: &str, extension: &str) -> Result<Vec<PathBuf>> {
        let mut found = Vec::new();
        collect(&self.root.join(folder), extension, &mut found)?;
        let mut found: Vec<PathBuf> = found
            .into_iter()
            .map(|path| path.strip_prefix(&self.root).map(Path::to_owned).unwrap_or(path))
            .collect();
        found.sort();
        Ok(found)
    }
}

fn collect(folder: &Path, extension: &str, found: &mut Vec<PathBuf>) -> Result<()> {
    if !folder.is_dir() {
        return Ok(());
    }
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
        if name.starts_with('.') || name == "target" || name == "node_modules" {
            continue;
        }
        if path.is_dir() {
            collect(&path, extension, found)?;
        } else if path.extension().and_then(OsStr::to_str) == Some(extension) {
            found.push(path);
        }
    }
    Ok(())
}

/// This user's cache folder for Manos: `$XDG_CACHE_HOME/manos`, otherwise `~/.cache/manos`.
pub(crate) fn cache() -> Result<PathBuf> {
    if let Some(folder) = std::env::var_os("XDG_CACHE_HOME").filter(|value| !value.is_empty()) {
        return Ok(PathBuf::from(folder).join("manos"));
    }
    let home = std::env::var_os("HOME").context("HOME is not set, so there is no cache folder")?;
    Ok(PathBuf::from(home).join(".cache/manos"))
}

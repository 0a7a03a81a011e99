//! Where a store lies, and what is told about it when it cannot be used.

use std::fmt::{self, Display};
use std::io;
use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;

use manos_ports::StoreError;

/// The path of a store. Errors show it as the caller wrote it.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    given: PathBuf,
    file: PathBuf,
}

impl Place {
    /// Follows links, so that two names of one file share one lock.
    pub(crate) fn new(path: &Path) -> Self {
        Self { given: path.to_owned(), file: resolved(path) }
    }

    /// Returns the database file.
    pub(crate) fn file(&self) -> &Path {
        &self.file
    }

    /// Returns the file beside the database whose name has this ending.
    pub(crate) fn beside(&self, ending: &str) -> PathBuf {
        let mut name = self.file.clone().into_os_string();
        name.push(ending);
        name.into()
    }

    /// Returns the address under which SQLite reads the file as it lies there: no lock, no
    /// write-ahead log, nothing created.
    pub(crate) fn frozen_uri(&self) -> String {
        let mut uri = String::from("file:");
        for c in self.file.to_string_lossy().chars() {
            match c {
                '%' => uri.push_str("%25"),
                '?' => uri.push_str("%3f"),
                '#' => uri.push_str("%23"),
                _ => uri.push(c),
            }
        }
        uri.push_str("?immutable=1");
        uri
    }

    /// Tells that something could not be done here.
    pub(crate) fn io_failed(&self, what: &str, source: io::Error) -> StoreError {
        StoreError::Failed { doing: format!("{self} {what}"), source: Box::new(source) }
    }

    /// Tells what SQLite could not do here; damage is told apart from bad times.
    pub(crate) fn failed(&self, what: &str, source: rusqlite::Error) -> StoreError {
        match source.sqlite_error_code() {
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
                self.corrupt(source.to_string())
            }
            _ => StoreError::Failed { doing: format!("{self} {what}"), source: Box::new(source) },
        }
    }

    /// Tells that something here makes no sense.
    pub(crate) fn corrupt(&self, what: impl Into<String>) -> StoreError {
        StoreError::Corrupt { place: self.to_string(), what: what.into() }
    }
}

impl Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.given.display().fmt(f)
    }
}

/// The path without links; what does not exist yet is kept as it was written.
fn resolved(path: &Path) -> PathBuf {
    if let Ok(file) = path.canonicalize() {
        return file;
    }
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
        return path.to_owned();
    };
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    folder.canonicalize().map_or_else(|_| path.to_owned(), |folder| folder.join(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_survives_odd_names() {
        let place = Place::new(Path::new("no such folder/50% off?#1.db"));
        assert_eq!(place.frozen_uri(), "file:no such folder/50%25 off%3f%231.db?immutable=1");
    }
}

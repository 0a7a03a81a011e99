//! One writing process for each store: an advisory lock of the operating system.
//!
//! It lies on a file of its own, since SQLite's own locks would be lost when a second handle on the
//! database file is closed in the same process. It dies with the process, however that ends; the
//! file stays and means nothing by itself.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read as _, Seek as _, Write as _};

use manos_ports::StoreError;

use super::place::Place;

/// The ending of the lock's file name.
const ENDING: &str = ".lock";

/// The lock, held until this is dropped.
#[derive(Debug)]
pub(crate) struct StoreLock {
    _file: File,
}

impl StoreLock {
    /// Takes the lock, or tells who has it.
    pub(crate) fn take(place: &Place) -> Result<Self, StoreError> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        #[cfg(unix)]
        {
            use std::os::unix::fs::OpenOptionsExt as _;
            options.mode(super::open::FILE_MODE);
        }
        let mut file = options
            .open(place.beside(ENDING))
            .map_err(|error| place.io_failed("could not be locked", error))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(StoreError::Held { place: place.to_string(), pid: holder(&mut file) });
            }
            Err(TryLockError::Error(error)) => {
                return Err(place.io_failed("could not be locked", error));
            }
        }
        if let Err(error) = sign(&mut file) {
            // The lock holds all the same; only its holder's number is not told, as on a full disk.
            tracing::warn!(store = %place, %error, "the lock could not be signed");
        }
        Ok(Self { _file: file })
    }
}

fn sign(file: &mut File) -> std::io::Result<()> {
    file.set_len(0)?;
    file.rewind()?;
    writeln!(file, "{}", std::process::id())
}

/// The holder's process id; 0 while it is being written, or where a held file cannot be read.
fn holder(file: &mut File) -> u32 {
    let mut text = String::new();
    if file.read_to_string(&mut text).is_err() {
        return 0;
    }
    text.trim().parse().unwrap_or(0)
}

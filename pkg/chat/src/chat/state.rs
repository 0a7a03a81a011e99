//! The stored form of a chat, and its version.

use manos_engine::Memory;
use manos_model::ChatKey;
use serde::{Deserialize, Serialize};

use super::{Active, Chat};

/// The version of the stored form. A change that an older program cannot read raises it, with a
/// migration and the old golden file kept.
pub const FORMAT: u32 = 2;

/// The version of a chat whose memory is whole: that is all that format 2 adds.
const FORMAT_OF_WHOLE: u32 = 1;

#[derive(Serialize)]
struct Versioned<'a, T> {
    v: u32,
    state: &'a T,
}

#[derive(Deserialize)]
struct VersionOnly {
    v: u32,
}

#[derive(Deserialize)]
struct Whole<T> {
    state: T,
}

/// A stored chat does not read back.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StateError {
    /// A newer program wrote it.
    #[error("the chat has format {found}; this program knows formats up to {FORMAT}")]
    Newer {
        /// Its format.
        found: u32,
    },
    /// It is no chat.
    #[error("the stored chat cannot be read")]
    Unreadable {
        /// Where it stops being one.
        #[from]
        source: serde_json::Error,
    },
}

fn read<T: for<'de> Deserialize<'de>>(json: &str) -> Result<T, StateError> {
    let version: VersionOnly = serde_json::from_str(json)?;
    if version.v > FORMAT {
        return Err(StateError::Newer { found: version.v });
    }
    let whole: Whole<T> = serde_json::from_str(json)?;
    Ok(whole.state)
}

impl Chat {
    /// Writes the small state.
    ///
    /// # Errors
    ///
    /// Never in practice: every part of it serialises.
    pub fn active_json(&self) -> Result<String, serde_json::Error> {
        let whole = self.active.unwritten.is_empty();
        let v = if whole { FORMAT_OF_WHOLE } else { FORMAT };
        serde_json::to_string(&Versioned { v, state: &self.active })
    }

    /// Writes history and ledger, with all that is new. Once that is kept, the small state must not
    /// tell of it again: see [`Chat::memory_is_written`].
    ///
    /// # Errors
    ///
    /// Never in practice: every part of it serialises.
    pub fn memory_json(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string(&Versioned { v: FORMAT_OF_WHOLE, state: &self.memory })
    }

    /// Reads a chat back.
    ///
    /// # Errors
    ///
    /// [`StateError`] when a newer program wrote it or it is no chat.
    pub fn read(key: ChatKey, active: &str, memory: Option<&str>) -> Result<Self, StateError> {
        let active: Active = read(active)?;
        let memory: Memory = memory.map(read).transpose()?.unwrap_or_default();
        let mut chat = Self { key, active, memory };
        chat.complete_memory();
        Ok(chat)
    }
}

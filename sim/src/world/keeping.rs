//! The store: the one in memory, behind everything that may go wrong with a disk.

use futures_util::FutureExt as _;
use manos_model::{ChatKey, MessageId};
use manos_ports::{ChatQuery, Commit, Committed, Store as _, StoreError, StoredChat};

use super::World;

/// What becomes of one commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fate {
    /// It is refused, and not kept.
    Refused,
    /// It is kept, and reported as failed.
    KeptAndFailed,
    /// It is kept and reported as failed, and the store cannot be read for a while.
    KeptAndGone,
    /// The process dies before it is kept.
    CrashBefore,
    /// The process dies when it is kept, before it hears of it.
    CrashAfter,
}

/// What is wrong with the store.
#[derive(Debug, Default)]
pub(crate) struct Faults {
    /// What becomes of the next commit.
    pub next: Option<Fate>,
    /// Whether it takes nothing.
    pub full: bool,
    /// Whether it reads nothing.
    pub unreadable: bool,
}

impl Faults {
    /// Returns a fate by the number in a step.
    pub(crate) fn fate(number: u8) -> Fate {
        match number % 6 {
            0 => Fate::Refused,
            1 => Fate::KeptAndFailed,
            2 => Fate::KeptAndGone,
            3 => Fate::CrashBefore,
            _ => Fate::CrashAfter,
        }
    }
}

fn failed(doing: &str) -> StoreError {
    StoreError::Failed { doing: doing.to_owned(), source: "the disk does not answer".into() }
}

/// What a store in memory answers, which never waits.
fn at_once<T>(answer: impl Future<Output = Result<T, StoreError>>) -> Result<T, StoreError> {
    answer.now_or_never().unwrap_or_else(|| Err(failed("wait")))
}

impl World {
    /// Keeps a commit, or does not.
    ///
    /// # Errors
    ///
    /// [`StoreError`], also of a commit that was kept.
    pub(crate) fn commit(&mut self, commit: &Commit) -> Result<Committed, StoreError> {
        if self.crashed || self.faults.full {
            return Err(failed("keep a commit"));
        }
        let fate = self.faults.next.take();
        match fate {
            Some(Fate::Refused) => return Err(failed("keep a commit")),
            Some(Fate::CrashBefore) => {
                self.crashed = true;
                return Err(failed("keep a commit"));
            }
            Some(Fate::KeptAndFailed | Fate::KeptAndGone | Fate::CrashAfter) | None => {}
        }
        let committed = at_once(self.store.commit(commit.clone()))?;
        self.watch.kept(commit, &self.truth);
        match fate {
            Some(Fate::KeptAndFailed) => Err(failed("hear of a commit")),
            Some(Fate::KeptAndGone) => {
                self.faults.unreadable = true;
                Err(failed("hear of a commit"))
            }
            Some(Fate::CrashAfter) => {
                self.crashed = true;
                Err(failed("hear of a commit"))
            }
            Some(Fate::CrashBefore | Fate::Refused) | None => Ok(committed),
        }
    }

    /// Reads a chat.
    ///
    /// # Errors
    ///
    /// [`StoreError`] while the store cannot be read.
    pub(crate) fn load(&self, chat: &ChatKey) -> Result<Option<StoredChat>, StoreError> {
        if self.crashed || self.faults.unreadable {
            return Err(failed("read a chat"));
        }
        at_once(self.store.load(chat))
    }

    /// Whether a chat has taken a message before.
    ///
    /// # Errors
    ///
    /// [`StoreError`] while the store cannot be read.
    pub(crate) fn seen(&self, chat: &ChatKey, message: &MessageId) -> Result<bool, StoreError> {
        if self.crashed || self.faults.unreadable {
            return Err(failed("look a message up"));
        }
        at_once(self.store.seen(chat, message))
    }

    /// Returns the chats that are marked as having work left, whatever is wrong with the store.
    pub(crate) fn awake_chats(&self) -> Vec<ChatKey> {
        let query = ChatQuery { awake_only: true, after: None, limit: usize::MAX };
        let found = at_once(self.store.chats(query)).unwrap_or_default();
        found.into_iter().map(|summary| summary.chat).collect()
    }

    /// Returns a chat as it is kept, whatever is wrong with the store.
    pub(crate) fn stored(&self, chat: &ChatKey) -> Option<StoredChat> {
        at_once(self.store.load(chat)).unwrap_or_default()
    }
}

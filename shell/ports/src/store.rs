//! Where chats, their events and the audit trail are kept.

use std::fmt::Debug;

use async_trait::async_trait;
use tokio_util::sync::CancellationToken;

use manos_model::{ChatKey, CursorId, Fault, MessageId, RunId, Timestamp, TurnId};

use crate::DeliveryLog;

/// Everything that one decision changes, kept whole or not at all.
#[derive(Debug, Clone, PartialEq)]
pub struct Commit {
    /// The chat.
    pub chat: ChatKey,
    /// How many commits the chat had before; another number there is a conflict.
    pub revision: u64,
    /// When.
    pub at: Timestamp,
    /// The stamped events, one JSON object each. A store keeps the texts as they are and may join
    /// them into one array, so what is not JSON does not read back.
    pub events: Vec<String>,
    /// The chat's small state after them, as JSON.
    pub active: String,
    /// The chat's history and ledger after them, as JSON, when they changed.
    pub memory: Option<String>,
    /// The small state before them, when a turn starts here: what a replay begins with.
    pub active_before: Option<String>,
    /// Turns that start here. A turn's audit events are looked for from here on.
    pub turns_started: Vec<TurnId>,
    /// Whether work is left that a new process must take up: a turn, a message, an output.
    pub awake: bool,
    /// The inbound message's own id, remembered so that it is taken once.
    pub message_id: Option<MessageId>,
    /// The audit events, in order.
    pub audit: Vec<AuditLine>,
    /// Ledger rows of this chat that are new or changed; a known run keeps its place in the list.
    pub runs: Vec<RunRow>,
    /// Calls from outside that were taken or have ended, in order; a known key is replaced.
    pub calls: Vec<CallRow>,
}

/// One audit event on its way into the store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditLine {
    /// Its turn.
    pub turn_id: Option<TurnId>,
    /// The event as one JSON object, without `id`.
    pub json: String,
}

/// What a commit brought.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Committed {
    /// The chat's revision now.
    pub revision: u64,
    /// The id of the last audit event, when there was one.
    pub audit_last: Option<CursorId>,
}

/// A chat as it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredChat {
    /// How many commits it has had.
    pub revision: u64,
    /// Its small state.
    pub active: String,
    /// Its history and ledger; `None` before the first was kept.
    pub memory: Option<String>,
}

/// One commit read back, for replay.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoggedCommit {
    /// The revision it made.
    pub revision: u64,
    /// Its stamped events.
    pub events: Vec<String>,
    /// The small state before it, where a turn started.
    pub active_before: Option<String>,
    /// The history and ledger before it, where a turn started.
    pub memory_before: Option<String>,
    /// Its audit events, with `id`.
    pub audit: Vec<String>,
}

/// One line of the list of chats.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChatSummary {
    /// The chat.
    pub chat: ChatKey,
    /// How many commits it has had.
    pub revision: u64,
    /// Whether work is left.
    pub awake: bool,
    /// When something last happened.
    pub last_at: Timestamp,
}

/// Which chats, by the bytes of their keys. The default finds none, since its limit is 0.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChatQuery {
    /// Only chats with work left.
    pub awake_only: bool,
    /// Only chats whose key sorts after this one.
    pub after: Option<ChatKey>,
    /// At most so many.
    pub limit: usize,
}

/// Which audit events. The default finds none, since its limit is 0.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AuditQuery {
    /// Of this chat only.
    pub chat: Option<ChatKey>,
    /// Of this turn only.
    pub turn: Option<TurnId>,
    /// With a greater id than this.
    pub after: CursorId,
    /// At most so many.
    pub limit: usize,
}

/// One audit event read back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditRow {
    /// Its place in the store.
    pub id: CursorId,
    /// The event as one JSON object that starts with `id`.
    pub json: String,
}

/// What is known about a side effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunState {
    /// It was done.
    Done,
    /// It turned out not to have been done.
    NotDone,
    /// It may have been done.
    Unknown,
}

/// One row of the ledger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunRow {
    /// The run.
    pub run_id: RunId,
    /// The chat.
    pub chat: ChatKey,
    /// What is known.
    pub state: RunState,
    /// When it ended, or was given up.
    pub at: Timestamp,
    /// Tool, arguments, digest, user and result, as one JSON object.
    pub json: String,
}

/// A call from outside, by a name that its sender gave it: asked for again under the same name, it
/// is not run again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallRow {
    /// The name, unique in the store.
    pub key: String,
    /// The chat that the call is in.
    pub chat: ChatKey,
    /// When it was taken, or had ended.
    pub at: Timestamp,
    /// What came of it, as JSON; `None` while that is not known.
    pub outcome: Option<String>,
}

/// Which ledger rows, the ones that the ledger took last first. The default finds none, since its
/// limit is 0.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RunsQuery {
    /// Only those whose end is not known.
    pub unknown_only: bool,
    /// Only this one.
    pub run_id: Option<RunId>,
    /// At most so many.
    pub limit: usize,
}

/// Why the store did not do it. Nothing of the commit is kept then.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// Somebody else wrote to the chat.
    #[error("the chat is at revision {found}, not {expected}")]
    Conflict {
        /// What the writer had read.
        expected: u64,
        /// What is there.
        found: u64,
    },
    /// The message id is known already.
    #[error("this message was taken before")]
    Duplicate,
    /// It cannot be read or written now.
    #[error("{doing}")]
    Failed {
        /// What was being done.
        doing: String,
        /// The cause.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// Another process has it.
    #[error("{place} is in use by process {pid}")]
    Held {
        /// The store.
        place: String,
        /// Who holds it; 0 when that cannot be read.
        pid: u32,
    },
    /// A newer program made it.
    #[error("{place} has format {found}; this program knows formats up to {known}")]
    Newer {
        /// The store.
        place: String,
        /// Its format.
        found: u32,
        /// The newest known one.
        known: u32,
    },
    /// Something stored does not read back.
    #[error("{place} holds something that cannot be read: {what}")]
    Corrupt {
        /// The store.
        place: String,
        /// What it is.
        what: String,
    },
}

impl StoreError {
    /// Says who can do something about it.
    pub fn fault(&self) -> Fault {
        match self {
            Self::Conflict { .. } | Self::Corrupt { .. } => Fault::Bug,
            Self::Duplicate => Fault::Caller,
            Self::Failed { .. } => Fault::Unavailable { retry_after: None },
            Self::Held { .. } | Self::Newer { .. } => Fault::Config,
        }
    }
}

/// Keeps chats, events, ledger and audit trail.
///
/// Every implementation passes the contract suite of the test kit.
#[async_trait]
pub trait Store: Debug + Send + Sync {
    /// Keeps one decision; when it returns, a crash cannot lose it.
    ///
    /// # Errors
    ///
    /// [`StoreError`]; nothing of the commit is kept then, but for [`StoreError::Failed`], after which
    /// only loading the chat tells whether all of it is kept or nothing. The revision is compared before the
    /// message id, so a late writer hears [`StoreError::Conflict`] even with a known message.
    ///
    /// # Cancel safety
    ///
    /// When the future is dropped, the commit is kept or not; only loading the chat tells.
    async fn commit(&self, commit: Commit) -> Result<Committed, StoreError>;

    /// Keeps one decision that may wait a little for company, so that it needs no sync of its own.
    /// It goes along with the next commit of whatever chat; once it is `hurried`, or has waited for
    /// about half a second, it is kept without. A store to which a commit costs nothing does not
    /// wait.
    ///
    /// # Errors
    ///
    /// As [`Store::commit`].
    ///
    /// # Cancel safety
    ///
    /// As [`Store::commit`]. Nobody hurries what nobody waits for any more.
    async fn commit_later(
        &self,
        commit: Commit,
        hurried: &CancellationToken,
    ) -> Result<Committed, StoreError> {
        let _at_once = hurried;
        self.commit(commit).await
    }

    /// Reads a chat.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when it cannot be read.
    async fn load(&self, chat: &ChatKey) -> Result<Option<StoredChat>, StoreError>;

    /// Whether the chat has taken this message before.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when it cannot be read.
    async fn seen(&self, chat: &ChatKey, message: &MessageId) -> Result<bool, StoreError>;

    /// Lists chats by key.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when it cannot be read.
    async fn chats(&self, query: ChatQuery) -> Result<Vec<ChatSummary>, StoreError>;

    /// Reads the audit trail in order.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when it cannot be read.
    async fn audit(&self, query: AuditQuery) -> Result<Vec<AuditRow>, StoreError>;

    /// Looks a call from outside up.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when it cannot be read.
    async fn call(&self, key: &str) -> Result<Option<CallRow>, StoreError>;

    /// Lists ledger rows.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when it cannot be read.
    async fn runs(&self, query: RunsQuery) -> Result<Vec<RunRow>, StoreError>;

    /// Reads the commits of a turn's chat from the one that starts the turn to the last that has an
    /// audit event of it, and all between; `None` when there is no such turn.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when it cannot be read.
    async fn turn_log(
        &self,
        turn: &TurnId,
    ) -> Result<Option<(ChatKey, Vec<LoggedCommit>)>, StoreError>;

    /// Forgets inbound message ids taken before this instant.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when it cannot be written.
    async fn forget_messages(&self, before: Timestamp) -> Result<u64, StoreError>;

    /// Forgets calls from outside that were taken, or ended, before this instant.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when it cannot be written.
    async fn forget_calls(&self, before: Timestamp) -> Result<u64, StoreError>;

    /// Returns the part that keeps who was told what.
    fn delivery_log(&self) -> &dyn DeliveryLog;
}

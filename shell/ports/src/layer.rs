//! A store in front of another: everything goes through but what the layer says otherwise.

use async_trait::async_trait;
use manos_model::{ChatKey, MessageId, Timestamp, TurnId};

use crate::{
    AuditQuery, AuditRow, ChatQuery, ChatSummary, Commit, Committed, DeliveryLog, LoggedCommit,
    RunRow, RunsQuery, Store, StoreError, StoredChat,
};

/// A [`Store`] that stands before another one. Whatever a layer does not define goes through as it
/// is; what each method promises is said there.
#[async_trait]
pub trait StoreLayer: std::fmt::Debug + Send + Sync {
    /// Returns the store behind it.
    fn behind(&self) -> &dyn Store;

    /// See [`Store::commit`].
    ///
    /// # Errors
    ///
    /// As there.
    async fn commit(&self, commit: Commit) -> Result<Committed, StoreError> {
        self.behind().commit(commit).await
    }

    /// See [`Store::load`].
    ///
    /// # Errors
    ///
    /// As there.
    async fn load(&self, chat: &ChatKey) -> Result<Option<StoredChat>, StoreError> {
        self.behind().load(chat).await
    }

    /// See [`Store::seen`].
    ///
    /// # Errors
    ///
    /// As there.
    async fn seen(&self, chat: &ChatKey, message: &MessageId) -> Result<bool, StoreError> {
        self.behind().seen(chat, message).await
    }
}

#[async_trait]
impl<L: StoreLayer> Store for L {
    async fn commit(&self, commit: Commit) -> Result<Committed, StoreError> {
        StoreLayer::commit(self, commit).await
    }

    async fn load(&self, chat: &ChatKey) -> Result<Option<StoredChat>, StoreError> {
        StoreLayer::load(self, chat).await
    }

    async fn seen(&self, chat: &ChatKey, message: &MessageId) -> Result<bool, StoreError> {
        StoreLayer::seen(self, chat, message).await
    }

    async fn chats(&self, query: ChatQuery) -> Result<Vec<ChatSummary>, StoreError> {
        self.behind().chats(query).await
    }

    async fn audit(&self, query: AuditQuery) -> Result<Vec<AuditRow>, StoreError> {
        self.behind().audit(query).await
    }

    async fn runs(&self, query: RunsQuery) -> Result<Vec<RunRow>, StoreError> {
        self.behind().runs(query).await
    }

    async fn turn_log(
        &self,
        turn: &TurnId,
    ) -> Result<Option<(ChatKey, Vec<LoggedCommit>)>, StoreError> {
        self.behind().turn_log(turn).await
    }

    async fn forget_messages(&self, before: Timestamp) -> Result<u64, StoreError> {
        self.behind().forget_messages(before).await
    }

    fn delivery_log(&self) -> &dyn DeliveryLog {
        self.behind().delivery_log()
    }
}

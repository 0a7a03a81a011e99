//! A store that fails when it is told to.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use async_trait::async_trait;
use manos_model::{ChatKey, MessageId};
use manos_ports::{Commit, Committed, Store, StoreError, StoreLayer, StoredChat};
use tokio_util::sync::CancellationToken;

use super::{Gate, Seen};

/// Another store behind a door: commits can be held up, and refused.
#[derive(Debug)]
pub struct FlakyStore {
    inner: Arc<dyn Store>,
    full: AtomicBool,
    unreadable: AtomicBool,
    forgetful: AtomicBool,
    lonely: AtomicBool,
    fails_at: AtomicUsize,
    doubtful_at: AtomicUsize,
    hides: AtomicBool,
    /// The commits that were offered, kept or not.
    pub offered: Seen<Commit>,
    /// Commits wait while it is shut.
    pub gate: Gate,
}

impl FlakyStore {
    /// A store in front of another; it works until it is told not to.
    pub fn new(inner: Arc<dyn Store>) -> Self {
        Self {
            inner,
            full: AtomicBool::new(false),
            unreadable: AtomicBool::new(false),
            forgetful: AtomicBool::new(false),
            lonely: AtomicBool::new(false),
            fails_at: AtomicUsize::new(usize::MAX),
            doubtful_at: AtomicUsize::new(usize::MAX),
            hides: AtomicBool::new(false),
            offered: Seen::default(),
            gate: Gate::default(),
        }
    }

    /// Refuses every commit, or none.
    pub fn set_full(&self, full: bool) {
        self.full.store(full, Ordering::SeqCst);
    }

    /// Refuses the commit with this number, counted from 1.
    pub fn fail_at(&self, number: usize) {
        self.fails_at.store(number, Ordering::SeqCst);
    }

    /// Keeps the commit with this number, counted from 1, and says that it failed.
    pub fn doubt_at(&self, number: usize) {
        self.doubtful_at.store(number, Ordering::SeqCst);
    }

    /// The same, and cannot be read from then on.
    pub fn doubt_and_hide_at(&self, number: usize) {
        self.hides.store(true, Ordering::SeqCst);
        self.doubt_at(number);
    }

    /// Cannot read a chat, or can.
    pub fn set_unreadable(&self, unreadable: bool) {
        self.unreadable.store(unreadable, Ordering::SeqCst);
    }

    /// Keeps what may wait only once it is hurried, or at once.
    pub fn set_lonely(&self, lonely: bool) {
        self.lonely.store(lonely, Ordering::SeqCst);
    }

    /// Cannot say whether it has seen a message; only the commit tells.
    pub fn set_forgetful(&self, forgetful: bool) {
        self.forgetful.store(forgetful, Ordering::SeqCst);
    }
}

fn failed(doing: &str) -> StoreError {
    StoreError::Failed { doing: doing.to_owned(), source: "no space left on device".into() }
}

#[async_trait]
impl StoreLayer for FlakyStore {
    fn behind(&self) -> &dyn Store {
        self.inner.as_ref()
    }

    async fn commit(&self, commit: Commit) -> Result<Committed, StoreError> {
        self.offered.push(commit.clone());
        let number = self.offered.count();
        self.gate.pass().await;
        if self.full.load(Ordering::SeqCst) || self.fails_at.load(Ordering::SeqCst) == number {
            return Err(failed("keep a commit"));
        }
        let committed = self.inner.commit(commit).await?;
        if self.doubtful_at.load(Ordering::SeqCst) == number {
            self.unreadable.fetch_or(self.hides.load(Ordering::SeqCst), Ordering::SeqCst);
            return Err(failed("hear of a commit"));
        }
        Ok(committed)
    }

    async fn commit_later(
        &self,
        commit: Commit,
        hurried: &CancellationToken,
    ) -> Result<Committed, StoreError> {
        if self.lonely.load(Ordering::SeqCst) {
            hurried.cancelled().await;
        }
        StoreLayer::commit(self, commit).await
    }

    async fn load(&self, chat: &ChatKey) -> Result<Option<StoredChat>, StoreError> {
        if self.unreadable.load(Ordering::SeqCst) {
            return Err(failed("read a chat"));
        }
        self.inner.load(chat).await
    }

    async fn seen(&self, chat: &ChatKey, message: &MessageId) -> Result<bool, StoreError> {
        if self.forgetful.load(Ordering::SeqCst) {
            return Err(failed("look a message up"));
        }
        self.inner.seen(chat, message).await
    }
}

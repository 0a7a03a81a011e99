//! The store in front of which nothing is kept before its endpoints are known.

use std::sync::Arc;

use async_trait::async_trait;

use manos_ports::{Commit, Committed, Store, StoreError, StoreLayer};

use crate::Notices;

/// Lets the endpoints be made known before the first commit, so that they hear of it, and lets them
/// look after each that adds to the trail.
#[derive(Debug)]
pub struct NoticedStore {
    inner: Arc<dyn Store>,
    notices: Arc<Notices>,
}

impl NoticedStore {
    /// Stands before a store; `notices` reads the same one.
    pub fn new(inner: Arc<dyn Store>, notices: Arc<Notices>) -> Self {
        Self { inner, notices }
    }
}

#[async_trait]
impl StoreLayer for NoticedStore {
    fn behind(&self) -> &dyn Store {
        self.inner.as_ref()
    }

    async fn commit(&self, commit: Commit) -> Result<Committed, StoreError> {
        self.notices.begin().await?;
        let committed = self.inner.commit(commit).await?;
        if committed.audit_last.is_some() {
            self.notices.look();
        }
        Ok(committed)
    }
}

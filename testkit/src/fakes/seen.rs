//! A list that grows, and that can be waited on.

use std::fmt::Debug;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::watch;

/// What a fake was asked, in order.
#[derive(Debug)]
pub struct Seen<T> {
    items: Mutex<Vec<T>>,
    count: watch::Sender<usize>,
}

/// How long a test waits for something before it gives up; passes at once when time is paused.
const PATIENCE: Duration = Duration::from_mins(30);

impl<T> Default for Seen<T> {
    fn default() -> Self {
        Self { items: Mutex::default(), count: watch::Sender::new(0) }
    }
}

impl<T: Clone + Debug> Seen<T> {
    /// Adds one.
    pub fn push(&self, item: T) {
        let mut items = self.items();
        items.push(item);
        self.count.send_replace(items.len());
    }

    /// Returns all of them.
    pub fn all(&self) -> Vec<T> {
        self.items().clone()
    }

    /// Returns how many there are.
    pub fn count(&self) -> usize {
        self.items().len()
    }

    /// Waits until there are so many, and returns them.
    ///
    /// # Panics
    ///
    /// When they do not come.
    pub async fn wait(&self, count: usize) -> Vec<T> {
        let mut changes = self.count.subscribe();
        let enough = tokio::time::timeout(PATIENCE, changes.wait_for(|seen| *seen >= count)).await;
        assert!(enough.is_ok(), "{count} were expected: {:?}", self.all());
        self.all()
    }

    fn items(&self) -> MutexGuard<'_, Vec<T>> {
        self.items.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

//! What the writer has done since the store was opened.

use std::sync::atomic::{AtomicU64, Ordering};

use manos_ports::{Committed, StoreError};

/// What a store has done since it was opened.
///
/// `commits` divided by `transactions` tells how well commits are grouped.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StoreCounters {
    /// Commits kept.
    pub commits: u64,
    /// Commits refused: another revision, or a message taken before.
    pub refused: u64,
    /// Transactions that kept them, each with one sync to disk.
    pub transactions: u64,
    /// Rounds in which the write-ahead log was copied into the file.
    pub checkpoints: u64,
}

/// The counters as the threads change them.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    commits: AtomicU64,
    refused: AtomicU64,
    transactions: AtomicU64,
    checkpoints: AtomicU64,
}

impl Counters {
    /// Counts one transaction; one in which everything was refused wrote nothing.
    pub(crate) fn count_transaction(&self, verdicts: &[Result<Committed, StoreError>]) {
        let kept = verdicts.iter().filter(|verdict| verdict.is_ok()).count();
        self.commits.fetch_add(kept as u64, Ordering::Relaxed);
        self.refused.fetch_add((verdicts.len() - kept) as u64, Ordering::Relaxed);
        self.transactions.fetch_add(u64::from(kept > 0), Ordering::Relaxed);
    }

    /// Counts one round of copying.
    pub(crate) fn count_checkpoint(&self) {
        self.checkpoints.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns what was counted so far.
    pub(crate) fn read(&self) -> StoreCounters {
        StoreCounters {
            commits: self.commits.load(Ordering::Relaxed),
            refused: self.refused.load(Ordering::Relaxed),
            transactions: self.transactions.load(Ordering::Relaxed),
            checkpoints: self.checkpoints.load(Ordering::Relaxed),
        }
    }
}

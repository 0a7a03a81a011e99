//! Commits that wait together share a transaction, and nothing else.

use futures_util::future::join_all;

use manos_ports::{Commit, Committed, Store as _, StoreError};
use manos_store::{SqliteOptions, SqliteStore};
use manos_testkit::contract::store::commit;

struct Together {
    results: Vec<Result<Committed, StoreError>>,
    store: SqliteStore,
    _folder: tempfile::TempDir,
}

/// Lets commits gather while somebody else keeps the file busy, then makes them all.
async fn together(options: SqliteOptions, first: Option<Commit>, commits: Vec<Commit>) -> Together {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("espiga.db");
    let store = SqliteStore::open(&path, options).unwrap();
    if let Some(first) = first {
        store.commit(first).await.unwrap();
    }
    let busy = rusqlite::Connection::open(&path).unwrap();
    busy.execute_batch("BEGIN IMMEDIATE").unwrap();
    let (results, ()) = tokio::join!(
        join_all(commits.into_iter().map(|commit| store.commit(commit))),
        // Runs when all of them were sent.
        async { busy.execute_batch("ROLLBACK").unwrap() },
    );
    Together { results, store, _folder: folder }
}

#[tokio::test]
async fn commits_that_wait_together_share_a_transaction() {
    let commits = (0..64).map(|n| commit(&format!("web:{n}"), 0)).collect();
    let Together { results, store, _folder } =
        together(SqliteOptions::default(), None, commits).await;
    assert!(results.iter().all(Result::is_ok), "{results:?}");
    let counters = store.counters();
    assert_eq!((counters.commits, counters.refused), (64, 0));
    // The first may have been taken before the others came.
    assert!(counters.transactions <= 2, "{counters:?}");
}

#[tokio::test]
async fn a_full_queue_makes_callers_wait_and_a_full_group_starts_another() {
    let options = SqliteOptions { queue_max: 4, group_max: 2, ..SqliteOptions::default() };
    let commits = (0..64).map(|n| commit(&format!("web:{n}"), 0)).collect();
    let Together { results, store, _folder } = together(options, None, commits).await;
    assert!(results.iter().all(Result::is_ok), "{results:?}");
    assert!(store.counters().transactions >= 32, "{:?}", store.counters());
}

#[tokio::test]
async fn a_refused_commit_leaves_its_neighbours_alone() {
    let known = Commit { message_id: Some("m1".into()), ..commit("web:1", 0) };
    let commits = vec![
        commit("web:0", 0),
        Commit { message_id: Some("m1".into()), ..commit("web:1", 1) },
        commit("web:2", 7),
        commit("web:3", 0),
        commit("web:3", 1),
        commit("web:3", 1),
    ];
    let Together { results, store, _folder } =
        together(SqliteOptions::default(), Some(known), commits).await;
    let tell = |result: Result<Committed, StoreError>| match result {
        Ok(kept) => kept.revision.to_string(),
        Err(error) => error.to_string(),
    };
    let told: Vec<String> = results.into_iter().map(tell).collect();
    let expected = [
        "1",
        "this message was taken before",
        "the chat is at revision 0, not 7",
        "1",
        "2",
        "the chat is at revision 2, not 1",
    ];
    assert_eq!(told, expected);
    assert_eq!((store.counters().commits, store.counters().refused), (4, 3));
    assert_eq!(store.load(&"web:2".into()).await.unwrap(), None);
}

#[tokio::test]
async fn a_commit_that_nobody_waits_for_any_more_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("espiga.db");
    let store = SqliteStore::open(&path, SqliteOptions::default()).unwrap();
    let busy = rusqlite::Connection::open(&path).unwrap();
    busy.execute_batch("BEGIN IMMEDIATE").unwrap();
    {
        let given_up = store.commit(commit("web:1", 0));
        tokio::select! {
            biased;
            _ = given_up => panic!("the file is busy"),
            () = std::future::ready(()) => {}
        }
    }
    busy.execute_batch("ROLLBACK").unwrap();
    // Dropping the store writes what waits.
    drop(store);
    let again = SqliteStore::open(&path, SqliteOptions::default()).unwrap();
    assert_eq!(again.load(&"web:1".into()).await.unwrap().unwrap().revision, 1);
}

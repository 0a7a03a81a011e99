//! Commits that wait together share a transaction, and nothing else.

use futures_util::future::join_all;
use tokio_util::sync::CancellationToken;

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

/// Long enough for a commit to give up waiting for company.
const COMPANY_WAIT_MAX: std::time::Duration = std::time::Duration::from_secs(10);

fn opened() -> (tempfile::TempDir, SqliteStore) {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(folder.path().join("espiga.db"), SqliteOptions::default());
    (folder, store.unwrap())
}

#[tokio::test]
async fn a_commit_that_may_wait_goes_along_with_the_next_one() {
    let (_folder, store) = opened();
    let unhurried = CancellationToken::new();
    let (waited, next) = tokio::join!(
        store.commit_later(commit("web:1", 0), &unhurried),
        store.commit(commit("web:2", 0)),
    );
    assert_eq!((waited.unwrap().revision, next.unwrap().revision), (1, 1));
    let counters = store.counters();
    assert_eq!((counters.commits, counters.transactions), (2, 1));
}

#[tokio::test]
async fn a_commit_that_may_wait_comes_before_the_next_of_its_chat() {
    let (_folder, store) = opened();
    let unhurried = CancellationToken::new();
    let (waited, next) = tokio::join!(
        store.commit_later(commit("web:1", 0), &unhurried),
        store.commit(commit("web:1", 1)),
    );
    assert_eq!((waited.unwrap().revision, next.unwrap().revision), (1, 2));
    assert_eq!(store.counters().transactions, 1);
}

#[tokio::test]
async fn a_commit_without_company_is_kept_alone_after_a_while_or_when_it_is_hurried() {
    let (_folder, store) = opened();
    let hurried = CancellationToken::new();
    let alone = store.commit_later(commit("web:1", 0), &hurried);
    assert_eq!(tokio::time::timeout(COMPANY_WAIT_MAX, alone).await.unwrap().unwrap().revision, 1);

    hurried.cancel();
    let at_once = store.commit_later(commit("web:1", 1), &hurried).await;
    assert_eq!(at_once.unwrap().revision, 2);
}

#[tokio::test]
async fn a_commit_that_waits_when_the_store_is_closed_is_kept() {
    let (folder, store) = opened();
    let unhurried = CancellationToken::new();
    {
        let given_up = store.commit_later(commit("web:1", 0), &unhurried);
        tokio::select! {
            biased;
            _ = given_up => panic!("nobody keeps it company"),
            () = std::future::ready(()) => {}
        }
    }
    drop(store);
    let again = SqliteStore::open(folder.path().join("espiga.db"), SqliteOptions::default());
    assert_eq!(again.unwrap().load(&"web:1".into()).await.unwrap().unwrap().revision, 1);
}

#[tokio::test]
async fn too_many_commits_that_wait_are_kept_at_once() {
    let (_folder, store) = opened();
    let unhurried = CancellationToken::new();
    let many = (0..257).map(|n| store.commit_later(commit(&format!("web:{n}"), 0), &unhurried));
    let results = tokio::time::timeout(std::time::Duration::from_millis(400), join_all(many)).await;
    assert!(results.unwrap().iter().all(Result::is_ok));
}

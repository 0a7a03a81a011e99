//! A disk without room: nothing is acknowledged that is not kept.

use futures_util::future::join_all;

use manos_ports::{Commit, Store as _, StoreError};
use manos_store::{SqliteOptions, SqliteStore};
use manos_testkit::contract::store::{audit_lines, commit};

/// Room for the tables and some commits.
const PAGES_MAX: u32 = 48;

fn small() -> SqliteOptions {
    SqliteOptions { pages_max: Some(PAGES_MAX), ..SqliteOptions::default() }
}

fn with_memory(chat: &str, revision: u64, bytes: usize) -> Commit {
    let memory = Some(format!(r#"{{"history":"{}"}}"#, "x".repeat(bytes)));
    Commit { memory, audit: audit_lines(None, [revision + 1]), ..commit(chat, revision) }
}

#[tokio::test]
async fn a_commit_without_room_is_refused_and_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("espiga.db");
    let store = SqliteStore::open(&path, small()).unwrap();
    let mut kept = 0;
    let error = loop {
        match store.commit(with_memory("web:1", kept, 8_000)).await {
            Ok(committed) => kept = committed.revision,
            Err(error) => break error,
        }
        assert!(kept < u64::from(PAGES_MAX), "the limit holds");
    };
    assert!(kept > 0);
    let StoreError::Failed { doing, source } = &error else { panic!("{error:?}") };
    assert_eq!(*doing, format!("{} could not keep a commit", path.display()));
    assert!(source.to_string().contains("full"), "{source}");
    assert_eq!(store.load(&"web:1".into()).await.unwrap().unwrap().revision, kept);
    drop(store);

    let store = SqliteStore::open(&path, SqliteOptions::default()).unwrap();
    let next = store.commit(with_memory("web:1", kept, 8_000)).await.unwrap();
    assert_eq!((next.revision, next.audit_last), (kept + 1, Some(kept + 1)));
}

#[tokio::test]
async fn one_commit_too_large_for_the_disk_does_not_take_its_neighbours_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("espiga.db");
    let store = SqliteStore::open(&path, small()).unwrap();
    let busy = rusqlite::Connection::open(&path).unwrap();
    busy.execute_batch("BEGIN IMMEDIATE").unwrap();
    let commits = [
        commit("web:0", 0),
        with_memory("web:1", 0, 10),
        with_memory("web:2", 0, 1_000_000),
        with_memory("web:3", 0, 10),
    ];
    let (results, ()) =
        tokio::join!(join_all(commits.into_iter().map(|commit| store.commit(commit))), async {
            busy.execute_batch("ROLLBACK").unwrap();
        },);
    let kept: Vec<bool> = results.iter().map(Result::is_ok).collect();
    assert_eq!(kept, [true, true, false, true], "{results:?}");
    let last = results.last().unwrap().as_ref().unwrap();
    assert_eq!(last.audit_last, Some(2), "the ids have no gap");
    assert_eq!(store.load(&"web:2".into()).await.unwrap(), None);
}

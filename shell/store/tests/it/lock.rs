//! One writing process for each store.

use std::io::Read as _;

use manos_ports::{ChatQuery, Store as _, StoreError};
use manos_store::{SqliteOptions, SqliteStore};
use manos_testkit::contract::store::commit;

use crate::child::{self, Running};

fn open(path: &std::path::Path) -> Result<SqliteStore, StoreError> {
    SqliteStore::open(path, SqliteOptions::default())
}

#[test]
fn a_second_handle_in_one_process_is_refused_until_the_first_is_dropped() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("espiga.db");
    let first = open(&path).unwrap();
    let held = open(&path).unwrap_err();
    assert!(matches!(held, StoreError::Held { pid, .. } if pid == std::process::id()), "{held:?}");
    let expected = format!("{} is in use by process {}", path.display(), std::process::id());
    assert_eq!(held.to_string(), expected);
    drop(first);
    open(&path).unwrap();
}

#[cfg(unix)]
#[test]
fn another_name_of_the_file_is_the_same_store() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("espiga.db");
    let _first = open(&path).unwrap();
    let other = folder.path().join("other.db");
    std::os::unix::fs::symlink(&path, &other).unwrap();
    assert!(matches!(open(&other).unwrap_err(), StoreError::Held { .. }));
}

#[tokio::test]
async fn the_lock_names_its_process_and_dies_with_it() {
    if let Some(path) = child::role() {
        let store = open(&path).unwrap();
        store.commit(commit("web:1", 0)).await.unwrap();
        child::say("open");
        // The parent never writes and never closes: this ends with the process.
        drop(std::io::stdin().read(&mut [0]));
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("espiga.db");
    let mut child = Running::start("lock::the_lock_names_its_process_and_dies_with_it", &path);
    child.next("open").unwrap();

    let held = open(&path).unwrap_err();
    assert!(matches!(held, StoreError::Held { pid, .. } if pid == child.id()), "{held:?}");
    let reader = SqliteStore::open_read(&path).unwrap();
    let query = ChatQuery { limit: 10, ..ChatQuery::default() };
    assert_eq!(reader.chats(query).await.unwrap().len(), 1, "it is read without the lock");

    child.kill();
    let store = open(&path).unwrap();
    assert_eq!(store.load(&"web:1".into()).await.unwrap().unwrap().revision, 1);
}

#[tokio::test]
async fn a_reader_sees_what_is_committed_after_it_was_opened_and_writes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("espiga.db");
    let store = open(&path).unwrap();
    let reader = SqliteStore::open_read(&path).unwrap();
    assert_eq!(reader.load(&"web:1".into()).await.unwrap(), None);

    store.commit(commit("web:1", 0)).await.unwrap();
    assert_eq!(reader.load(&"web:1".into()).await.unwrap().unwrap().revision, 1);

    let refused = reader.commit(commit("web:1", 1)).await.unwrap_err();
    assert!(matches!(refused, StoreError::Failed { .. }), "{refused:?}");
    let refused = reader.forget_messages(manos_testkit::contract::store::noon(0)).await;
    assert!(matches!(refused, Err(StoreError::Failed { .. })), "{refused:?}");
    assert_eq!(store.load(&"web:1".into()).await.unwrap().unwrap().revision, 1);
}

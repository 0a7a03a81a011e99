//! The write-ahead log is copied into the file while commits go on.

use manos_ports::{Commit, Store as _};
use manos_store::{SqliteOptions, SqliteStore};
use manos_testkit::contract::store::commit;

#[tokio::test]
async fn the_log_is_copied_into_the_file_beside_the_commits() {
    const COMMITS_MAX: u64 = 4_000;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("espiga.db");
    let store = SqliteStore::open(&path, SqliteOptions::default()).unwrap();
    let memory = format!(r#"{{"history":"{}"}}"#, "x".repeat(60_000));
    let mut revision = 0;
    while store.counters().checkpoints == 0 {
        let next = Commit { memory: Some(memory.clone()), ..commit("web:1", revision) };
        revision = store.commit(next).await.unwrap().revision;
        assert!(revision < COMMITS_MAX, "{:?}", store.counters());
    }
    drop(store);
    assert!(std::fs::metadata(&path).unwrap().len() > revision * 60_000);
    assert!(!folder.path().join("espiga.db-wal").exists(), "closing leaves one file");
}

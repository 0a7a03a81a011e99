//! Files that were a store once and do not read back.

use manos_model::TurnId;
use manos_ports::{AuditQuery, RunsQuery, Store as _, StoreError};
use manos_store::{SqliteOptions, SqliteStore};

use crate::sample;

fn told(error: &StoreError) -> &str {
    let StoreError::Corrupt { what, .. } = error else { panic!("{error:?}") };
    what
}

#[tokio::test]
async fn overwritten_pages_are_told_as_damage() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("espiga.db");
    sample::fill(&SqliteStore::open(&path, SqliteOptions::default()).unwrap()).await;
    let mut bytes = std::fs::read(&path).unwrap();
    // The first page says what the file is; all that follow are gone.
    bytes[4_096..].fill(0xff);
    std::fs::write(&path, bytes).unwrap();

    let error = SqliteStore::open(&path, SqliteOptions::default()).unwrap_err();
    assert!(told(&error).contains("malformed"), "{error:?}");
    let reader = SqliteStore::open_read(&path).unwrap();
    let error = reader.load(&"terminal:local".into()).await.unwrap_err();
    assert!(told(&error).contains("malformed"), "{error:?}");
}

#[tokio::test]
async fn a_text_that_does_not_read_back_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("espiga.db");
    let store = SqliteStore::open(&path, SqliteOptions::default()).unwrap();
    sample::fill(&store).await;
    let hand = rusqlite::Connection::open(&path).unwrap();
    let trail = AuditQuery { limit: 9, ..AuditQuery::default() };
    let ledger = RunsQuery { limit: 9, ..RunsQuery::default() };
    let turn = TurnId::new("t1");

    hand.execute_batch("UPDATE log SET audit = '[{' WHERE audit_first = 3").unwrap();
    let error = store.audit(trail.clone()).await.unwrap_err();
    assert_eq!(told(&error), "audit event 3 or one after it");

    hand.execute_batch("UPDATE log SET audit_turns = '?'").unwrap();
    let error = store.audit(trail).await.unwrap_err();
    assert_eq!(told(&error), "the turns of some audit events");

    hand.execute_batch("UPDATE log SET audit_turns = '[[\"t1\",2]]', events = '[1'").unwrap();
    let error = store.turn_log(&turn).await.unwrap_err();
    assert_eq!(told(&error), "the events of revision 1 of a chat");

    hand.execute_batch("UPDATE runs SET state = 'perhaps' WHERE run_id = 'r1'").unwrap();
    let error = store.runs(ledger).await.unwrap_err();
    assert_eq!(told(&error), "\"perhaps\" as the state of a run");
}

//! A process that dies in the middle of a run, for real: this test binary starts itself.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use manos_ports::{Settled, ToolExecutor as _};
use rusqlite::Connection;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::{context, executor, order, settled};

const DATABASE: &str = "MANOS_TEST_DATABASE";
const QUERY: &str = "MANOS_TEST_QUERY";
const PATIENCE: Duration = Duration::from_secs(20);

#[tokio::test]
#[ignore = "started by the tests below, in a process of its own"]
async fn child() {
    let (Ok(path), Ok(query)) = (std::env::var(DATABASE), std::env::var(QUERY)) else {
        return;
    };
    let executor = executor(Path::new(&path), &query);
    let order = order("write", "run-1", &json!({"text": "x"}));
    executor.run(&order, &context(), &CancellationToken::new()).await;
    // Done, and not yet reported: the worst moment to die.
    std::future::pending::<()>().await;
}

fn start(path: &Path, query: &str) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "crash::child"])
        .env(DATABASE, path)
        .env(QUERY, query)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

async fn until(mut holds: impl FnMut() -> bool) {
    let started = Instant::now();
    while !holds() {
        assert!(started.elapsed() < PATIENCE, "it did not come to that");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

fn notes(path: &Path) -> Option<i64> {
    let connection = Connection::open(path).ok()?;
    connection.query_row("select count(*) from notes", [], |row| row.get(0)).ok()
}

/// Whether somebody is in the middle of a writing transaction.
fn is_locked(path: &Path) -> bool {
    let connection = Connection::open(path).unwrap();
    connection.busy_timeout(Duration::ZERO).unwrap();
    connection.execute_batch("begin immediate; rollback").is_err()
}

#[tokio::test]
async fn dying_in_the_transaction_leaves_nothing_and_the_run_is_settled_as_not_done() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("shop.db");
    let insert = "insert into notes (text) values (:text)";
    drop(executor(&path, insert));
    let endless = "with recursive n (i) as (select 1 union all select i + 1 from n) \
                   select count(*) as n from n";
    let mut child = start(&path, &format!("{insert}; {endless}"));
    until(|| is_locked(&path)).await;
    child.kill().unwrap();
    child.wait().unwrap();

    let executor = executor(&path, insert);
    let order = order("write", "run-1", &json!({"text": "x"}));
    assert_eq!(settled(&executor, &order).await, Settled::NotDone);
    assert_eq!(notes(&path), Some(0));
}

#[tokio::test]
async fn dying_after_the_commit_is_settled_as_done() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("shop.db");
    let insert = "insert into notes (text) values (:text) returning id";
    drop(executor(&path, insert));
    let mut child = start(&path, insert);
    until(|| notes(&path) == Some(1)).await;
    child.kill().unwrap();
    child.wait().unwrap();

    let executor = executor(&path, insert);
    let order = order("write", "run-1", &json!({"text": "x"}));
    assert_eq!(settled(&executor, &order).await, Settled::Done(json!({"id": 1})));
    executor.run(&order, &context(), &CancellationToken::new()).await;
    assert_eq!(notes(&path), Some(1), "and it is not done again");
}

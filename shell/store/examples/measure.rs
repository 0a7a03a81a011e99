//! Measures the SQLite store on this machine: `cargo run -p manos-store --example measure`.
//!
//! A folder as first argument is where the file lies; without one it is made among the temporary
//! files, which on many machines are memory and then tell nothing about syncs.

#![expect(clippy::print_stdout, reason = "its output is what it is for")]
#![expect(clippy::unwrap_used, reason = "a measurement stops at the first surprise")]

use std::path::Path;
use std::time::{Duration, Instant};

use futures_util::future::join_all;

use manos_ports::{Commit, Store as _};
use manos_store::{SqliteOptions, SqliteStore};
use manos_testkit::contract::store::{audit_lines, commit};

const ALONE: u64 = 1_000;
const CHATS_AT_ONCE: u64 = 64;
const COMMITS_EACH: u64 = 150;
const IDLE_CHATS: u64 = 20_000;
const READS: u32 = 5_000;

/// A commit of the size that a step of a turn has.
fn step(chat: &str, revision: u64) -> Commit {
    let starts = revision.is_multiple_of(3);
    let turn = format!("{chat} turn {}", revision / 3);
    Commit {
        events: vec![format!(r#"{{"model_replied":"{}"}}"#, "x".repeat(400))],
        active: format!(r#"{{"turn":"{}"}}"#, "x".repeat(600)),
        active_before: starts.then(|| format!(r#"{{"turn":"{}"}}"#, "x".repeat(200))),
        memory: (revision % 3 == 2).then(|| format!(r#"{{"history":"{}"}}"#, "x".repeat(2_000))),
        message_id: starts.then(|| format!("m{revision}").into()),
        awake: revision % 3 != 2,
        audit: audit_lines(Some(&turn), 1..=4),
        turns_started: if starts { vec![turn.as_str().into()] } else { Vec::new() },
        ..commit(chat, revision)
    }
}

fn say(what: &str, count: u64, taken: Duration) {
    #[expect(clippy::cast_precision_loss, reason = "shown with one digit")]
    let micros = taken.as_secs_f64() * 1e6 / count as f64;
    println!("{what}: {:.0}/s, {micros:.1} µs each", 1e6 / micros);
}

async fn talk(store: &SqliteStore, chat: String, commits: u64) {
    for revision in 0..commits {
        store.commit(step(&chat, revision)).await.unwrap();
    }
}

async fn measure(path: &Path) {
    let begin = Instant::now();
    let store = SqliteStore::open(path, SqliteOptions::default()).unwrap();
    say("open a new store", 1, begin.elapsed());

    let begin = Instant::now();
    talk(&store, "alone".to_owned(), ALONE).await;
    say("commits, one chat alone", ALONE, begin.elapsed());

    let before = store.counters();
    let begin = Instant::now();
    join_all((0..CHATS_AT_ONCE).map(|n| talk(&store, format!("web:{n}"), COMMITS_EACH))).await;
    say("commits, 64 chats at once", CHATS_AT_ONCE * COMMITS_EACH, begin.elapsed());
    let after = store.counters();
    let transactions = after.transactions - before.transactions;
    say("  their transactions", transactions, begin.elapsed());
    println!("  {after:?}");

    let begin = Instant::now();
    for n in 0..READS {
        let chat = format!("web:{}", n % 64).into();
        assert!(store.load(&chat).await.unwrap().is_some());
    }
    say("loads, one after another", READS.into(), begin.elapsed());
    drop(store);

    let size = std::fs::metadata(path).unwrap().len();
    let begin = Instant::now();
    let store = SqliteStore::open(path, SqliteOptions::default()).unwrap();
    say("open it again", 1, begin.elapsed());
    let idle = (0..IDLE_CHATS).map(|n| format!("idle:{n:08}"));
    let idle: Vec<_> = idle.map(|chat| store.commit(step(&chat, 0))).collect();
    for some in idle.into_iter().map(Box::pin).collect::<Vec<_>>().chunks_mut(256) {
        join_all(some.iter_mut()).await;
    }
    drop(store);
    let bytes = (std::fs::metadata(path).unwrap().len() - size) / IDLE_CHATS;
    println!("a chat with one commit: {bytes} bytes");
}

#[tokio::main]
async fn main() {
    let folder = match std::env::args().nth(1) {
        Some(parent) => tempfile::tempdir_in(parent).unwrap(),
        None => tempfile::tempdir().unwrap(),
    };
    measure(&folder.path().join("espiga.db")).await;
}

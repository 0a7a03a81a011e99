//! A process that is killed while it commits.

use std::collections::BTreeMap;
use std::path::Path;

use futures_util::future::join_all;

use manos_ports::{AuditQuery, ChatQuery, Commit, Store as _};
use manos_store::{SqliteOptions, SqliteStore};
use manos_testkit::contract::store::{audit_lines, commit};

use crate::child::{self, Running};

const CHATS: usize = 8;

/// How often the process is killed, and how many commits it acknowledges before.
const ROUNDS: usize = 4;
const COMMITS: usize = 150;

async fn commit_until_killed(path: &Path) {
    let store = SqliteStore::open(path, SqliteOptions::default()).unwrap();
    let talk = async |chat: String| {
        let known = store.load(&chat.as_str().into()).await.unwrap();
        let mut revision = known.map_or(0, |chat| chat.revision);
        loop {
            let next = Commit {
                audit: audit_lines(None, [revision + 1]),
                message_id: Some(format!("m{revision}").into()),
                memory: Some(format!(r#"{{"revision":{}}}"#, revision + 1)),
                ..commit(&chat, revision)
            };
            revision = store.commit(next).await.unwrap().revision;
            child::say(&format!("kept {chat} {revision}"));
        }
    };
    let endless: Vec<()> = join_all((0..CHATS).map(|n| talk(format!("web:{n}")))).await;
    drop(endless);
}

#[tokio::test]
async fn no_acknowledged_commit_is_lost_when_the_process_is_killed() {
    if let Some(path) = child::role() {
        return commit_until_killed(&path).await;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("espiga.db");
    let mut acknowledged = BTreeMap::new();
    for round in 1..=ROUNDS {
        let test = "crash::no_acknowledged_commit_is_lost_when_the_process_is_killed";
        let mut child = Running::start(test, &path);
        let mut heard = 0;
        while let Some(line) = child.next("kept ") {
            let (chat, revision) = line.split_once(' ').unwrap();
            acknowledged.insert(chat.to_owned(), revision.parse::<u64>().unwrap());
            heard += 1;
            if heard == COMMITS {
                child.kill();
            }
        }
        assert!(heard >= COMMITS, "round {round}: the child stopped by itself after {heard}");
        assert_whole(&path, &acknowledged).await;
    }
}

/// Everything acknowledged is there, at most one commit of each chat more, and each is whole.
async fn assert_whole(path: &Path, acknowledged: &BTreeMap<String, u64>) {
    let store = SqliteStore::open(path, SqliteOptions::default()).unwrap();
    let query = ChatQuery { limit: CHATS, ..ChatQuery::default() };
    let mut commits = 0;
    for chat in store.chats(query).await.unwrap() {
        let told = acknowledged.get(chat.chat.as_str()).copied().unwrap_or(0);
        assert!((told..=told + 1).contains(&chat.revision), "{chat:?}, acknowledged {told}");
        let kept = store.load(&chat.chat).await.unwrap().unwrap();
        assert_eq!(kept.active, format!(r#"{{"after":{}}}"#, chat.revision));
        assert_eq!(kept.memory.unwrap(), format!(r#"{{"revision":{}}}"#, chat.revision));
        for (message, known) in [(chat.revision - 1, true), (chat.revision, false)] {
            let seen = store.seen(&chat.chat, &format!("m{message}").into()).await.unwrap();
            assert_eq!(seen, known, "{chat:?} m{message}");
        }
        commits += chat.revision;
    }
    assert!(commits > 0);
    let trail = AuditQuery { limit: usize::MAX, ..AuditQuery::default() };
    let ids: Vec<u64> = store.audit(trail).await.unwrap().iter().map(|row| row.id).collect();
    assert_eq!(ids, (1..=commits).collect::<Vec<_>>());
}

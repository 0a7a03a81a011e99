//! The audit trail and the commits of a turn.

use manos_ports::{AuditQuery, Commit, LoggedCommit, Store};

use crate::contract::store::{audit_ids, audit_lines, commit, whole_trail};

/// Which turn, which chat, after which id, at most how many, and the ids found.
type TurnCase = (&'static str, Option<&'static str>, u64, usize, &'static [u64]);

/// Two chats whose commits alternate; web:1 has the turns t1 and t2, web:2 has t3.
async fn two_chats(store: &impl Store) {
    let shared =
        [audit_lines(Some("t1"), [3]), audit_lines(None, [4]), audit_lines(Some("t2"), [5, 6])];
    let commits = [
        Commit {
            turns_started: vec!["t1".into()],
            audit: audit_lines(Some("t1"), [1, 2]),
            ..commit("web:1", 0)
        },
        Commit {
            turns_started: vec!["t3".into()],
            audit: audit_lines(Some("t3"), [1]),
            ..commit("web:2", 0)
        },
        commit("web:1", 1),
        Commit { turns_started: vec!["t2".into()], audit: shared.concat(), ..commit("web:1", 2) },
        Commit { audit: audit_lines(None, [2]), ..commit("web:2", 1) },
        Commit { audit: audit_lines(Some("t2"), [7]), ..commit("web:1", 3) },
    ];
    for commit in commits {
        store.commit(commit).await.unwrap();
    }
}

/// Ids grow by one over the whole store, and stand first in each event.
pub async fn audit_ids_have_no_gap(store: &impl Store) {
    two_chats(store).await;
    let rows = store.audit(whole_trail()).await.unwrap();
    let read: Vec<(u64, &str)> = rows.iter().map(|row| (row.id, row.json.as_str())).collect();
    let expected = [
        (1, r#"{"id":1,"seq":1,"turn_id":"t1"}"#),
        (2, r#"{"id":2,"seq":2,"turn_id":"t1"}"#),
        (3, r#"{"id":3,"seq":1,"turn_id":"t3"}"#),
        (4, r#"{"id":4,"seq":3,"turn_id":"t1"}"#),
        (5, r#"{"id":5,"seq":4,"turn_id":null}"#),
        (6, r#"{"id":6,"seq":5,"turn_id":"t2"}"#),
        (7, r#"{"id":7,"seq":6,"turn_id":"t2"}"#),
        (8, r#"{"id":8,"seq":2,"turn_id":null}"#),
        (9, r#"{"id":9,"seq":7,"turn_id":"t2"}"#),
    ];
    assert_eq!(read, expected);
}

/// A refused commit leaves no hole among the ids.
pub async fn refused_commits_use_no_audit_id(store: &impl Store) {
    let at = |revision, message: &str| Commit {
        audit: audit_lines(None, [1]),
        message_id: Some(message.into()),
        ..commit("web:1", revision)
    };
    assert_eq!(store.commit(at(0, "m1")).await.unwrap().audit_last, Some(1));
    store.commit(at(0, "m2")).await.unwrap_err();
    store.commit(at(1, "m1")).await.unwrap_err();
    assert_eq!(store.commit(at(1, "m2")).await.unwrap().audit_last, Some(2));
    assert_eq!(audit_ids(store, whole_trail()).await, [1, 2]);
}

/// A reader goes on after the last id it has seen, wherever in a commit that is.
pub async fn audit_is_read_in_pages(store: &impl Store) {
    two_chats(store).await;
    let cases: [(&str, u64, usize, &[u64]); 8] = [
        ("from the start", 0, 3, &[1, 2, 3]),
        ("a page that ends inside a commit", 3, 2, &[4, 5]),
        ("a page that starts inside a commit", 5, 3, &[6, 7, 8]),
        ("the last one", 8, 10, &[9]),
        ("nothing after the end", 9, 10, &[]),
        ("nothing far after the end", u64::MAX, 10, &[]),
        ("a limit of none", 0, 0, &[]),
        ("no limit", 0, usize::MAX, &[1, 2, 3, 4, 5, 6, 7, 8, 9]),
    ];
    for (why, after, limit, expected) in cases {
        let query = AuditQuery { after, limit, ..AuditQuery::default() };
        assert_eq!(audit_ids(store, query).await, expected, "{why}");
    }
}

/// A chat's events alone.
pub async fn audit_is_read_by_chat(store: &impl Store) {
    two_chats(store).await;
    let cases: [(&str, u64, usize, &[u64]); 6] = [
        ("web:1", 0, 10, &[1, 2, 4, 5, 6, 7, 9]),
        ("web:1", 4, 2, &[5, 6]),
        ("web:1", 7, 10, &[9]),
        ("web:2", 0, 10, &[3, 8]),
        ("web:2", 3, 10, &[8]),
        ("web:3", 0, 10, &[]),
    ];
    for (chat, after, limit, expected) in cases {
        let query = AuditQuery { chat: Some(chat.into()), after, limit, ..AuditQuery::default() };
        assert_eq!(audit_ids(store, query).await, expected, "{chat} after {after}");
    }
}

/// A turn's events alone, also where two turns share a commit.
pub async fn audit_is_read_by_turn(store: &impl Store) {
    two_chats(store).await;
    let cases: [TurnCase; 8] = [
        ("t1", None, 0, 10, &[1, 2, 4]),
        ("t1", None, 1, 10, &[2, 4]),
        ("t2", None, 0, 10, &[6, 7, 9]),
        ("t2", None, 0, 1, &[6]),
        ("t3", None, 0, 10, &[3]),
        ("t2", Some("web:1"), 6, 10, &[7, 9]),
        ("t2", Some("web:2"), 0, 10, &[]),
        ("t4", None, 0, 10, &[]),
    ];
    for (turn, chat, after, limit, expected) in cases {
        let query =
            AuditQuery { chat: chat.map(Into::into), turn: Some(turn.into()), after, limit };
        assert_eq!(audit_ids(store, query).await, expected, "{turn} {chat:?} after {after}");
    }
}

/// web:1 remembers something, then has the turns t1 (revisions 2 to 4) and t2 (revision 5).
async fn two_turns(store: &impl Store) {
    let commits = [
        Commit { memory: Some(r#"{"history":1}"#.to_owned()), ..commit("web:1", 0) },
        Commit {
            turns_started: vec!["t1".into()],
            active_before: Some(r#"{"before":1}"#.to_owned()),
            audit: audit_lines(Some("t1"), [1]),
            ..commit("web:1", 1)
        },
        Commit { turns_started: vec!["t9".into()], ..commit("web:2", 0) },
        Commit {
            events: vec![r#"{"one":1}"#.to_owned(), r#"{"two":2}"#.to_owned()],
            ..commit("web:1", 2)
        },
        Commit {
            memory: Some(r#"{"history":2}"#.to_owned()),
            audit: audit_lines(Some("t1"), [2, 3]),
            ..commit("web:1", 3)
        },
        Commit {
            turns_started: vec!["t2".into()],
            active_before: Some(r#"{"before":4}"#.to_owned()),
            audit: audit_lines(Some("t2"), [4]),
            ..commit("web:1", 4)
        },
    ];
    for commit in commits {
        store.commit(commit).await.unwrap();
    }
}

fn logged(revision: u64, audit: &[&str]) -> LoggedCommit {
    LoggedCommit {
        revision,
        events: commit("web:1", revision - 1).events,
        active_before: None,
        memory_before: None,
        audit: audit.iter().map(|&json| json.to_owned()).collect(),
    }
}

/// The commits of a turn, and those between them, with the state that the first one found.
pub async fn a_turn_is_read_from_start_to_last_with_what_was_before(store: &impl Store) {
    two_turns(store).await;
    let first = vec![
        LoggedCommit {
            active_before: Some(r#"{"before":1}"#.to_owned()),
            memory_before: Some(r#"{"history":1}"#.to_owned()),
            ..logged(2, &[r#"{"id":1,"seq":1,"turn_id":"t1"}"#])
        },
        LoggedCommit {
            events: vec![r#"{"one":1}"#.to_owned(), r#"{"two":2}"#.to_owned()],
            ..logged(3, &[])
        },
        logged(4, &[r#"{"id":2,"seq":2,"turn_id":"t1"}"#, r#"{"id":3,"seq":3,"turn_id":"t1"}"#]),
    ];
    let second = vec![LoggedCommit {
        active_before: Some(r#"{"before":4}"#.to_owned()),
        memory_before: Some(r#"{"history":2}"#.to_owned()),
        ..logged(5, &[r#"{"id":4,"seq":4,"turn_id":"t2"}"#])
    }];
    for (turn, expected) in [("t1", first), ("t2", second)] {
        let read = store.turn_log(&turn.into()).await.unwrap();
        assert_eq!(read, Some(("web:1".into(), expected)), "{turn}");
    }
}

/// A turn of which nothing more is told ends where it starts.
pub async fn a_turn_without_audit_events_is_its_first_commit(store: &impl Store) {
    let start = Commit { turns_started: vec!["t1".into(), "t2".into()], ..commit("web:1", 0) };
    store.commit(start).await.unwrap();
    store.commit(commit("web:1", 1)).await.unwrap();
    for turn in ["t1", "t2"] {
        let read = store.turn_log(&turn.into()).await.unwrap();
        assert_eq!(read, Some(("web:1".into(), vec![logged(1, &[])])), "{turn}");
    }
}

/// A turn that never started has no log.
pub async fn an_unknown_turn_is_nothing(store: &impl Store) {
    two_chats(store).await;
    assert_eq!(store.turn_log(&"t4".into()).await.unwrap(), None);
}

//! A small past of three chats, and the comparison of two stores.

use manos_model::TurnId;
use manos_ports::{AuditQuery, ChatQuery, Commit, RunState, RunsQuery, Store};
use manos_testkit::contract::store::{audit_lines, commit, noon, run};

/// Commits that use every column. The golden file holds exactly these: never change them.
pub(crate) fn commits() -> Vec<Commit> {
    let some = |text: &str| Some(text.to_owned());
    vec![
        Commit {
            memory: some(r#"{"history":[],"n":1.10}"#),
            message_id: Some("m1".into()),
            turns_started: vec!["t1".into()],
            active_before: some(r#"{"before":0}"#),
            awake: true,
            audit: audit_lines(Some("t1"), [1, 2]),
            ..commit("terminal:local", 0)
        },
        Commit {
            message_id: Some("m1".into()),
            turns_started: vec!["t2".into()],
            audit: audit_lines(Some("t2"), [1]),
            awake: true,
            ..commit("web:7f3c", 0)
        },
        Commit {
            events: vec![r#"{"one":1}"#.to_owned(), r#"{"two":"ñ 👍🏽"}"#.to_owned()],
            runs: vec![
                run("terminal:local", "r1", RunState::Unknown),
                run("terminal:local", "r2", RunState::NotDone),
            ],
            awake: true,
            ..commit("terminal:local", 1)
        },
        Commit {
            memory: some(r#"{"history":["hola"]}"#),
            runs: vec![run("terminal:local", "r1", RunState::Done)],
            audit: [audit_lines(Some("t1"), [3]), audit_lines(None, [4])].concat(),
            ..commit("terminal:local", 2)
        },
        Commit {
            runs: vec![run("web:7f3c", "r3", RunState::Unknown)],
            at: noon(-1),
            awake: true,
            ..commit("web:7f3c", 1)
        },
        Commit { events: Vec::new(), ..commit("call:987654321", 0) },
    ]
}

/// Keeps all commits of the sample.
pub(crate) async fn fill(store: &impl Store) {
    for commit in commits() {
        store.commit(commit).await.unwrap();
    }
}

/// Asserts that two stores answer every question about the sample alike.
pub(crate) async fn assert_alike(one: &impl Store, other: &impl Store) {
    for key in ["terminal:local", "web:7f3c", "call:987654321", "web:none"] {
        let (chat, message) = (key.into(), "m1".into());
        assert_eq!(one.load(&chat).await.unwrap(), other.load(&chat).await.unwrap(), "{key}");
        let seen = one.seen(&chat, &message).await.unwrap();
        assert_eq!(seen, other.seen(&chat, &message).await.unwrap(), "{key}");
    }
    for turn in ["t1", "t2", "t3"].map(TurnId::new) {
        let log = one.turn_log(&turn).await.unwrap();
        assert_eq!(log, other.turn_log(&turn).await.unwrap(), "{turn}");
    }
    for flag in [false, true] {
        let query = ChatQuery { awake_only: flag, limit: 10, after: None };
        let chats = one.chats(query.clone()).await.unwrap();
        assert_eq!(chats, other.chats(query).await.unwrap(), "awake only: {flag}");
        let query = RunsQuery { unknown_only: flag, limit: 10, run_id: None };
        let runs = one.runs(query.clone()).await.unwrap();
        assert_eq!(runs, other.runs(query).await.unwrap(), "unknown only: {flag}");
    }
    let trail = AuditQuery { limit: 100, ..AuditQuery::default() };
    let rows = one.audit(trail.clone()).await.unwrap();
    assert_eq!(rows, other.audit(trail).await.unwrap());
    assert_eq!(rows.len(), 5, "the sample was kept");
}

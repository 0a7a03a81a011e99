//! Commits, revisions, message ids, and the list of chats.

use futures_util::future::join_all;

use manos_model::{ChatKey, MessageId};
use manos_ports::{
    AuditLine, ChatQuery, ChatSummary, Commit, Committed, RunState, RunsQuery, Store, StoreError,
    StoredChat,
};

use crate::contract::store::{audit_ids, audit_lines, commit, noon, run, whole_trail};

/// How many chats, or writers of one chat, commit at once.
const AT_ONCE: usize = 40;

/// A chat is read back as its last commit left it.
pub async fn a_chat_is_read_back_as_it_was_kept(store: &impl Store) {
    let first = Commit { memory: Some(r#"{"history":[]}"#.to_owned()), ..commit("web:1", 0) };
    let kept = store.commit(first).await.unwrap();
    assert_eq!(kept, Committed { revision: 1, audit_last: None });

    store.commit(commit("web:1", 1)).await.unwrap();

    let expected = StoredChat {
        revision: 2,
        active: r#"{"after":2}"#.to_owned(),
        memory: Some(r#"{"history":[]}"#.to_owned()),
    };
    assert_eq!(store.load(&"web:1".into()).await.unwrap(), Some(expected));
}

/// A chat that nobody wrote to does not exist.
pub async fn an_unknown_chat_is_nothing(store: &impl Store) {
    store.commit(commit("web:1", 0)).await.unwrap();
    assert_eq!(store.load(&"web:2".into()).await.unwrap(), None);
    assert!(!store.seen(&"web:2".into(), &"m1".into()).await.unwrap());
}

/// The second of two writers that read the same revision is refused, with all it brought.
pub async fn a_late_writer_conflicts_and_leaves_nothing(store: &impl Store) {
    store.commit(commit("web:1", 0)).await.unwrap();
    let before = store.load(&"web:1".into()).await.unwrap();
    let late = Commit {
        active: r#"{"late":true}"#.to_owned(),
        memory: Some(r#"{"late":true}"#.to_owned()),
        message_id: Some("m1".into()),
        turns_started: vec!["t1".into()],
        audit: audit_lines(Some("t1"), [1]),
        runs: vec![run("web:1", "r1", RunState::Done)],
        ..commit("web:1", 0)
    };
    let error = store.commit(late).await.unwrap_err();

    assert!(matches!(error, StoreError::Conflict { expected: 0, found: 1 }), "{error:?}");
    assert_eq!(store.load(&"web:1".into()).await.unwrap(), before);
    assert!(!store.seen(&"web:1".into(), &"m1".into()).await.unwrap());
    assert!(store.turn_log(&"t1".into()).await.unwrap().is_none());
    assert!(audit_ids(store, whole_trail()).await.is_empty());
    let ledger = RunsQuery { limit: 10, ..RunsQuery::default() };
    assert!(store.runs(ledger).await.unwrap().is_empty());
}

/// A writer that believes in a chat that is not there is refused.
pub async fn a_new_chat_starts_at_nothing(store: &impl Store) {
    let error = store.commit(commit("web:1", 3)).await.unwrap_err();
    assert!(matches!(error, StoreError::Conflict { expected: 3, found: 0 }), "{error:?}");
    assert_eq!(store.load(&"web:1".into()).await.unwrap(), None);
}

/// A message id is taken once, in each chat by itself; a stale revision is told first.
pub async fn a_message_is_taken_once_by_each_chat(store: &impl Store) {
    let with = |chat: &str, revision, message: &str| Commit {
        message_id: Some(MessageId::new(message)),
        ..commit(chat, revision)
    };
    store.commit(with("web:1", 0, "m1")).await.unwrap();
    assert!(store.seen(&"web:1".into(), &"m1".into()).await.unwrap());
    assert!(!store.seen(&"web:1".into(), &"m2".into()).await.unwrap());
    assert!(!store.seen(&"web:2".into(), &"m1".into()).await.unwrap());

    let again = store.commit(with("web:1", 1, "m1")).await.unwrap_err();
    assert!(matches!(again, StoreError::Duplicate), "{again:?}");
    let stale = store.commit(with("web:1", 0, "m1")).await.unwrap_err();
    assert!(matches!(stale, StoreError::Conflict { .. }), "{stale:?}");
    assert_eq!(store.load(&"web:1".into()).await.unwrap().unwrap().revision, 1);

    store.commit(with("web:1", 1, "m2")).await.unwrap();
    store.commit(with("web:2", 0, "m1")).await.unwrap();
}

/// A commit without history and ledger leaves those of the chat as they were.
pub async fn memory_stays_until_it_is_replaced(store: &impl Store) {
    let cases = [
        ("none was kept yet", None, None),
        ("the first", Some(r#"{"history":1}"#), Some(r#"{"history":1}"#)),
        ("left out", None, Some(r#"{"history":1}"#)),
        ("left out again", None, Some(r#"{"history":1}"#)),
        ("replaced", Some(r#"{"history":2}"#), Some(r#"{"history":2}"#)),
    ];
    for (revision, (why, memory, expected)) in (0..).zip(cases) {
        let memory = memory.map(str::to_owned);
        store.commit(Commit { memory, ..commit("web:1", revision) }).await.unwrap();
        let chat = store.load(&"web:1".into()).await.unwrap().unwrap();
        assert_eq!(chat.memory.as_deref(), expected, "{why}");
    }
}

/// Nothing in a text is special to the store.
pub async fn texts_keep_every_character(store: &impl Store) {
    let long = format!(r#"{{"a":"{}"}}"#, "ñ".repeat(100_000));
    let texts = [
        ("digits", r#"{"n":1.10,"big":123456789012345678901234567890,"e":1E400}"#),
        ("quotes", r#"{"a":"it's \"so\"; DROP TABLE chats; --"}"#),
        ("all of Unicode", r#"{"a":"pa\u0000ñ 👍🏽 é \ud83d\ude00"}"#),
        ("laid out over lines", "{\n  \"a\": [1,\n 2]\n}"),
        ("a long one", long.as_str()),
    ];
    for (chat, text) in texts {
        let commit = Commit {
            active: text.to_owned(),
            memory: Some(text.to_owned()),
            message_id: Some(MessageId::new(text)),
            events: vec![text.to_owned(), text.to_owned()],
            active_before: Some(text.to_owned()),
            turns_started: vec![chat.into()],
            audit: vec![AuditLine { turn_id: None, json: text.to_owned() }],
            ..commit(chat, 0)
        };
        store.commit(commit).await.unwrap();
        let read = store.load(&chat.into()).await.unwrap().unwrap();
        assert_eq!((read.active.as_str(), read.memory.as_deref()), (text, Some(text)), "{chat}");
        assert!(store.seen(&chat.into(), &text.into()).await.unwrap(), "{chat}");
        let (_, log) = store.turn_log(&chat.into()).await.unwrap().unwrap();
        let [logged] = log.as_slice() else { panic!("{chat}: {log:?}") };
        assert_eq!(logged.events, [text, text], "{chat}");
        assert_eq!(logged.active_before.as_deref(), Some(text), "{chat}");
        let audit = logged.audit.concat();
        assert!(audit.ends_with(text.trim_start_matches('{')), "{chat}: {audit}");
    }
}

/// Chats come in the order of their keys' bytes, a page at a time.
pub async fn chats_are_listed_by_key_in_pages(store: &impl Store) {
    for key in ["web:b", "web:é", "terminal:local", "web:a", "web:B"] {
        store.commit(commit(key, 0)).await.unwrap();
    }
    let cases: [(&str, Option<&str>, usize, &[&str]); 6] = [
        ("the first page", None, 2, &["terminal:local", "web:B"]),
        ("the next", Some("web:B"), 2, &["web:a", "web:b"]),
        ("the last", Some("web:b"), 2, &["web:é"]),
        ("after a key that is not there", Some("web:"), 1, &["web:B"]),
        ("after all", Some("web:é"), 2, &[]),
        ("a limit of none", None, 0, &[]),
    ];
    for (why, after, limit, expected) in cases {
        let query = ChatQuery { after: after.map(Into::into), limit, ..ChatQuery::default() };
        let page = store.chats(query).await.unwrap();
        let keys: Vec<&str> = page.iter().map(|chat| chat.chat.as_str()).collect();
        assert_eq!(keys, expected, "{why}");
    }
}

/// A chat is awake when its last commit says so.
pub async fn chats_with_work_left_are_listed_alone(store: &impl Store) {
    let at = |chat: &str, revision, awake| Commit { awake, ..commit(chat, revision) };
    for commit in [
        at("web:1", 0, true),
        at("web:2", 0, true),
        at("web:2", 1, false),
        at("web:3", 0, false),
        at("web:4", 0, false),
        at("web:4", 1, true),
        at("web:4", 2, true),
    ] {
        store.commit(commit).await.unwrap();
    }
    let awake = |chat: &str, revision: u64, seconds| ChatSummary {
        chat: ChatKey::new(chat),
        revision,
        awake: true,
        last_at: noon(seconds),
    };
    let (first, second) = (awake("web:1", 1, 0), awake("web:4", 3, 2));
    let query = ChatQuery { awake_only: true, limit: 10, after: None };
    assert_eq!(store.chats(query.clone()).await.unwrap(), [first, second.clone()]);
    let query = ChatQuery { after: Some("web:1".into()), ..query };
    assert_eq!(store.chats(query).await.unwrap(), [second]);
}

/// Commits of many chats at the same time are all kept, each with audit ids of its own.
pub async fn many_chats_at_once_are_all_kept(store: &impl Store) {
    const EACH: u64 = 5;
    let chats: Vec<String> = (0..AT_ONCE).map(|n| format!("web:{n}")).collect();
    let talk = async |chat: &String| {
        let mut lasts = Vec::new();
        for revision in 0..EACH {
            let commit = Commit { audit: audit_lines(None, [1, 2]), ..commit(chat, revision) };
            lasts.push(store.commit(commit).await.unwrap().audit_last.unwrap());
        }
        lasts
    };
    let mut lasts: Vec<u64> = join_all(chats.iter().map(talk)).await.concat();
    lasts.sort_unstable();

    let total = AT_ONCE as u64 * EACH;
    assert_eq!(lasts, (1..=total).map(|n| n * 2).collect::<Vec<_>>());
    for chat in chats {
        assert_eq!(store.load(&chat.into()).await.unwrap().unwrap().revision, EACH);
    }
    let ids = audit_ids(store, whole_trail()).await;
    assert_eq!(ids, (1..=total * 2).collect::<Vec<_>>());
}

/// Of writers that commit to one chat at once, one wins; the others are told where it is now.
pub async fn many_writers_of_one_chat_are_put_in_order(store: &impl Store) {
    let results = join_all((0..AT_ONCE).map(|_| store.commit(commit("web:1", 0)))).await;
    let (kept, refused): (Vec<_>, Vec<_>) = results.into_iter().partition(Result::is_ok);
    assert_eq!(kept.len(), 1);
    for result in refused {
        let error = result.unwrap_err();
        assert!(matches!(error, StoreError::Conflict { expected: 0, found: 1 }), "{error:?}");
    }
}

/// Message ids older than an instant are forgotten, and only those.
pub async fn message_ids_are_forgotten_by_age(store: &impl Store) {
    for (revision, message) in (0..).zip(["m0", "m1", "m2", "m3"]) {
        let message_id = Some(message.into());
        store.commit(Commit { message_id, ..commit("web:1", revision) }).await.unwrap();
    }
    assert_eq!(store.forget_messages(noon(2)).await.unwrap(), 2);
    assert_eq!(store.forget_messages(noon(2)).await.unwrap(), 0);
    for (message, known) in [("m0", false), ("m1", false), ("m2", true), ("m3", true)] {
        assert_eq!(store.seen(&"web:1".into(), &message.into()).await.unwrap(), known, "{message}");
    }
    let message_id = Some("m0".into());
    store.commit(Commit { message_id, ..commit("web:1", 4) }).await.unwrap();
}

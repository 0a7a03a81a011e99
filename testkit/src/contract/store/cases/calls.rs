//! Calls from outside, known by the names their senders gave them.

use manos_model::ChatKey;
use manos_ports::{CallRow, Commit, Store};

use crate::contract::store::{commit, noon};

fn call(key: &str, chat: &str, seconds: i64, outcome: Option<&str>) -> CallRow {
    CallRow {
        key: key.to_owned(),
        chat: ChatKey::new(chat),
        at: noon(seconds),
        outcome: outcome.map(str::to_owned),
    }
}

/// A call is found by its key from the commit that takes it on; its outcome comes with a later one.
/// One commit may bring both.
pub async fn a_call_is_known_by_its_key_and_takes_its_outcome(store: &impl Store) {
    let taken = call("a", "call:1", 0, None);
    let at_once = call("b", "call:1", 0, Some(r#"{"Done":1}"#));
    let calls = vec![taken.clone(), call("b", "call:1", 0, None), at_once.clone()];
    store.commit(Commit { calls, ..commit("call:1", 0) }).await.unwrap();
    assert_eq!(store.call("a").await.unwrap(), Some(taken));
    assert_eq!(store.call("b").await.unwrap(), Some(at_once));
    assert_eq!(store.call("c").await.unwrap(), None);

    let ended = call("a", "call:1", 1, Some(r#"{"Done":{"n":1.50,"s":"ñ"}}"#));
    store.commit(Commit { calls: vec![ended.clone()], ..commit("call:1", 1) }).await.unwrap();
    assert_eq!(store.call("a").await.unwrap(), Some(ended));

    let late = Commit { calls: vec![call("d", "call:1", 2, None)], ..commit("call:1", 1) };
    store.commit(late).await.unwrap_err();
    assert_eq!(store.call("d").await.unwrap(), None, "a refused commit leaves nothing");
}

/// Calls older than an instant are forgotten, and only those.
pub async fn calls_are_forgotten_by_age(store: &impl Store) {
    let calls = (0..4).map(|n| call(&format!("k{n}"), "call:1", n, None)).collect();
    store.commit(Commit { calls, ..commit("call:1", 0) }).await.unwrap();
    assert_eq!(store.forget_calls(noon(2)).await.unwrap(), 2);
    assert_eq!(store.forget_calls(noon(2)).await.unwrap(), 0);
    for (key, known) in [("k0", false), ("k1", false), ("k2", true), ("k3", true)] {
        assert_eq!(store.call(key).await.unwrap().is_some(), known, "{key}");
    }
}

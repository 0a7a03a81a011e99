//! Side effects that were done, or may have been.

use manos_ports::{Commit, RunRow, RunState, RunsQuery, Store};

use crate::contract::store::{commit, noon, run};

/// Why, which run, only unknown ones, at most how many, and what is found.
type LedgerCase = (&'static str, Option<&'static str>, bool, usize, &'static [&'static str]);

async fn three_runs(store: &impl Store) {
    let first = vec![run("web:1", "r1", RunState::Unknown), run("web:1", "r2", RunState::Done)];
    store.commit(Commit { runs: first, ..commit("web:1", 0) }).await.unwrap();
    let second = vec![run("web:2", "r3", RunState::Unknown)];
    store.commit(Commit { runs: second, ..commit("web:2", 0) }).await.unwrap();
}

async fn run_ids(store: &impl Store, query: RunsQuery) -> Vec<String> {
    let rows = store.runs(query).await.unwrap();
    rows.into_iter().map(|row| row.run_id.to_string()).collect()
}

/// Newest first, by when the ledger first took them; each filter narrows.
pub async fn the_ledger_lists_the_latest_first(store: &impl Store) {
    three_runs(store).await;
    let cases: [LedgerCase; 7] = [
        ("all", None, false, 10, &["r3", "r2", "r1"]),
        ("the latest two", None, false, 2, &["r3", "r2"]),
        ("a limit of none", None, false, 0, &[]),
        ("unknown ones", None, true, 10, &["r3", "r1"]),
        ("one by its id", Some("r2"), false, 10, &["r2"]),
        ("an id that is not there", Some("r4"), false, 10, &[]),
        ("one by its id whose end is known", Some("r2"), true, 10, &[]),
    ];
    for (why, run_id, unknown_only, limit, expected) in cases {
        let query = RunsQuery { unknown_only, run_id: run_id.map(Into::into), limit };
        assert_eq!(run_ids(store, query).await, expected, "{why}");
    }
}

/// A run that comes again replaces what was known of it and keeps its place.
pub async fn a_run_is_settled_in_place(store: &impl Store) {
    three_runs(store).await;
    let settled = RunRow {
        at: noon(60),
        json: r#"{"result":{"pedido":7}}"#.to_owned(),
        ..run("web:1", "r1", RunState::NotDone)
    };
    let runs = vec![settled.clone()];
    store.commit(Commit { runs, ..commit("web:1", 1) }).await.unwrap();

    let all = RunsQuery { limit: 10, ..RunsQuery::default() };
    assert_eq!(run_ids(store, all.clone()).await, ["r3", "r2", "r1"]);
    let unknown = RunsQuery { unknown_only: true, ..all.clone() };
    assert_eq!(run_ids(store, unknown).await, ["r3"]);
    let one = RunsQuery { run_id: Some("r1".into()), ..all };
    assert_eq!(store.runs(one).await.unwrap(), [settled]);
}

//! Standings, and what a full ledger keeps.

use manos_policy::Dedupe;
use manos_schema::ToolSchema;
use serde_json::json;

use super::*;

fn spec(dedupe: Option<Dedupe>) -> ToolSpec {
    ToolSpec {
        name: "pedir".to_owned().try_into().unwrap(),
        schema: ToolSchema::compile(&json!({"type": "object"})).unwrap().into(),
        confirm: true,
        dedupe,
        read_only: false,
        idempotent: false,
        definition: "v1".into(),
    }
}

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}

fn entry(run: &str, arguments: &Value, second: i64, state: EntryState) -> LedgerEntry {
    entry_of(&spec(None), run, arguments, second, state)
}

fn entry_of(
    spec: &ToolSpec,
    run: &str,
    arguments: &Value,
    second: i64,
    state: EntryState,
) -> LedgerEntry {
    let call = PreparedCall::new("c".into(), spec, arguments.as_object().unwrap().clone());
    LedgerEntry {
        run_id: run.into(),
        turn_id: "t1".into(),
        tool: call.tool,
        intent: Intent::of(&call.arguments, Some(spec)),
        arguments: call.arguments,
        digest: call.digest,
        user: "u:1".into(),
        result: json!("ok"),
        at: at(second),
        state,
    }
}

fn word(standing: &Standing) -> String {
    match standing {
        Standing::Deduped(fact) => format!("deduped {}", fact.seconds_ago),
        Standing::Done(fact) => format!("done {}", fact.seconds_ago),
        Standing::Fresh => "fresh".into(),
        Standing::Unknown { same_turn, in_window, .. } => {
            format!("unknown same_turn={same_turn} in_window={in_window}")
        }
    }
}

/// One earlier run, what is asked for now, and the standing that comes of it.
type Case = (&'static str, Vec<EntryState>, Option<Dedupe>, Value, &'static str, i64, &'static str);

fn cases() -> Vec<Case> {
    use EntryState::{Done, NotDone, Unknown};
    let same = || json!({"a": 1, "b": 2});
    let args = || Some(Dedupe::args());
    let by_a = || Some(Dedupe { window: Duration::from_mins(1), key: Some(vec!["a".into()]) });
    vec![
        ("nothing", vec![], None, same(), "u:1", 5, "fresh"),
        ("equal by value", vec![Done], None, json!({"b": 2.0, "a": 1}), "u:1", 5, "done 5"),
        ("other arguments", vec![Done], None, json!({"a": 1, "b": 3}), "u:1", 5, "fresh"),
        ("another user", vec![Done], None, same(), "u:2", 5, "fresh"),
        ("long ago", vec![Done], None, same(), "u:1", 3601, "fresh"),
        ("dedupe", vec![Done], args(), same(), "u:1", 600, "deduped 600"),
        ("past the window it only warns", vec![Done], args(), same(), "u:1", 601, "done 601"),
        ("by the named ones", vec![Done], by_a(), json!({"a": 1, "b": 9}), "u:1", 5, "deduped 5"),
        ("others named", vec![Done], by_a(), json!({"a": 2, "b": 2}), "u:1", 5, "fresh"),
        ("named, past the window", vec![Done], by_a(), json!({"a": 1}), "u:1", 61, "fresh"),
        ("a failed run does not count", vec![NotDone], args(), same(), "u:1", 5, "fresh"),
        (
            "unknown beats done",
            vec![Unknown, Done],
            None,
            same(),
            "u:1",
            5,
            "unknown same_turn=true in_window=false",
        ),
        ("a clock that went back", vec![Done], None, same(), "u:1", -50, "done 0"),
    ]
}

#[test]
fn equal_calls_are_found_by_value_user_and_window() {
    for (why, states, dedupe, arguments, user, now, expected) in cases() {
        let spec = spec(dedupe);
        let mut ledger = Ledger::default();
        for (number, state) in states.into_iter().enumerate() {
            let before = json!({"a": 1, "b": 2});
            ledger.record(entry_of(&spec, &format!("r{number}"), &before, 0, state));
        }
        let call = PreparedCall::new("c".into(), &spec, arguments.as_object().unwrap().clone());
        let asker =
            Asker { user: &user.into(), turn: &"t1".into(), now: at(now), cancelled_at: None };
        let standing = ledger.standing(&call, &spec, &asker, Duration::from_hours(1));
        assert_eq!(word(&standing), expected, "{why}");
    }
}

#[test]
fn a_repeat_after_a_cancelling_is_for_the_person_to_decide() {
    for (why, confirm, cancelled, expected) in [
        ("nothing was cancelled", true, None, "deduped 60"),
        ("cancelled before it was done", true, Some(-5), "deduped 60"),
        ("it may be what was cancelled", true, Some(30), "done 60"),
        ("nobody is asked, so nobody decides", false, Some(30), "deduped 60"),
    ] {
        let spec = ToolSpec { confirm, ..spec(Some(Dedupe::args())) };
        let mut ledger = Ledger::default();
        ledger.record(entry_of(&spec, "r", &json!({"a": 1}), 0, EntryState::Done));
        let call =
            PreparedCall::new("c".into(), &spec, json!({"a": 1}).as_object().unwrap().clone());
        let (user, turn) = ("u:1".into(), "t2".into());
        let asker =
            Asker { user: &user, turn: &turn, now: at(60), cancelled_at: cancelled.map(at) };
        let standing = ledger.standing(&call, &spec, &asker, Duration::from_hours(1));
        assert_eq!(word(&standing), expected, "{why}");
    }
}

#[test]
fn a_changed_dedupe_key_falls_back_on_all_arguments() {
    let by = |name: &str| spec(Some(Dedupe { key: Some(vec![name.into()]), ..Dedupe::args() }));
    let mut ledger = Ledger::default();
    ledger.record(entry_of(&by("a"), "r", &json!({"a": 1, "b": 1}), 0, EntryState::Done));
    let standing = |arguments: &Value| {
        let call = PreparedCall::new("c".into(), &by("b"), arguments.as_object().unwrap().clone());
        let asker =
            Asker { user: &"u:1".into(), turn: &"t2".into(), now: at(1), cancelled_at: None };
        word(&ledger.standing(&call, &by("b"), &asker, Duration::from_hours(1)))
    };
    assert_eq!(standing(&json!({"a": 1, "b": 1})), "deduped 1");
    assert_eq!(standing(&json!({"a": 9, "b": 1})), "fresh", "the old entry did not keep b apart");
}

#[test]
fn unknown_runs_outlive_known_ones_in_a_full_ledger() {
    let mut ledger = Ledger::default();
    ledger.record(entry("unknown", &json!({}), 0, EntryState::Unknown));
    for number in 0..=Ledger::ENTRIES_MAX {
        ledger.record(entry(&format!("r{number}"), &json!({}), 1, EntryState::Done));
    }
    assert_eq!(ledger.entries().len(), Ledger::ENTRIES_MAX);
    assert_eq!(ledger.entries()[0].run_id.as_str(), "unknown");
    assert!(ledger.settle(&"unknown".into(), EntryState::Done, Some(json!(1))).is_some());
    assert!(ledger.settle(&"unknown".into(), EntryState::NotDone, None).is_none());
}

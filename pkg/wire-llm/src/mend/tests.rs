use std::collections::VecDeque;

use proptest::prelude::*;
use serde_json::json;

use manos_model::ToolCallId;

use super::*;

fn call(id: &str, wire_id: Option<&str>) -> ToldCall {
    let wire_id = wire_id.map(str::to_owned);
    ToldCall { id: ToolCallId::new(id), wire_id, name: "t".to_owned(), arguments: json!({}) }
}

fn assistant(text: &str, calls: Vec<ToldCall>) -> StepMessage {
    StepMessage::Assistant { text: text.to_owned(), calls, opaque: Vec::new() }
}

fn result(id: &str, content: Value) -> StepMessage {
    StepMessage::Result(ToolResult { call_id: ToolCallId::new(id), content, failed: false })
}

fn user(text: &str) -> StepMessage {
    StepMessage::User(text.to_owned())
}

/// A list in few words: `U text`, `A text [ids]`, `R id content`.
fn brief(messages: &[StepMessage]) -> Vec<String> {
    acceptable(messages)
        .iter()
        .map(|told| match told {
            Told::Assistant { text, calls, .. } => {
                let ids: Vec<&str> = calls.iter().map(|(id, _)| id.as_ref()).collect();
                format!("A {text} {ids:?}")
            }
            Told::Result { id, content, .. } => format!("R {id} {content}"),
            Told::User(text) => format!("U {text}"),
        })
        .collect()
}

#[test]
fn whatever_happened_the_list_is_well_formed() {
    let filler = |id: &str| format!("R {id} {FILLER}");
    let cases: Vec<(&str, Vec<StepMessage>, Vec<String>)> = vec![
        (
            "results in another order",
            vec![
                assistant("", vec![call("1", None), call("2", None)]),
                result("2", json!("b")),
                result("1", json!({"a": 1})),
            ],
            vec![r#"A  ["1", "2"]"#.into(), r#"R 1 {"a":1}"#.into(), "R 2 b".into()],
        ),
        (
            "no result",
            vec![assistant("", vec![call("1", None)]), user("x")],
            vec![r#"A  ["1"]"#.into(), filler("1"), "U x".into()],
        ),
        (
            "two results: the first wins",
            vec![
                assistant("", vec![call("1", None)]),
                result("1", json!("a")),
                result("1", json!("b")),
            ],
            vec![r#"A  ["1"]"#.into(), "R 1 a".into()],
        ),
        ("a result without call", vec![result("1", json!("a")), user("x")], vec!["U x".into()]),
        (
            "words between a call and its result",
            vec![assistant("", vec![call("1", None)]), user("x"), result("1", json!("a"))],
            vec![r#"A  ["1"]"#.into(), "R 1 a".into(), "U x".into()],
        ),
        (
            "the provider's id twice",
            vec![
                assistant("", vec![call("1", Some("c")), call("2", Some("c"))]),
                result("1", json!("a")),
                result("2", json!("b")),
            ],
            vec![r#"A  ["c", "2"]"#.into(), "R c a".into(), "R 2 b".into()],
        ),
        (
            "ids that begin anew in the next step",
            vec![
                assistant("", vec![call("1", Some("f:0"))]),
                result("1", json!("a")),
                assistant("", vec![call("2", Some("f:0"))]),
                result("2", json!("b")),
            ],
            vec![r#"A  ["f:0"]"#.into(), "R f:0 a".into(), r#"A  ["2"]"#.into(), "R 2 b".into()],
        ),
        (
            "nothing said",
            vec![user(""), assistant("", vec![]), assistant("a", vec![])],
            vec!["A a []".into()],
        ),
    ];
    for (why, messages, expected) in cases {
        assert_eq!(brief(&messages), expected, "{why}");
    }
}

/// Says what a strict provider would say of the list; empty when it would take it.
fn complaints(told: &[Told<'_>]) -> Vec<String> {
    let mut complaints = Vec::new();
    let mut waiting: VecDeque<String> = VecDeque::new();
    let mut seen = BTreeSet::new();
    for message in told {
        match message {
            Told::Result { id, .. } => {
                if waiting.pop_front().as_deref() != Some(id.as_ref()) {
                    complaints.push(format!("result of {id} out of place"));
                }
            }
            Told::Assistant { text, calls, .. } => {
                if !waiting.is_empty() {
                    complaints.push("a reply before all results".to_owned());
                }
                if text.is_empty() && calls.is_empty() {
                    complaints.push("an empty reply".to_owned());
                }
                for (id, _) in calls {
                    if id.is_empty() || !seen.insert(id.to_string()) {
                        complaints.push(format!("id {id} empty or twice"));
                    }
                    waiting.push_back(id.to_string());
                }
            }
            Told::User(text) => {
                if !waiting.is_empty() || text.is_empty() {
                    complaints.push("words before all results, or none".to_owned());
                }
            }
        }
    }
    if !waiting.is_empty() {
        complaints.push("calls without results".to_owned());
    }
    complaints
}

#[test]
fn the_checker_itself_complains() {
    let call = call("1", None);
    let reply = || Told::Assistant { text: "", calls: vec![("1".into(), &call)], opaque: &[] };
    let result = |id: &'static str| Told::Result {
        id: id.into(),
        call: &call,
        content: "".into(),
        failed: false,
    };
    for bad in [
        vec![reply()],
        vec![result("1")],
        vec![reply(), result("2")],
        vec![reply(), Told::User("x"), result("1")],
        vec![reply(), result("1"), result("1")],
        vec![reply(), result("1"), reply(), result("1")],
    ] {
        assert!(!complaints(&bad).is_empty(), "{bad:?}");
    }
    assert!(complaints(&[reply(), result("1"), Told::User("x")]).is_empty());
}

fn any_message() -> impl Strategy<Value = StepMessage> {
    let id = || (0..5_u8).prop_map(|n| if n == 0 { String::new() } else { n.to_string() });
    let any_call = (id(), prop::option::of(id())).prop_map(|(id, wire)| call(&id, wire.as_deref()));
    prop_oneof![
        "[ab]{0,1}".prop_map(StepMessage::User),
        "[ab]{0,1}".prop_map(StepMessage::Note),
        id().prop_map(|id| result(&id, json!(1))),
        ("[ab]{0,1}", prop::collection::vec(any_call, 0..4))
            .prop_map(|(text, calls)| assistant(&text, calls)),
    ]
}

proptest! {
    #[test]
    fn any_list_becomes_one_that_a_strict_provider_takes(
        messages in prop::collection::vec(any_message(), 0..12)
    ) {
        let told = acceptable(&messages);
        prop_assert_eq!(complaints(&told), Vec::<String>::new());
        let count = |list: &[StepMessage]| list.iter().map(|message| match message {
            StepMessage::Assistant { calls, .. } => calls.len(),
            _ => 0,
        }).sum::<usize>();
        let kept = told.iter().filter(|told| matches!(told, Told::Result { .. })).count();
        prop_assert_eq!(kept, count(&messages), "every call is told");
    }
}

//! Calls from outside: noted under their names when they are taken, and again with what came of them.

use manos_chat::{Decision, Event, Inbound, InboundBody, Keep};
use manos_engine::{CallOutcome, Confirmer, Surface};
use manos_model::{Failure, RunEnd};
use serde_json::json;

use crate::agent::{agent, order, reads};
use crate::script::{Script, chat_with};

fn call(tool: &str, arguments: &str, names: &[&str]) -> Event {
    Event::Received(Inbound {
        message_id: None,
        user: "call:vapi".into(),
        surface: Surface { repeats: true, ..Surface::default() },
        body: InboundBody::Call {
            tool: tool.into(),
            arguments: arguments.into(),
            confirmer: Confirmer::Nobody,
            known_as: names.iter().map(|name| (*name).to_owned()).collect(),
        },
    })
}

fn received(body: InboundBody) -> Event {
    Event::Received(Inbound {
        message_id: None,
        user: "operator".into(),
        surface: Surface::default(),
        body,
    })
}

/// The names and outcomes that a decision notes; `None` is a call that was taken.
fn noted(decision: &Decision) -> Vec<(Vec<&str>, Option<&CallOutcome>)> {
    let calls = decision.calls.iter();
    calls
        .map(|known| {
            let names: Vec<&str> = known.known_as.iter().map(String::as_str).collect();
            (names, known.outcome.as_ref())
        })
        .collect()
}

fn run_ends(chat: &mut Script, end: RunEnd) -> Decision {
    let run_id = chat.chat.turn().unwrap().runs().last().unwrap().run_id.clone();
    chat.decision(&Event::ToolEnded { run_id, end, duration_ms: 5 })
}

#[test]
fn a_call_is_noted_when_it_is_taken_and_when_it_ends() {
    let mut chat = chat_with(agent(vec![reads("leer")]));
    let taken = chat.decision(&call("leer", "{}", &["a", "b"]));
    assert_eq!(noted(&taken), [(vec!["a", "b"], None)]);
    let ended = run_ends(&mut chat, RunEnd::Done(json!({"n": 1})));
    let done = CallOutcome::Done(json!({"n": 1}));
    assert_eq!(noted(&ended), [(vec!["a", "b"], Some(&done))]);
    assert_eq!(ended.keep, Keep::First, "whoever asks again must find it");
}

#[test]
fn a_call_that_ends_at_once_is_noted_in_one_decision() {
    let mut chat = chat_with(agent(vec![order()]));
    let arguments = r#"{"cantidad":1,"producto":"pan_de_bono"}"#;
    let decision = chat.decision(&call("crear_pedido", arguments, &["a"]));
    let noted = noted(&decision);
    assert_eq!(noted[0], (vec!["a"], None));
    let outcome = noted[1].1.unwrap();
    assert!(matches!(outcome, CallOutcome::Failed(Failure::NotAsked { .. })), "{outcome:?}");
}

#[test]
fn a_call_that_waits_is_noted_and_one_that_is_dropped_is_not_run() {
    let mut chat = chat_with(agent(vec![reads("leer")]));
    chat.decision(&call("leer", "{}", &["a"]));
    let waits = chat.decision(&call("leer", "{}", &["b"]));
    assert_eq!(noted(&waits), [(vec!["b"], None)]);
    let reset = chat.decision(&received(InboundBody::Reset));
    let expired = CallOutcome::Failed(Failure::Expired);
    let interrupted = CallOutcome::Failed(Failure::Interrupted);
    assert_eq!(
        noted(&reset),
        [(vec!["b"], Some(&expired)), (vec!["a"], Some(&interrupted))],
        "the one that waited was not run; of the other nobody can tell"
    );
}

#[test]
fn a_call_for_which_there_is_no_room_is_not_taken() {
    let mut chat = chat_with(agent(vec![reads("leer")]));
    chat.decision(&call("leer", "{}", &["first"]));
    for _ in 0..chat.spec.waiting_max {
        chat.decision(&call("leer", "{}", &["more"]));
    }
    assert_eq!(noted(&chat.decision(&call("leer", "{}", &["last"]))), []);
}

#[test]
fn a_call_without_names_is_not_noted() {
    let mut chat = chat_with(agent(vec![reads("leer")]));
    assert_eq!(noted(&chat.decision(&call("leer", "{}", &[]))), []);
    assert_eq!(noted(&run_ends(&mut chat, RunEnd::Done(json!(1)))), []);
}

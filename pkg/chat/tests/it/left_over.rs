//! Runs that an earlier process left and that are not made again: trail, ledger and model say what
//! is known of them.

use manos_engine::KnownEnd;
use serde_json::json;

use crate::agent::{agent, asks, idempotent, order};
use crate::script::{Script, chat_with};

/// A chat in which this tool was confirmed and runs.
fn running(tool: manos_engine::Tool) -> Script {
    let name = tool.spec.name.as_str().to_owned();
    let mut chat = chat_with(agent(vec![tool]));
    chat.says("hola");
    chat.model_calls([(name.as_str(), json!({"cantidad": 1}))]);
    chat.says("sí");
    chat
}

fn known(chat: &Script, end: KnownEnd) -> Vec<(manos_model::RunId, KnownEnd)> {
    vec![(chat.run("r1"), end)]
}

#[test]
fn the_trail_says_that_a_run_of_a_turn_too_old_was_not_done() {
    let mut chat = running(order());
    chat.wait(601);
    let told = chat.crashes(known(&chat, KnownEnd::NotDone));
    assert!(told.contains("tool.late loop.error turn.finished"), "{told}");
    assert_eq!(chat.trail("tool.late"), json!({"settled": "not_done"}));
    assert_eq!(chat.ledger(), "");
}

#[test]
fn a_run_that_was_not_done_and_whose_yes_is_stale_ends_in_the_trail() {
    let mut chat = running(order());
    chat.wait(121);
    let told = chat.crashes(known(&chat, KnownEnd::NotDone));
    assert!(told.contains("tool.late tool.denied turn.finished"), "{told}");
    assert_eq!(chat.trail("tool.late"), json!({"settled": "not_done"}));
}

#[test]
fn an_idempotent_run_that_may_have_been_done_and_is_not_made_again_is_unknown() {
    let mut chat = running(idempotent(asks("poner", "Poner")));
    chat.wait(121);
    let told = chat.crashes(known(&chat, KnownEnd::Unknown));
    assert!(told.contains(r#"{"executed":"unknown","reason":"interrupted"}"#), "{told}");
    assert!(told.contains("tool.interrupted run.unknown"), "{told}");
    assert_eq!(
        chat.ledger(),
        r#"Unknown poner {"cantidad":1} → {"executed":"unknown","reason":"interrupted"}"#
    );
}

//! What must be in the store before anything goes on, and what may wait for company.

use manos_chat::{ChatEffect, DeliveryOutcome, Event, Keep};
use manos_model::{Failure, RunEnd};
use serde_json::json;

use crate::agent::{agent, order, reads, tool};
use crate::script::{Script, chat_with};

fn keeps(chat: &mut Script, event: &Event) -> Keep {
    chat.decision(event).keep
}

fn run_end(chat: &Script, end: RunEnd) -> Event {
    let run_id = chat.chat.turn().unwrap().runs().last().unwrap().run_id.clone();
    Event::ToolEnded { run_id, end, duration_ms: 5 }
}

#[test]
fn only_what_is_made_again_without_harm_may_wait() {
    let done = || RunEnd::Done(json!({}));
    let not_done = || RunEnd::NotDone(Failure::Failed { message: "no".into() });
    for (name, start, end_known, end_failed) in [
        ("leer", Keep::Later, Keep::Later, Keep::Later),
        ("avisar", Keep::First, Keep::First, Keep::First),
    ] {
        for (end, expected) in [(done(), end_known), (not_done(), end_failed)] {
            let mut chat = chat_with(agent(vec![reads("leer"), tool("avisar")]));
            chat.says("hola");
            let reply = chat.calling([(name, json!({}))]);
            assert_eq!(keeps(&mut chat, &reply), start, "{name} starts");
            let end = run_end(&chat, end);
            assert_eq!(keeps(&mut chat, &end), expected, "{name}: {end:?}");
        }
    }
}

#[test]
fn what_is_said_or_asked_is_kept_first() {
    let mut chat = chat_with(agent(vec![order()]));
    chat.channel_takes = false;
    chat.says("quiero pan");
    let reply = chat.calling([("crear_pedido", json!({"cantidad": 5, "producto": "pan_de_bono"}))]);
    let decision = chat.decision(&reply);
    assert!(decision.effects.iter().any(|effect| matches!(effect, ChatEffect::Deliver(_))));
    assert_eq!(decision.keep, Keep::First);
    let delivery_id = chat.chat.outbox()[0].id.clone();
    let shown = Event::Delivered { delivery_id, outcome: DeliveryOutcome::Sent };
    assert_eq!(keeps(&mut chat, &shown), Keep::First, "its deadline starts");
}

#[test]
fn of_two_outputs_the_first_is_kept_before_the_second_goes_out() {
    let mut chat = chat_with(agent(vec![]));
    chat.channel_takes = false;
    for words in ["hola", "y otra"] {
        chat.says(words);
        chat.model_says("¡Hola!");
    }
    for expected in [Keep::First, Keep::Later] {
        let delivery_id = chat.chat.outbox()[0].id.clone();
        let sent = Event::Delivered { delivery_id, outcome: DeliveryOutcome::Sent };
        assert_eq!(keeps(&mut chat, &sent), expected);
    }
}

#[test]
fn an_answer_that_arrived_may_wait_and_one_that_did_not_may_not() {
    for (outcome, expected) in [
        (DeliveryOutcome::Sent, Keep::Later),
        (DeliveryOutcome::NotSent, Keep::First),
        (DeliveryOutcome::Unknown, Keep::First),
    ] {
        let mut chat = chat_with(agent(vec![]));
        chat.channel_takes = false;
        chat.says("hola");
        chat.model_says("¡Hola!");
        let delivery_id = chat.chat.outbox()[0].id.clone();
        let delivered = Event::Delivered { delivery_id, outcome };
        assert_eq!(keeps(&mut chat, &delivered), expected, "{outcome:?}");
    }
}

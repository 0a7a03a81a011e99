//! Chats in which anything may happen next. What must hold is in [`crate::watch`].

use std::collections::BTreeSet;

use manos_chat::{DeliveryOutcome, Event, InboundBody, Rule, Speaker, Then, When};
use manos_engine::{Confirmer, KnownEnd, Surface};
use manos_model::{AuditKind, Failure, FinishReason, ModelFailureKind, ModelReply, RunEnd, RunId};
use manos_policy::Who;
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;
use serde_json::{Value, json};

use crate::agent::{agent, asks, deduped, idempotent, order, quote, quoted_order, reads, tool};
use crate::script::{ANA, Script, calling, script, spec};

/// Something that may happen. What does not fit the moment is passed over.
#[derive(Debug, Clone)]
enum Move {
    /// Whatever the chat waits for comes, in one of its ways.
    Goes(u8, u8),
    Says(u8, u8),
    Presses(u8, bool),
    Voice(u8, u32),
    CodeCalls(u8, u8),
    Media,
    Reset,
    Cancel,
    Handoff(bool),
    ModelCalls(Vec<(u8, u8)>, u8),
    ModelSays(u8),
    ModelFails(bool),
    ToolEnds(u8, u8),
    LateEnd(u8, u8),
    Delivered(u8, u8),
    Settled(u8, bool),
    Waits(i64),
    Crash(u8),
}

const WORDS: [&str; 9] =
    ["sí", "no", "mejor 6", "hola", "paga", "/reset", "/help", "!tool avisar a=1", "🤷"];
const TOOLS: [&str; 8] =
    ["crear_pedido", "cotizado", "cotizar", "leer", "avisar", "una_vez", "seguro", "no_existe"];
const PEOPLE: [&str; 2] = [ANA, "web:eva"];

fn moves() -> impl Strategy<Value = Move> {
    let call = (0..8_u8, 0..4_u8);
    prop_oneof![
        20 => (0..8_u8, 0..4_u8).prop_map(|(what, how)| Move::Goes(what, how)),
        6 => (0..2_u8, 0..9_u8).prop_map(|(who, what)| Move::Says(who, what)),
        2 => (0..2_u8, any::<bool>()).prop_map(|(who, yes)| Move::Presses(who, yes)),
        1 => (0..9_u8, 0..1000_u32).prop_map(|(what, sure)| Move::Voice(what, sure)),
        1 => (0..8_u8, 0..3_u8).prop_map(|(tool, who)| Move::CodeCalls(tool, who)),
        1 => Just(Move::Media),
        1 => Just(Move::Reset),
        1 => Just(Move::Cancel),
        1 => any::<bool>().prop_map(Move::Handoff),
        8 => (prop::collection::vec(call, 1..4), 0..6_u8).prop_map(|(c, how)| Move::ModelCalls(c, how)),
        2 => (0..2_u8).prop_map(Move::ModelSays),
        1 => any::<bool>().prop_map(Move::ModelFails),
        8 => (0..4_u8, 0..4_u8).prop_map(|(which, how)| Move::ToolEnds(which, how)),
        1 => (0..4_u8, 0..4_u8).prop_map(|(which, how)| Move::LateEnd(which, how)),
        2 => (0..3_u8, 0..3_u8).prop_map(|(which, how)| Move::Delivered(which, how)),
        1 => (0..4_u8, any::<bool>()).prop_map(|(which, done)| Move::Settled(which, done)),
        3 => prop_oneof![0..30_i64, 100..700_i64, -60..0_i64].prop_map(Move::Waits),
        2 => (0..4_u8).prop_map(Move::Crash),
    ]
}

fn arguments(number: u8) -> Value {
    match number {
        0 => json!({"cantidad": 1}),
        1 => json!({"cantidad": 2.0}),
        2 => json!({"cantidad": "3"}),
        _ => Value::Null,
    }
}

fn ends(number: u8) -> RunEnd {
    match number {
        0 => RunEnd::Done(json!({"total": 1})),
        1 => RunEnd::Done(json!({"total": 2})),
        2 => RunEnd::NotDone(Failure::Said(json!({"error": "no"}))),
        _ => RunEnd::Unknown(Failure::Timeout { after_ms: 1 }),
    }
}

fn play(chat: &mut Script, next: &Move) {
    match next {
        Move::Goes(what, how) => goes(chat, *what, *how),
        Move::Says(who, what) => {
            chat.says_as(PEOPLE[usize::from(*who)], WORDS[usize::from(*what)]);
        }
        Move::Presses(who, yes) => {
            chat.presses_as(PEOPLE[usize::from(*who)], *yes);
        }
        Move::Voice(what, sure) => {
            let text = WORDS[usize::from(*what)].to_owned();
            let body =
                InboundBody::Voice { text, confidence_permille: Some(*sure), overlapped: false };
            chat.receives(ANA, body);
        }
        Move::CodeCalls(tool, who) => {
            let confirmer =
                [Confirmer::Chat, Confirmer::CodeYes, Confirmer::Nobody][usize::from(*who)];
            chat.code_calls(TOOLS[usize::from(*tool)], &json!({"cantidad": 4}), confirmer);
        }
        Move::Media => {
            chat.receives(ANA, InboundBody::Media("image".into()));
        }
        Move::Reset => {
            chat.receives("op", InboundBody::Reset);
        }
        Move::Cancel => {
            chat.receives(ANA, InboundBody::Cancel);
        }
        Move::Handoff(on) => {
            chat.receives("op", InboundBody::Handoff(*on));
        }
        Move::Waits(seconds) => {
            chat.wait(*seconds);
            chat.time_up();
        }
        Move::Crash(how) => crash(chat, *how),
        Move::ModelCalls(..) | Move::ModelSays(_) | Move::ModelFails(_) => model(chat, next),
        Move::ToolEnds(..) | Move::LateEnd(..) | Move::Delivered(..) | Move::Settled(..) => {
            world(chat, next);
        }
    }
}

fn goes(chat: &mut Script, what: u8, how: u8) {
    let Some(turn) = chat.chat.turn() else {
        chat.says(["hola", "paga"][usize::from(how % 2)]);
        return;
    };
    if turn.awaits_model() {
        chat.model_calls([(TOOLS[usize::from(what)], arguments(how))]);
    } else if turn.confirmation().is_some() {
        chat.says("sí");
    } else {
        chat.tool_ends(ends(how));
    }
}

fn model(chat: &mut Script, next: &Move) {
    if !chat.chat.turn().is_some_and(manos_engine::Turn::awaits_model) {
        return;
    }
    match next {
        Move::ModelCalls(calls, how) => {
            let mut reply = calling::<0>([]);
            for (tool, number) in calls {
                reply
                    .calls
                    .extend(calling([(TOOLS[usize::from(*tool)], arguments(*number))]).calls);
            }
            match how {
                0 => reply.text = "Un momento.".into(),
                1 => reply.finish = FinishReason::Length,
                2 => reply.calls.extend(calling([("avisar", json!("{\"a\": 3"))]).calls),
                _ => {}
            }
            chat.model(reply);
        }
        Move::ModelSays(what) => {
            chat.model(ModelReply::of_text(["Listo.", ""][usize::from(*what)]));
        }
        Move::ModelFails(refused) => {
            let kind =
                if *refused { ModelFailureKind::RefusedCall } else { ModelFailureKind::TooLong };
            chat.model_fails(kind);
        }
        _ => {}
    }
}

fn world(chat: &mut Script, next: &Move) {
    match next {
        Move::ToolEnds(which, how) => {
            let run_ids: Vec<RunId> =
                chat.chat.runs_under_way().map(|run| run.run_id.clone()).collect();
            if let Some(run_id) = run_ids.get(usize::from(*which) % run_ids.len().max(1)) {
                chat.run_ends(run_id.clone(), ends(*how));
            }
        }
        Move::LateEnd(which, how) => {
            if let Some(run_id) = ledger_run(chat, *which) {
                chat.run_ends(run_id, ends(*how));
            }
        }
        Move::Delivered(which, how) => {
            let outcomes =
                [DeliveryOutcome::Sent, DeliveryOutcome::NotSent, DeliveryOutcome::Unknown];
            if let Some(delivery) = chat.chat.outbox().get(usize::from(*which)) {
                let delivery_id = delivery.id.clone();
                chat.event(&Event::Delivered { delivery_id, outcome: outcomes[usize::from(*how)] });
            }
        }
        Move::Settled(which, done) => {
            let unknown = ledger_run(chat, *which).filter(|run_id| {
                chat.chat.memory().ledger.entries().iter().any(|entry| {
                    entry.run_id == *run_id && entry.state == manos_engine::EntryState::Unknown
                })
            });
            if let Some(run_id) = unknown {
                chat.event(&Event::Settled { run_id, done: *done });
            }
        }
        _ => {}
    }
}

fn ledger_run(chat: &Script, which: u8) -> Option<RunId> {
    chat.chat.memory().ledger.entries().get(usize::from(which)).map(|entry| entry.run_id.clone())
}

/// The process dies and another takes the chat up, which may know how runs ended.
fn crash(chat: &mut Script, how: u8) {
    let end = match how {
        0 => None,
        1 => Some(KnownEnd::Done(json!({"total": 1}))),
        2 => Some(KnownEnd::NotDone),
        _ => Some(KnownEnd::Unknown),
    };
    let known =
        chat.chat.runs_under_way().filter_map(|run| Some((run.run_id.clone(), end.clone()?)));
    let known = known.collect();
    chat.crashes(known);
}

fn chat_of(surface: Surface, settings: (bool, bool, bool), who: Who) -> Script {
    let (parallel_reads, channel_takes, final_answer) = settings;
    let mut cotizado = quoted_order();
    cotizado.spec.name = "cotizado".to_owned().try_into().unwrap();
    let tools = vec![
        order(),
        cotizado,
        quote(),
        reads("leer"),
        tool("avisar"),
        deduped(asks("una_vez", "Una vez")),
        idempotent(asks("seguro", "Seguro")),
    ];
    let rule = Rule {
        when: When { equals: vec!["paga".into()], ..When::default() },
        then: Then::Tool { tool: "una_vez".into(), arguments: vec![], speaker: Speaker::default() },
    };
    let mut agent = agent(tools);
    agent.limits.parallel_reads = parallel_reads;
    agent.limits.final_answer = final_answer;
    agent.limits.steps_max = 4;
    agent.confirm.who = who;
    let mut spec = spec(agent, vec![rule]);
    spec.waiting_max = 2;
    spec.direct_tools = vec!["everyone".into()];
    let mut chat = script(spec);
    chat.surface = surface;
    chat.channel_takes = channel_takes;
    chat
}

/// The settings of a chat, and what happens in it.
type Play = (Vec<Move>, (bool, bool, bool), (bool, bool, bool), bool);

fn plays() -> impl Strategy<Value = Play> {
    let moves = prop::collection::vec(moves(), 1..60);
    (moves, any::<(bool, bool, bool)>(), any::<(bool, bool, bool)>(), any::<bool>())
}

fn played((moves, (buttons, edits, repeats), settings, anyone): &Play) -> Script {
    let who = if *anyone { Who::Anyone } else { Who::Requester };
    let surface = Surface { buttons: *buttons, edits: *edits, repeats: *repeats, voice: false };
    let mut chat = chat_of(surface, *settings, who);
    for next in moves {
        play(&mut chat, next);
        chat.would_survive_a_crash();
    }
    chat
}

proptest! {
    #![proptest_config(ProptestConfig { cases: CASES, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_happens_what_must_hold_holds(play in plays()) {
        played(&play);
    }
}

/// How many chats are played.
const CASES: u32 = 300;

#[test]
fn the_moves_reach_nearly_everything_that_can_happen() {
    let mut runner = TestRunner::deterministic();
    let mut seen = BTreeSet::new();
    for _ in 0..CASES {
        let play = plays().new_tree(&mut runner).unwrap().current();
        seen.extend(played(&play).audit.iter().map(|event| event.kind));
    }
    let never: Vec<&str> =
        AuditKind::ALL.iter().filter(|kind| !seen.contains(kind)).map(|kind| kind.name()).collect();
    assert_eq!(never, ["config.loaded", "message.duplicate"]);
}

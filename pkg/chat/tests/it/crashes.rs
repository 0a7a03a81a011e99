//! A new process takes the chat up, at every stage.

use insta::assert_snapshot;
use manos_chat::{Chat, DeliveryOutcome, Event};
use manos_engine::{Confirmer, KnownEnd};
use serde_json::json;

use crate::agent::{agent, idempotent, order, quote, quoted_order, reads, tool};
use crate::script::{PLAIN, Script, WEB, chat_with};

fn running(tool: manos_engine::Tool) -> Script {
    let name = tool.spec.name.as_str().to_owned();
    let mut chat = chat_with(agent(vec![tool]));
    chat.says("hola");
    chat.model_calls([(name.as_str(), json!({"cantidad": 1}))]);
    if chat.question.is_some() {
        chat.says("sí");
    }
    chat
}

#[test]
fn a_model_call_is_simply_made_again() {
    let mut chat = chat_with(agent(vec![reads("leer")]));
    chat.says("hola");
    assert_snapshot!(chat.crashes(vec![]), @r"
    model 1 ← hola
    · model.called
    ");
    chat.model_calls([("leer", json!({}))]);
    chat.tool_returns(json!(1));
    assert_snapshot!(chat.crashes(vec![]), @r"
    model 2 ← 1
    · model.called
    ");
}

#[test]
fn a_question_goes_on_waiting_and_is_shown_again_only_where_that_does_no_harm() {
    let mut chat = chat_with(agent(vec![order()]));
    chat.surface = WEB;
    chat.channel_takes = false;
    chat.says("hola");
    chat.model_calls([("crear_pedido", json!({"cantidad": 1}))]);
    chat.channel_takes = true;
    assert_snapshot!(chat.crashes(vec![]), @r#"
    ask Voy a: Crear pedido
    • cantidad: 1
    ¿Confirmas? ["Sí", "No"]
    · reply.sent confirm.shown
    "#);
    assert_snapshot!(chat.crashes(vec![]), @"·");
    assert_snapshot!(chat.says("sí"), @r#"
    edit Voy a: Crear pedido
    • cantidad: 1
    ¿Confirmas?
    → Sí
    run crear_pedido {"cantidad":1} as r1
    · message.received confirm.approved tool.started reply.sent
    "#);

    let mut chat = chat_with(agent(vec![order()]));
    chat.surface = PLAIN;
    chat.channel_takes = false;
    chat.says("hola");
    chat.model_calls([("crear_pedido", json!({"cantidad": 1}))]);
    assert_snapshot!(chat.crashes(vec![]), @"· reply.unknown");
    assert_snapshot!(chat.trail("reply.unknown"), @r#"{"delivery_id":"2e67e4962fcea18fd1b6ce1ecff5993b","output":"confirm","confirmation_id":"c_f05b182f7f6d0f75c5aae34390afdc63","why":"unclear"}"#);
}

#[test]
fn a_question_whose_time_is_over_expires_and_is_not_sent_any_more() {
    let mut chat = chat_with(agent(vec![order()]));
    chat.surface = WEB;
    chat.channel_takes = false;
    chat.says("hola");
    chat.model_calls([("crear_pedido", json!({"cantidad": 1}))]);
    chat.wait(121);
    assert_snapshot!(chat.crashes(vec![]), @r"
    edit Voy a: Crear pedido
    • cantidad: 1
    ¿Confirmas?
    → sin respuesta
    end
    · confirm.expired turn.finished
    ");
}

#[test]
fn an_answer_of_unclear_end_is_not_sent_twice() {
    let mut chat = chat_with(agent(vec![]));
    chat.channel_takes = false;
    chat.says("hola");
    chat.model_says("Hola, Ana.");
    assert_snapshot!(chat.crashes(vec![]), @"· reply.unknown");
    let mut chat = chat_with(agent(vec![]));
    chat.surface.repeats = true;
    chat.channel_takes = false;
    chat.says("hola");
    chat.model_says("Hola, Ana.");
    assert_snapshot!(chat.crashes(vec![]), @r"
    say Hola, Ana.
    ·
    ");
    let delivery_id = chat.chat.outbox()[0].id.clone();
    let outcome = DeliveryOutcome::NotSent;
    assert_snapshot!(chat.event(&Event::Delivered { delivery_id, outcome }), @"· reply.unknown");
}

#[test]
fn an_effect_under_way_is_settled_run_again_or_unknown() {
    let cases = [
        (
            "nobody can tell",
            order(),
            None,
            "model 2 ← {\"executed\":\"unknown\",\"reason\":\"interrupted\"}",
        ),
        ("the journal has it", order(), Some(KnownEnd::Done(json!("P-1"))), "model 2 ← \"P-1\""),
        (
            "the journal has a no",
            order(),
            Some(KnownEnd::Done(json!({"error": "no"}))),
            "model 2 ← {\"error\":\"no\"}",
        ),
        (
            "it surely was not done",
            order(),
            Some(KnownEnd::NotDone),
            "run crear_pedido {\"cantidad\":1} as r1",
        ),
        ("idempotent", idempotent(tool("avisar")), None, "run avisar {\"cantidad\":1} as r1"),
        ("a read", reads("leer"), None, "run leer {\"cantidad\":1} as r1"),
    ];
    for (why, tool, known, expected) in cases {
        let mut chat = running(tool);
        let known = known.map(|end| (chat.run("r1"), end)).into_iter().collect();
        let played = chat.crashes(known);
        assert!(played.starts_with(expected), "{why}: {played}");
    }
    let mut chat = running(order());
    assert_snapshot!(chat.crashes(vec![]), @r#"
    model 2 ← {"executed":"unknown","reason":"interrupted"}
    · tool.interrupted run.unknown model.called
    "#);
    assert_snapshot!(chat.ledger(), @r#"Unknown crear_pedido {"cantidad":1} → {"executed":"unknown","reason":"interrupted"}"#);
    let failure = &chat.trail("tool.interrupted")["failure"];
    assert_eq!(*failure, json!({"executed": "unknown", "reason": "interrupted"}));
    let mut chat = running(order());
    let known = vec![(chat.run("r1"), KnownEnd::Done(json!("P-1")))];
    assert_snapshot!(chat.crashes(known), @r#"
    model 2 ← "P-1"
    · tool.late tool.succeeded model.called
    "#);
}

#[test]
fn reads_side_by_side_are_each_made_again_once() {
    let mut chat = chat_with(agent(vec![reads("leer"), reads("mirar")]));
    chat.spec.agent.limits.parallel_reads = true;
    chat.says("hola");
    chat.model_calls([("leer", json!({})), ("mirar", json!({})), ("leer", json!({"n": 2}))]);
    let done = vec![(chat.run("r1"), KnownEnd::Done(json!("leído")))];
    assert_snapshot!(chat.crashes(done), @r#"
    run mirar {} as r2
    run leer {"n":2} as r3
    · tool.late tool.succeeded tool.started tool.started
    "#);
}

#[test]
fn an_approval_that_is_no_longer_fresh_starts_nothing() {
    let mut chat = running(order());
    chat.wait(121);
    let known = vec![(chat.run("r1"), KnownEnd::NotDone)];
    assert_snapshot!(chat.crashes(known), @r"
    say Tu sí quedó sin efecto: «Crear pedido» no empezó a tiempo y no se hizo. Pídelo otra vez si aún lo quieres.
    end
    · tool.late tool.denied turn.finished reply.sent
    ");
}

#[test]
fn a_tool_that_is_another_now_does_not_run_on_an_old_approval() {
    let changed = || {
        let mut tool = order();
        tool.spec.definition = "v2".into();
        agent(vec![tool])
    };
    let mut chat = running(order());
    chat.spec.agent = changed();
    let known = vec![(chat.run("r1"), KnownEnd::NotDone)];
    assert_snapshot!(chat.crashes(known), @r#"
    model 2 ← {"executed":false,"reason":"changed"}
    · tool.denied model.called
    "#);

    let mut chat = chat_with(agent(vec![order()]));
    chat.says("hola");
    chat.model_calls([("crear_pedido", json!({"cantidad": 1}))]);
    chat.spec.agent = changed();
    chat.crashes(vec![]);
    assert_snapshot!(chat.says("sí"), @r#"
    model 2 ← {"executed":false,"reason":"changed"}
    · message.received confirm.approved tool.denied model.called
    "#);

    let mut chat = running(order());
    chat.spec.agent = agent(vec![]);
    assert_snapshot!(chat.crashes(vec![]), @r#"
    model 2 without tools ← {"executed":"unknown","reason":"interrupted"}
    · tool.interrupted run.unknown model.called
    "#);
    let mut chat = chat_with(agent(vec![order()]));
    chat.says("hola");
    chat.model_calls([("crear_pedido", json!({"cantidad": 1}))]);
    chat.spec.agent = agent(vec![]);
    chat.crashes(vec![]);
    assert_snapshot!(chat.says("sí"), @r#"
    model 2 without tools ← {"executed":false,"reason":"changed"}
    · message.received confirm.approved tool.denied model.called
    "#);
}

#[test]
fn the_facts_of_a_question_are_fetched_again_under_their_run_id() {
    let mut chat = chat_with(agent(vec![quoted_order(), quote()]));
    chat.says("hola");
    chat.model_calls([("crear_pedido", json!({"cantidad": 5}))]);
    assert_snapshot!(chat.crashes(vec![]), @r#"
    run cotizar {"cantidad":5} as r1
    · tool.started
    "#);
    chat.tool_returns(json!({"total": 1}));
    chat.says("sí");
    assert_snapshot!(chat.crashes(vec![]), @r#"
    run cotizar {"cantidad":5} as r2
    · tool.started
    "#);
    assert_snapshot!(chat.tool_returns(json!({"total": 1})), @r#"
    run crear_pedido {"cantidad":5} as r3
    · tool.succeeded tool.started
    "#);

    let mut chat = chat_with(agent(vec![quoted_order(), quote()]));
    chat.says("hola");
    chat.model_calls([("crear_pedido", json!({"cantidad": 5}))]);
    chat.spec.agent = agent(vec![quoted_order()]);
    assert_snapshot!(chat.crashes(vec![]), @r#"
    model 2 ← {"executed":"unknown","reason":"interrupted"}
    · tool.interrupted tool.denied model.called
    "#);
}

#[test]
fn a_turn_found_too_old_is_not_continued() {
    let mut chat = running(order());
    chat.wait(601);
    assert_snapshot!(chat.crashes(vec![]), @r"
    say Lo siento, me interrumpí y no terminé de atender tu último mensaje. Si aún lo necesitas, escríbelo otra vez.
    end
    · tool.interrupted run.unknown loop.error turn.finished reply.sent
    ");
    assert_snapshot!(chat.history(), @r"
    User: hola
    Assistant: Lo siento, me interrumpí y no terminé de atender tu último mensaje. Si aún lo necesitas, escríbelo otra vez.
    ");
    let mut chat = running(order());
    chat.wait(601);
    let known = vec![(chat.run("r1"), KnownEnd::Done(json!("P-1")))];
    assert_snapshot!(chat.crashes(known), @r"
    say Esto sí quedó hecho: Crear pedido.
    Lo siento, me interrumpí y no terminé de atender tu último mensaje. Si aún lo necesitas, escríbelo otra vez.
    end
    · tool.late tool.succeeded loop.error turn.finished reply.sent
    ");
    let mut chat = running(reads("leer"));
    chat.wait(601);
    assert_snapshot!(chat.crashes(vec![]), @r"
    say Lo siento, me interrumpí y no terminé de atender tu último mensaje. Si aún lo necesitas, escríbelo otra vez.
    end
    · tool.interrupted loop.error turn.finished reply.sent
    ");
    assert_snapshot!(chat.ledger(), @"");
    let mut chat = chat_with(agent(vec![tool("avisar")]));
    chat.code_calls("avisar", &json!({}), Confirmer::Nobody);
    chat.wait(601);
    assert_snapshot!(chat.crashes(vec![]), @r#"
    end failed {"executed":"unknown","reason":"interrupted"}
    · tool.interrupted run.unknown loop.error turn.finished
    "#);
}

#[test]
fn time_spent_waiting_for_a_person_does_not_age_a_turn() {
    let mut chat = chat_with(agent(vec![order()]));
    chat.spec.agent.confirm.timeout = std::time::Duration::from_mins(30);
    chat.says("hola");
    chat.model_calls([("crear_pedido", json!({"cantidad": 1}))]);
    chat.wait(1200);
    chat.crashes(vec![]);
    chat.says("sí");
    chat.tool_returns(json!("P-1"));
    assert_snapshot!(chat.crashes(vec![]), @r#"
    model 2 ← "P-1"
    · model.called
    "#);
}

#[test]
fn effects_of_a_stopped_turn_are_settled_too() {
    for (known, expected) in [
        (KnownEnd::Done(json!("P-1")), "Done crear_pedido {\"cantidad\":1} → \"P-1\""),
        (KnownEnd::NotDone, "NotDone crear_pedido"),
        (KnownEnd::Unknown, "Unknown crear_pedido"),
    ] {
        let mut chat = running(order());
        chat.says("/reset");
        let raised = known == KnownEnd::Unknown;
        let known = vec![(chat.run("r1"), known)];
        let played = chat.crashes(known);
        assert!(chat.ledger().starts_with(expected), "{}", chat.ledger());
        assert_eq!(played.contains("run.unknown"), raised, "{played}");
        assert!(!chat.chat.awake());
    }
}

#[test]
fn messages_that_waited_are_taken_up() {
    let mut chat = chat_with(agent(vec![]));
    chat.says("uno");
    chat.says("dos");
    chat.wait(601);
    assert_snapshot!(chat.crashes(vec![]), @r"
    say Lo siento, me interrumpí y no terminé de atender tu último mensaje. Si aún lo necesitas, escríbelo otra vez.
    end
    model 1 without tools ← dos
    · loop.error turn.finished turn.started model.called reply.sent
    ");
}

#[test]
fn a_chat_of_a_newer_program_is_refused() {
    let newer = Chat::read("web:1".into(), "{\"v\":3,\"state\":{\"new\":1}}", None);
    assert_snapshot!(newer.unwrap_err(), @"the chat has format 3; this program knows formats up to 2");
    let broken = Chat::read("web:1".into(), "{\"v\":1,\"state\":[]}", None);
    assert_snapshot!(broken.unwrap_err(), @"the stored chat cannot be read");
}

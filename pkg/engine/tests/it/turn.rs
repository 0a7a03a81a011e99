//! What a turn does with one event, and with events that are not for it.

use insta::assert_snapshot;
use manos_engine::{Answered, CancelReason, DirectCall, Says, Turn, TurnEvent, Via};
use manos_model::{CallArguments, FinishReason, ModelReply, RequestedCall, RunEnd};
use serde_json::{Value, json};

use crate::agent::{agent, order, reads};
use crate::stage::Stage;

fn calling(name: &str, arguments: Value) -> TurnEvent {
    let call = RequestedCall {
        wire_id: Some("w1".into()),
        name: name.into(),
        arguments: CallArguments::Value(arguments),
    };
    let reply = Box::new(ModelReply {
        calls: vec![call],
        finish: FinishReason::ToolCalls,
        ..ModelReply::of_text("")
    });
    TurnEvent::ModelReplied { reply, duration_ms: None }
}

fn answer(turn: &Turn, says: Says) -> TurnEvent {
    let id = turn.confirmation().unwrap().id.clone();
    let words = if says == Says::Yes { "sí" } else { "no" }.to_owned();
    TurnEvent::Answered(Answered { id, by: "web:ana".into(), via: Via::Text, words, says })
}

fn ended(turn: &Turn, result: Value) -> TurnEvent {
    let run_id = turn.runs()[0].run_id.clone();
    TurnEvent::ToolEnded { run_id, end: RunEnd::of_result(result), duration_ms: 7 }
}

/// A turn that asks about an order.
fn asked(stage: &mut Stage) -> (Turn, String) {
    let (mut turn, _) = stage.ask_model("quiero pan");
    let played = stage.apply(&mut turn, calling("crear_pedido", json!({"cantidad": 5})));
    (turn, played)
}

#[test]
fn an_answer_before_the_question_is_shown_is_none() {
    let mut stage = Stage::new(agent(vec![order()]));
    let (mut turn, played) = asked(&mut stage);
    assert_snapshot!(played, @r"
    ask until 1970-01-01T00:02:00Z: Voy a: Crear pedido / • cantidad: 5 / ¿Confirmas?
    · model.replied tool.requested confirm.asked
    ");
    let yes = answer(&turn, Says::Yes);
    assert_snapshot!(stage.apply(&mut turn, yes.clone()), @"·");
    let shown = TurnEvent::Shown(turn.confirmation().unwrap().id.clone());
    stage.now_s = 60;
    assert_snapshot!(stage.apply(&mut turn, shown.clone()), @"· confirm.shown");
    assert_eq!(turn.deadline().unwrap().as_second(), 180, "it waits from when it was shown");
    assert_snapshot!(stage.apply(&mut turn, shown), @"·");
    stage.now_s = 180;
    assert_snapshot!(stage.apply(&mut turn, yes.clone()), @r"
    edit Voy a: Crear pedido / • cantidad: 5 / ¿Confirmas? / → Sí
    run crear_pedido
    · confirm.approved tool.started
    ");
    assert_snapshot!(stage.apply(&mut turn, yes), @"·");
}

#[test]
fn an_event_that_does_not_concern_a_turn_changes_nothing() {
    let mut stage = Stage::new(agent(vec![order(), reads("leer")]));
    let (mut turn, _) = asked(&mut stage);
    let before = turn.clone();
    let other = |id: &str| Answered {
        id: id.into(),
        by: "web:ana".into(),
        via: Via::Press,
        words: String::new(),
        says: Says::Yes,
    };
    let events = [
        TurnEvent::Answered(other("c_other")),
        TurnEvent::Shown("c_other".into()),
        TurnEvent::TimeUp,
        calling("leer", json!({})),
        TurnEvent::ToolEnded { run_id: "r".into(), end: RunEnd::Done(json!(1)), duration_ms: 1 },
    ];
    for event in events {
        let said = format!("{event:?}");
        assert_eq!(stage.apply(&mut turn, event), "· ", "{said}");
        assert_eq!(turn, before, "{said}");
    }
}

#[test]
fn a_turn_ends_with_what_was_said_and_what_was_not_told() {
    let mut stage = Stage::new(agent(vec![order()]));
    let (mut turn, _) = asked(&mut stage);
    let shown = TurnEvent::Shown(turn.confirmation().unwrap().id.clone());
    stage.apply(&mut turn, shown);
    let yes = answer(&turn, Says::Yes);
    stage.apply(&mut turn, yes);
    let done = ended(&turn, json!({"id": "P-1"}));
    assert_snapshot!(stage.apply(&mut turn, done), @r"
    model 2
    · tool.succeeded model.called
    ");
    let mut cancelled = turn.clone();
    let cancel = TurnEvent::Cancelled(CancelReason::Cancelled);
    assert_snapshot!(stage.apply(&mut cancelled, cancel.clone()), @r#"
    finish Cancelled(Cancelled) said ["quiero pan"] untold Some("Esto sí quedó hecho: Crear pedido.")
    · turn.cancelled
    "#);
    assert_snapshot!(stage.apply(&mut cancelled, cancel), @"·");
    let reply = Box::new(ModelReply::of_text("Listo."));
    let reply = TurnEvent::ModelReplied { reply, duration_ms: None };
    assert_snapshot!(stage.apply(&mut turn, reply), @r#"
    finish Answered("Listo.") said ["quiero pan"] untold None
    · model.replied
    "#);
    assert!(turn.ended());
}

#[test]
fn a_single_call_ends_with_its_outcome() {
    let mut stage = Stage::new(agent(vec![reads("leer")]));
    let call = |tool: &str, arguments: &str| DirectCall {
        tool: tool.into(),
        arguments: CallArguments::Text(arguments.into()),
    };
    let (mut turn, played) = stage.call(call("leer", "{\"a\": 1}"));
    assert_snapshot!(played, @r"
    run leer
    · turn.started tool.requested tool.started
    ");
    let done = ended(&turn, json!([1]));
    assert_snapshot!(stage.apply(&mut turn, done), @r#"
    finish CallEnded { arguments: {"a": Number(1)}, outcome: Done(Array [Number(1)]) } said [""] untold None
    · tool.succeeded
    "#);
    let (turn, played) = stage.call(call("leer", "{\"a\": "));
    assert_snapshot!(played, @r#"
    finish CallEnded { arguments: {}, outcome: Failed(InvalidArguments { violations: [Violation { path: "", expected: "JSON text; the text ends where a JSON value was expected at line 1, column 7", got: String("{\"a\": ⟨here⟩") }] }) } said [""] untold None
    · turn.started tool.requested tool.invalid
    "#);
    assert!(turn.ended());
}

//! Who gets what comes in.

use insta::assert_snapshot;
use manos_chat::{Doing, Event, InboundBody};
use serde_json::json;

use crate::agent::{agent, order, reads};
use crate::script::{ANA, WEB, chat_with};

#[test]
fn messages_wait_for_the_turn_in_progress_in_their_order() {
    let mut chat = chat_with(agent(vec![]));
    chat.says("uno");
    assert_snapshot!(chat.says("dos"), @"· message.received");
    chat.says_as("web:eva", "tres");
    assert_snapshot!(chat.model_says("1"), @r"
    say 1
    end
    model 1 without tools ← dos
    · model.replied turn.finished turn.started model.called reply.sent
    ");
    assert_snapshot!(chat.model_says("2"), @r"
    say 2
    end
    model 1 without tools ← tres
    · model.replied turn.finished turn.started model.called reply.sent
    ");
}

#[test]
fn beyond_the_bound_one_notice_is_said() {
    let mut chat = chat_with(agent(vec![]));
    chat.spec.waiting_max = 1;
    chat.says("uno");
    chat.says("dos");
    assert_snapshot!(chat.says("tres"), @r"
    say Tengo demasiados mensajes en espera y no pude atender este. Escríbelo otra vez en un momento.
    · message.received reply.sent
    ");
    assert_snapshot!(chat.says("cuatro"), @"· message.received");
    chat.model_says("1");
    chat.says("cinco");
    assert_snapshot!(chat.says("seis"), @r"
    say Tengo demasiados mensajes en espera y no pude atender este. Escríbelo otra vez en un momento.
    · message.received reply.sent
    ");
}

#[test]
fn what_is_no_text_or_too_long_is_answered_in_a_sentence() {
    let mut chat = chat_with(agent(vec![]));
    assert_snapshot!(chat.receives(ANA, InboundBody::Media("image".into())), @r"
    say Solo puedo leer texto. Escríbemelo, por favor.
    end
    · message.received turn.started turn.finished reply.sent
    ");
    chat.spec.message_chars_max = 3;
    assert_snapshot!(chat.says("ñandú"), @r"
    say Tu mensaje es demasiado largo: el máximo es de 3 caracteres.
    end
    · message.received turn.started turn.finished reply.sent
    ");
    assert_snapshot!(chat.trail("message.received"), @r#"{"user":"web:ana","chars":5}"#);
    assert_snapshot!(chat.history(), @r"
    User: [image]
    Assistant: Solo puedo leer texto. Escríbemelo, por favor.
    ");
    chat.says("abc");
    assert_snapshot!(chat.says("abcd"), @r"
    say Tu mensaje es demasiado largo: el máximo es de 3 caracteres.
    end
    · message.received turn.started turn.finished reply.sent
    ");
    assert_snapshot!(chat.says("   "), @"· message.received");
}

#[test]
fn a_message_that_came_before_is_only_noted() {
    let mut chat = chat_with(agent(vec![]));
    assert_snapshot!(chat.event(&Event::Duplicate("m1".into())), @"· message.duplicate");
}

#[test]
fn an_operator_takes_the_chat_and_gives_it_back() {
    let mut chat = chat_with(agent(vec![order(), reads("leer")]));
    chat.surface = WEB;
    chat.says("quiero pan");
    chat.model_calls([("crear_pedido", json!({"cantidad": 1}))]);
    chat.says_as("web:eva", "yo también");
    assert_snapshot!(chat.receives("op", InboundBody::Handoff(true)), @r"
    edit Voy a: Crear pedido
    • cantidad: 1
    ¿Confirmas?
    → cancelado
    stop the model
    end
    · message.received confirm.cancelled turn.cancelled handoff.started reply.sent
    ");
    assert_snapshot!(chat.says("¿hola?"), @"· message.received");
    assert_snapshot!(chat.presses(true), @"· message.received confirm.stale_press");
    let long = "x".repeat(8_001);
    chat.says(&long);
    assert_snapshot!(chat.receives("op", InboundBody::Handoff(false)), @"· message.received handoff.ended");
    assert_snapshot!(chat.history(), @r"
    User: quiero pan
    User: yo también
    User: ¿hola?
    User: [8001 chars]
    ");
    assert_snapshot!(chat.says("hola"), @r"
    model 1 ← hola
    · message.received turn.started model.called
    ");
}

#[test]
fn a_reset_drops_what_waits_and_what_was_said() {
    let mut chat = chat_with(agent(vec![]));
    chat.says("uno");
    chat.model_says("1");
    chat.says("dos");
    chat.says("tres");
    assert_snapshot!(chat.says(" /reset "), @r"
    stop the model
    end
    say Conversación reiniciada.
    · message.received turn.cancelled turn.cancelled reply.sent
    ");
    assert_snapshot!(chat.history(), @"");
    assert_snapshot!(chat.receives("op", InboundBody::Reset), @"· message.received");
}

#[test]
fn a_chat_says_what_it_does() {
    let mut chat = chat_with(agent(vec![order()]));
    assert_eq!(chat.chat.doing(), Doing::Idle);
    chat.says("quiero pan");
    assert_eq!(chat.chat.doing(), Doing::Busy);
    chat.model_calls([("crear_pedido", json!({"cantidad": 1}))]);
    assert!(matches!(chat.chat.doing(), Doing::Waiting { .. }));
    assert_eq!(chat.chat.deadline().unwrap().to_string(), "2026-01-05T19:05:00Z");
}

#[test]
fn events_for_a_turn_that_is_gone_change_nothing() {
    let mut chat = chat_with(agent(vec![]));
    chat.says("uno");
    let turn_id = chat.chat.turn().unwrap().id.clone();
    chat.model_says("1");
    let reply = Box::new(manos_model::ModelReply::of_text("otra"));
    assert_snapshot!(chat.event(&Event::ModelReplied { turn_id, reply, duration_ms: None }), @"·");
    assert_snapshot!(chat.time_up(), @"·");
}

#[test]
fn in_a_chat_that_a_human_has_a_stale_press_is_only_acknowledged() {
    // A channel that draws buttons and cannot take them away: elsewhere it says that they are old.
    let stays = manos_engine::Surface { buttons: true, ..crate::script::PLAIN };
    let mut chat = chat_with(agent(vec![order()]));
    chat.surface = stays;
    chat.says("quiero pan");
    chat.model_calls([("crear_pedido", json!({"cantidad": 5}))]);
    chat.says("no");
    chat.model_says("Bueno.");
    assert_snapshot!(chat.presses(true), @r"
    say Esa confirmación ya no está activa.
    · message.received confirm.stale_press reply.sent
    ");
    chat.receives(ANA, InboundBody::Handoff(true));
    assert_snapshot!(chat.presses(true), @"· message.received confirm.stale_press");
}

#[test]
fn a_reply_that_a_filter_stopped_is_told_apart_and_has_its_duration() {
    let mut chat = chat_with(agent(vec![]));
    chat.says("hola");
    let filtered = manos_model::ModelReply {
        finish: manos_model::FinishReason::ContentFilter,
        ..manos_model::ModelReply::of_text("")
    };
    assert_snapshot!(chat.model(filtered.clone()), @r"
    model 2 without tools ← hola | note: El filtro de contenido de tu proveedor detuvo tu respuesta anterior y sus llamadas no se ejecutaron. Responde otra vez con otras palabras, o di que no puedes ayudar con eso.
    · model.replied loop.truncated model.called
    ");
    assert_eq!(chat.trail("loop.truncated")["finish"], "content_filter");
    chat.model(filtered);
    let reason = chat.trail("loop.error")["reason"].to_string();
    assert!(reason.contains("content filter"), "{reason}");
    let replied = chat.audit.iter().find(|event| event.kind.name() == "model.replied").unwrap();
    assert_eq!(replied.duration_ms, Some(7));
}

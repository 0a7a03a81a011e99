//! What an answer does, whose it is, and when it comes too late.

use insta::assert_snapshot;
use manos_chat::{DeliveryOutcome, Event, InboundBody};
use serde_json::json;

use crate::agent::{agent, asks, order};
use crate::script::{ANA, PLAIN, Script, WEB, chat_with};

/// A chat on this channel in which an order is being asked about.
fn asked_on(surface: manos_engine::Surface) -> Script {
    let mut chat = chat_with(agent(vec![order()]));
    chat.surface = surface;
    chat.says("quiero pan");
    chat.model_calls([("crear_pedido", json!({"cantidad": 5}))]);
    chat
}

#[test]
fn words_that_are_neither_go_to_the_model_and_into_the_history() {
    let mut chat = asked_on(WEB);
    assert_snapshot!(chat.says("sí pero cambia a 6 unidades"), @r#"
    edit Voy a: Crear pedido
    • cantidad: 5
    ¿Confirmas?
    → otra respuesta
    model 2 ← {"executed":false,"reason":"user_replied","userReply":"sí pero cambia a 6 unidades"}
    · message.received confirm.replied model.called reply.sent
    "#);
    assert_snapshot!(chat.trail("confirm.replied")["words"], @r#""sí pero cambia a 6 unidades""#);
    chat.model_calls([("crear_pedido", json!({"cantidad": 6}))]);
    chat.says("sí");
    chat.tool_returns(json!("P-1"));
    chat.model_says("Listo.");
    assert_snapshot!(chat.history(), @r"
    User: quiero pan
    User: sí pero cambia a 6 unidades
    Assistant: Listo.
    ");
}

#[test]
fn a_plain_no_is_told_and_not_remembered() {
    let mut chat = asked_on(WEB);
    assert_snapshot!(chat.presses(false), @r#"
    edit Voy a: Crear pedido
    • cantidad: 5
    ¿Confirmas?
    → No
    model 2 ← {"executed":false,"reason":"rejected","instruction":"La persona dijo que no. No lo reintentes (do not retry) ni lo propongas otra vez, salvo que ella lo pida."}
    · message.received confirm.rejected model.called reply.sent
    "#);
    chat.model_says("De acuerdo.");
    assert_snapshot!(chat.history(), @r"
    User: quiero pan
    Assistant: De acuerdo.
    ");
}

#[test]
fn an_answer_gives_the_turn_its_steps_back() {
    let mut chat = asked_on(PLAIN);
    chat.spec.agent.limits.steps_max = 2;
    chat.says("mejor 6");
    assert_snapshot!(chat.model_calls([("crear_pedido", json!({"cantidad": 6}))]), @r"
    ask Voy a: Crear pedido
    • cantidad: 6
    ¿Confirmas? (sí/no)
    · model.replied tool.requested confirm.asked reply.sent confirm.shown
    ");
}

#[test]
fn pictures_voice_and_unsure_transcripts_are_no_clear_answer() {
    let voice = |text: &str, confidence_permille, overlapped| InboundBody::Voice {
        text: text.into(),
        confidence_permille,
        overlapped,
    };
    let cases = [
        ("a picture", InboundBody::Media("image".into()), "confirm.replied"),
        ("an unsure transcript", voice("sí", Some(599), false), "confirm.replied"),
        ("sure enough", voice("sí", Some(600), false), "confirm.approved"),
        ("none given is not low", voice("sí", None, false), "confirm.approved"),
        ("the agent was speaking", voice("sí", Some(990), true), "confirm.replied"),
        ("a spoken no", voice("no", None, false), "confirm.rejected"),
    ];
    for (why, body, expected) in cases {
        let mut chat = asked_on(PLAIN);
        let played = chat.receives(ANA, body);
        assert!(played.contains(expected), "{why}: {played}");
    }
}

#[test]
fn cancel_is_no_clear_answer_to_a_cancelling_tool() {
    let mut cancel = asks("cancelar_pedido", "Cancelar pedido");
    cancel.cancels = true;
    let mut chat = chat_with(agent(vec![cancel]));
    chat.says("hola");
    chat.model_calls([("cancelar_pedido", json!({}))]);
    assert_snapshot!(chat.says("cancela"), @r#"
    model 2 ← {"executed":false,"reason":"user_replied","userReply":"cancela"}
    · message.received confirm.replied model.called
    "#);
}

#[test]
fn a_message_too_long_is_never_an_answer_and_only_its_size_is_kept() {
    let mut chat = asked_on(PLAIN);
    chat.spec.message_chars_max = 5;
    assert_snapshot!(chat.says("sí, por favor"), @r#"
    model 2 ← {"executed":false,"reason":"user_replied","userReply":"[13 chars]"}
    say Tu mensaje es demasiado largo: el máximo es de 5 caracteres.
    end
    · message.received confirm.replied model.called turn.started turn.finished reply.sent
    "#);
    assert!(!chat.chat.active_json().unwrap().contains("por favor"));
}

#[test]
fn a_press_counts_once_and_for_its_own_question() {
    let mut chat = asked_on(WEB);
    assert_snapshot!(chat.presses_as("web:eva", true), @"· message.received confirm.stale_press");
    assert_snapshot!(chat.presses(true), @r#"
    edit Voy a: Crear pedido
    • cantidad: 5
    ¿Confirmas?
    → Sí
    run crear_pedido {"cantidad":5} as r1
    · message.received confirm.approved tool.started reply.sent
    "#);
    assert_snapshot!(chat.presses(true), @"· message.received confirm.stale_press");
    assert_snapshot!(chat.says("sí"), @"· message.received confirm.stale_press");
    assert_snapshot!(chat.trail("confirm.stale_press"), @r#"{"by":"web:ana","words":"sí"}"#);
    chat.tool_returns(json!("P-1"));
    chat.model_calls([("crear_pedido", json!({"cantidad": 9}))]);
    let newer = chat.question.replace("c_old".into());
    assert_snapshot!(chat.presses(true), @"· message.received confirm.stale_press");
    chat.question = newer;
    assert_snapshot!(chat.presses(true), @r#"
    edit Voy a: Crear pedido
    • cantidad: 9
    ¿Confirmas?
    → Sí
    run crear_pedido {"cantidad":9} as r2
    · message.received confirm.approved tool.started reply.sent
    "#);
}

#[test]
fn where_buttons_stay_a_press_is_told_what_it_did() {
    let stays = manos_engine::Surface { edits: false, ..WEB };
    let mut chat = asked_on(stays);
    chat.spec.agent.confirm.answered_notice = true;
    assert_snapshot!(chat.presses(true), @r#"
    run crear_pedido {"cantidad":5} as r1
    say Respuesta recibida: Sí.
    · message.received confirm.approved tool.started reply.sent
    "#);
    assert_snapshot!(chat.presses(true), @r"
    say Esa confirmación ya no está activa.
    · message.received confirm.stale_press reply.sent
    ");
    chat.spec.agent.confirm.expired_notice = false;
    assert_snapshot!(chat.presses(true), @"· message.received confirm.stale_press");
}

#[test]
fn nobody_answers_and_the_turn_ends_silently() {
    let mut chat = asked_on(WEB);
    chat.wait(119);
    assert_snapshot!(chat.time_up(), @"·");
    chat.wait(1);
    assert_snapshot!(chat.time_up(), @r"
    edit Voy a: Crear pedido
    • cantidad: 5
    ¿Confirmas?
    → sin respuesta
    end
    · confirm.expired turn.finished reply.sent
    ");
    assert_snapshot!(chat.history(), @r"
    User: quiero pan
    Assistant: [La persona no respondió a tiempo: crear_pedido no se ejecutó.]
    ");
    assert_snapshot!(chat.says("sí"), @r"
    model 1 ← sí
    · message.received turn.started model.called
    ");
}

#[test]
fn a_yes_after_other_words_is_a_message() {
    let swallowed = "· message.received confirm.stale_press";
    let done = || {
        let mut chat = asked_on(PLAIN);
        chat.says("sí");
        chat.tool_returns(json!("P-1"));
        chat.model_says("Listo.");
        chat
    };
    assert_eq!(done().says("sí").trim(), swallowed, "said twice");
    let mut chat = done();
    chat.says("¿y un café?");
    chat.model_says("¿Lo añado?");
    assert!(chat.says("sí").starts_with("model 1 ← sí"), "it answers the model");

    let mut chat = done();
    chat.says("otro");
    chat.model_calls([("crear_pedido", json!({"cantidad": 9}))]);
    chat.says("no");
    chat.model_says("Entonces, ¿dos?");
    assert!(chat.says("sí").starts_with("model 1 ← sí"), "the last answer was a no");
}

#[test]
fn a_late_yes_runs_nothing_and_says_so() {
    let mut chat = asked_on(PLAIN);
    chat.wait(121);
    assert_snapshot!(chat.says("sí"), @r"
    say Tu sí quedó sin efecto: «Crear pedido» no empezó a tiempo y no se hizo. Pídelo otra vez si aún lo quieres.
    end
    · message.received confirm.expired turn.finished reply.sent
    ");
    let mut chat = asked_on(PLAIN);
    chat.wait(121);
    assert_snapshot!(chat.says("no"), @r"
    end
    · message.received confirm.expired turn.finished
    ");
    let mut chat = asked_on(PLAIN);
    chat.wait(121);
    assert_snapshot!(chat.says("¿a qué hora abren?"), @r"
    end
    model 1 ← ¿a qué hora abren?
    · message.received confirm.expired turn.finished turn.started model.called
    ");
}

#[test]
fn an_effect_that_was_done_is_told_when_the_turn_ends_without_an_answer() {
    let mut chat = asked_on(PLAIN);
    chat.says("sí");
    chat.tool_returns(json!("P-1"));
    chat.model_calls([("crear_pedido", json!({"cantidad": 9}))]);
    chat.wait(120);
    assert_snapshot!(chat.time_up(), @r"
    say Esto sí quedó hecho: Crear pedido.
    end
    · confirm.expired turn.finished reply.sent
    ");
}

#[test]
fn a_question_that_the_channel_never_took_cannot_be_answered_and_is_taken_back() {
    let mut chat = chat_with(agent(vec![order()]));
    chat.channel_takes = false;
    chat.says("quiero pan");
    chat.model_calls([("crear_pedido", json!({"cantidad": 5}))]);
    assert_snapshot!(chat.says("sí"), @"· message.received");
    chat.wait(120);
    assert_snapshot!(chat.time_up(), @r"
    end
    model 1 ← sí
    · confirm.expired turn.finished turn.started model.called
    ");
    assert_eq!(chat.chat.outbox(), []);
}

#[test]
fn the_deadline_starts_when_the_question_is_shown() {
    let mut chat = chat_with(agent(vec![order()]));
    chat.channel_takes = false;
    chat.says("quiero pan");
    chat.model_calls([("crear_pedido", json!({"cantidad": 5}))]);
    chat.wait(100);
    let delivery_id = chat.chat.outbox()[0].id.clone();
    chat.event(&Event::Delivered { delivery_id, outcome: DeliveryOutcome::Sent });
    chat.wait(119);
    assert_snapshot!(chat.says("sí"), @r#"
    run crear_pedido {"cantidad":5} as r1
    · message.received confirm.approved tool.started
    "#);
}

#[test]
fn a_clock_that_goes_back_harms_nothing() {
    let mut chat = asked_on(PLAIN);
    chat.wait(-3600);
    assert_snapshot!(chat.time_up(), @"·");
    assert_snapshot!(chat.says("sí"), @r#"
    run crear_pedido {"cantidad":5} as r1
    · message.received confirm.approved tool.started
    "#);
    chat.tool_returns(json!("P-1"));
    chat.wait(-3600);
    assert_snapshot!(chat.model_says("Listo."), @r"
    say Listo.
    end
    · model.replied turn.finished reply.sent
    ");
}

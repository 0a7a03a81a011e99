//! Side effects that repeat, and runs whose end comes late or never.

use insta::assert_snapshot;
use manos_chat::{ChatError, Event, InboundBody};
use manos_engine::Confirmer;
use manos_model::{Failure, RunEnd, Seed, Stamp, Timestamp};
use serde_json::json;

use crate::agent::{agent, deduped, idempotent, order, reads, tool};
use crate::script::{ANA, Script, WEB, chat_with};

fn timeout() -> RunEnd {
    RunEnd::Unknown(Failure::Timeout { after_ms: 15_000 })
}

fn unknown_once(tool: manos_engine::Tool) -> Script {
    let name = tool.spec.name.as_str().to_owned();
    let mut chat = chat_with(agent(vec![tool]));
    chat.says("hola");
    chat.model_calls([(name.as_str(), json!({"cantidad": 1}))]);
    if chat.question.is_some() {
        chat.says("sí");
    }
    chat.tool_ends(timeout());
    chat
}

#[test]
fn a_done_call_inside_its_window_is_a_duplicate() {
    let mut chat = chat_with(agent(vec![deduped(tool("avisar"))]));
    chat.says("hola");
    chat.model_calls([("avisar", json!({"a": 1}))]);
    chat.tool_returns(json!("avisado"));
    chat.wait(12);
    assert_snapshot!(chat.model_calls([("avisar", json!({"a": 1.0}))]), @r#"
    model 3 ← {"executed":false,"reason":"duplicate","previous":{"result":"avisado","secondsAgo":12}}
    · model.replied tool.requested tool.duplicate model.called
    "#);
    chat.wait(600);
    assert_snapshot!(chat.model_calls([("avisar", json!({"a": 1}))]), @r#"
    run avisar {"a":1} as r2
    · model.replied tool.requested tool.started
    "#);
}

#[test]
fn an_unknown_run_holds_equal_calls_back() {
    for tool in [order(), deduped(tool("avisar")), tool("bare")] {
        let mut chat = unknown_once(tool);
        assert_eq!(chat.trail("run.unknown"), json!({}));
        let name = chat.spec.agent.tools()[0].spec.name.as_str().to_owned();
        let played = chat.model_calls([(name.as_str(), json!({"cantidad": 1}))]);
        assert!(played.contains("unknown_outcome"), "{played}");
        chat.model_says("No sé.");
        chat.says("otra vez");
        let later = chat.model_calls([(name.as_str(), json!({"cantidad": 1}))]);
        let expected = match name.as_str() {
            "crear_pedido" => "ask Ojo: puede que",
            "avisar" => "model 2 ← {\"executed\":false,\"reason\":\"unknown_outcome\"",
            _ => "run bare",
        };
        assert!(later.starts_with(expected), "{name}: {later}");
    }
}

#[test]
fn an_idempotent_tool_runs_again_under_the_same_run_id() {
    let mut chat = unknown_once(idempotent(tool("avisar")));
    assert_snapshot!(chat.model_calls([("avisar", json!({"cantidad": 1}))]), @r#"
    run avisar {"cantidad":1} as r1
    · model.replied tool.requested tool.started
    "#);
    chat.tool_returns(json!("avisado"));
    assert_snapshot!(chat.ledger(), @r#"Done avisar {"cantidad":1} → "avisado""#);
}

#[test]
fn a_late_result_settles_an_unknown_run_and_the_first_result_stays() {
    let mut chat = unknown_once(tool("avisar"));
    let run_id = chat.run("r1");
    assert_snapshot!(chat.run_ends(run_id.clone(), RunEnd::Done(json!("avisado"))), @"· tool.late");
    assert_snapshot!(chat.trail("tool.late"), @r#"{"settled":"done","result":"avisado"}"#);
    assert_snapshot!(chat.run_ends(run_id.clone(), RunEnd::Done(json!("otra vez"))), @"· tool.late");
    assert_snapshot!(chat.run_ends(run_id, timeout()), @"·");
    assert_snapshot!(chat.ledger(), @r#"Done avisar {"cantidad":1} → "avisado""#);
}

#[test]
fn an_operator_settles_an_unknown_run_once() {
    let mut chat = unknown_once(tool("avisar"));
    let event = Event::Settled { run_id: chat.run("r1"), done: true };
    assert_snapshot!(chat.event(&event), @"· tool.late");
    assert_snapshot!(chat.ledger(), @r#"Done avisar {"cantidad":1} → null"#);
    let stamp = Stamp { at: Timestamp::UNIX_EPOCH, seed: Seed(0) };
    let refused = chat.chat.apply(&chat.spec, &event, stamp);
    assert_eq!(refused.unwrap_err(), ChatError::NoUnknownRun { run_id: chat.run("r1") });
}

#[test]
fn a_reset_stops_reads_and_lets_effects_end() {
    let mut chat = chat_with(agent(vec![order(), reads("leer")]));
    chat.surface = WEB;
    chat.says("hola");
    chat.model_calls([("leer", json!({}))]);
    assert_snapshot!(chat.says("/reset"), @r"
    stop r1
    stop the model
    end
    say Conversación reiniciada.
    · message.received turn.cancelled reply.sent
    ");
    chat.says("hola");
    chat.model_calls([("crear_pedido", json!({"cantidad": 1}))]);
    assert_snapshot!(chat.says("/reset"), @r"
    edit Voy a: Crear pedido
    • cantidad: 1
    ¿Confirmas?
    → cancelado
    stop the model
    end
    say Conversación reiniciada.
    · message.received confirm.cancelled turn.cancelled reply.sent reply.sent
    ");
    chat.says("hola");
    chat.model_calls([("crear_pedido", json!({"cantidad": 1}))]);
    chat.says("sí");
    chat.says("esto espera");
    assert_snapshot!(chat.says("/reset"), @r"
    stop the model
    end
    say Conversación reiniciada.
    · message.received turn.cancelled turn.cancelled reply.sent
    ");
    assert_snapshot!(chat.ledger(), @r#"Unknown crear_pedido {"cantidad":1} → {"executed":"unknown","reason":"interrupted"}"#);
    let run_id = chat.run("r2");
    assert_snapshot!(chat.run_ends(run_id, RunEnd::Done(json!("P-1"))), @"· tool.late");
    assert_snapshot!(chat.history(), @"");
    assert_snapshot!(chat.ledger(), @r#"Done crear_pedido {"cantidad":1} → "P-1""#);
}

#[test]
fn an_effect_of_a_stopped_turn_that_ends_unknown_is_raised() {
    let mut chat = chat_with(agent(vec![tool("avisar")]));
    chat.says("hola");
    chat.model_calls([("avisar", json!({}))]);
    assert_snapshot!(chat.receives(ANA, InboundBody::Cancel), @r"
    stop the model
    end
    · message.received turn.cancelled
    ");
    let run_id = chat.run("r1");
    assert_snapshot!(chat.run_ends(run_id.clone(), timeout()), @"· run.unknown");
    assert_snapshot!(chat.run_ends(run_id, timeout()), @"·");
    assert!(!chat.chat.awake());
}

#[test]
fn what_the_journal_knows_is_not_asked_again_for_code_either() {
    let mut chat = chat_with(agent(vec![deduped(tool("avisar"))]));
    chat.code_calls("avisar", &json!({}), Confirmer::Nobody);
    chat.tool_returns(json!("avisado"));
    assert_snapshot!(chat.code_calls("avisar", &json!({}), Confirmer::Nobody), @r#"
    end failed {"executed":false,"reason":"duplicate","previous":{"result":"avisado","secondsAgo":0}}
    · message.received turn.started tool.requested tool.duplicate turn.finished
    "#);
}

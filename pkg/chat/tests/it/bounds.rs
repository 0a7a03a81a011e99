//! The bounds of the loop: steps, cuts, empty replies, failures, repeats.

use insta::assert_snapshot;
use manos_model::{CallArguments, FinishReason, ModelFailureKind, ModelReply, RequestedCall};
use serde_json::json;

use crate::agent::{agent, order, reads, role, tool};
use crate::script::{Script, calling, chat_with};

fn reading() -> Script {
    let mut chat = chat_with(agent(vec![reads("leer"), reads("mirar"), tool("avisar")]));
    chat.says("hola");
    chat
}

#[test]
fn calls_of_the_last_step_are_not_run() {
    let mut chat = reading();
    chat.spec.agent.limits.steps_max = 2;
    chat.model_calls([("avisar", json!({}))]);
    chat.tool_returns(json!(1));
    assert_snapshot!(chat.model_calls([("leer", json!({}))]), @r"
    say Esto sí quedó hecho: avisar.
    Lo siento, esto necesita más pasos de los que puedo dar de una vez. Dime cómo quieres seguir.
    end
    · model.replied loop.max_steps turn.finished reply.sent
    ");
    let mut chat = reading();
    chat.spec.agent.limits.steps_max = 1;
    chat.spec.agent.max_steps_message = Some("Sigamos luego.".into());
    assert_snapshot!(chat.model_calls([("leer", json!({}))]), @r"
    say Sigamos luego.
    end
    · model.replied loop.max_steps turn.finished reply.sent
    ");
}

#[test]
fn one_more_answer_without_tools_may_close_the_turn() {
    let mut chat = reading();
    chat.spec.agent.limits.steps_max = 1;
    chat.spec.agent.limits.final_answer = true;
    assert_snapshot!(chat.model_calls([("leer", json!({})), ("mirar", json!({}))]), @r#"
    model 2 without tools ← {"executed":false,"reason":"not_asked","because":"the step limit of this turn is reached; answer without tools"} | {"executed":false,"reason":"not_asked","because":"the step limit of this turn is reached; answer without tools"}
    · model.replied loop.max_steps model.called
    "#);
    let mut again = calling([("leer", json!({}))]);
    again.text = "Esto es todo.".into();
    assert_snapshot!(chat.model(again), @r"
    say Esto es todo.
    end
    · model.replied turn.finished reply.sent
    ");
}

#[test]
fn a_cut_reply_runs_nothing() {
    let cut = |calls, text: &str, finish| ModelReply { finish, text: text.into(), ..calls };
    let mut chat = reading();
    let reply = cut(calling([("avisar", json!("{\"a\":1}"))]), "", FinishReason::Length);
    assert_snapshot!(chat.model(reply), @r#"
    model 2 ← {"error":"failed","message":"Tu respuesta anterior se cortó por el límite de longitud y sus llamadas no se ejecutaron. Responde otra vez, más breve."}
    · model.replied loop.truncated model.called
    "#);
    assert_snapshot!(chat.trail("loop.truncated"), @r#"{"finish":"length","truncated_tool_calls":["avisar"]}"#);
    let reply = cut(calling([("avisar", json!("{\"a\":\"x"))]), "", FinishReason::ToolCalls);
    assert_snapshot!(chat.model(reply), @r"
    say Lo siento, ahora mismo no puedo responder. Inténtalo de nuevo en un momento.
    end
    · model.replied loop.truncated loop.error turn.finished reply.sent
    ");
    let mut chat = reading();
    let reply = cut(calling([("avisar", json!("{}"))]), "Voy a", FinishReason::ContentFilter);
    assert_snapshot!(chat.model(reply), @r"
    say Voy a
    end
    · model.replied loop.truncated turn.finished reply.sent
    ");
    let mut chat = reading();
    let reply = cut(calling([("avisar", json!({}))]), "", FinishReason::Other("error".into()));
    assert_snapshot!(chat.model(reply), @r#"
    model 2 ← {"error":"failed","message":"Tu respuesta anterior se cortó por el límite de longitud y sus llamadas no se ejecutaron. Responde otra vez, más breve."}
    · model.replied loop.truncated model.called
    "#);
    let mut chat = reading();
    assert_snapshot!(chat.model(cut(ModelReply::of_text(""), "", FinishReason::Length)), @r"
    model 2 ← hola | note: Tu respuesta anterior se cortó por el límite de longitud y sus llamadas no se ejecutaron. Responde otra vez, más breve.
    · model.replied loop.truncated model.called
    ");
    assert_snapshot!(chat.model(cut(ModelReply::of_text(""), "Medio", FinishReason::Length)), @r"
    say Medio
    end
    · model.replied loop.truncated turn.finished reply.sent
    ");
}

#[test]
fn an_empty_reply_is_retried_once() {
    let mut chat = reading();
    assert_snapshot!(chat.model_says("  "), @r"
    model 2 ← hola
    · model.replied model.called
    ");
    assert_snapshot!(chat.model_says(""), @r"
    say Lo siento, no encontré respuesta. ¿Me lo dices de otra forma?
    end
    · model.replied loop.error turn.finished reply.sent
    ");
    assert_snapshot!(chat.history(), @r"
    User: hola
    Assistant: Lo siento, no encontré respuesta. ¿Me lo dices de otra forma?
    ");
}

#[test]
fn a_call_that_the_provider_refused_is_told_to_the_model_twice() {
    let mut chat = reading();
    assert_snapshot!(chat.model_fails(ModelFailureKind::RefusedCall), @r"
    model 2 ← hola | note: Your last tool call was refused before it reached the tool (why). Write it again with valid JSON arguments.
    · model.failed model.called
    ");
    chat.model_fails(ModelFailureKind::RefusedCall);
    assert_snapshot!(chat.model_fails(ModelFailureKind::RefusedCall), @r"
    say Lo siento, ahora mismo no puedo responder. Inténtalo de nuevo en un momento.
    end
    · model.failed loop.error turn.finished reply.sent
    ");
    assert_snapshot!(chat.trail("model.failed"), @r#"{"kind":"refused_call","message":"why"}"#);
}

#[test]
fn a_model_that_fails_is_apologised_for_and_what_was_done_is_told() {
    let mut chat = reading();
    chat.model_calls([("avisar", json!({}))]);
    chat.tool_returns(json!(1));
    assert_snapshot!(chat.model_fails(ModelFailureKind::Unavailable), @r"
    say Esto sí quedó hecho: avisar.
    Lo siento, ahora mismo no puedo responder. Inténtalo de nuevo en un momento.
    end
    · model.failed loop.error turn.finished reply.sent
    ");
    assert_snapshot!(chat.history(), @r"
    User: hola
    Assistant: Esto sí quedó hecho: avisar.
    Lo siento, ahora mismo no puedo responder. Inténtalo de nuevo en un momento.
    ");
}

#[test]
fn the_same_call_failing_three_times_ends_the_loop() {
    let mut chat = reading();
    for arguments in [json!({"a": 1, "b": 2}), json!({"b": 2.0, "a": 1})] {
        chat.model_calls([("leer", arguments)]);
        chat.tool_returns(json!({"error": "no"}));
    }
    chat.model_calls([("leer", json!("{\"a\":1,\"b\":2}"))]);
    assert_snapshot!(chat.tool_returns(json!({"error": "no"})), @r"
    say No lo conseguí: «leer» falló varias veces con los mismos datos, así que paré.
    end
    · tool.failed loop.repeated turn.finished reply.sent
    ");
    let mut chat = chat_with(agent(vec![order()]));
    chat.says("hola");
    chat.model_calls([("crear_pedido", json!({"cantidad": 1}))]);
    chat.says("no");
    chat.model_calls([("crear_pedido", json!({"cantidad": 1}))]);
    let played = chat.model_calls([("crear_pedido", json!({"cantidad": 1}))]);
    assert!(played.starts_with("model 4"), "a no is no failure: {played}");
}

#[test]
fn unknown_forbidden_and_unfit_calls_come_back_as_failures() {
    let mut chat = chat_with(agent(vec![order(), reads("leer")]));
    chat.spec.agent.access.roles.push(role("everyone", &[], &["crear_*"]));
    chat.says("hola");
    assert_snapshot!(
        chat.model_calls([
            ("crear_pedidos", json!({})),
            ("leer", json!({})),
            ("crear_pedido", json!({"cantidad": 0})),
            ("crear_pedido", json!("{\"cantidad\": 1, \"cantidad\": 2}")),
            ("crear_pedido", json!(null)),
        ]),
        @r#"
    model 2 ← {"error":"unknown_tool","name":"crear_pedidos","did_you_mean":["crear_pedido"]} | {"error":"not_allowed","tool":"leer"} | {"error":"invalid_arguments","violations":[{"path":"/cantidad","expected":"minimum 1","got":0}]} | {"error":"invalid_arguments","violations":[{"path":"/cantidad","expected":"key \"cantidad\" only once","got":null}]} | {"error":"invalid_arguments","violations":[{"path":"/cantidad","expected":"required property \"cantidad\"","got":null}]}
    · model.replied tool.unknown tool.requested tool.denied tool.requested tool.invalid tool.requested tool.invalid tool.requested tool.invalid model.called
    "#
    );
    assert_snapshot!(chat.request.as_ref().unwrap().tools.declarations.len(), @"1");
    assert_snapshot!(chat.model_calls([("crear_pedido", json!({"cantidad": "3"}))]), @r"
    ask Voy a: Crear pedido
    • cantidad: 3
    ¿Confirmas? (sí/no)
    · model.replied tool.requested tool.mended confirm.asked reply.sent confirm.shown
    ");
    assert_snapshot!(chat.trail("tool.mended"), @r#"{"path":"/cantidad","mend":"number_from_text"}"#);
}

#[test]
fn reads_run_side_by_side_only_when_the_file_says_so() {
    let calls = || {
        [
            ("leer", json!({})),
            ("mirar", json!({})),
            ("avisar", json!({})),
            ("leer", json!({"n": 2})),
        ]
    };
    let mut chat = reading();
    assert_snapshot!(chat.model_calls(calls()), @r"
    run leer {} as r1
    · model.replied tool.requested tool.started
    ");
    let mut chat = reading();
    chat.spec.agent.limits.parallel_reads = true;
    assert_snapshot!(chat.model_calls(calls()), @r"
    run leer {} as r1
    run mirar {} as r2
    · model.replied tool.requested tool.started tool.requested tool.started
    ");
    assert_snapshot!(chat.tool_returns(json!("mirado")), @"· tool.succeeded");
    assert_snapshot!(chat.tool_returns(json!("leído")), @r"
    run avisar {} as r3
    · tool.succeeded tool.requested tool.started
    ");
    assert_snapshot!(chat.tool_returns(json!("avisado")), @r#"
    run leer {"n":2} as r4
    · tool.succeeded tool.requested tool.started
    "#);
    assert_snapshot!(chat.tool_returns(json!("leído 2")), @r#"
    model 2 ← "leído" | "mirado" | "avisado" | "leído 2"
    · tool.succeeded model.called
    "#);
}

#[test]
fn text_beside_calls_is_sent_only_when_the_file_says_so_and_nobody_is_asked() {
    let with_text = |name: &str| ModelReply {
        text: "Un momento.".into(),
        ..calling([(name, json!({"cantidad": 1}))])
    };
    for (interim, name, expected) in [
        (false, "leer", "run leer"),
        (true, "leer", "say Un momento."),
        (true, "crear_pedido", "ask"),
    ] {
        let mut chat = chat_with(agent(vec![order(), reads("leer")]));
        chat.spec.agent.limits.interim_text = interim;
        chat.says("hola");
        let played = chat.model(with_text(name));
        assert!(played.starts_with(expected), "{interim} {name}: {played}");
    }
}

#[test]
fn equal_wire_ids_are_two_calls_and_results_are_cut() {
    let call = |name: &str| RequestedCall {
        wire_id: Some("c1".into()),
        name: name.into(),
        arguments: CallArguments::Missing,
    };
    let reply = ModelReply {
        calls: vec![call("leer"), call("mirar")],
        finish: FinishReason::ToolCalls,
        ..ModelReply::of_text("")
    };
    let mut chat = reading();
    chat.spec.agent.limits.result_bytes_max = 10;
    chat.model(reply);
    chat.tool_returns(json!("ñandú ñandú ñandú"));
    assert_snapshot!(chat.tool_returns(json!({"error": "x".repeat(2000)})), @r#"
    model 2 ← "ñandú ñ… [cortado: faltan 13 bytes]" | "{\"error\":\"… [cortado: faltan 1057 bytes]"
    · tool.failed model.called
    "#);
    assert_snapshot!(chat.trail("model.called")["new_messages"], @r#"[{"call_id":"9267125b2a4738a4647ff2553b6748c8","failed":false,"result":"ñandú ñ… [cortado: faltan 13 bytes]"},{"call_id":"f05b182f7f6d0f75c5aae34390afdc63","failed":true,"result":"{\"error\":\"… [cortado: faltan 1057 bytes]"}]"#);
}

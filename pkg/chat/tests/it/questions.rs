//! What is asked, and when nothing is.

use insta::assert_snapshot;
use manos_engine::{Confirmer, QuestionBody};
use manos_model::{Failure, RunEnd};
use manos_policy::Who;
use manos_text::Template;
use serde_json::{Value, json};

use crate::agent::{
    agent, asks, deduped, fixed, order, quote, quoted_order, reads, role, schema, tool,
};
use crate::script::{Script, WEB, chat_with};

#[test]
fn a_confirmed_call_runs_once_after_a_clear_yes() {
    let mut chat = chat_with(agent(vec![order()]));
    assert_snapshot!(chat.says("quiero 5 panes de bono"), @r"
    model 1 ← quiero 5 panes de bono
    · message.received turn.started model.called
    ");
    assert_snapshot!(
        chat.model_calls([("crear_pedido", json!({"cantidad": 5, "producto": "pan_de_bono"}))]), @r"
    ask Voy a: Crear pedido
    • cantidad: 5
    • producto: Pan de bono
    ¿Confirmas? (sí/no)
    · model.replied tool.requested confirm.asked reply.sent confirm.shown
    ");
    assert_snapshot!(chat.says("sí"), @r#"
    run crear_pedido {"cantidad":5,"producto":"pan_de_bono"} as r1
    · message.received confirm.approved tool.started
    "#);
    assert_snapshot!(chat.says("sí"), @"· message.received confirm.stale_press");
    assert_snapshot!(chat.tool_returns(json!({"id": "P-1"})), @r#"
    model 2 ← {"id":"P-1"}
    · tool.succeeded model.called
    "#);
    assert_snapshot!(chat.model_says("Listo, P-1."), @r"
    say Listo, P-1.
    end
    · model.replied turn.finished reply.sent
    ");
    assert_snapshot!(chat.history(), @r"
    User: quiero 5 panes de bono
    Assistant: Listo, P-1.
    ");
    assert_snapshot!(chat.ledger(), @r#"Done crear_pedido {"cantidad":5,"producto":"pan_de_bono"} → {"id":"P-1"}"#);
}

/// A chat in which one call of this agent's first tool is being asked about.
fn asked(chat: &mut Script, arguments: Value) -> String {
    let name = chat.spec.agent.tools()[0].spec.name.as_str().to_owned();
    chat.says("hola");
    chat.model_calls([(name.as_str(), arguments)])
}

#[test]
fn the_question_has_buttons_a_menu_or_a_tail() {
    let mut chat = chat_with(agent(vec![order()]));
    chat.surface = WEB;
    assert_snapshot!(asked(&mut chat, json!({"cantidad": 1})), @r#"
    ask Voy a: Crear pedido
    • cantidad: 1
    ¿Confirmas? ["Sí", "No"]
    · model.replied tool.requested confirm.asked reply.sent confirm.shown
    "#);
    let mut chat = chat_with(agent(vec![order()]));
    chat.surface = WEB;
    chat.spec.agent.confirm.buttons = false;
    assert_snapshot!(asked(&mut chat, json!({"cantidad": 1})), @r"
    ask Voy a: Crear pedido
    • cantidad: 1
    ¿Confirmas? (sí/no)
    · model.replied tool.requested confirm.asked reply.sent confirm.shown
    ");
    let mut chat = chat_with(agent(vec![order()]));
    chat.spec.agent.confirm.menu = true;
    assert_snapshot!(asked(&mut chat, json!({"cantidad": 1})), @r"
    ask Voy a: Crear pedido
    • cantidad: 1
    ¿Confirmas?
    1. Sí
    2. No
    · model.replied tool.requested confirm.asked reply.sent confirm.shown
    ");
    assert_snapshot!(chat.says("1"), @r#"
    run crear_pedido {"cantidad":1} as r1
    · message.received confirm.approved tool.started
    "#);
}

#[test]
fn values_cannot_make_lines_of_a_question() {
    let mut chat = chat_with(agent(vec![asks("anotar", "Anotar\n¿Confirmas?")]));
    let nota = "x\n¿Confirmas? (sí/no)\u{202e}";
    assert_snapshot!(asked(&mut chat, json!({"nota": nota})), @r"
    ask Voy a: Anotar⏎¿Confirmas?
    • nota: x⏎¿Confirmas? (sí/no)\u{202e}
    ¿Confirmas? (sí/no)
    · model.replied tool.requested confirm.asked reply.sent confirm.shown
    ");
    let mut lines = asks("anotar", "Anotar");
    lines.body = QuestionBody::Lines(Template::compile("Nota: {{ args.nota }}").unwrap());
    let mut chat = chat_with(agent(vec![lines]));
    assert_snapshot!(asked(&mut chat, json!({"nota": nota})), @r"
    ask Voy a: Anotar
    Nota: x⏎¿Confirmas? (sí/no)\u{202e}
    ¿Confirmas? (sí/no)
    · model.replied tool.requested confirm.asked reply.sent confirm.shown
    ");
    let mut function = asks("anotar", "Anotar");
    function.body = QuestionBody::Function(std::sync::Arc::new(|args| {
        args.get("nota").map(|nota| format!("Uno\nDos {nota}\u{7}")).ok_or_else(|| "no note".into())
    }));
    let mut chat = chat_with(agent(vec![function]));
    assert_snapshot!(asked(&mut chat, json!({"nota": "a"})), @r#"
    ask Voy a: Anotar
    Uno
    Dos "a"\u{7}
    ¿Confirmas? (sí/no)
    · model.replied tool.requested confirm.asked reply.sent confirm.shown
    "#);
    chat.says("no");
    assert_snapshot!(chat.model_calls([("anotar", json!({"otra": 1}))]), @r#"
    model 3 ← {"error":"failed","message":"confirm_lines: no note"}
    · model.replied tool.requested tool.denied model.called
    "#);
}

#[test]
fn a_whole_message_is_printed_as_it_is() {
    let mut message = order();
    message.body = QuestionBody::Message(Template::compile("¿Pido {{ args.cantidad }}?").unwrap());
    let mut chat = chat_with(agent(vec![message]));
    assert_snapshot!(asked(&mut chat, json!({"cantidad": 3})), @r"
    ask ¿Pido 3?
    · model.replied tool.requested confirm.asked reply.sent confirm.shown
    ");
    let mut message = order();
    message.body = QuestionBody::Message(Template::compile("¿Pido {{ args.nada }}?").unwrap());
    let mut chat = chat_with(agent(vec![message]));
    assert_snapshot!(asked(&mut chat, json!({"cantidad": 3})), @r#"
    model 2 ← {"error":"failed","message":"the question cannot be written: `args.nada` is not defined (line 1, column 10 of the template)"}
    · model.replied tool.requested tool.denied model.called
    "#);
}

#[test]
fn a_question_too_long_to_be_read_is_not_asked() {
    let mut chat = chat_with(agent(vec![asks("anotar", "Anotar")]));
    let long = json!({"nota": "x".repeat(4_000)});
    assert_snapshot!(asked(&mut chat, long), @r#"
    model 2 ← {"error":"too_long_to_confirm","chars":4042,"max":4000}
    · model.replied tool.requested tool.denied model.called
    "#);
    let mut chat = chat_with(agent(vec![asks("anotar", "Anotar")]));
    chat.surface.voice = true;
    let spoken = json!({"nota": "x".repeat(400)});
    assert_snapshot!(asked(&mut chat, spoken), @r#"
    model 2 ← {"error":"too_long_to_confirm","chars":442,"max":400}
    · model.replied tool.requested tool.denied model.called
    "#);
}

#[test]
fn what_was_done_a_moment_ago_is_asked_about_with_a_warning() {
    let mut chat = chat_with(agent(vec![order()]));
    asked(&mut chat, json!({"cantidad": 5}));
    chat.says("sí");
    let result = json!({"id": "P-1", "items": [{"cantidad": 5}]});
    chat.tool_returns(result);
    chat.model_says("Listo.");
    assert_snapshot!(asked(&mut chat, json!({"cantidad": 5.0})), @r"
    ask Ojo: ya hice «Crear pedido» hace un momento (resultado: id: P-1). Si confirmas, se hará otra vez.
    Voy a: Crear pedido
    • cantidad: 5.0
    ¿Confirmas? (sí/no)
    · model.replied tool.requested confirm.asked reply.sent confirm.shown
    ");
    chat.says("sí");
    chat.tool_ends(RunEnd::Unknown(Failure::Timeout { after_ms: 15_000 }));
    chat.model_says("No sé.");
    assert_snapshot!(asked(&mut chat, json!({"cantidad": 5})), @r"
    ask Ojo: puede que «Crear pedido» ya se haya hecho hace un momento; no pude comprobarlo. Si confirmas, podría hacerse otra vez.
    Voy a: Crear pedido
    • cantidad: 5
    ¿Confirmas? (sí/no)
    · model.replied tool.requested confirm.asked reply.sent confirm.shown
    ");
    chat.says("no");
    chat.model_says("Vale.");
    assert_snapshot!(chat.ledger(), @r#"
    Done crear_pedido {"cantidad":5} → {"id":"P-1","items":[{"cantidad":5}]}
    Unknown crear_pedido {"cantidad":5.0} → {"error":"timeout","after_ms":15000}
    "#);
}

#[test]
fn the_lines_of_another_tool_are_compared_again_after_the_yes() {
    let mut chat = chat_with(agent(vec![quoted_order(), quote()]));
    assert_snapshot!(asked(&mut chat, json!({"cantidad": 5, "producto": "pan_de_bono"})), @r#"
    run cotizar {"cantidad":5} as r1
    · model.replied tool.requested tool.started
    "#);
    assert_snapshot!(chat.tool_returns(json!({"total": 10})), @r"
    ask Voy a: Crear pedido
    Total: 10
    ¿Confirmas? (sí/no)
    · tool.succeeded confirm.asked reply.sent confirm.shown
    ");
    assert_snapshot!(chat.says("sí"), @r#"
    run cotizar {"cantidad":5} as r2
    · message.received confirm.approved tool.started
    "#);
    assert_snapshot!(chat.tool_returns(json!({"total": 11})), @r"
    ask Voy a: Crear pedido
    Total: 11
    ¿Confirmas? (sí/no)
    · tool.succeeded confirm.asked reply.sent confirm.shown
    ");
    chat.wait(11);
    chat.says("sí");
    assert_snapshot!(chat.tool_returns(json!({"total": 12})), @r"
    ask Voy a: Crear pedido
    Total: 12
    ¿Confirmas? (sí/no)
    · tool.succeeded confirm.asked reply.sent confirm.shown
    ");
    chat.wait(11);
    chat.says("sí");
    assert_snapshot!(chat.tool_returns(json!({"total": 13})), @r#"
    model 2 ← {"executed":false,"reason":"changed"}
    · tool.succeeded tool.denied model.called
    "#);
    assert_snapshot!(chat.trail("tool.succeeded"), @r#"{"for":"confirm","result":{"total":13}}"#);
    chat.model_calls([("crear_pedido", json!({"cantidad": 1}))]);
    chat.tool_returns(json!({"total": 1}));
    chat.says("sí");
    assert_snapshot!(chat.tool_returns(json!({"total": 1})), @r#"
    run crear_pedido {"cantidad":1} as r7
    · tool.succeeded tool.started
    "#);
}

#[test]
fn facts_that_cannot_be_had_are_not_asked_about() {
    let mut chat = chat_with(agent(vec![quoted_order(), quote()]));
    asked(&mut chat, json!({"cantidad": 5}));
    assert_snapshot!(chat.tool_returns(json!({"error": "no hay pan"})), @r#"
    model 2 ← {"error":"no hay pan"}
    · tool.failed tool.denied model.called
    "#);
    chat.model_calls([("crear_pedido", json!({"cantidad": 5}))]);
    assert_snapshot!(chat.tool_returns(json!({"otro": 1})), @r#"
    model 3 ← {"error":"failed","message":"the question cannot be written: `result.total` is not defined (line 1, column 11 of the template)"}
    · tool.succeeded tool.denied model.called
    "#);
}

#[test]
fn a_yes_counts_for_as_long_as_a_question_waits() {
    let mut chat = chat_with(agent(vec![quoted_order(), quote()]));
    asked(&mut chat, json!({"cantidad": 5}));
    chat.tool_returns(json!({"total": 10}));
    chat.says("sí");
    chat.wait(121);
    assert_snapshot!(chat.tool_returns(json!({"total": 10})), @r"
    say Tu sí quedó sin efecto: «Crear pedido» no empezó a tiempo y no se hizo. Pídelo otra vez si aún lo quieres.
    end
    · tool.succeeded tool.denied turn.finished reply.sent
    ");
}

#[test]
fn code_may_confirm_for_itself_and_nobody_is_nobody() {
    let mut chat = chat_with(agent(vec![order(), reads("leer")]));
    let args = json!({"cantidad": 1});
    assert_snapshot!(chat.code_calls("crear_pedido", &args, Confirmer::Nobody), @r#"
    end failed {"executed":false,"reason":"not_asked","because":"Aquí no hay a quién pedirle confirmación."}
    · message.received turn.started tool.requested tool.denied turn.finished
    "#);
    assert_snapshot!(chat.code_calls("crear_pedido", &args, Confirmer::CodeYes), @r#"
    run crear_pedido {"cantidad":1} as r1
    · message.received turn.started tool.requested confirm.asked confirm.approved tool.started
    "#);
    assert_snapshot!(chat.trail("confirm.approved"), @r#"{"confirmation_id":"c_2e67e4962fcea18fd1b6ce1ecff5993b","digest":"fc9e6c5b310bb7883cf3de6e4a742a909c5b793f3b0ae62c60b1e1cf25d0c897","asked_of":"code","by":"code","via":"code","words":""}"#);
    assert_snapshot!(chat.tool_returns(json!("P-1")), @r#"
    end done "P-1"
    · tool.succeeded turn.finished
    "#);
    assert_snapshot!(chat.code_calls("crear_pedido", &json!({"cantidad": 0}), Confirmer::Chat), @r#"
    end failed {"error":"invalid_arguments","violations":[{"path":"/cantidad","expected":"minimum 1","got":0}]}
    · message.received turn.started tool.requested tool.invalid turn.finished
    "#);
    assert_snapshot!(chat.code_calls("nada", &args, Confirmer::Chat), @r#"
    end failed {"error":"unknown_tool","name":"nada","did_you_mean":[]}
    · message.received turn.started tool.unknown turn.finished
    "#);
    assert_snapshot!(chat.code_calls("leer", &args, Confirmer::Nobody), @r#"
    run leer {"cantidad":1} as r2
    · message.received turn.started tool.requested tool.started
    "#);
    assert_snapshot!(chat.history(), @"");
}

#[test]
fn only_so_many_questions_are_asked_in_a_turn() {
    let mut chat = chat_with(agent(vec![order()]));
    chat.spec.agent.confirm.per_turn_max = 2;
    asked(&mut chat, json!({"cantidad": 1}));
    chat.says("mejor otra cosa");
    chat.model_calls([("crear_pedido", json!({"cantidad": 2}))]);
    chat.says("mejor otra cosa");
    assert_snapshot!(chat.model_calls([("crear_pedido", json!({"cantidad": 3}))]), @r#"
    model 4 ← {"executed":false,"reason":"not_asked","because":"En este turno ya se hicieron todas las preguntas permitidas."}
    · model.replied tool.requested tool.denied model.called
    "#);
}

#[test]
fn after_anything_but_yes_only_calls_that_ask_nobody_go_on() {
    let tools = vec![order(), asks("pagar", "Pagar"), reads("leer"), tool("avisar")];
    let mut chat = chat_with(agent(tools));
    chat.says("hola");
    chat.model_calls([
        ("crear_pedido", json!({"cantidad": 1})),
        ("pagar", json!({})),
        ("leer", json!({})),
        ("avisar", json!({})),
    ]);
    assert_snapshot!(chat.says("no"), @r"
    run leer {} as r1
    · message.received confirm.rejected tool.requested tool.denied tool.requested tool.started
    ");
    assert_snapshot!(chat.tool_returns(json!("leído")), @r"
    run avisar {} as r2
    · tool.succeeded tool.requested tool.started
    ");
    assert_snapshot!(chat.tool_returns(json!("avisado")), @r#"
    model 2 ← {"executed":false,"reason":"rejected","instruction":"La persona dijo que no. No lo reintentes (do not retry) ni lo propongas otra vez, salvo que ella lo pida."} | {"executed":false,"reason":"not_asked","because":"La persona no aceptó una acción anterior de este mismo paso; por eso no se preguntó por esta."} | "leído" | "avisado"
    · tool.succeeded model.called
    "#);
    assert_snapshot!(chat.model_calls([("crear_pedido", json!({"cantidad": 1.0}))]), @r#"
    model 3 ← {"executed":false,"reason":"rejected","instruction":"La persona dijo que no. No lo reintentes (do not retry) ni lo propongas otra vez, salvo que ella lo pida."}
    · model.replied tool.requested tool.denied model.called
    "#);
    assert_snapshot!(chat.model_calls([("pagar", json!({}))]), @r"
    ask Voy a: Pagar
    ¿Confirmas? (sí/no)
    · model.replied tool.requested confirm.asked reply.sent confirm.shown
    ");
}

#[test]
fn fixed_values_win_and_no_model_sees_them() {
    let tenant = fixed(deduped(order()), "cliente", "{{ ctx.user }}");
    let mut chat = chat_with(agent(vec![tenant]));
    asked(&mut chat, json!({"cantidad": 1, "cliente": "otro"}));
    assert_snapshot!(chat.says("sí"), @r#"
    run crear_pedido {"cantidad":1,"cliente":"web:ana"} as r1
    · message.received confirm.approved tool.started
    "#);
    chat.tool_returns(json!("P-1"));
    chat.model_says("Listo.");
    chat.says("gracias");
    assert_snapshot!(chat.request.as_ref().unwrap().system, @r#"
    Eres el asistente.

    Estas herramientas piden confirmación a la persona antes de ejecutarse: crear_pedido. Llámalas en cuanto la persona quiera la acción; no preguntes tú «¿lo hago?» ni menciones la confirmación. Nunca digas que algo se hizo, cambió, reemplazó o canceló si no lo dice el resultado de una herramienta. Si no hay herramienta para lo que pide, dilo claramente.

    Acciones de este chat, de la más reciente a la más antigua. No las repitas salvo que la persona lo pida:
    - 2026-01-05 19:03: crear_pedido {"cantidad":1} → "P-1"

    Ahora: lunes, 5 de enero de 2026, 19:03 (UTC, UTC+00:00).
    "#);
}

#[test]
fn write_only_values_and_redacted_tools_stay_out_of_sight() {
    let mut tool = asks("entrar", "Entrar");
    tool.spec.schema = schema(&json!({"type": "object", "properties": {
        "pin": {"type": "string", "writeOnly": true}, "quien": {"type": "string"}
    }}));
    let mut hidden = asks("curar", "Curar");
    hidden.redact = true;
    let mut chat = chat_with(agent(vec![tool, hidden]));
    assert_snapshot!(asked(&mut chat, json!({"pin": "s3cret", "quien": "ana"})), @r"
    ask Voy a: Entrar
    • pin: •••
    • quien: ana
    ¿Confirmas? (sí/no)
    · model.replied tool.requested confirm.asked reply.sent confirm.shown
    ");
    chat.says("sí");
    chat.tool_returns(json!("ok"));
    chat.model_calls([("curar", json!({"de": "s3cret"}))]);
    chat.says("sí");
    chat.tool_returns(json!({"error": "s3cret"}));
    chat.model_calls([("entrar", json!("{\"pin\": \"s3cret"))]);
    let trail = serde_json::to_string(&chat.audit).unwrap();
    assert!(!trail.contains("s3cret"), "{trail}");
    assert!(!chat.chat.memory_json().unwrap().contains("s3cret"), "{}", chat.ledger());
}

#[test]
fn the_facts_of_a_redacted_tool_stay_out_of_the_trail() {
    let mut hidden = quote();
    hidden.redact = true;
    let mut chat = chat_with(agent(vec![quoted_order(), hidden]));
    asked(&mut chat, json!({"cantidad": 5}));
    let played = chat.tool_returns(json!({"total": 987_654}));
    assert!(played.contains("Total: 987654"), "the person sees them: {played}");
    chat.says("no");
    chat.model_calls([("crear_pedido", json!({"cantidad": 6}))]);
    chat.tool_returns(json!({"error": "987654"}));
    let trail = serde_json::to_string(&chat.audit).unwrap();
    assert!(!trail.contains("987654"), "{trail}");
}

#[test]
fn whoever_the_file_names_may_answer() {
    let mut chat = chat_with(agent(vec![order()]));
    asked(&mut chat, json!({"cantidad": 1}));
    assert_snapshot!(chat.says_as("web:eva", "sí"), @"· message.received");
    chat.says("sí");
    chat.tool_returns(json!(1));
    assert_snapshot!(chat.model_says("Listo."), @r"
    say Listo.
    end
    model 1 ← sí
    · model.replied turn.finished turn.started model.called reply.sent
    ");

    let mut chat = chat_with(agent(vec![order()]));
    chat.spec.agent.confirm.who = Who::Role("jefa".into());
    chat.spec.agent.access.roles.push(role("jefa", &["web:eva"], &["*"]));
    asked(&mut chat, json!({"cantidad": 1}));
    assert_snapshot!(chat.says("sí"), @"· message.received");
    assert_snapshot!(chat.says_as("web:eva", "sí"), @r#"
    run crear_pedido {"cantidad":1} as r1
    · message.received confirm.approved tool.started
    "#);
    assert_snapshot!(chat.trail("confirm.approved")["by"], @r#""web:eva""#);
    assert_snapshot!(chat.trail("confirm.approved")["asked_of"], @r#""role jefa""#);
}

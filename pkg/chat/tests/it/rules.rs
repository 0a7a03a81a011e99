//! Rules, direct commands, greeting and fallback.

use insta::assert_snapshot;
use manos_chat::{ChatSpec, Rule, RuleArgument, Speaker, Then, When};
use manos_engine::{Filled, Tool};
use manos_model::{Failure, RunEnd};
use manos_text::{Template, Words};
use regex::Regex;
use serde_json::json;

use crate::agent::{agent, asks, deduped, order, reads, role, schema, tool};
use crate::script::{Script, script, spec};

fn equals(text: &str) -> When {
    When { equals: vec![text.into()], ..When::default() }
}

fn matches(pattern: &str) -> When {
    When { matches: Some(Regex::new(pattern).unwrap()), ..When::default() }
}

fn template(source: &str) -> Template {
    Template::compile(source).unwrap()
}

fn reply(when: When, source: &str) -> Rule {
    Rule { when, then: Then::Reply(template(source)) }
}

fn calls(when: When, tool: &str, speaker: Speaker) -> Rule {
    Rule { when, then: Then::Tool { tool: tool.into(), arguments: vec![], speaker } }
}

fn says(reply: &str) -> Speaker {
    Speaker { reply: Some(reply.into()), ..Speaker::default() }
}

/// A chat of an agent with rules and no model.
fn without_model(tools: Vec<Tool>, rules: Vec<Rule>) -> Script {
    let mut agent = agent(tools);
    agent.has_model = false;
    script(spec(agent, rules))
}

/// A rule that orders what the message lists.
fn list_rule() -> Rule {
    let each = Regex::new(r"(?i)(?<cantidad>\d+)\s+(?<producto>[^\d,]+?)\s*(?:,|\sy\s|$)").unwrap();
    let items = RuleArgument::Each { pattern: each, group: "lista".into() };
    Rule {
        when: matches(r"(?i)^quiero (?<lista>\d+ .+)$"),
        then: Then::Tool {
            tool: "pedir".into(),
            arguments: vec![
                ("items".into(), items),
                (
                    "nota".into(),
                    RuleArgument::Filled(Filled::Template(template("Para {{ lista }}"))),
                ),
                ("canal".into(), RuleArgument::Filled(Filled::Value(json!("web")))),
            ],
            speaker: says("Listo, {{ result.id }}: {{ args.items | length }}."),
        },
    }
}

fn list_tool() -> Tool {
    let mut tool = tool("pedir");
    tool.spec.schema = schema(&json!({"type": "object", "properties": {"items": {
        "type": "array", "items": {"type": "object", "properties": {
            "cantidad": {"type": "integer"}, "producto": {"type": "string"}}}}}}));
    tool.labels.insert(
        "producto".into(),
        [("cafe".to_owned(), Words::new("Café", vec!["cafés".into()]))].into(),
    );
    tool
}

#[test]
fn a_rule_makes_a_list_and_speaks_for_its_tool() {
    let mut chat = without_model(vec![list_tool()], vec![list_rule()]);
    assert_snapshot!(chat.says("Quiero 2 CAFE y 1 pan de bono"), @r#"
    run pedir {"items":[{"cantidad":2,"producto":"cafe"},{"cantidad":1,"producto":"pan de bono"}],"nota":"Para 2 CAFE y 1 pan de bono","canal":"web"} as r1
    · message.received rule.matched turn.started tool.requested tool.started
    "#);
    assert_snapshot!(chat.tool_returns(json!({"id": "P-1"})), @r#"
    say Listo, P-1: 2.
    end done {"id":"P-1"}
    · tool.succeeded turn.finished reply.sent
    "#);
    assert_snapshot!(chat.says("quiero 2 cafés 3"), @r"
    say No te entendí. Puedes escribir:
    • /help: muestra esta ayuda
    • /reset: empieza de nuevo la conversación
    end
    · message.received turn.started turn.finished reply.sent
    ");
    assert_snapshot!(chat.history(), @r"
    User: Quiero 2 CAFE y 1 pan de bono
    Assistant: Listo, P-1: 2.
    User: quiero 2 cafés 3
    Assistant: No te entendí. Puedes escribir:
    • /help: muestra esta ayuda
    • /reset: empieza de nuevo la conversación
    ");
}

#[test]
fn the_first_rule_that_fits_decides() {
    let owner = When { role: vec!["jefa".into()], ..equals("caja") };
    let elsewhere = When { channel: vec!["telegram".into()], ..equals("hola") };
    let night = When { between: Some((20 * 60, 6 * 60)), ..equals("hola") };
    let day = When { between: Some((19 * 60, 20 * 60)), ..equals("hola") };
    let command = When { command: Some("horario".into()), ..When::default() };
    let rules = vec![
        reply(elsewhere, "telegram"),
        reply(night, "buenas noches"),
        reply(day, "buenas tardes"),
        reply(owner, "caja: 3"),
        reply(command, "de 8 a 18"),
        reply(matches("^eco (?<que>.+)$"), "{{ que }}"),
        reply(equals("kaputt"), "{{ nada }}"),
        Rule { when: equals("calla"), then: Then::Ignore },
        Rule { when: equals("piensa"), then: Then::AskModel },
    ];
    let mut chat = without_model(vec![], rules);
    chat.spec.agent.access.roles.push(role("jefa", &["web:eva"], &["*"]));
    let cases = [
        ("web:ana", " HOLA ", "say buenas tardes"),
        ("web:eva", "caja", "say caja: 3"),
        ("web:ana", "caja", "say No te entendí."),
        ("web:ana", "/HORARIO de hoy", "say de 8 a 18"),
        ("web:ana", "horario", "say No te entendí."),
        ("web:ana", "eco  uno dos", "say uno dos"),
        ("web:ana", "kaputt", "say Lo siento, ahora mismo no puedo responder."),
        ("web:ana", "calla", "· message.received rule.matched"),
        ("web:ana", "piensa", "say No te entendí."),
        ("web:ana", "/help", "say Puedes escribir:"),
    ];
    for (user, words, expected) in cases {
        let played = chat.says_as(user, words);
        assert!(played.starts_with(expected), "{words}: {played}");
    }
    assert_snapshot!(chat.says("/help"), @r"
    say Puedes escribir:
    • /horario
    • /help: muestra esta ayuda
    • /reset: empieza de nuevo la conversación
    end
    · message.received turn.started turn.finished reply.sent
    ");
    chat.spec.agent.has_model = true;
    assert_snapshot!(chat.says("piensa"), @r"
    model 1 without tools ← piensa
    · message.received rule.matched turn.started model.called
    ");
}

#[test]
fn a_call_that_came_to_nothing_has_a_sentence_for_people() {
    let failed = |failure| Some(RunEnd::NotDone(failure));
    let said = |value| failed(Failure::Said(value));
    let cases = [
        ("its own words", said(json!({"error": "No queda pan."})), "say No queda pan."),
        ("its own message", said(json!({"error": {"message": "Cerrado."}})), "say Cerrado."),
        ("no words", said(json!({"error": true})), "say No pude hacer «Avisar»."),
        (
            "timeout",
            Some(RunEnd::Unknown(Failure::Timeout { after_ms: 1 })),
            "say «Avisar» no respondió",
        ),
        (
            "exit",
            failed(Failure::Exit { code: Some(2), message: "trace".into() }),
            "say No pude hacer",
        ),
        ("done", Some(RunEnd::Done(json!("ok"))), "say ok"),
        ("done, no text", Some(RunEnd::Done(json!({"a": 1}))), "say {\"a\":1}"),
    ];
    for (why, end, expected) in cases {
        let mut avisar = tool("avisar");
        avisar.title = "Avisar".into();
        let rules = vec![calls(equals("avisa"), "avisar", Speaker::default())];
        let mut chat = without_model(vec![avisar], rules);
        chat.says("avisa");
        let played = chat.tool_ends(end.unwrap());
        assert!(played.starts_with(expected), "{why}: {played}");
    }
}

#[test]
fn a_call_that_never_ran_has_a_sentence_too() {
    let rules = || vec![calls(equals("pide"), "crear_pedido", Speaker::default())];
    let mut chat = without_model(vec![order()], rules());
    assert_snapshot!(chat.says("pide"), @r#"
    say Faltan datos para «Crear pedido», o alguno no es válido. Revísalos e inténtalo otra vez.
    end failed {"error":"invalid_arguments","violations":[{"path":"/cantidad","expected":"required property \"cantidad\"","got":null}]}
    · message.received rule.matched turn.started tool.requested tool.invalid turn.finished reply.sent
    "#);
    let mut chat = without_model(vec![], rules());
    assert_snapshot!(chat.says("pide"), @r#"
    say No pude hacer «crear_pedido».
    end failed {"error":"unknown_tool","name":"crear_pedido","did_you_mean":[]}
    · message.received rule.matched turn.started tool.unknown turn.finished reply.sent
    "#);
    let mut chat = without_model(vec![order()], rules());
    chat.spec.agent.access.allowed_tools = Some([].into());
    assert_snapshot!(chat.says("pide"), @r#"
    say No tienes permiso para «Crear pedido».
    end failed {"error":"not_allowed","tool":"crear_pedido"}
    · message.received rule.matched turn.started tool.requested tool.denied turn.finished reply.sent
    "#);
    let mut chat = without_model(vec![deduped(tool("crear_pedido"))], rules());
    chat.says("pide");
    chat.tool_returns(json!("P-1"));
    assert_snapshot!(chat.says("pide"), @r#"
    say «crear_pedido» ya se hizo hace un momento; no lo repetí.
    end failed {"executed":false,"reason":"duplicate","previous":{"result":"P-1","secondsAgo":0}}
    · message.received rule.matched turn.started tool.requested tool.duplicate turn.finished reply.sent
    "#);
}

#[test]
fn otherwise_sees_the_failure_and_a_template_that_fails_still_says_that_it_was_done() {
    let speaker = Speaker {
        otherwise: Some("Nada: {{ failure.error }}".into()),
        ..says("Listo {{ result.nada }}")
    };
    let mut chat =
        without_model(vec![tool("avisar")], vec![calls(equals("avisa"), "avisar", speaker)]);
    chat.says("avisa");
    assert_snapshot!(chat.tool_returns(json!({"error": "no"})), @r#"
    say Nada: no
    end failed {"error":"no"}
    · tool.failed turn.finished reply.sent
    "#);
    chat.says("avisa");
    assert_snapshot!(chat.tool_returns(json!(1)), @r"
    say Esto sí quedó hecho: avisar.
    end done 1
    · tool.succeeded loop.error turn.finished reply.sent
    ");
    let reason = chat.trail("loop.error")["reason"].to_string();
    assert!(reason.contains("`result.nada` is not defined"), "{reason}");
}

#[test]
fn a_rules_call_asks_like_any_other() {
    let rules =
        || vec![calls(equals("paga"), "pagar", says("Pagado.")), reply(equals("hola"), "¡Hola!")];
    let mut chat = without_model(vec![asks("pagar", "Pagar")], rules());
    assert_snapshot!(chat.says("paga"), @r"
    ask Voy a: Pagar
    ¿Confirmas? (sí/no)
    · message.received rule.matched turn.started tool.requested confirm.asked reply.sent confirm.shown
    ");
    assert_snapshot!(chat.says("no"), @r#"
    say De acuerdo, no hice «Pagar».
    end failed {"executed":false,"reason":"rejected","instruction":"La persona dijo que no. No lo reintentes (do not retry) ni lo propongas otra vez, salvo que ella lo pida."}
    · message.received confirm.rejected turn.finished reply.sent
    "#);
    chat.says("paga");
    assert_snapshot!(chat.says("sí"), @r"
    run pagar {} as r1
    · message.received confirm.approved tool.started
    ");
    assert_snapshot!(chat.tool_returns(json!(1)), @r"
    say Pagado.
    end done 1
    · tool.succeeded turn.finished reply.sent
    ");
    chat.wait(3601);
    chat.says("paga");
    assert_snapshot!(chat.says("hola"), @r"
    end replied hola
    say ¡Hola!
    end
    · message.received confirm.replied turn.finished rule.matched turn.started turn.finished reply.sent
    ");
    chat.says("paga");
    chat.wait(120);
    assert_snapshot!(chat.time_up(), @r"
    end
    · confirm.expired turn.finished
    ");
    assert_snapshot!(chat.history(), @r"
    User: paga
    Assistant: De acuerdo, no hice «Pagar».
    User: paga
    Assistant: Pagado.
    User: paga
    User: hola
    Assistant: ¡Hola!
    User: paga
    Assistant: [La persona no respondió a tiempo: pagar no se ejecutó.]
    ");
}

#[test]
fn an_answer_that_is_none_is_a_new_message_behind_those_that_wait() {
    let rules = vec![
        calls(equals("paga"), "pagar", Speaker::default()),
        reply(matches("^eco (?<que>.+)$"), "{{ que }}"),
    ];
    let mut chat = without_model(vec![asks("pagar", "Pagar")], rules);
    chat.says("paga");
    chat.says_as("web:eva", "eco uno");
    assert_snapshot!(chat.says("eco dos"), @r"
    end replied eco dos
    say uno
    end
    say dos
    end
    · message.received confirm.replied turn.finished rule.matched turn.started turn.finished rule.matched turn.started turn.finished reply.sent reply.sent
    ");
}

#[test]
fn a_kept_result_is_there_for_later_rules_until_a_reset() {
    let keep = Speaker { result_as: Some("menu".into()), ..says("ok") };
    let rules =
        vec![calls(equals("menu"), "leer", keep), reply(equals("primero"), "{{ menu[0] }}")];
    let mut chat = without_model(vec![reads("leer")], rules);
    chat.says("menu");
    chat.tool_returns(json!(["pan", "café"]));
    assert_snapshot!(chat.says("primero"), @r"
    say pan
    end
    · message.received rule.matched turn.started turn.finished reply.sent
    ");
    chat.says("/reset");
    assert_snapshot!(chat.says("primero"), @r"
    say Lo siento, ahora mismo no puedo responder. Inténtalo de nuevo en un momento.
    end
    · message.received loop.error turn.started turn.finished reply.sent
    ");
}

#[test]
fn a_rule_hands_the_chat_over() {
    let rules = vec![
        Rule { when: equals("persona"), then: Then::Handoff(None) },
        Rule { when: equals("jefe"), then: Then::Handoff(Some(template("Ya viene."))) },
    ];
    let mut chat = without_model(vec![], rules);
    assert_snapshot!(chat.says("persona"), @r"
    say Te paso con una persona del equipo.
    end
    · message.received rule.matched turn.started turn.finished handoff.started reply.sent
    ");
    assert_snapshot!(chat.says("¿hay alguien?"), @"· message.received");
    assert_snapshot!(chat.history(), @r"
    User: persona
    Assistant: Te paso con una persona del equipo.
    User: ¿hay alguien?
    ");
}

#[test]
fn the_greeting_comes_first_and_once() {
    let greeting = |spec: &mut ChatSpec| spec.greeting = Some("¡Bienvenida!".into());
    let mut chat = without_model(vec![], vec![reply(equals("hola"), "Hola.")]);
    greeting(&mut chat.spec);
    assert_snapshot!(chat.says("hola"), @r"
    say ¡Bienvenida!
    end
    say Hola.
    end
    · message.received turn.started turn.finished rule.matched turn.started turn.finished reply.sent reply.sent
    ");
    assert_snapshot!(chat.says("hola"), @r"
    say Hola.
    end
    · message.received rule.matched turn.started turn.finished reply.sent
    ");
    assert_snapshot!(chat.says("/start"), @r"
    say ¡Bienvenida!
    end
    · message.received turn.started turn.finished reply.sent
    ");
    let mut chat = without_model(vec![], vec![]);
    greeting(&mut chat.spec);
    chat.spec.fallback = Some("No entiendo.".into());
    assert_snapshot!(chat.says("qué tal"), @r"
    say ¡Bienvenida!
    end
    · message.received turn.started turn.finished reply.sent
    ");
    assert_snapshot!(chat.says("qué tal"), @r"
    say No entiendo.
    end
    · message.received turn.started turn.finished reply.sent
    ");
}

#[test]
fn direct_commands_are_for_their_roles() {
    let mut chat = without_model(vec![order(), reads("leer")], vec![]);
    chat.spec.direct_tools = vec!["jefa".into()];
    chat.spec.agent.access.roles.push(role("jefa", &["web:eva"], &["*"]));
    assert_snapshot!(chat.says("!tools"), @r"
    say No te entendí. Puedes escribir:
    • /help: muestra esta ayuda
    • /reset: empieza de nuevo la conversación
    end
    · message.received turn.started turn.finished reply.sent
    ");
    assert_snapshot!(chat.says_as("web:eva", "!tools"), @r"
    say crear_pedido: Hace crear_pedido.
    leer: Hace leer.
    end
    · message.received turn.started turn.finished reply.sent
    ");
    assert_snapshot!(chat.says_as("web:eva", "!tool leer a=1 b=\"x y\""), @r#"
    run leer {"a":1,"b":"x y"} as r1
    · message.received turn.started tool.requested tool.started
    "#);
    assert_snapshot!(chat.tool_returns(json!({"n": 1})), @r#"
    say {"n":1}
    end done {"n":1}
    · tool.succeeded turn.finished reply.sent
    "#);
    assert_snapshot!(chat.says_as("web:eva", "!tool crear_pedido cantidad=2"), @r"
    ask Voy a: Crear pedido
    • cantidad: 2
    ¿Confirmas? (sí/no)
    · message.received turn.started tool.requested confirm.asked reply.sent confirm.shown
    ");
    assert_snapshot!(chat.says_as("web:eva", "no"), @r#"
    say De acuerdo, no hice «Crear pedido».
    end failed {"executed":false,"reason":"rejected","instruction":"La persona dijo que no. No lo reintentes (do not retry) ni lo propongas otra vez, salvo que ella lo pida."}
    · message.received confirm.rejected turn.finished reply.sent
    "#);
    assert!(chat.says_as("web:eva", "!tool").starts_with("say !tool NAME"));
    assert_snapshot!(chat.says_as("web:eva", "!tool leer =\""), @r#"
    say !tool NAME key=value key2="with spaces"
    end
    · message.received turn.started turn.finished reply.sent
    "#);
}

#[test]
fn a_rule_whose_words_cannot_be_written_is_passed_over_and_seen() {
    let handoff = Then::Handoff(Some(template("{{ nada }}")));
    let rules = vec![
        reply(equals("hola"), "{{ nada }}"),
        reply(equals("hola"), "buenas"),
        reply(equals("adiós"), "{{ nada }}"),
        Rule { when: equals("ayuda"), then: handoff },
    ];
    let mut chat = without_model(vec![], rules);
    assert_snapshot!(chat.says("hola"), @r"
    say buenas
    end
    · message.received loop.error rule.matched turn.started turn.finished reply.sent
    ");
    let noted = chat.trail("loop.error");
    assert_eq!(noted["rule"], 1);
    assert!(noted["reason"].as_str().unwrap().contains("nada"), "{noted}");
    assert_snapshot!(chat.says("adiós"), @r"
    say Lo siento, ahora mismo no puedo responder. Inténtalo de nuevo en un momento.
    end
    · message.received loop.error turn.started turn.finished reply.sent
    ");
    chat.spec.agent.has_model = true;
    assert_snapshot!(chat.says("adiós"), @r"
    model 1 without tools ← adiós
    · message.received loop.error turn.started model.called
    ");
    chat.model_says("¡Hasta luego!");
    assert_snapshot!(chat.says("ayuda"), @r"
    say Te paso con una persona del equipo.
    end
    · message.received loop.error rule.matched turn.started turn.finished handoff.started reply.sent
    ");
}

#[test]
fn commands_are_for_the_roles_that_list_them() {
    let command = When { command: Some("cerrar".into()), ..When::default() };
    let mut chat = without_model(vec![], vec![reply(command, "cerrado")]);
    let boss = manos_policy::Role { commands: vec!["*".into()], ..role("jefa", &["web:eva"], &[]) };
    chat.spec.agent.access.roles.push(boss);
    assert_snapshot!(chat.says("/cerrar ya"), @r"
    say No tienes permiso para «/cerrar».
    · message.received tool.denied reply.sent
    ");
    assert_snapshot!(chat.says("/reset"), @r"
    say No tienes permiso para «/reset».
    · message.received tool.denied reply.sent
    ");
    assert_snapshot!(chat.says("/help"), @r"
    say Puedes escribir:
    • /help: muestra esta ayuda
    end
    · message.received turn.started turn.finished reply.sent
    ");
    assert!(chat.says_as("web:eva", "/CERRAR").starts_with("say cerrado"));
    assert!(chat.says_as("web:eva", "/reset").starts_with("say Conversación reiniciada."));
}

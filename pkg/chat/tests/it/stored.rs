//! The stored form: what an earlier program wrote is read, and written equal.
//!
//! `fixtures/state/v*-*.json` are chats at several stages, written by the scripts below. They are
//! never changed: a form that differs is a new version, with a migration and files of its own.

use manos_chat::Chat;
use manos_model::{Failure, RunEnd};
use serde_json::json;

use crate::agent::{agent, asks, order, quote, quoted_order, reads, schema, tool};
use crate::script::{ANA, Script, WEB, chat_with};

/// A stage: its name, how it is played, and what was written of it.
type Stage = (&'static str, fn() -> Script, [&'static str; 2]);

fn stages() -> Vec<Stage> {
    macro_rules! stage {
        ($name:literal, $play:path) => {
            (
                $name,
                $play as fn() -> Script,
                [
                    include_str!(concat!("../../../../fixtures/state/v1-", $name, "-active.json")),
                    include_str!(concat!("../../../../fixtures/state/v1-", $name, "-memory.json")),
                ],
            )
        };
    }
    vec![
        stage!("new", new),
        stage!("idle", idle),
        stage!("model", model),
        stage!("asked", asked),
        stage!("running", running),
        stage!("quoting", quoting),
        stage!("requoting", requoting),
        stage!("leaving", leaving),
    ]
}

fn new() -> Script {
    chat_with(agent(vec![]))
}

/// A turn is over; a run is done, another unknown; something is kept for rules.
fn idle() -> Script {
    let mut pin = asks("entrar", "Entrar");
    pin.spec.schema = schema(&json!({"properties": {"pin": {"writeOnly": true}, "n": {}}}));
    let mut chat = chat_with(agent(vec![pin, tool("avisar")]));
    chat.says("hola");
    chat.model_calls([("entrar", json!({"pin": "1234", "n": 12_345_678_901_234_567_890_u64}))]);
    chat.says("mejor después");
    chat.model_calls([("entrar", json!({"pin": "1234", "n": 0.10}))]);
    chat.says("sí");
    chat.tool_returns(json!({"id": "E-1", "total": 1.50}));
    chat.model_calls([("avisar", json!({}))]);
    chat.tool_ends(RunEnd::Unknown(Failure::Timeout { after_ms: 15_000 }));
    chat.model_says("Listo.");
    chat
}

/// The second step of a turn, after a cut reply and a failed call; others wait.
fn model() -> Script {
    let mut chat = chat_with(agent(vec![reads("leer")]));
    chat.says("hola");
    chat.model_says("");
    chat.model_calls([("leer", json!("{\"a\": 1}")), ("nada", json!(null))]);
    chat.tool_returns(json!({"error": "no"}));
    chat.says_as("web:eva", "¿y yo?");
    chat.receives(ANA, manos_chat::InboundBody::Media("image".into()));
    chat
}

fn asked() -> Script {
    let mut chat = chat_with(agent(vec![order()]));
    chat.surface = WEB;
    chat.says("quiero pan");
    chat.model_calls([("crear_pedido", json!({"cantidad": 5, "producto": "pan_de_bono"}))]);
    chat
}

fn running() -> Script {
    let mut chat = asked();
    chat.presses(true);
    chat
}

fn quoting() -> Script {
    let mut chat = chat_with(agent(vec![quoted_order(), quote()]));
    chat.says("quiero pan");
    chat.model_calls([("crear_pedido", json!({"cantidad": 5}))]);
    chat
}

/// The lines are compared after the yes.
fn requoting() -> Script {
    let mut chat = quoting();
    chat.tool_returns(json!({"total": 10}));
    chat.says("sí");
    chat
}

/// A run goes on though its turn is gone, outputs wait, and a human has the chat.
fn leaving() -> Script {
    let mut chat = running();
    chat.channel_takes = false;
    chat.says("/reset");
    chat.says("quiero pan");
    chat.model_calls([("crear_pedido", json!({"cantidad": 6}))]);
    chat.receives("op", manos_chat::InboundBody::Handoff(true));
    chat
}

#[test]
fn every_stage_is_read_and_written_as_it_was() {
    for (name, _, [active, memory]) in stages() {
        let (active, memory) = (active.trim_end(), memory.trim_end());
        let chat = Chat::read("web:1".into(), active, Some(memory)).unwrap();
        assert_eq!(chat.active_json().unwrap(), active, "{name}");
        assert_eq!(chat.memory_json().unwrap(), memory, "{name}");
    }
}

#[test]
fn every_stage_is_still_written_like_this() {
    for (name, play, [active, memory]) in stages() {
        let Script { chat, .. } = play();
        assert_eq!(chat.active_json().unwrap(), active.trim_end(), "{name}");
        assert_eq!(chat.memory_json().unwrap(), memory.trim_end(), "{name}");
    }
}

/// A chat that has said much: each turn adds a little to a long memory.
fn long(turns: usize) -> Script {
    let mut chat = chat_with(agent(vec![tool("avisar")]));
    chat.spec.agent.limits.history_messages_max = 40;
    for turn in 0..turns {
        chat.says(&format!("{turn}: {}", "palabras ".repeat(50)));
        chat.model_calls([("avisar", json!({"n": turn}))]);
        chat.tool_returns(json!({"aviso": turn}));
        chat.model_says(&format!("{turn}: {}", "respuesta ".repeat(50)));
    }
    chat
}

/// Each event reads the chat back from what was written and compares it: see `watch.rs`.
#[test]
fn a_long_memory_is_written_now_and_then_and_what_is_new_stands_beside_it() {
    let chat = long(60);
    let written = chat.memories_written();
    // Eight turns are small, and each of them writes it; then two or three turns go by.
    assert!((15..35).contains(&written), "the memory was written {written} times in 60 turns");
    let active = chat.chat.active_json().unwrap();
    assert!(active.len() < 8_000, "the small state has {} bytes", active.len());
}

#[test]
fn a_long_memory_that_is_cleared_is_written_at_once() {
    let mut chat = long(12);
    let before = chat.memories_written();
    chat.says("/reset");
    assert_eq!(chat.memories_written(), before + 1);
    assert_eq!(chat.history(), "");
    assert!(
        chat.chat.active_json().unwrap().starts_with(r#"{"v":1,"#),
        "an older program reads it"
    );
}

/// A stage of format 2: a memory as it was written some turns ago, and what has come since.
fn written_long() -> [String; 2] {
    let chat = long(10);
    [chat.chat.active_json().unwrap(), chat.memory_written().unwrap().to_owned()]
}

#[test]
fn a_chat_whose_memory_is_not_whole_is_read_and_written_as_it_was() {
    let kept = [
        include_str!("../../../../fixtures/state/v2-long-active.json").trim_end(),
        include_str!("../../../../fixtures/state/v2-long-memory.json").trim_end(),
    ];
    assert_eq!(written_long(), kept);
    let [active, memory] = kept;
    assert!(active.starts_with(r#"{"v":2,"#), "an older program would lose what is new");
    let chat = Chat::read("web:1".into(), active, Some(memory)).unwrap();
    assert_eq!(chat, long(10).chat);
    assert_eq!(chat.active_json().unwrap(), active);
}

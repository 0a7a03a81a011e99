//! Messages of one user in a row, on a messenger.

use insta::assert_snapshot;
use manos_chat::{Chat, Doing, Event, InboundBody};
use manos_model::Timestamp;

use crate::agent::{agent, order};
use crate::script::{ANA, Script, chat_with};

/// A chat on a messenger, where the first of several messages waits 1.5 seconds.
fn on_telegram() -> Script {
    let mut chat = chat_with(agent(vec![order()]));
    chat.chat = Chat::new("telegram:1".into());
    chat
}

fn millis_left(chat: &Script, since: Timestamp) -> i128 {
    chat.chat.deadline().unwrap().duration_since(since).as_millis()
}

#[test]
fn messages_in_a_row_are_one_message() {
    let mut chat = on_telegram();
    let start = chat.now();
    assert_snapshot!(chat.says("hola"), @"· message.received");
    assert_eq!(chat.chat.doing(), Doing::Busy);
    assert_eq!(millis_left(&chat, start), 1_500);
    chat.wait(1);
    assert_snapshot!(chat.says("quiero pan"), @"· message.received");
    assert_eq!(millis_left(&chat, start), 2_500, "a new part may have a next one");
    assert_snapshot!(chat.time_up(), @"·");
    chat.wait(2);
    assert_snapshot!(chat.time_up(), @r"
    model 1 ← hola
    quiero pan
    · turn.started model.called
    ");
}

#[test]
fn whoever_never_stops_is_heard_after_four_spans() {
    let mut chat = on_telegram();
    let start = chat.now();
    for _ in 0..6 {
        chat.says("y");
        chat.wait(1);
    }
    assert_eq!(millis_left(&chat, start), 6_000);
    let played = chat.says("y");
    assert!(played.contains("model 1 ← y\ny\ny\ny\ny\ny"), "{played}");
}

#[test]
fn presses_answers_and_commands_do_not_wait() {
    let mut chat = on_telegram();
    chat.says("/help");
    assert_eq!(chat.chat.deadline(), None, "a command");
    assert_snapshot!(chat.receives(ANA, InboundBody::Media("image".into())), @r"
    say Solo puedo leer texto. Escríbemelo, por favor.
    end
    · message.received turn.started turn.finished reply.sent
    ");
    chat.says("pan");
    chat.wait(2);
    chat.time_up();
    chat.model_calls([("crear_pedido", serde_json::json!({"cantidad": 1}))]);
    let answered = chat.says("sí");
    assert!(answered.starts_with("run crear_pedido"), "an answer: {answered}");
}

#[test]
fn somebody_else_ends_the_wait() {
    let mut chat = on_telegram();
    chat.says("uno");
    assert_snapshot!(chat.says_as("telegram:2", "dos"), @r"
    model 1 ← uno
    · message.received turn.started model.called
    ");
    chat.says_as("telegram:2", "dos y medio");
    assert_snapshot!(chat.model_says("1"), @r"
    say 1
    end
    model 1 ← dos
    dos y medio
    · model.replied turn.finished turn.started model.called reply.sent
    ");
}

#[test]
fn what_is_gathered_outlives_the_process_and_a_reset_drops_it() {
    let mut chat = on_telegram();
    chat.says("uno");
    assert_snapshot!(chat.crashes(vec![]), @"·");
    chat.wait(2);
    assert_snapshot!(chat.time_up(), @r"
    model 1 ← uno
    · turn.started model.called
    ");
    let mut chat = on_telegram();
    chat.says("uno");
    chat.receives(ANA, InboundBody::Reset);
    assert_eq!(chat.chat.deadline(), None);
    assert!(!chat.chat.awake());
}

#[test]
fn the_terminal_and_the_api_never_wait() {
    for key in ["terminal:local", "api:k:1", "call:7"] {
        let mut chat = chat_with(agent(vec![]));
        chat.chat = Chat::new(key.into());
        let played = chat.says("hola");
        assert!(played.starts_with("model 1 without tools ← hola"), "{key}: {played}");
    }
}

#[test]
fn a_message_too_long_to_be_joined_is_the_next_one() {
    let mut chat = on_telegram();
    chat.spec.message_chars_max = 8;
    chat.says("12345");
    assert_snapshot!(chat.says("6789"), @r"
    model 1 ← 12345
    · message.received turn.started model.called
    ");
}

/// The event that the runtime sends at the deadline changes nothing before it.
#[test]
fn an_early_time_up_changes_nothing() {
    let mut chat = on_telegram();
    chat.says("uno");
    let before = chat.chat.clone();
    chat.event(&Event::TimeUp);
    assert_eq!(chat.chat, before);
}

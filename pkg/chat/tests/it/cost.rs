//! What the trail tells of a model's use, and what happens when the chat is too long for it.

use insta::assert_snapshot;
use manos_model::{ModelFailureKind, ModelReply, Price, ReplyOrigin, Unanswered, Usage};
use serde_json::json;

use crate::agent::{agent, reads};
use crate::script::{Script, calling, chat_with};

fn priced(reply: ModelReply, provider: &str) -> ModelReply {
    let usage =
        Usage { tokens_input: 1000, tokens_output: 50, tokens_cached: 400, tokens_reasoning: 10 };
    let price = Price::new("USD", "0.25", "2", Some("0.025")).unwrap();
    let instead_of = match provider {
        "openai" => Vec::new(),
        _ => vec![Unanswered {
            provider: "openai".into(),
            model: "m".into(),
            reason: "it is down".into(),
        }],
    };
    let origin = ReplyOrigin {
        provider: provider.into(),
        model: "m".into(),
        cost: Some(price.of(&usage)),
        instead_of,
    };
    ModelReply { usage: Some(usage), origin: Some(Box::new(origin)), ..reply }
}

fn reading() -> Script {
    chat_with(agent(vec![reads("leer")]))
}

#[test]
fn each_reply_tells_its_cost_and_the_turn_the_sum() {
    let mut chat = reading();
    chat.says("hola");
    chat.model(priced(calling([("leer", json!({}))]), "openai"));
    chat.tool_returns(json!(1));
    chat.would_survive_a_crash();
    chat.model(priced(ModelReply::of_text("Listo."), "groq"));
    assert_snapshot!(chat.trail("model.replied"), @r#"{"text":"Listo.","calls":[],"finish":"stop","usage":{"input":1000,"output":50,"cached":400,"reasoning":10},"provider":"groq","model":"m","cost":{"USD":"0.00026"},"instead_of":[{"provider":"openai","model":"m","reason":"it is down"}]}"#);
    assert_snapshot!(chat.trail("turn.finished"), @r#"{"steps":2,"usage":{"input":2000,"output":100,"cached":800,"reasoning":20},"cost":{"USD":"0.00052"}}"#);
    chat.says("y ahora");
    chat.model_says("Nada.");
    assert_snapshot!(chat.trail("turn.finished"), @r#"{"steps":1}"#);
}

#[test]
fn a_chat_too_long_for_the_model_loses_its_older_half_once_a_turn() {
    let mut chat = reading();
    for words in ["uno", "dos", "tres"] {
        chat.says(words);
        chat.model_says("vale");
    }
    chat.spec.agent.limits.steps_max = 1;
    chat.says("cuatro");
    assert_snapshot!(chat.model_fails(ModelFailureKind::TooLong), @r#"
    model 2 ← cuatro
    · model.failed loop.trimmed model.called
    "#);
    assert_snapshot!(chat.trail("loop.trimmed"), @r#"{"turns_dropped":2}"#);
    assert_snapshot!(chat.trail("model.called")["history"], @"2");
    assert_snapshot!(chat.model_fails(ModelFailureKind::TooLong), @r#"
    say Lo siento, ahora mismo no puedo responder. Inténtalo de nuevo en un momento.
    end
    · model.failed loop.error turn.finished reply.sent
    "#);
    assert_snapshot!(chat.history(), @r#"
    User: tres
    Assistant: vale
    User: cuatro
    Assistant: Lo siento, ahora mismo no puedo responder. Inténtalo de nuevo en un momento.
    "#);
}

#[test]
fn where_there_is_no_history_to_drop_a_long_chat_is_apologised_for() {
    let mut chat = reading();
    chat.says("hola");
    assert_snapshot!(chat.model_fails(ModelFailureKind::TooLong), @r#"
    say Lo siento, ahora mismo no puedo responder. Inténtalo de nuevo en un momento.
    end
    · model.failed loop.error turn.finished reply.sent
    "#);
}

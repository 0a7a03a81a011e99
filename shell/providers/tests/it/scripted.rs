use std::sync::Arc;
use std::time::Duration;

use jiff::tz::TimeZone;
use manos_model::{
    CallArguments, FinishReason, ModelFailure, ModelFailureKind, ModelReply, ModelRequest,
    StepMessage, ToolCallId, ToolResult, ToolSet,
};
use manos_ports::{Deltas, Provider};
use manos_providers::Scripted;
use manos_text::{Formats, Locale, Money};
use manos_wire_llm::{ScriptCall, ScriptEntry, ScriptWhen};
use regex::Regex;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

#[derive(Debug)]
struct Unheard;

impl Deltas for Unheard {
    fn text(&self, _: &str) {}
}

fn formats() -> Formats {
    let money = Money { symbol: "$".to_owned(), decimals: 0 };
    Formats::new(&Locale::from_tag("es-CO").unwrap(), money, TimeZone::UTC)
}

fn says(result: &str, say: &str) -> ScriptEntry {
    let when = ScriptWhen { result: Some(Regex::new(result).unwrap()), user: None };
    ScriptEntry { when, say: Some(say.to_owned()), ..ScriptEntry::default() }
}

fn request(result: Option<Value>) -> ModelRequest {
    let mut messages = vec![StepMessage::User("un pedido".to_owned())];
    messages.extend(result.map(|content| {
        let call_id = ToolCallId::new("t1");
        StepMessage::Result(ToolResult { call_id, content, failed: false })
    }));
    ModelRequest {
        system: String::new(),
        history: Arc::default(),
        messages: Arc::new(messages),
        tools: Arc::new(ToolSet::new(Vec::new())),
        step: 1,
    }
}

async fn ask(model: &Scripted, result: Option<Value>) -> Result<ModelReply, ModelFailure> {
    model.reply(request(result), &Unheard, &CancellationToken::new()).await
}

#[tokio::test]
async fn a_script_calls_and_then_says_what_came_of_it() {
    let call = ScriptCall {
        tool: "crear_pedido".to_owned(),
        arguments: CallArguments::Text("{\"items\":[".to_owned()),
    };
    let when = ScriptWhen { user: Some(Regex::new("(?i)PEDIDO").unwrap()), result: None };
    let first = ScriptEntry { when, calls: vec![call.clone()], ..ScriptEntry::default() };
    let entries = vec![first, says("confirmado", "Listo, {{ result.id }}, por {{ user }}.")];
    let model = Scripted::new(entries, formats()).unwrap();

    let reply = ask(&model, None).await.unwrap();
    assert_eq!(reply.finish, FinishReason::ToolCalls);
    assert_eq!(reply.calls[0].name, call.tool);
    assert_eq!(reply.calls[0].arguments, call.arguments);

    let result = json!({"estado": "confirmado", "id": 7});
    let reply = ask(&model, Some(result)).await.unwrap();
    assert_eq!(reply, ModelReply::of_text("Listo, 7, por un pedido."));
}

#[tokio::test]
async fn an_entry_that_serves_once_serves_once() {
    let once = ScriptEntry { once: true, say: Some("a".to_owned()), ..ScriptEntry::default() };
    let model = Scripted::new(vec![once], formats()).unwrap();
    assert_eq!(ask(&model, None).await.unwrap().text, "a");
    let failure = ask(&model, None).await.unwrap_err();
    assert_eq!(failure.message, "the script has no entry for the message \"un pedido\"");
}

#[tokio::test]
async fn bad_templates_are_told_before_the_first_call_where_that_can_be() {
    let error = Scripted::new(vec![says(".", "{{ result.")], formats()).unwrap_err();
    assert_eq!(error.entry, 1);
    let model = Scripted::new(vec![says(".", "{{ result.id }}")], formats()).unwrap();
    let failure = ask(&model, Some(json!({}))).await.unwrap_err();
    assert_eq!(failure.kind, ModelFailureKind::Config);
    assert!(failure.message.starts_with("entry 1 of the script"), "{}", failure.message);
}

#[tokio::test]
async fn a_slow_entry_can_be_stopped() {
    let slow = ScriptEntry { delay: Duration::from_hours(1), ..ScriptEntry::default() };
    let model = Scripted::new(vec![slow], formats()).unwrap();
    let cancel = CancellationToken::new();
    cancel.cancel();
    let failure = model.reply(request(None), &Unheard, &cancel).await.unwrap_err();
    assert_eq!(failure.kind, ModelFailureKind::Cancelled);
}

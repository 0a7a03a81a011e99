//! Arbitrary requests for the property tests of every dialect: what a turn may look like after
//! aborts, denials, trims, a change of provider and restarts.
//!
//! A dialect's test takes [`requests()`], encodes each and gives the body to its own check of what the
//! provider refuses.

use std::sync::Arc;

use manos_model::{
    HistoryEntry, ModelRequest, Opaque, Role, StepMessage, ToldCall, ToolCallId, ToolDeclaration,
    ToolResult, ToolSet,
};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::{CallOptions, Streaming, Strict, ToolChoice};

/// Names of tools: legal, illegal, too long, alike once they are cut.
const NAMES: [&str; 7] = [
    "ver_menu",
    "calendar.create",
    "calendar_create",
    "crear pedido",
    "año",
    "9lives",
    "a_name_that_is_much_longer_than_any_provider_takes_and_goes_on_and_on_one",
];

/// Families of which items may be in a turn, this dialect's and others'.
pub(crate) const FAMILIES: [&str; 8] = [
    "openai",
    "deepseek",
    "openai-chat",
    "openai-responses",
    "anthropic",
    "gemini",
    "ollama",
    "nobody",
];

/// What a model of this family thought, as it stands in the items of its turn.
pub(crate) fn thought_of(family: &str) -> String {
    format!("thoughtOf{}Z", family.replace('-', ""))
}

/// Makes requests, each with the options that it is sent with.
pub(crate) fn requests() -> impl Strategy<Value = (ModelRequest, CallOptions)> {
    (
        prop_oneof![Just(String::new()), Just("Eres amable.\nLunes.".to_owned())],
        prop::collection::vec(entry(), 0..6),
        messages(),
        tools(),
        options(),
    )
        .prop_map(|(system, history, messages, tools, options)| {
            let request = ModelRequest {
                system,
                history: Arc::new(history),
                messages: Arc::new(messages),
                tools: Arc::new(ToolSet::new(tools)),
                step: 1,
            };
            (request, options)
        })
}

/// Words as they occur, white space at the end and nothing at all included.
fn words() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => Just("Dos panes, por favor 🥐".to_owned()),
        1 => Just("ends in blanks \n ".to_owned()),
        1 => Just(String::new()),
        1 => Just("  ".to_owned()),
        1 => Just("\u{0}\u{7}\"\\".to_owned()),
    ]
}

fn entry() -> impl Strategy<Value = HistoryEntry> {
    // Trimmed histories begin with whoever spoke then; the same one may speak twice.
    (any::<bool>(), words()).prop_map(|(user, text)| HistoryEntry {
        role: if user { Role::User } else { Role::Assistant },
        text,
    })
}

/// One step of a turn, with what may have gone wrong in it.
fn messages() -> impl Strategy<Value = Vec<StepMessage>> {
    let begin = prop_oneof![
        4 => words().prop_map(|text| {
            vec![StepMessage::User(if text.trim().is_empty() { "Hola".to_owned() } else { text })]
        }),
        // A trim left no beginning.
        1 => Just(Vec::new()),
    ];
    (begin, prop::collection::vec(step(), 0..4)).prop_map(|(mut messages, steps)| {
        for (at, step) in steps.into_iter().enumerate() {
            push_step(&mut messages, at, step);
        }
        if !messages
            .iter()
            .any(|message| matches!(message, StepMessage::User(text) if !text.trim().is_empty()))
        {
            messages.push(StepMessage::User("Sigue".to_owned()));
        }
        messages
    })
}

#[derive(Debug, Clone)]
struct Step {
    text: String,
    /// Name, form of the id, arguments, how many results there are.
    calls: Vec<(usize, u8, Value, u8)>,
    opaque: Vec<Opaque>,
    /// A note or message amid the results.
    between: Option<(bool, String)>,
    after: Option<String>,
    orphan: bool,
    reversed: bool,
}

fn step() -> impl Strategy<Value = Step> {
    let arguments = prop_oneof![
        Just(json!({})),
        Just(json!({"n": 1, "items": [{"a": null}]})),
        // A call that could not be read is told as no object.
        Just(Value::Null),
    ];
    let call = (0..NAMES.len() + 1, any::<u8>(), arguments, 0_u8..3);
    (
        words(),
        prop::collection::vec(call, 0..4),
        prop::collection::vec(opaque(), 0..3),
        prop::option::weighted(0.2, (any::<bool>(), words())),
        prop::option::weighted(0.3, words()),
        prop::bool::weighted(0.2),
        any::<bool>(),
    )
        .prop_map(|(text, calls, opaque, between, after, orphan, reversed)| Step {
            text,
            calls,
            opaque,
            between,
            after,
            orphan,
            reversed,
        })
}

/// Items of every family; those that are not the dialect's own must stay away from it.
fn opaque() -> impl Strategy<Value = Opaque> {
    let json = prop_oneof![
        Just(r#"{"reasoning_content":"WHOSE"}"#.to_owned()),
        Just(r#"{"call":0,"extra_content":{"s":1}}"#.to_owned()),
        Just(r#"{"text_bytes":3,"calls":0,"block":{"type":"thinking","thinking":"","signature":"WHOSE"}}"#
            .to_owned()),
        Just(r#"{"text_bytes":0,"calls":9,"block":{"type":"redacted_thinking","data":"d"}}"#
            .to_owned()),
        Just(r#"{"call":0,"thoughtSignature":"WHOSE"}"#.to_owned()),
        Just(r#"{"from":1,"to":4,"thoughtSignature":"s"}"#.to_owned()),
        Just(r#"{"call":0,"id":"fc_1"}"#.to_owned()),
        Just(r#"{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"WHOSE"}"#.to_owned()),
        Just(r#"{"thinking":"WHOSE"}"#.to_owned()),
        Just("{}".to_owned()),
        Just("not JSON".to_owned()),
    ];
    // An item that is no item is only ever another family's.
    (0..FAMILIES.len(), json).prop_map(|(family, json)| {
        let family = if json == "not JSON" { "nobody" } else { FAMILIES[family] };
        Opaque { family: family.to_owned(), json: json.replace("WHOSE", &thought_of(family)) }
    })
}

fn push_step(messages: &mut Vec<StepMessage>, at: usize, step: Step) {
    let mut results = Vec::new();
    let mut calls = Vec::new();
    for (number, (name, id, arguments, count)) in step.calls.into_iter().enumerate() {
        let own = format!("t{at}_{number}_0123456789abcdef0123456789abcdef");
        let wire_id = match id % 5 {
            0 => None,
            1 => Some(format!("call_{at}_{number}")),
            // Given twice, given by another provider, too long for most.
            2 => Some("call_same".to_owned()),
            3 => Some(format!("functions.ver:{number}")),
            _ => Some(format!("fc_{at}{number}_{}", "0".repeat(60))),
        };
        for more in 0..count {
            let content = if more == 0 { json!({"total": 1}) } else { json!("otra vez") };
            let call_id = ToolCallId::new(own.clone());
            results.push(StepMessage::Result(ToolResult { call_id, content, failed: more > 0 }));
        }
        let name = NAMES.get(name).map_or("invented tool!", |name| *name).to_owned();
        calls.push(ToldCall { id: ToolCallId::new(own), wire_id, name, arguments });
    }
    messages.push(StepMessage::Assistant { text: step.text, calls, opaque: step.opaque });
    if step.reversed {
        results.reverse();
    }
    if let Some((note, text)) = step.between {
        let message = if note { StepMessage::Note(text) } else { StepMessage::User(text) };
        results.insert(results.len() / 2, message);
    }
    if step.orphan {
        let call_id = ToolCallId::new("gone");
        let orphan = ToolResult { call_id, content: json!(1), failed: false };
        results.push(StepMessage::Result(orphan));
    }
    messages.append(&mut results);
    messages.extend(step.after.map(StepMessage::Note));
}

/// Some of the tools; none at all for an answer without tools.
fn tools() -> impl Strategy<Value = Vec<ToolDeclaration>> {
    let schema = prop_oneof![
        Just(
            json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]})
        ),
        Just(json!({})),
        Just(json!(true)),
        Just(json!({"oneOf": [{"type": "object", "properties": {"a": {}}}, {}]})),
        Just(json!({"type": "object", "additionalProperties": {"type": "string"}})),
    ];
    prop::sample::subsequence(NAMES.to_vec(), 0..=NAMES.len()).prop_flat_map(move |names| {
        prop::collection::vec(schema.clone(), names.len()).prop_map(move |schemas| {
            let declare = |(name, parameters): (&&str, Value)| ToolDeclaration {
                name: (*name).to_owned(),
                description: if name.len() > 6 { "Hace algo.".to_owned() } else { String::new() },
                parameters,
            };
            names.iter().zip(schemas).map(declare).collect()
        })
    })
}

fn options() -> impl Strategy<Value = CallOptions> {
    let choice = prop_oneof![
        4 => Just(ToolChoice::Auto),
        1 => Just(ToolChoice::Required),
        1 => Just(ToolChoice::None),
        1 => (0..NAMES.len()).prop_map(|at| ToolChoice::Named(NAMES[at].to_owned())),
    ];
    let max = prop::option::of(1_u32..9999);
    (choice, any::<bool>(), any::<bool>(), prop::option::of(any::<bool>()), max).prop_map(
        |(tool_choice, stream, strict, parallel_tool_calls, max_output_tokens)| CallOptions {
            max_output_tokens,
            parallel_tool_calls,
            streaming: if stream { Streaming::On } else { Streaming::Off },
            strict: if strict { Strict::On } else { Strict::Off },
            tool_choice,
            ..CallOptions::new("https://provider.test/v1", "m")
        },
    )
}

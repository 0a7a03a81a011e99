//! What both sides do: the same words, tools and history.

use serde_json::{Value, json};

/// What the person writes.
pub(crate) const MESSAGE: &str = "Can I have two loaves of rye and a baguette for Saturday?";

/// Who the agent is.
pub(crate) const PERSONA: &str =
    "You take orders for a bakery. Be brief and kind. Prices are in euros.";

/// The tool that is called.
pub(crate) const TOOL: &str = "take_order";

/// What the tool answers.
pub(crate) fn result() -> Value {
    json!({"order": 1042, "state": "taken", "total_cents": 1150, "ready": "2026-12-05T10:00:00Z"})
}

/// The arguments with which the model calls it, as JSON text.
pub(crate) const ARGUMENTS: &str = r#"{"customer":{"name":"Nuria","phone":"+34600111222"},"lines":[{"item":"rye","quantity":2},{"item":"baguette","quantity":1}],"day":"saturday"}"#;

/// The text that ends the turn.
pub(crate) const ANSWER: &str = "Done: two loaves of rye and a baguette, 11.50 euros, ready on \
Saturday from ten. Your order is number 1042. See you then, and thank you for ordering with us!";

/// What kind of tool is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// One that changes something: every step of it is on the disk before the next begins.
    Effect,
    /// One that only reads.
    ReadOnly,
}

/// How the model's server answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Replies {
    /// In pieces.
    Stream,
    /// All at once.
    Whole,
}

impl Replies {
    /// The path under which the server answers so.
    pub(crate) fn path(self) -> &'static str {
        match self {
            Self::Stream => "stream/v1",
            Self::Whole => "whole/v1",
        }
    }
}

/// What is measured.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Workload {
    /// What kind of tool is called.
    pub(crate) kind: Kind,
    /// How the server answers.
    pub(crate) replies: Replies,
    /// Tools offered.
    pub(crate) tools: usize,
    /// Messages of earlier turns that are sent along, two a turn.
    pub(crate) history: usize,
}

impl Default for Workload {
    fn default() -> Self {
        Self { kind: Kind::Effect, replies: Replies::Whole, tools: 5, history: 10 }
    }
}

/// One tool that is offered.
#[derive(Debug, Clone)]
pub(crate) struct Tool {
    pub(crate) name: String,
    pub(crate) description: &'static str,
    pub(crate) parameters: Value,
}

/// The tools; the first is the one that is called.
pub(crate) fn tools(count: usize) -> Vec<Tool> {
    let names = (0..count.max(1)).map(|at| match at {
        0 => TOOL.to_owned(),
        _ => format!("{TOOL}_of_shop_{at}"),
    });
    names.map(|name| Tool { name, description: "Takes an order.", parameters: schema() }).collect()
}

/// The schema of the arguments.
pub(crate) fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "customer": {
                "type": "object",
                "properties": {
                    "name": {"type": "string", "minLength": 1, "maxLength": 80},
                    "phone": {"type": "string", "pattern": "^\\+[0-9]{8,15}$"}
                },
                "required": ["name"]
            },
            "lines": {
                "type": "array",
                "minItems": 1,
                "items": {
                    "type": "object",
                    "properties": {
                        "item": {"type": "string", "enum": ["rye", "baguette", "croissant"]},
                        "quantity": {"type": "integer", "minimum": 1, "maximum": 50}
                    },
                    "required": ["item", "quantity"]
                }
            },
            "day": {"type": "string", "enum": ["friday", "saturday", "sunday"]}
        },
        "required": ["customer", "lines", "day"]
    })
}

/// The agent file, as JSON, which is YAML too.
pub(crate) fn agent_file(workload: &Workload, base_url: &str, store: &str) -> String {
    let tools: Vec<Value> = tools(workload.tools)
        .into_iter()
        .map(|tool| {
            json!({
                "name": tool.name,
                "description": tool.description,
                "parameters": tool.parameters,
                "read_only": workload.kind == Kind::ReadOnly,
            })
        })
        .collect();
    json!({
        "name": "bench",
        "language": "en",
        "persona": PERSONA,
        "model": {
            "provider": "openai",
            "model": "bench",
            "base_url": format!("{base_url}/{}", workload.replies.path()),
        },
        "store": store,
        "history": {"messages": workload.history},
        "tools": tools,
    })
    .to_string()
}

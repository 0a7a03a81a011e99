//! The agents that are played: every kind of tool, rules, and settings drawn from the number.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use jiff::tz::TimeZone;
use manos_chat::{ChatSpec, Rule, Speaker, Then, When};
use manos_engine::{
    AgentParts, AgentSpec, ConfirmSettings, Limits, QuestionBody, QuoteSource, Surface, Tool,
};
use manos_policy::{Access, Dedupe, ToolSpec, Who};
use manos_schema::ToolSchema;
use manos_text::{Formats, Labels, Language, Locale, Money, Template, Texts};
use serde_json::{Value, json};

use crate::chance::Dice;

/// The tools, by the places that steps name.
pub(crate) const TOOLS: [&str; 9] =
    ["crear", "avisar", "leer", "cotizado", "una_vez", "seguro", "marcar", "borrar", "no_existe"];

/// Tools that keep a journal, so that the next process can learn what became of a run.
pub(crate) const JOURNALED: [&str; 3] = ["crear", "una_vez", "marcar"];

/// What a question waits, and a yes is good.
pub(crate) const CONFIRM_TIMEOUT: Duration = Duration::from_mins(2);

/// The window of the tools that are deduplicated.
pub(crate) const DEDUPE_WINDOW: Duration = Duration::from_mins(10);

/// Messages that wait in a chat.
pub(crate) const WAITING_MAX: usize = 3;

/// The settings of one world.
#[derive(Debug)]
pub(crate) struct Settings {
    /// The agent.
    pub spec: Arc<ChatSpec>,
    /// The chats, with what their channels can do.
    pub chats: Vec<(String, Surface)>,
}

/// Draws the settings of a world.
///
/// # Errors
///
/// Never in practice: the agent is always the same but for its switches.
pub(crate) fn settings(dice: &mut Dice) -> anyhow::Result<Settings> {
    let names = ["web:1", "telegram:2", "web:3", "telegram:4"];
    let count = 1 + dice.below(names.len());
    let chats = names[..count].iter().map(|name| {
        let surface = Surface {
            buttons: dice.one_in(2),
            edits: dice.one_in(2),
            repeats: dice.one_in(2),
            voice: false,
        };
        ((*name).to_owned(), surface)
    });
    let chats = chats.collect();
    let who = if dice.one_in(4) { Who::Anyone } else { Who::Requester };
    let confirm = ConfirmSettings {
        timeout: CONFIRM_TIMEOUT,
        who,
        answered_notice: dice.one_in(4),
        ..ConfirmSettings::default()
    };
    let limits = Limits {
        steps_max: if dice.one_in(3) { 3 } else { 5 },
        final_answer: dice.one_in(4),
        interim_text: dice.one_in(4),
        parallel_reads: dice.one_in(2),
        ..Limits::default()
    };
    Ok(Settings { spec: Arc::new(spec(confirm, limits)?), chats })
}

fn spec(confirm: ConfirmSettings, limits: Limits) -> anyhow::Result<ChatSpec> {
    let locale = Locale::from_tag("es-CO").context("the locale")?;
    let money = Money { symbol: "$".into(), decimals: 0 };
    let parts = AgentParts {
        name: "prueba".into(),
        persona: "Eres el asistente.".into(),
        has_model: true,
        texts: Texts::new(Language::Es),
        formats: Formats::new(&locale, money, TimeZone::UTC),
        access: Access::default(),
        confirm,
        limits,
        max_steps_message: None,
    };
    Ok(ChatSpec {
        agent: AgentSpec::new(parts, tools()?)?,
        rules: rules()?,
        fallback: None,
        greeting: None,
        direct_tools: vec!["everyone".into()],
        answer_languages: vec![manos_answer::Language::Es],
        waiting_max: WAITING_MAX,
        message_chars_max: manos_chat::MESSAGE_CHARS_MAX,
        gather: manos_chat::GATHER,
        message_ids_kept: manos_chat::MESSAGE_IDS_KEPT,
    })
}

fn tools() -> anyhow::Result<Vec<Tool>> {
    let dedupe = || Some(Dedupe { window: DEDUPE_WINDOW, key: None });
    let mut tools = Vec::new();
    let mut add = |name: &str, change: &dyn Fn(&mut Tool)| -> anyhow::Result<()> {
        let mut tool = tool(name)?;
        change(&mut tool);
        tools.push(tool);
        Ok(())
    };
    add("crear", &|tool| tool.spec.confirm = true)?;
    add("avisar", &|_| {})?;
    add("leer", &|tool| tool.spec.read_only = true)?;
    add("cotizar", &|tool| tool.spec.read_only = true)?;
    add("una_vez", &|tool| {
        tool.spec.confirm = true;
        tool.spec.dedupe = dedupe();
    })?;
    add("seguro", &|tool| {
        tool.spec.confirm = true;
        tool.spec.idempotent = true;
    })?;
    add("marcar", &|tool| tool.spec.dedupe = dedupe())?;
    add("borrar", &|tool| {
        tool.spec.confirm = true;
        tool.cancels = true;
    })?;
    let quote = QuoteSource { tool: "cotizar".to_owned().try_into()?, arguments: None };
    let lines = Template::compile("Total: {{ result.total }}")?;
    add("cotizado", &|tool| {
        tool.spec.confirm = true;
        tool.quote = Some(quote.clone());
        tool.body = QuestionBody::Lines(lines.clone());
    })?;
    Ok(tools)
}

fn tool(name: &str) -> anyhow::Result<Tool> {
    let schema = json!({"type": "object", "properties": {"n": {"type": "integer", "minimum": 0}}});
    Ok(Tool {
        spec: ToolSpec {
            name: name.to_owned().try_into()?,
            schema: Arc::new(ToolSchema::compile(&schema)?),
            confirm: false,
            dedupe: None,
            read_only: false,
            idempotent: false,
            definition: "v1".into(),
        },
        title: name.into(),
        description: format!("Hace {name}."),
        labels: Labels::new(),
        quote: None,
        body: QuestionBody::Arguments,
        fixed: Vec::new(),
        cancels: false,
        redact: false,
        timeout: Some(Duration::from_secs(15)),
    })
}

/// What a message does that is one of these words; anything else is the model's.
fn rules() -> anyhow::Result<Vec<Rule>> {
    let calls = |tool: &str| Then::Tool {
        tool: tool.into(),
        arguments: Vec::new(),
        speaker: Speaker::default(),
    };
    let rule = |words: &str, then| Rule {
        when: When { equals: vec![words.into()], ..When::default() },
        then,
    };
    Ok(vec![
        rule("paga", calls("una_vez")),
        rule("avisa", calls("avisar")),
        rule("humano", Then::Handoff(None)),
        rule("buenas", Then::Reply(Template::compile("¡Buenas!")?)),
        rule("shh", Then::Ignore),
    ])
}

/// Arguments that a model writes, by the number in a step; some do not fit.
pub(crate) fn arguments(number: u8) -> Value {
    match number % 6 {
        0 | 1 => json!({"n": 1}),
        2 => json!({"n": 2.0}),
        3 => json!({"n": "3"}),
        4 => json!("{\"n\": -1}"),
        _ => Value::Null,
    }
}

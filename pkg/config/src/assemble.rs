//! A checked agent file as the agent that chats run with.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::tz::TimeZone;
use manos_answer::Language as AnswerLanguage;
use manos_chat::{ChatSpec, GATHER, Rule, RuleArgument, Speaker, Then, When as ChatWhen};
use manos_engine::{
    AgentParts, AgentSpec, ConfirmSettings, DuplicateTool, Filled, Limits, QuestionBody,
    QuoteSource, SystemNote, Tool,
};
use manos_model::{canonical_json, sha256_hex};
use manos_policy::ToolSpec;
use manos_text::{Formats, Labels, Template, TextError, Texts, Words};
use serde_json::{Value, json};

use crate::agent::{
    Action, AgentFile, Argument, ConfirmConfig, ConfirmLines, Fixed, ModelChoice, RuleFile,
    RunnerFile, SystemNoteConfig, ToolFile,
};

/// Why a checked file is no agent after all.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AssembleError {
    /// Two tools have one name.
    #[error(transparent)]
    Tools(#[from] DuplicateTool),
    /// A wording does not fit.
    #[error(transparent)]
    Texts(#[from] TextError),
}

/// What the shell adds to a file.
#[derive(Debug)]
pub struct Surroundings {
    /// The system's time zone, for files that name none.
    pub time_zone: TimeZone,
    /// A language in which answers are read too, such as the chat's own.
    pub answers_too: Option<AnswerLanguage>,
    /// Tools from code, after those of the file.
    pub tools: Vec<Tool>,
}

/// Makes the agent that chats run with.
///
/// # Errors
///
/// [`AssembleError`] when a tool from code has the name of another, or a wording does not fit.
pub fn assemble(file: &AgentFile, around: Surroundings) -> Result<ChatSpec, AssembleError> {
    let zone = file.time_zone.clone().unwrap_or(around.time_zone);
    let parts = AgentParts {
        name: file.name.clone(),
        persona: file.persona.clone(),
        has_model: matches!(file.model, ModelChoice::Use(_)),
        texts: Texts::with_overrides(file.language, &file.texts)?,
        formats: Formats::new(&file.locale, file.money.clone(), zone),
        access: file.access.clone(),
        confirm: confirm(&file.confirm),
        limits: limits(file),
        max_steps_message: file.max_steps_message.clone(),
    };
    let mut tools: Vec<Tool> = file.tools.iter().map(tool_of).collect();
    tools.extend(around.tools);
    let mut answer_languages: Vec<AnswerLanguage> =
        AnswerLanguage::from_tag(file.language.tag()).into_iter().collect();
    answer_languages.extend(around.answers_too);
    Ok(ChatSpec {
        agent: AgentSpec::new(parts, tools)?,
        rules: file.rules.iter().map(rule).collect(),
        fallback: file.fallback.clone(),
        greeting: file.greeting.clone(),
        direct_tools: file.direct_tools.clone(),
        answer_languages,
        waiting_max: file.limits.inbox_max_waiting,
        message_chars_max: file.limits.max_message_chars,
        gather: file.limits.inbox_gather.unwrap_or(GATHER),
        message_ids_kept: file.limits.inbox_remember,
    })
}

fn confirm(file: &ConfirmConfig) -> ConfirmSettings {
    ConfirmSettings {
        timeout: file.timeout,
        timeouts: file.timeouts.clone(),
        buttons: file.buttons,
        menu: file.menu,
        expired_notice: file.expired_notice,
        answered_notice: file.answered_notice,
        who: file.who.clone(),
        note: match &file.system_note {
            SystemNoteConfig::Built => SystemNote::Ours,
            SystemNoteConfig::Off => SystemNote::Off,
            SystemNoteConfig::Text(text) => SystemNote::Text(text.clone()),
        },
        confidence_min: file.min_confidence,
        chars_max: file.max_chars,
        per_turn_max: file.max_per_turn,
        repeat_window: file.repeat_window,
    }
}

fn limits(file: &AgentFile) -> Limits {
    Limits {
        steps_max: file.limits.max_steps,
        final_answer: file.final_answer,
        interim_text: file.interim_text,
        parallel_reads: file.parallel_reads,
        turn_age_max: file.limits.turn_max_age,
        result_bytes_max: file.limits.max_result_bytes,
        read_bytes_max: file.limits.max_response_bytes,
        history_messages_max: file.limits.history_messages,
        single_as_array: false,
    }
}

fn tool_of(tool: &ToolFile) -> Tool {
    let (quote, body) = question(tool);
    Tool {
        spec: ToolSpec {
            name: tool.name.clone(),
            schema: Arc::clone(&tool.schema),
            confirm: tool.confirm.unwrap_or(false),
            dedupe: tool.dedupe.clone(),
            read_only: tool.read_only,
            idempotent: tool.idempotent,
            definition: definition(tool),
        },
        title: tool.title.clone(),
        description: tool.description.clone(),
        labels: tool.labels.clone(),
        quote,
        body,
        fixed: tool.fixed.iter().map(|(name, fixed)| (name.clone(), filled(fixed))).collect(),
        cancels: tool.cancels,
        redact: tool.audit_redact,
        timeout: tool.timeout,
    }
}

fn question(tool: &ToolFile) -> (Option<QuoteSource>, QuestionBody) {
    let message = tool.confirm_message.clone().map(QuestionBody::Message);
    let (quote, lines) = match &tool.confirm_lines {
        None => (None, QuestionBody::Arguments),
        Some(ConfirmLines::Template(template)) => (None, QuestionBody::Lines(template.clone())),
        Some(ConfirmLines::From { tool, args, template }) => {
            let arguments = args.as_ref().map(|args| {
                args.iter().map(|(name, value)| (name.clone(), filled(value))).collect()
            });
            let source = QuoteSource { tool: tool.clone(), arguments };
            (Some(source), QuestionBody::Lines(template.clone()))
        }
    };
    (quote, message.unwrap_or(lines))
}

fn filled(fixed: &Fixed) -> Filled {
    match fixed {
        Fixed::Template(template) => Filled::Template(template.clone()),
        Fixed::Value(value) => Filled::Value(value.clone()),
    }
}

/// Labels as the file writes them.
fn labels(labels: &Labels) -> Value {
    let written = |words: &Words| match words.others() {
        [] => Value::from(words.printed()),
        _ => words.all().collect(),
    };
    let of_argument = |words: &BTreeMap<String, Words>| -> Value {
        words.iter().map(|(raw, words)| (raw.clone(), written(words))).collect()
    };
    labels.iter().map(|(name, words)| (name.clone(), of_argument(words))).collect()
}

/// A digest of all that an approval is bound to besides the arguments: schema, runner, fixed
/// values and confirmation texts.
fn definition(tool: &ToolFile) -> String {
    let source = |template: &Template| template.source().to_owned();
    let values = |pairs: &[(String, Fixed)]| -> Value {
        pairs
            .iter()
            .map(|(name, fixed)| match fixed {
                Fixed::Template(template) => json!([name, "template", template.source()]),
                Fixed::Value(value) => json!([name, "value", value]),
            })
            .collect()
    };
    let lines = match &tool.confirm_lines {
        None => Value::Null,
        Some(ConfirmLines::Template(template)) => json!(template.source()),
        Some(ConfirmLines::From { tool, args, template }) => json!({
            "from": tool.as_str(),
            "args": args.as_deref().map(values),
            "template": template.source(),
        }),
    };
    let whole = json!({
        "title": tool.title,
        "parameters": tool.parameters,
        "confirm": tool.confirm,
        "message": tool.confirm_message.as_ref().map(source),
        "lines": lines,
        "labels": labels(&tool.labels),
        "fixed": values(&tool.fixed),
        "runner": runner(&tool.runner),
    });
    sha256_hex(&[canonical_json(&whole).as_bytes()])
}

/// What runs a tool, without its secrets.
fn runner(runner: &RunnerFile) -> Value {
    match runner {
        RunnerFile::Builtin(builtin) => json!({"builtin": builtin.name}),
        RunnerFile::Command(command) => json!({"command": command.argv, "cwd": command.cwd}),
        RunnerFile::Endpoint(endpoint) => {
            json!({
                "endpoint": endpoint.url.expose(),
                "method": endpoint.method.as_str(),
                "request_format": endpoint.request_format.as_str(),
            })
        }
        RunnerFile::Sql(sql) => {
            json!({"database": sql.database, "query": sql.query, "one_row": sql.one_row})
        }
        RunnerFile::Native => json!("native"),
        RunnerFile::Webhook => json!("webhook"),
    }
}

fn rule(rule: &RuleFile) -> Rule {
    let minutes = |time: jiff::civil::Time| {
        u16::from(time.hour().unsigned_abs()) * 60 + u16::from(time.minute().unsigned_abs())
    };
    let when = &rule.when;
    Rule {
        when: ChatWhen {
            equals: when.equals.clone(),
            command: when.command.clone(),
            matches: when.matches.clone(),
            channel: when.channel.clone(),
            role: when.role.clone(),
            between: when.between.map(|between| (minutes(between.from), minutes(between.to))),
        },
        then: then(&rule.then),
    }
}

fn then(action: &Action) -> Then {
    let source = |template: &Option<Template>| template.as_ref().map(|t| t.source().to_owned());
    match action {
        Action::AskModel => Then::AskModel,
        Action::Handoff { reply } => Then::Handoff(reply.clone()),
        Action::Ignore => Then::Ignore,
        Action::Reply(template) => Then::Reply(template.clone()),
        Action::Tool { tool, args, reply, otherwise, result_as } => Then::Tool {
            tool: tool.as_str().to_owned(),
            arguments: args.iter().map(|(name, value)| (name.clone(), argument(value))).collect(),
            speaker: Speaker {
                reply: source(reply),
                otherwise: source(otherwise),
                result_as: result_as.clone(),
            },
        },
    }
}

fn argument(argument: &Argument) -> RuleArgument {
    match argument {
        Argument::Each { each, within } => {
            RuleArgument::Each { pattern: each.clone(), group: within.clone() }
        }
        Argument::Template(template) => RuleArgument::Filled(Filled::Template(template.clone())),
        Argument::Value(value) => RuleArgument::Filled(Filled::Value(value.clone())),
    }
}

//! How a message becomes a turn: commands, rules, the model, the fallback.

use std::collections::BTreeSet;

use manos_engine::{Beginning, Confirmer, DirectCall, Note, Step, Turn, user_said};
use manos_model::{AuditKind, CallArguments, TurnId};
use manos_text::{Command, Say, Template, TemplateError, Values};
use serde_json::{Map, Value};

use super::apply::Applying;
use super::commands::RESET;
use super::outbox::Sender;
use super::{UnderWay, route};
use crate::matching::{self, Groups, Message};
use crate::{Inbound, InboundBody, Speaker, Then};

/// What a rule decided for a message.
enum Decided {
    Call(DirectCall, Speaker),
    Reply(String),
    AskModel,
    Handoff(Option<String>),
    Ignore,
}

/// What the rules came to.
enum Found {
    /// Nothing fits.
    Nothing,
    /// What fits cannot be written.
    OnlyFailed,
    /// A rule.
    Rule(Decided),
}

/// Rules that fail on one message and stand in the trail; more are passed over without a word.
const RULE_FAILURES_NOTED_MAX: usize = 8;

impl Applying<'_> {
    /// Starts whatever answers a message. No turn runs.
    pub(super) fn start(&mut self, inbound: &Inbound) {
        if let InboundBody::Call { tool, arguments, confirmer, .. } = &inbound.body {
            let arguments = CallArguments::Text(arguments.clone());
            let call = DirectCall { tool: tool.clone(), arguments };
            // In a chat that a human has, nobody is asked.
            let nobody = self.chat.active.handoff && *confirmer == Confirmer::Chat;
            let confirmer = if nobody { Confirmer::Nobody } else { *confirmer };
            self.start_call(inbound, call, None, confirmer);
            return;
        }
        let words = route::words(inbound);
        if matches!(inbound.body, InboundBody::Media(_)) {
            let text = self.spec.agent.texts.say(&Say::TextOnly);
            self.answer_at_once(inbound, Some(&words), &text);
            return;
        }
        let greeted = self.greet(inbound, &words);
        if words.trim() == "/start" && greeted {
            return;
        }
        if words.trim() == "/help" {
            let text = self.help(inbound);
            self.answer_at_once(inbound, None, &text);
            return;
        }
        if self.direct(inbound, &words) {
            return;
        }
        match self.rule_for(inbound, &words) {
            Found::Rule(Decided::Call(call, speaker)) => {
                self.start_call(inbound, call, Some(speaker), Confirmer::Chat);
            }
            Found::Rule(Decided::Reply(text)) => self.answer_at_once(inbound, Some(&words), &text),
            Found::Rule(Decided::Ignore) => {}
            Found::Rule(Decided::Handoff(reply)) => {
                let ours = || self.spec.agent.texts.say(&Say::HandoffStarted);
                let text = reply.unwrap_or_else(ours);
                self.answer_at_once(inbound, Some(&words), &text);
                self.handoff(true);
            }
            Found::Rule(Decided::AskModel) | Found::OnlyFailed | Found::Nothing
                if self.spec.agent.has_model =>
            {
                self.ask_model(inbound, words);
            }
            // It was understood, so the fallback would be untrue.
            Found::OnlyFailed => {
                let text = self.spec.agent.texts.say(&Say::ModelFailed);
                self.answer_at_once(inbound, Some(&words), &text);
            }
            Found::Rule(Decided::AskModel) | Found::Nothing => {
                self.fall_back(inbound, &words, greeted);
            }
        }
    }

    /// Greets the first message of a chat, and `/start`. The message is then handled like any
    /// other, unless it is `/start` itself or only the fallback would answer it.
    fn greet(&mut self, inbound: &Inbound, words: &str) -> bool {
        let first = !self.chat.memory.greeted;
        if first {
            self.chat.memory.greeted = true;
            self.out.memory_changed = true;
        }
        let Some(greeting) = &self.spec.greeting else { return false };
        if !first && words.trim() != "/start" {
            return false;
        }
        self.answer_at_once(inbound, None, greeting);
        true
    }

    fn fall_back(&mut self, inbound: &Inbound, words: &str, greeted: bool) {
        if greeted {
            return;
        }
        let text = if let Some(fallback) = &self.spec.fallback {
            fallback.clone()
        } else {
            let own = self.own_commands();
            self.spec.agent.texts.no_match(&self.commands(inbound, &own))
        };
        self.answer_at_once(inbound, Some(words), &text);
    }

    fn help(&self, inbound: &Inbound) -> String {
        self.spec.agent.texts.help(&self.commands(inbound, &self.own_commands()))
    }

    /// The commands of the agent's own rules, each once.
    fn own_commands(&self) -> BTreeSet<String> {
        let named = self.spec.rules.iter().filter_map(|rule| rule.when.command.as_ref());
        named.map(|name| format!("/{name}")).collect()
    }

    /// The commands that this person can write here.
    fn commands<'a>(&self, inbound: &Inbound, own: &'a BTreeSet<String>) -> Vec<Command<'a>> {
        let user = &inbound.user;
        let may = |name: &str| self.spec.agent.access.may_command(user, name);
        let may_own = |name: &&String| may(name.trim_start_matches('/'));
        let mut commands: Vec<Command<'_>> =
            own.iter().filter(may_own).map(|name| Command::Own(name)).collect();
        if self.may_direct(user) {
            commands.extend([Command::Tools, Command::Tool]);
        }
        commands.push(Command::Help);
        if may(RESET) {
            commands.push(Command::Reset);
        }
        commands
    }

    /// The first rule that fits. One whose words or arguments cannot be written is passed over: it
    /// may be one that needs what an earlier rule keeps. The trail says why.
    fn rule_for(&mut self, inbound: &Inbound, words: &str) -> Found {
        let spec = self.spec;
        let message = Message { text: words, user: &inbound.user };
        let mut failed = 0;
        for (index, rule) in spec.rules.iter().enumerate() {
            let decided = self.step(|step| {
                let Some(groups) = rule.when.fits(&message, step) else { return Ok(None) };
                decided_by(&rule.then, &groups, step)
            });
            match decided {
                Ok(None) => {}
                Ok(Some(decided)) => {
                    self.note(Note::new(AuditKind::RuleMatched).with("rule", index + 1));
                    return Found::Rule(decided);
                }
                Err(error) => {
                    failed += 1;
                    if failed <= RULE_FAILURES_NOTED_MAX {
                        self.note(failed_note(&error).with("rule", index + 1));
                    }
                }
            }
        }
        if failed > 0 { Found::OnlyFailed } else { Found::Nothing }
    }

    fn ask_model(&mut self, inbound: &Inbound, words: String) {
        let beginning = beginning(inbound, words, Confirmer::Chat);
        self.begin(inbound, None, None, |step| Turn::ask_model(beginning, step));
    }

    pub(super) fn start_call(
        &mut self,
        inbound: &Inbound,
        call: DirectCall,
        speaker: Option<Speaker>,
        confirmer: Confirmer,
    ) {
        let beginning = beginning(inbound, route::words(inbound), confirmer);
        let tool = Some(call.tool.clone());
        self.begin(inbound, speaker, tool, |step| Turn::call(beginning, call, step));
    }

    /// Starts a turn, and only then takes the effects of its first transition.
    fn begin(
        &mut self,
        inbound: &Inbound,
        speaker: Option<Speaker>,
        tool: Option<String>,
        start: impl FnOnce(&mut Step<'_>) -> Turn,
    ) {
        let mut held = Vec::new();
        let turn = self.step(|step| {
            let turn = start(step);
            held = std::mem::take(&mut step.caused.effects);
            turn
        });
        self.out.turns_started.push(turn.id.clone());
        self.chat.active.turn = Some(UnderWay {
            turn,
            surface: inbound.surface,
            speaker,
            tool,
            silent: matches!(inbound.body, InboundBody::Call { .. }),
            known_as: known_as(inbound).to_vec(),
            started_at: self.now,
        });
        for effect in held {
            self.effect(effect);
        }
    }

    /// Answers without a turn machine: a turn of one text, over at once. Rules that reply, the
    /// fallback, the greeting and our own commands are such turns.
    pub(super) fn answer_at_once(&mut self, inbound: &Inbound, said: Option<&str>, text: &str) {
        let turn_id = TurnId::new(self.new_id());
        self.out.turns_started.push(turn_id.clone());
        let user = inbound.user.as_str();
        self.note(Note::new(AuditKind::TurnStarted).turn(&turn_id).with("user", user));
        if let Some(said) = said {
            self.remember(vec![user_said(said), manos_engine::agent_said(text)]);
        }
        let sender = Sender { turn_id: Some(turn_id.clone()), repeats: inbound.surface.repeats };
        self.reply(sender, text);
        self.note(Note::new(AuditKind::TurnFinished).turn(&turn_id).lasted(0).with("steps", 0));
        self.out.effects.push(crate::ChatEffect::TurnEnded { turn_id, outcome: None });
    }
}

/// The names that a call from outside is known by; none for everything else.
pub(super) fn known_as(inbound: &Inbound) -> &[String] {
    match &inbound.body {
        InboundBody::Call { known_as, .. } => known_as,
        _ => &[],
    }
}

fn beginning(inbound: &Inbound, text: String, confirmer: Confirmer) -> Beginning {
    Beginning { user: inbound.user.clone(), text, confirmer, surface: inbound.surface }
}

/// What a rule does with a message; `None` when it does not match after all.
fn decided_by(
    then: &Then,
    groups: &Groups,
    step: &mut Step<'_>,
) -> Result<Option<Decided>, TemplateError> {
    Ok(match then {
        Then::AskModel => Some(Decided::AskModel),
        Then::Handoff(reply) => {
            // Whatever the words: somebody asked for a human.
            let words = match reply.as_ref().map(|template| render(template, groups, step)) {
                Some(Err(error)) => {
                    step.note(failed_note(&error));
                    None
                }
                Some(Ok(words)) => Some(words),
                None => None,
            };
            Some(Decided::Handoff(words))
        }
        Then::Ignore => Some(Decided::Ignore),
        Then::Reply(template) => Some(Decided::Reply(render(template, groups, step)?)),
        Then::Tool { tool, arguments, speaker } => {
            let known = step.agent.tool(tool);
            matching::arguments(arguments, groups, known, step)?.map(|arguments| {
                let arguments = CallArguments::Value(Value::Object(arguments));
                Decided::Call(DirectCall { tool: tool.clone(), arguments }, speaker.clone())
            })
        }
    })
}

/// What the trail gets of words that cannot be written.
fn failed_note(error: &TemplateError) -> Note {
    let reason = format!("a rule's words cannot be written: {error}");
    Note::new(AuditKind::LoopError).with("reason", reason)
}

/// Renders a rule's words over the named groups and the results kept for later rules.
fn render(template: &Template, groups: &Groups, step: &Step<'_>) -> Result<String, TemplateError> {
    let mut variables: Map<String, Value> = step.memory.kept.clone();
    variables.extend(groups.clone());
    template.render(Values::Raw, &step.agent.formats, &variables)
}

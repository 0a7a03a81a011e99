//! How a message becomes a turn: commands, rules, the model, the fallback.

use std::collections::BTreeSet;

use manos_engine::{Beginning, Confirmer, DirectCall, Note, Step, Turn, user_said};
use manos_model::{AuditKind, CallArguments, TurnId};
use manos_text::{Command, Say, Template, Values};
use serde_json::{Map, Value};

use super::apply::Applying;
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

impl Applying<'_> {
    /// Starts whatever answers a message. No turn runs.
    pub(super) fn start(&mut self, inbound: &Inbound) {
        if let InboundBody::Call { tool, arguments, confirmer } = &inbound.body {
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
            Some(Decided::Call(call, speaker)) => {
                self.start_call(inbound, call, Some(speaker), Confirmer::Chat);
            }
            Some(Decided::Reply(text)) => self.answer_at_once(inbound, Some(&words), &text),
            Some(Decided::Ignore) => {}
            Some(Decided::Handoff(reply)) => {
                let ours = || self.spec.agent.texts.say(&Say::HandoffStarted);
                let text = reply.unwrap_or_else(ours);
                self.answer_at_once(inbound, Some(&words), &text);
                self.handoff(true);
            }
            Some(Decided::AskModel) | None if self.spec.agent.has_model => {
                self.ask_model(inbound, words);
            }
            Some(Decided::AskModel) | None => self.fall_back(inbound, &words, greeted),
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
        let mut commands: Vec<Command<'_>> = own.iter().map(|name| Command::Own(name)).collect();
        if self.may_direct(&inbound.user) {
            commands.extend([Command::Tools, Command::Tool]);
        }
        commands.extend([Command::Help, Command::Reset]);
        commands
    }

    /// The first rule that fits.
    fn rule_for(&mut self, inbound: &Inbound, words: &str) -> Option<Decided> {
        let spec = self.spec;
        let message = Message { text: words, user: &inbound.user };
        let found = self.step(|step| {
            spec.rules.iter().enumerate().find_map(|(index, rule)| {
                let groups = rule.when.fits(&message, step)?;
                let decided = decided_by(&rule.then, &groups, step)?;
                Some((index, decided))
            })
        });
        let (index, decided) = found?;
        self.note(Note::new(AuditKind::RuleMatched).with("rule", index + 1));
        Some(decided)
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

fn beginning(inbound: &Inbound, text: String, confirmer: Confirmer) -> Beginning {
    Beginning { user: inbound.user.clone(), text, confirmer, surface: inbound.surface }
}

/// What a rule does with a message; `None` when it does not match after all.
fn decided_by(then: &Then, groups: &Groups, step: &Step<'_>) -> Option<Decided> {
    match then {
        Then::AskModel => Some(Decided::AskModel),
        Then::Handoff(reply) => {
            let words = reply.as_ref().map(|template| render(template, groups, step));
            Some(Decided::Handoff(words.flatten()))
        }
        Then::Ignore => Some(Decided::Ignore),
        Then::Reply(template) => render(template, groups, step).map(Decided::Reply),
        Then::Tool { tool, arguments, speaker } => {
            let known = step.agent.tool(tool);
            let arguments = matching::arguments(arguments, groups, known, step)?;
            let arguments = CallArguments::Value(Value::Object(arguments));
            Some(Decided::Call(DirectCall { tool: tool.clone(), arguments }, speaker.clone()))
        }
    }
}

/// Renders a rule's words over the named groups and the results kept for later rules.
fn render(template: &Template, groups: &Groups, step: &Step<'_>) -> Option<String> {
    let mut variables: Map<String, Value> = step.memory.kept.clone();
    variables.extend(groups.clone());
    template.render(Values::Raw, &step.agent.formats, &variables).ok()
}

//! The question about one call: its text, and when it counts as shown.

use serde_json::{Map, Value, json};

use manos_model::{AuditKind, ConfirmationId, Failure, Timestamp};
use manos_policy::{Confirmation, PreparedCall, Standing};
use manos_text::{Question as Wording, QuestionForm, Repeat, Say, Values};
use manos_text::{argument_lines, result_summary, safe_text, safe_value};

use super::call::shown_arguments;
use super::{Asking, Confirmer, GivenYes, Stage, Turn};
use crate::{Answered, ConfirmSettings, Effect, Question, QuestionBody, Says, Step, Tool, Via};

impl Turn {
    /// Starts to ask about a call: fetches the facts first, where the question needs some.
    pub(super) fn begin_question(
        &mut self,
        index: usize,
        call: PreparedCall,
        tool: &Tool,
        step: &mut Step<'_>,
    ) {
        let asking = Asking { index, call, changed: 0, given: None };
        if tool.quote.is_some() {
            self.fetch_facts(asking, tool, step);
        } else {
            self.put_question(asking, tool, None, step);
        }
    }

    /// Gives a call its failure instead of a question; the caller goes on with the step.
    pub(super) fn not_asked(&mut self, index: usize, failure: &Failure, step: &mut Step<'_>) {
        self.stage = Stage::Calls;
        let hidden = step.agent.tool(&self.calls[index].name).is_none_or(|t| is_hidden(t, step));
        let shown = if hidden { json!({"error": failure.code()}) } else { failure.to_value() };
        step.note(self.call_note(AuditKind::ToolDenied, index).with("failure", shown));
        self.call_failed(index, failure, step);
    }

    pub(super) fn put_question(
        &mut self,
        asking: Asking,
        tool: &Tool,
        facts: Option<&Value>,
        step: &mut Step<'_>,
    ) {
        let form = self.form(step);
        let body = match Self::body(&asking.call, tool, facts, step) {
            Ok(body) => body,
            Err(failure) => return self.not_asked(asking.index, &failure, step),
        };
        let text = self.question_text(&asking.call, tool, &body, form, step);
        let (chars, max) = (text.chars().count(), self.question_chars_max(step));
        if chars > max {
            let failure = Failure::TooLongToConfirm { chars, max };
            return self.not_asked(asking.index, &failure, step);
        }
        self.questions += 1;
        let lines = tool.quote.is_some().then_some(body);
        let confirmation = self.confirmation_about(&asking, text, lines, step);
        let note = self.confirm_note(AuditKind::ConfirmAsked, &confirmation, asking.index);
        // The text says the arguments.
        step.note(if is_hidden(tool, step) {
            note
        } else {
            note.with("text", confirmation.text.as_str())
                .with("arguments", shown_arguments(&asking.call.arguments, tool))
        });
        if self.confirmer == Confirmer::CodeYes {
            self.confirmed_by_code(&asking, confirmation, tool, step);
            return;
        }
        step.cause(Effect::Ask(Question {
            id: confirmation.id.clone(),
            tool: tool.spec.name.as_str().to_owned(),
            title: tool.title.clone(),
            text: confirmation.text.clone(),
            buttons: (form == QuestionForm::Buttons).then(|| {
                let texts = &step.agent.texts;
                [texts.say(&Say::ButtonYes), texts.say(&Say::ButtonNo)]
            }),
            expires_at: confirmation.deadline,
        }));
        self.stage = Stage::Answer { asking, confirmation: Box::new(confirmation) };
    }

    fn confirmation_about(
        &self,
        asking: &Asking,
        text: String,
        lines: Option<String>,
        step: &mut Step<'_>,
    ) -> Confirmation {
        Confirmation {
            id: ConfirmationId::new(format!("c_{}", step.ids.next_hex())),
            call: asking.call.clone(),
            requester: self.user.clone(),
            who: step.agent.confirm.who.clone(),
            text,
            lines,
            asked_at: step.now,
            shown_at: None,
            deadline: after(step.now, step.agent.confirm.timeout_in(step.chat)),
        }
    }

    fn confirmed_by_code(
        &mut self,
        asking: &Asking,
        confirmation: Confirmation,
        tool: &Tool,
        step: &mut Step<'_>,
    ) {
        let (by, at) = (self.user.clone(), step.now);
        let answer = Answered {
            id: confirmation.id.clone(),
            by: by.clone(),
            via: Via::Code,
            words: String::new(),
            says: Says::Yes,
        };
        step.note(self.answer_note(AuditKind::ConfirmApproved, &confirmation, asking, &answer));
        self.run_approved(asking.index, GivenYes { confirmation, by, at }, tool, step);
    }

    /// What is heard cannot be read again, so a spoken question is shorter.
    fn question_chars_max(&self, step: &Step<'_>) -> usize {
        let max = step.agent.confirm.chars_max;
        if self.surface.voice { max.min(ConfirmSettings::VOICE_CHARS_MAX) } else { max }
    }

    fn form(&self, step: &Step<'_>) -> QuestionForm {
        let settings = &step.agent.confirm;
        if self.surface.buttons && settings.buttons {
            QuestionForm::Buttons
        } else if settings.menu && !self.surface.buttons {
            QuestionForm::Menu
        } else {
            QuestionForm::Written
        }
    }

    /// What stands between title and question, or the whole text of a `confirm_message`.
    pub(super) fn body(
        call: &PreparedCall,
        tool: &Tool,
        facts: Option<&Value>,
        step: &Step<'_>,
    ) -> Result<String, Failure> {
        let failed = |message: String| Failure::Failed { message };
        let masked = tool.spec.schema.mask(&Value::Object(call.arguments.clone()));
        let shown = masked.as_object().cloned().unwrap_or_default();
        match &tool.body {
            QuestionBody::Arguments => Ok(argument_lines(&shown, &tool.labels)),
            QuestionBody::Function(lines) => lines(&shown)
                .map(|text| safe_lines(&text))
                .map_err(|error| failed(format!("confirm_lines: {error}"))),
            QuestionBody::Lines(template) | QuestionBody::Message(template) => template
                .render(Values::Safe, &step.agent.formats, &variables(&shown, facts))
                .map_err(|error| failed(format!("the question cannot be written: {error}"))),
        }
    }

    fn question_text(
        &self,
        call: &PreparedCall,
        tool: &Tool,
        body: &str,
        form: QuestionForm,
        step: &Step<'_>,
    ) -> String {
        let asker = self.asker(step);
        let window = step.agent.confirm.repeat_window;
        let standing = step.memory.ledger.standing(call, &tool.spec, &asker, window);
        let summary = match &standing {
            Standing::Done(fact) | Standing::Deduped(fact) => {
                result_summary(&safe_value(&fact.result))
            }
            Standing::Fresh | Standing::Unknown { .. } => String::new(),
        };
        let repeat = match &standing {
            Standing::Done(_) | Standing::Deduped(_) => Some(Repeat::Done { result: &summary }),
            Standing::Fresh => None,
            Standing::Unknown { .. } => Some(Repeat::Unknown),
        };
        let texts = &step.agent.texts;
        if matches!(tool.body, QuestionBody::Message(_)) {
            let warning = repeat.map(|repeat| texts.repeat_warning(&tool.title, repeat));
            return warning.map_or_else(|| body.to_owned(), |warning| format!("{warning}\n{body}"));
        }
        texts.question(&Wording { title: &tool.title, lines: body, form, repeat })
    }

    /// The channel has taken the question: from now on it can be answered.
    pub(super) fn shown(&mut self, id: &ConfirmationId, step: &mut Step<'_>) {
        let Stage::Answer { asking, confirmation } = &mut self.stage else { return };
        if confirmation.id != *id || confirmation.shown_at.is_some() {
            return;
        }
        confirmation.shown_at = Some(step.now);
        confirmation.deadline = after(step.now, step.agent.confirm.timeout_in(step.chat));
        let (confirmation, index) = (confirmation.as_ref().clone(), asking.index);
        step.note(
            self.confirm_note(AuditKind::ConfirmShown, &confirmation, index)
                .with("deadline", confirmation.deadline.to_string()),
        );
    }
}

/// Whether arguments, or the facts of the question, stay out of the audit trail.
pub(super) fn is_hidden(tool: &Tool, step: &Step<'_>) -> bool {
    let quote = tool.quote.as_ref().and_then(|source| step.agent.tool(source.tool.as_str()));
    tool.redact || quote.is_some_and(|quote| quote.redact)
}

/// What templates of questions may name.
pub(super) fn variables(
    arguments: &Map<String, Value>,
    facts: Option<&Value>,
) -> Map<String, Value> {
    let mut variables = Map::new();
    variables.insert("args".into(), Value::Object(arguments.clone()));
    if let Some(facts) = facts {
        variables.insert("result".into(), facts.clone());
    }
    variables
}

/// Only whoever wrote the lines makes lines; every one of them is made safe.
fn safe_lines(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(|line| safe_text(line).into_owned()).collect();
    lines.join("\n")
}

/// An instant and a span later; the last instant there is when that is too far.
pub(super) fn after(at: Timestamp, span: std::time::Duration) -> Timestamp {
    at.checked_add(span).unwrap_or(Timestamp::MAX)
}

pub(super) fn millis_between(from: Timestamp, to: Timestamp) -> u64 {
    u64::try_from(to.as_millisecond().saturating_sub(from.as_millisecond())).unwrap_or(0)
}

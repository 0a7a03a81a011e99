//! The question about one call, and its answer.

use serde_json::{Map, Value};

use manos_model::{AuditKind, ConfirmationId, Failure, RunId, StepMessage, Timestamp, UserId};
use manos_policy::{ApprovalRecord, Asking as MayAsk};
use manos_policy::{
    Confirmation, ConfirmationError, PreparedCall, Standing, Verdict, decide, reapprove,
};
use manos_text::{Choice, Question as Wording, QuestionForm, Repeat, Say, Values};
use manos_text::{argument_lines, result_summary, safe_text, safe_value};

use super::call::{intent, shown_arguments};
use super::{Asking, Confirmer, GivenYes, Origin, Purpose, Stage, Turn};
use crate::ledger::Asker;
use crate::trail::Note;
use crate::{
    Answered, CallOutcome, Effect, Question, QuestionBody, Says, Step, Tool, TurnEnd, Via, history,
};

/// A question whose lines changed after a yes is put again this often.
const CHANGED_MAX: u32 = 2;

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

    /// Runs the read-only tool that the question is made from.
    pub(super) fn fetch_facts(&mut self, asking: Asking, tool: &Tool, step: &mut Step<'_>) {
        match self.quote_call(&asking, tool, step) {
            Ok((approved, quote)) => {
                self.stage = Stage::Quote(asking);
                self.start_run(approved, Purpose::Quote, quote, step);
            }
            Err(failure) => self.not_asked(asking.index, &failure, step),
        }
    }

    fn quote_call<'a>(
        &self,
        asking: &Asking,
        tool: &Tool,
        step: &mut Step<'a>,
    ) -> Result<(manos_policy::ApprovedCall, &'a Tool), Failure> {
        let failed = |message: String| Failure::Failed { message };
        let source = tool.quote.as_ref().ok_or_else(|| failed("no quote tool".into()))?;
        let quote = step
            .agent
            .tool(source.tool.as_str())
            .filter(|quote| quote.spec.read_only && !quote.spec.confirm)
            .ok_or_else(|| failed(format!("{} is not a read-only tool", source.tool)))?;
        let arguments = match &source.arguments {
            None => quote
                .spec
                .schema
                .properties()
                .filter_map(|(name, _)| {
                    asking.call.arguments.get(name).map(|value| (name.to_owned(), value.clone()))
                })
                .collect(),
            Some(filled) => {
                let variables = variables(&asking.call.arguments, None);
                let mut arguments = Map::new();
                for (name, value) in filled {
                    let value = value
                        .fill(&step.agent.formats, &variables)
                        .map_err(|error| failed(error.to_string()))?;
                    arguments.insert(name.clone(), value);
                }
                arguments
            }
        };
        let value = Value::Object(arguments);
        let raw = manos_schema::RawArguments::Value(&value);
        let checked = quote.spec.schema.check(raw, manos_schema::MendOptions::default());
        let arguments = match checked {
            manos_schema::Checked::Valid { arguments, .. } => arguments,
            manos_schema::Checked::Invalid(error) => {
                return Err(Failure::InvalidArguments { violations: error.violations() });
            }
        };
        let arguments = self.with_fixed(arguments, quote, step)?;
        let prepared = PreparedCall::new(step.ids.next_hex().into(), &quote.spec, arguments);
        match decide(prepared, &quote.spec, &Standing::Fresh, &MayAsk::Possible) {
            Verdict::Allow(approved) => Ok((approved, quote)),
            Verdict::Confirm(_) => Err(failed(format!("{} asks itself", source.tool))),
            Verdict::Deny(failure) => Err(failure),
        }
    }

    /// The facts have come, before the question or after the yes.
    pub(super) fn facts_came(&mut self, facts: &Value, step: &mut Step<'_>) {
        let Stage::Quote(asking) = std::mem::replace(&mut self.stage, Stage::Calls) else { return };
        let Some(tool) = step.agent.tool(asking.call.tool.as_str()) else {
            self.not_asked(asking.index, &Failure::Changed, step);
            return;
        };
        let Some(given) = asking.given.clone() else {
            self.put_question(asking, tool, Some(facts), step);
            return;
        };
        let lines = match Self::body(&asking.call, tool, Some(facts), step) {
            Ok(lines) => lines,
            Err(failure) => return self.not_asked(asking.index, &failure, step),
        };
        if given.confirmation.lines.as_deref() == Some(lines.as_str()) {
            self.run_approved(asking.index, given, tool, step);
        } else if asking.changed >= CHANGED_MAX {
            self.not_asked(asking.index, &Failure::Changed, step);
        } else {
            let again = Asking { changed: asking.changed + 1, given: None, ..asking };
            self.put_question(again, tool, Some(facts), step);
        }
    }

    /// The facts could not be had: nothing is asked.
    pub(super) fn facts_failed(&mut self, failure: &Failure, step: &mut Step<'_>) {
        let Stage::Quote(asking) = std::mem::replace(&mut self.stage, Stage::Calls) else { return };
        self.not_asked(asking.index, failure, step);
    }

    fn not_asked(&mut self, index: usize, failure: &Failure, step: &mut Step<'_>) {
        self.stage = Stage::Calls;
        let note = self.call_note(AuditKind::ToolDenied, index);
        step.note(note.with("failure", failure.to_value()));
        self.call_failed(index, failure, step);
        self.advance(step);
    }

    fn put_question(
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
        let (chars, max) = (text.chars().count(), step.agent.confirm.chars_max);
        if chars > max {
            let failure = Failure::TooLongToConfirm { chars, max };
            return self.not_asked(asking.index, &failure, step);
        }
        self.questions += 1;
        let deadline = after(step.now, step.agent.confirm.timeout);
        let confirmation = Confirmation {
            id: ConfirmationId::new(format!("c_{}", step.ids.next_hex())),
            call: asking.call.clone(),
            requester: self.user.clone(),
            who: step.agent.confirm.who.clone(),
            text: text.clone(),
            lines: tool.quote.is_some().then_some(body),
            asked_at: step.now,
            shown_at: None,
            deadline,
        };
        step.note(
            self.confirm_note(AuditKind::ConfirmAsked, &confirmation, asking.index)
                .with("text", text.as_str())
                .with("arguments", shown_arguments(&asking.call.arguments, tool)),
        );
        if self.confirmer == Confirmer::CodeYes {
            let (by, at) = (self.user.clone(), step.now);
            self.note_answer(
                AuditKind::ConfirmApproved,
                &confirmation,
                &asking,
                &by,
                Via::Code,
                "",
                step,
            );
            self.run_approved(asking.index, GivenYes { confirmation, by, at }, tool, step);
            return;
        }
        step.cause(Effect::Ask(Question {
            id: confirmation.id.clone(),
            tool: tool.spec.name.as_str().to_owned(),
            title: tool.title.clone(),
            text,
            buttons: (form == QuestionForm::Buttons).then(|| {
                let texts = &step.agent.texts;
                [texts.say(&Say::ButtonYes), texts.say(&Say::ButtonNo)]
            }),
            expires_at: deadline,
        }));
        self.stage = Stage::Answer { asking, confirmation: Box::new(confirmation) };
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
    fn body(
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
        let asker = Asker { user: &self.user, turn: &self.id, now: step.now };
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
        confirmation.deadline = after(step.now, step.agent.confirm.timeout);
        let (confirmation, index) = (confirmation.as_ref().clone(), asking.index);
        step.note(
            self.confirm_note(AuditKind::ConfirmShown, &confirmation, index)
                .with("deadline", confirmation.deadline.to_string()),
        );
    }

    pub(super) fn answered(&mut self, answer: Answered, step: &mut Step<'_>) {
        let Stage::Answer { confirmation, .. } = &self.stage else { return };
        if confirmation.id != answer.id {
            return;
        }
        if step.now > confirmation.deadline {
            self.time_up(step);
            return;
        }
        let stage = std::mem::replace(&mut self.stage, Stage::Calls);
        let Stage::Answer { asking, confirmation } = stage else { return };
        self.waited_ms += millis_between(confirmation.asked_at, step.now);
        let (kind, choice) = match answer.says {
            Says::No => (AuditKind::ConfirmRejected, Choice::No),
            Says::Other => (AuditKind::ConfirmReplied, Choice::Replied),
            Says::Yes => (AuditKind::ConfirmApproved, Choice::Yes),
        };
        self.note_answer(kind, &confirmation, &asking, &answer.by, answer.via, &answer.words, step);
        self.close_question(&confirmation, choice, step);
        match answer.says {
            Says::No => self.refused_by_person(&asking, step),
            Says::Other => self.replied_by_person(&asking, answer.words, step),
            Says::Yes => {
                let given = GivenYes { confirmation: *confirmation, by: answer.by, at: step.now };
                self.approved_by_person(asking, given, step);
            }
        }
    }

    fn approved_by_person(&mut self, asking: Asking, given: GivenYes, step: &mut Step<'_>) {
        let Some(tool) = step.agent.tool(asking.call.tool.as_str()) else {
            self.not_asked(asking.index, &Failure::Changed, step);
            return;
        };
        if given.confirmation.lines.is_some() {
            self.fetch_facts(Asking { given: Some(given), ..asking }, tool, step);
        } else {
            self.run_approved(asking.index, given, tool, step);
        }
    }

    /// Runs what a person approved, when the approval is still fresh and still about this.
    fn run_approved(&mut self, index: usize, given: GivenYes, tool: &Tool, step: &mut Step<'_>) {
        self.stage = Stage::Calls;
        if step.now > after(given.at, step.agent.confirm.timeout) {
            self.approval_expired(tool, step);
            return;
        }
        match given.confirmation.approve(&tool.spec, given.by, given.at) {
            Ok(approved) => self.start_run(approved, Purpose::Call(index), tool, step),
            Err(ConfirmationError::Expired { .. }) => self.approval_expired(tool, step),
            Err(_) => self.not_asked(index, &Failure::Changed, step),
        }
    }

    /// A call approved but not started in time is not run, and the person is told.
    pub(super) fn approval_expired(&mut self, tool: &Tool, step: &mut Step<'_>) {
        let texts = &step.agent.texts;
        let end = TurnEnd::Expired {
            note: texts.say(&Say::WaitExpired { tool: tool.spec.name.as_str() }),
            late_yes: Some(texts.say(&Say::ApprovalExpired { title: &safe_text(&tool.title) })),
        };
        step.note(
            Note::new(AuditKind::ToolDenied)
                .turn(&self.id)
                .step(self.step)
                .tool(tool.spec.name.as_str())
                .with("failure", Failure::Expired.to_value()),
        );
        self.finish(end, step);
    }

    fn refused_by_person(&mut self, asking: &Asking, step: &mut Step<'_>) {
        self.step_refused = true;
        self.refused.push(intent(&asking.call));
        let instruction = step.agent.texts.say(&Say::RejectedInstruction);
        self.call_failed(asking.index, &Failure::Rejected { instruction }, step);
        self.advance(step);
    }

    fn replied_by_person(&mut self, asking: &Asking, words: String, step: &mut Step<'_>) {
        self.step_refused = true;
        if self.origin == Origin::Model {
            self.said.push(history::user_said(words.clone()));
            self.step_base = self.step;
        }
        self.call_ended(asking.index, CallOutcome::Replied(words), step);
        self.advance(step);
    }

    /// Nobody answered in time: the turn ends silently.
    pub(super) fn time_up(&mut self, step: &mut Step<'_>) {
        let Stage::Answer { asking, confirmation } = &self.stage else { return };
        if step.now < confirmation.deadline {
            return;
        }
        let (asking, confirmation) = (asking.clone(), confirmation.as_ref().clone());
        self.waited_ms += millis_between(confirmation.asked_at, step.now);
        step.note(self.confirm_note(AuditKind::ConfirmExpired, &confirmation, asking.index));
        self.close_question(&confirmation, Choice::Expired, step);
        let tool = asking.call.tool.as_str();
        let note = step.agent.texts.say(&Say::WaitExpired { tool });
        self.finish(TurnEnd::Expired { note, late_yes: None }, step);
    }

    /// Where the channel can, the buttons go and the choice stands in their place.
    pub(super) fn close_question(
        &self,
        confirmation: &Confirmation,
        choice: Choice,
        step: &mut Step<'_>,
    ) {
        if self.surface.edits {
            let text = format!("{}\n{}", confirmation.text, step.agent.texts.choice(choice));
            step.cause(Effect::Edit { id: confirmation.id.clone(), text });
        }
    }

    pub(super) fn confirm_note(
        &self,
        kind: AuditKind,
        confirmation: &Confirmation,
        index: usize,
    ) -> Note {
        self.call_note(kind, index)
            .with("confirmation_id", confirmation.id.as_str())
            .with("digest", confirmation.call.digest.as_str())
            .with("asked_of", confirmation.requester.as_str())
    }

    #[expect(clippy::too_many_arguments, reason = "one fact each, all needed by the trail")]
    fn note_answer(
        &self,
        kind: AuditKind,
        confirmation: &Confirmation,
        asking: &Asking,
        by: &UserId,
        via: Via,
        words: &str,
        step: &mut Step<'_>,
    ) {
        step.note(
            self.confirm_note(kind, confirmation, asking.index)
                .with("by", by.as_str())
                .with("via", via.word())
                .with("words", words),
        );
    }

    /// The run of a stored approval, made again by policy.
    pub(super) fn order_again(
        &self,
        run_id: &RunId,
        call: PreparedCall,
        approval: ApprovalRecord,
        tool: &Tool,
    ) -> Result<manos_policy::RunOrder, Failure> {
        reapprove(call, approval, &tool.spec)
            .map(|call| manos_policy::RunOrder { call, run_id: run_id.clone() })
            .map_err(|_| Failure::Changed)
    }

    /// The newest message of the turn, for tests and tools that show a turn.
    pub fn newest_message(&self) -> Option<&StepMessage> {
        self.messages.last()
    }
}

/// What templates of questions may name.
fn variables(arguments: &Map<String, Value>, facts: Option<&Value>) -> Map<String, Value> {
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

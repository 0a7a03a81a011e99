//! The confirmation question: warning, title, lines, and how to answer.

use super::{Say, Texts};
use crate::{Language, safe_text};

/// How a question can be answered where it is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QuestionForm {
    /// The channel draws buttons: no tail.
    Buttons,
    /// A numbered menu, for channels without buttons.
    Menu,
    /// In writing: the tail says how, `(sí/no)`.
    Written,
}

/// What was done, or perhaps done, before with the same arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repeat<'a> {
    /// It was done.
    Done {
        /// The result in short ([`crate::result_summary`]); empty when there is nothing to say.
        result: &'a str,
    },
    /// It is not known whether it was done.
    Unknown,
}

/// A question to a person about one call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Question<'a> {
    /// The tool's title; made safe when the question is written.
    pub title: &'a str,
    /// What exactly will be done, safe already: [`crate::argument_lines`], or a template rendered
    /// over safe values. Newlines at the end do not matter; may be empty.
    pub lines: &'a str,
    /// How it can be answered.
    pub form: QuestionForm,
    /// The warning it starts with.
    pub repeat: Option<Repeat<'a>>,
}

/// How a question ended, for the text that stands where its buttons were.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice {
    /// The turn was cancelled.
    Cancelled,
    /// Nobody answered in time.
    Expired,
    /// No.
    No,
    /// An answer that was neither yes nor no.
    Replied,
    /// Yes.
    Yes,
}

impl Texts {
    /// Writes a question.
    ///
    /// # Examples
    ///
    /// ```
    /// use manos_text::{Language, Question, QuestionForm, Texts};
    ///
    /// let question = Question {
    ///     title: "Crear pedido",
    ///     lines: "• 5 × Torta de chocolate\n• 2 × Café",
    ///     form: QuestionForm::Written,
    ///     repeat: None,
    /// };
    /// assert_eq!(
    ///     Texts::new(Language::Es).question(&question),
    ///     "Voy a: Crear pedido\n• 5 × Torta de chocolate\n• 2 × Café\n¿Confirmas? (sí/no)",
    /// );
    /// ```
    pub fn question(&self, question: &Question<'_>) -> String {
        let title = &*safe_text(question.title);
        let lines = question.lines.trim_end_matches('\n');
        let key = self.ask_key(question.form);
        let mut parts = Vec::with_capacity(4);
        parts.extend(question.repeat.map(|repeat| self.repeat_warning(title, repeat)));
        if self.uses(key, "lines") {
            parts.push(self.whole(question.form, title, lines));
        } else {
            parts.push(self.say(&Say::ConfirmHead { title }));
            if !lines.is_empty() {
                parts.push(lines.to_owned());
            }
            parts.push(self.ask(question.form, title));
        }
        parts.join("\n")
    }

    /// Asks alone, without title and lines: “¿Confirmas? (sí/no)”.
    ///
    /// For the short question after a text that is too long for one message of the channel.
    pub fn ask(&self, form: QuestionForm, title: &str) -> String {
        let title = &*safe_text(title);
        if self.uses(self.ask_key(form), "lines") {
            // That wording is a whole question, so the short one is the built-in sentence.
            return Self::new(self.language()).ask(form, title);
        }
        self.whole(form, title, "")
    }

    /// Warns that the same was done, or perhaps done, a moment ago.
    ///
    /// [`Texts::question`] puts it first; it goes before a tool's own `confirm_message` too.
    pub fn repeat_warning(&self, title: &str, repeat: Repeat<'_>) -> String {
        let title = &*safe_text(title);
        match repeat {
            Repeat::Done { result: "" } => self.say(&Say::ConfirmRepeatPlain { title }),
            Repeat::Done { result } => self.say(&Say::ConfirmRepeat { title, result }),
            Repeat::Unknown => self.say(&Say::ConfirmRepeatUnknown { title }),
        }
    }

    /// Says how a question ended: “→ Sí”.
    pub fn choice(&self, choice: Choice) -> String {
        let words = self.say(&match choice {
            Choice::Cancelled => Say::ChoiceCancelled,
            Choice::Expired => Say::ChoiceExpired,
            Choice::No => Say::ButtonNo,
            Choice::Replied => Say::ChoiceReplied,
            Choice::Yes => Say::ButtonYes,
        });
        self.say(&Say::Choice { choice: &words })
    }

    /// Says that a press was heard: “Respuesta recibida: Sí.”
    pub fn answered(&self, choice: Choice) -> String {
        let button = if choice == Choice::Yes { Say::ButtonYes } else { Say::ButtonNo };
        self.say(&Say::ConfirmAnswered { answer: &self.say(&button) })
    }

    /// Chooses the wording: one that the agent gave for writing serves the buttons too.
    fn ask_key(&self, form: QuestionForm) -> &'static str {
        const WRITTEN: &str = "confirm";
        const BUTTONS: &str = "confirm-buttons";
        match form {
            QuestionForm::Written => WRITTEN,
            QuestionForm::Buttons | QuestionForm::Menu => {
                let reuse = self.is_overridden(WRITTEN) && !self.is_overridden(BUTTONS);
                if reuse { WRITTEN } else { BUTTONS }
            }
        }
    }

    fn whole(&self, form: QuestionForm, title: &str, lines: &str) -> String {
        let say = if self.ask_key(form) == "confirm" {
            Say::Confirm { title, lines: or_marker(lines) }
        } else {
            Say::ConfirmButtons { title, lines: or_marker(lines) }
        };
        let text = without_marker(self.say(&say));
        match form {
            QuestionForm::Written => text,
            QuestionForm::Buttons => without_tail(&text).to_owned(),
            QuestionForm::Menu => {
                let (yes, no) = (self.say(&Say::ButtonYes), self.say(&Say::ButtonNo));
                format!("{}\n1. {yes}\n2. {no}", without_tail(&text))
            }
        }
    }
}

/// Stands for lines that are not there, so that their whole line can be taken out.
const NO_LINES: &str = "\0";

fn or_marker(lines: &str) -> &str {
    if lines.is_empty() { NO_LINES } else { lines }
}

fn without_marker(text: String) -> String {
    if !text.contains(NO_LINES) {
        return text;
    }
    text.replace("\0\n", "").replace("\n\0", "").replace(NO_LINES, "")
}

/// Drops `(sí/no)` in any of our languages from the end.
fn without_tail(text: &str) -> &str {
    let text = text.trim_end();
    let Some((rest, inside)) = text.strip_suffix(')').and_then(|open| open.rsplit_once('(')) else {
        return text;
    };
    let folded = inside.to_lowercase();
    let mut words = folded.split('/').map(str::trim);
    let known = |yes: &str, no: &str| {
        Language::ALL.into_iter().any(|language| tail_words(language) == (yes, no))
    };
    match (words.next(), words.next(), words.next()) {
        (Some(yes), Some(no), None) if known(yes, no) => rest.trim_end(),
        _ => text,
    }
}

fn tail_words(language: Language) -> (&'static str, &'static str) {
    match language {
        Language::Ca | Language::Es => ("sí", "no"),
        Language::De => ("ja", "nein"),
        Language::En => ("yes", "no"),
        Language::Fr => ("oui", "non"),
        Language::It => ("sì", "no"),
        Language::Pt => ("sim", "não"),
    }
}

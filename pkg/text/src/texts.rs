//! The sentences that Manos says, in seven languages, and how an agent rewords them.
//!
//! [`say`] lists every sentence with its arguments; [`catalogue`] holds the built-in wordings, one
//! Fluent file per language under `data/`; [`overrides`] checks an agent's own; [`question`] puts
//! the confirmation question together; [`notes`] writes what the model is told. Tests prove that
//! every language says every sentence with the same variables.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use fluent_bundle::concurrent::FluentBundle;
use fluent_bundle::{FluentArgs, FluentResource};

use crate::Language;

mod catalogue;
mod notes;
mod overrides;
mod question;
mod say;

pub use notes::{Command, DoneRun};
pub use overrides::TextError;
pub use question::{Choice, Question, QuestionForm, Repeat};
pub use say::Say;

use say::{Sentence, sentence};

/// The sentences of one agent in one language.
///
/// Built once; saying a sentence takes about a microsecond.
///
/// # Examples
///
/// ```
/// use manos_text::{Language, Say, Texts};
///
/// let texts = Texts::new(Language::Es);
/// assert_eq!(texts.say(&Say::ConfirmExpired), "Esa confirmación ya no está activa.");
/// assert_eq!(texts.say(&Say::Working { title: "Crear pedido" }), "Trabajando: Crear pedido…");
/// ```
pub struct Texts {
    language: Language,
    bundle: FluentBundle<Arc<FluentResource>>,
    overridden: Vec<&'static str>,
}

impl Texts {
    /// Returns the built-in sentences of `language`.
    pub fn new(language: Language) -> Self {
        let mut bundle = FluentBundle::new_concurrent(catalogue::fluent_locale(language));
        bundle.set_use_isolating(false);
        bundle.add_resource_overriding(catalogue::resource(language));
        Self { language, bundle, overridden: Vec::new() }
    }

    /// Returns the sentences of `language` with an agent's own wordings, by key.
    ///
    /// A key is one of [`Texts::keys`], also in camel case and behind `ai.tools.`
    /// (`ai.tools.confirmExpired` is `confirm-expired`). A wording is a Fluent pattern: text with
    /// `{ $variable }`s, which may choose by number; it calls no function and refers to no other
    /// sentence.
    ///
    /// # Errors
    ///
    /// [`TextError`], for the first key in order that is unknown or whose wording does not fit.
    pub fn with_overrides(
        language: Language,
        wordings: &BTreeMap<String, String>,
    ) -> Result<Self, TextError> {
        let mut texts = Self::new(language);
        for (key, wording) in wordings {
            let (sentence, resource) = overrides::read(key, wording)?;
            texts.bundle.add_resource_overriding(Arc::new(resource));
            texts.overridden.push(sentence.key);
        }
        Ok(texts)
    }

    /// Returns the language.
    pub fn language(&self) -> Language {
        self.language
    }

    /// Says one sentence.
    pub fn say(&self, say: &Say<'_>) -> String {
        let (key, arguments) = say.parts();
        self.format(key, &arguments)
    }

    /// Lists the keys that can be overridden, in the order of the documentation.
    pub fn keys() -> impl Iterator<Item = &'static str> {
        Sentence::ALL.iter().map(|sentence| sentence.key)
    }

    /// Lists the variables that the sentence `key` may use; `None` for an unknown key.
    pub fn variables(key: &str) -> Option<&'static [&'static str]> {
        sentence(key).map(|sentence| sentence.variables)
    }

    /// Tells whether the agent has its own wording for `key`.
    pub(crate) fn is_overridden(&self, key: &str) -> bool {
        self.overridden.contains(&key)
    }

    /// Tells whether the wording of `key` uses `variable` itself.
    pub(crate) fn uses(&self, key: &str, variable: &str) -> bool {
        let pattern = self.bundle.get_message(key).and_then(|message| message.value());
        pattern.is_some_and(|pattern| overrides::variables_of(pattern).contains(variable))
    }

    pub(crate) fn format(&self, key: &str, arguments: &FluentArgs<'_>) -> String {
        let mut out = String::with_capacity(128);
        // What cannot be resolved prints as its name; loading has refused it before.
        let mut unresolved = Vec::new();
        if let Some(pattern) = self.bundle.get_message(key).and_then(|message| message.value()) {
            let args = Some(arguments);
            let _infallible = self.bundle.write_pattern(&mut out, pattern, args, &mut unresolved);
        }
        out
    }
}

impl fmt::Debug for Texts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Texts")
            .field("language", &self.language)
            .field("overridden", &self.overridden)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;

//! Localised sentences, formats, templates and safe values: every word that a person or a model
//! reads and that we wrote.
//!
//! - [`Texts`] says the fixed sentences ([`Say`]) in one of seven languages, with an agent's own
//!   wording on top, and puts a confirmation question together.
//! - [`Formats`] writes numbers, money, dates and times by [`Locale`].
//! - [`Template`] renders an agent's templates under strict rules and limits.
//! - [`safe_text`] and [`safe_value`] make what a model or a tool wrote harmless to show.
//! - [`argument_lines`] prints the arguments of a call for the person who is asked.
//!
//! Nothing here reads files, the clock or the environment; the catalogues are data files built in.

mod language;
mod lines;
mod locale;
mod safe;
mod template;
mod texts;

pub use language::Language;
pub use lines::{Labels, SUMMARY_CHARS_MAX, Words, argument_lines, result_summary};
pub use locale::{FormatError, Formats, Locale, Money};
pub use safe::{MIXED_MARK, safe_text, safe_value};
pub use template::{OUTPUT_BYTES_MAX, TEMPLATE_FUEL, Template, TemplateError, Values};
pub use texts::{Choice, Command, DoneRun, Question, QuestionForm, Repeat, Say, TextError, Texts};

/// One value serves every chat of an agent at once.
const _: () = {
    const fn shared<T: Send + Sync + std::fmt::Debug + 'static>() {}
    shared::<Formats>();
    shared::<Template>();
    shared::<Texts>();
};

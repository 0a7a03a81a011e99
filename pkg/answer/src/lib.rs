//! Reads the answer to a confirmation: a clear yes, a clear no, or anything else.
//!
//! Owns the reading of what a person wrote or said after "Do you confirm?". It decides nothing
//! about who may answer, when, or what runs next; it performs no IO and keeps no state.
//!
//! **Running on something that was not a clear yes is the one error that may never be made.** So
//! nothing is guessed: the whole message must be made of phrases that the word lists know, all of
//! them on one side, and with at least one that is an answer by itself. A single unknown word, a
//! question mark, a digit, a "but", a doubt or a contradiction makes the message
//! [`Answer::Other`].
//!
//! The word lists are data: `data/<language>.txt`, and `data/signs.txt` for emoji and emoticons.
//! `data/README.md` says how they are written. Tested by tables of kinds beside the code and by
//! the rows of `fixtures/answers/` in `tests/it/`.
//!
//! # Examples
//!
//! ```
//! use manos_answer::{Answer, Asked, Language, read};
//!
//! let asked = Asked { languages: &[Language::Es], ..Asked::default() };
//! assert_eq!(read("¡Siiii, por favor! 👍🏽", &asked), Answer::Yes);
//! assert_eq!(read("no, mejor no", &asked), Answer::No);
//! assert_eq!(read("sí, pero cambia a 5 unidades", &asked), Answer::Other);
//! assert_eq!(read("no hay problema", &asked), Answer::Other);
//! ```

mod asked;
mod grammar;
mod language;
mod lexicon;
mod message;
mod misspelling;
mod pattern;

pub use crate::asked::{Answer, Asked, CONFIDENCE_MIN_DEFAULT, Voice};
pub use crate::grammar::REPEATS_MAX;
pub use crate::language::Language;
pub use crate::message::{CHARS_MAX, WORDS_MAX};

/// Reads an answer: a clear yes, a clear no, or anything else.
///
/// The languages of `asked` and English are tried, no others. Lines that start with `>` are a
/// quoted copy and are left out first. A message longer than [`CHARS_MAX`] characters or
/// [`WORDS_MAX`] words without them is [`Answer::Other`], and so is one that says the same word
/// more than [`REPEATS_MAX`] times in a row.
///
/// # Examples
///
/// ```
/// use manos_answer::{Answer, Asked, Language, read};
///
/// let english = Asked::default();
/// assert_eq!(read("yes, go ahead", &english), Answer::Yes);
/// assert_eq!(read("no problem", &english), Answer::Other);
/// // A word of another language is read only where that language is spoken.
/// assert_eq!(read("vale", &english), Answer::Other);
/// let spanish = Asked { languages: &[Language::Es], ..Asked::default() };
/// assert_eq!(read("vale", &spanish), Answer::Yes);
/// // When the action that waits is a cancelling one, "cancel" could mean either.
/// assert_eq!(read("cancela", &spanish), Answer::No);
/// assert_eq!(read("cancela", &Asked { cancels: true, ..spanish }), Answer::Other);
/// ```
pub fn read(text: &str, asked: &Asked<'_>) -> Answer {
    if asked.voice.is_some_and(|voice| !voice.is_clear()) {
        return Answer::Other;
    }
    match message::Message::parse(text) {
        Some(message) => grammar::judge(&message, asked),
        None => Answer::Other,
    }
}

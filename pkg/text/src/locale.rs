//! Locales and how each writes numbers, money, dates and times.
//!
//! [`data`] holds the conventions, [`formats`] applies them.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::Language;

mod data;
mod formats;

pub(crate) use data::{LocaleData, WordData, locale_data, words};
pub use formats::{FormatError, Formats};
pub(crate) use formats::{date_words, weekday_word};

/// A language and, perhaps, a region: `es`, `es-CO`.
///
/// A region without conventions of its own falls back to its language.
///
/// # Examples
///
/// ```
/// use manos_text::{Language, Locale};
///
/// let locale = Locale::from_tag("es_co").unwrap();
/// assert_eq!(locale.tag(), "es-CO");
/// assert_eq!(locale.language(), Language::Es);
/// assert_eq!(Locale::from_tag("tlh"), None);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Locale {
    language: Language,
    tag: String,
}

impl Locale {
    /// Reads a locale tag; `None` when its language has no catalogue or a part is not letters and
    /// digits.
    pub fn from_tag(tag: &str) -> Option<Self> {
        let language = Language::from_tag(tag)?;
        let mut whole = language.tag().to_owned();
        for part in tag.split(['-', '_']).skip(1) {
            let fits = (1..=8).contains(&part.len());
            if !fits || !part.bytes().all(|b| b.is_ascii_alphanumeric()) {
                return None;
            }
            whole.push('-');
            if part.len() == 2 {
                whole.push_str(&part.to_ascii_uppercase());
            } else {
                whole.push_str(part);
            }
        }
        Some(Self { language, tag: whole })
    }

    /// Returns the language.
    pub fn language(&self) -> Language {
        self.language
    }

    /// Returns the tag, with the region in capitals.
    pub fn tag(&self) -> &str {
        &self.tag
    }
}

impl From<Language> for Locale {
    fn from(language: Language) -> Self {
        Self { language, tag: language.tag().to_owned() }
    }
}

impl From<Locale> for String {
    fn from(locale: Locale) -> Self {
        locale.tag
    }
}

impl TryFrom<String> for Locale {
    type Error = String;

    fn try_from(tag: String) -> Result<Self, Self::Error> {
        Self::from_tag(&tag).ok_or_else(|| format!("unknown locale {tag:?}"))
    }
}

impl fmt::Display for Locale {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.tag)
    }
}

/// How an agent writes amounts of money.
///
/// # Examples
///
/// ```
/// use manos_text::Money;
///
/// let euros = Money { symbol: "€".to_owned(), decimals: 2 };
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Money {
    /// What stands beside the number: `$`, `€`, `COP`.
    pub symbol: String,
    /// How many digits of the smallest unit stand behind the decimal sign, at most
    /// [`Money::DECIMALS_MAX`]: 2 for euros counted in cents, 0 for pesos.
    pub decimals: u8,
}

impl Money {
    /// The most decimals an amount can have; more are cut to this.
    pub const DECIMALS_MAX: u8 = 8;
}

impl Default for Money {
    fn default() -> Self {
        Self { symbol: "$".to_owned(), decimals: 2 }
    }
}

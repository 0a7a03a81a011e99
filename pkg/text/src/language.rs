//! The languages that have a full catalogue of sentences.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A language that Manos speaks.
///
/// # Shape
///
/// The two-letter tag: `"es"`.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Language {
    /// Catalan.
    Ca,
    /// German.
    De,
    /// English, the default.
    #[default]
    En,
    /// Spanish.
    Es,
    /// French.
    Fr,
    /// Italian.
    It,
    /// Portuguese.
    Pt,
}

impl Language {
    /// Every language, in the order the documentation lists them.
    pub const ALL: [Self; 7] =
        [Self::Es, Self::En, Self::Pt, Self::Fr, Self::It, Self::De, Self::Ca];

    /// Reads the language out of a tag such as `es`, `es-CO` or `pt_BR`; `None` for a language
    /// without a catalogue.
    ///
    /// # Examples
    ///
    /// ```
    /// use manos_text::Language;
    ///
    /// assert_eq!(Language::from_tag("es-CO"), Some(Language::Es));
    /// assert_eq!(Language::from_tag("nl"), None);
    /// ```
    pub fn from_tag(tag: &str) -> Option<Self> {
        let primary = tag.split(['-', '_']).next().unwrap_or_default();
        Self::ALL.into_iter().find(|language| primary.eq_ignore_ascii_case(language.tag()))
    }

    /// Returns the two-letter tag.
    pub fn tag(self) -> &'static str {
        match self {
            Self::Ca => "ca",
            Self::De => "de",
            Self::En => "en",
            Self::Es => "es",
            Self::Fr => "fr",
            Self::It => "it",
            Self::Pt => "pt",
        }
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.tag())
    }
}

//! The languages that have word lists.

/// A language whose answers can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Language {
    /// Spanish.
    Es,
    /// English.
    En,
    /// Portuguese.
    Pt,
    /// French.
    Fr,
    /// Italian.
    It,
    /// German.
    De,
    /// Catalan.
    Ca,
    /// Dutch.
    Nl,
    /// Polish.
    Pl,
    /// Turkish.
    Tr,
    /// Japanese.
    Ja,
    /// Chinese.
    Zh,
    /// Arabic.
    Ar,
}

impl Language {
    /// All languages that have a word list, in the order of the enum.
    pub const ALL: [Language; 13] = [
        Language::Es,
        Language::En,
        Language::Pt,
        Language::Fr,
        Language::It,
        Language::De,
        Language::Ca,
        Language::Nl,
        Language::Pl,
        Language::Tr,
        Language::Ja,
        Language::Zh,
        Language::Ar,
    ];

    /// Returns the language of a tag such as `es`, `es-CO` or `PT_br`; `None` when it has no list.
    ///
    /// # Examples
    ///
    /// ```
    /// use manos_answer::Language;
    ///
    /// assert_eq!(Language::from_tag("es-CO"), Some(Language::Es));
    /// assert_eq!(Language::from_tag("est"), None);
    /// ```
    pub fn from_tag(tag: &str) -> Option<Language> {
        let primary = tag.split(['-', '_']).next()?;
        Language::ALL.into_iter().find(|language| primary.eq_ignore_ascii_case(language.as_str()))
    }

    /// Returns the two-letter code of ISO 639-1.
    pub fn as_str(self) -> &'static str {
        match self {
            Language::Es => "es",
            Language::En => "en",
            Language::Pt => "pt",
            Language::Fr => "fr",
            Language::It => "it",
            Language::De => "de",
            Language::Ca => "ca",
            Language::Nl => "nl",
            Language::Pl => "pl",
            Language::Tr => "tr",
            Language::Ja => "ja",
            Language::Zh => "zh",
            Language::Ar => "ar",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_names_its_language_with_or_without_a_region() {
        let cases = [
            ("es", Some(Language::Es)),
            ("ES-419", Some(Language::Es)),
            ("pt_BR", Some(Language::Pt)),
            ("zh-Hant-TW", Some(Language::Zh)),
            ("eng", None),
            ("", None),
            ("-es", None),
        ];
        for (tag, language) in cases {
            assert_eq!(Language::from_tag(tag), language, "{tag}");
        }
        for language in Language::ALL {
            assert_eq!(Language::from_tag(language.as_str()), Some(language));
        }
    }
}

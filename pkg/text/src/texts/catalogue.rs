//! The built-in wordings, parsed once per process and language.

use std::sync::{Arc, OnceLock};

use fluent_bundle::FluentResource;

use crate::Language;

/// Returns the parsed catalogue of `language`.
pub(super) fn resource(language: Language) -> Arc<FluentResource> {
    static PARSED: [OnceLock<Arc<FluentResource>>; 7] = [const { OnceLock::new() }; 7];
    let parse = || {
        // A test proves that every catalogue parses; what did not would be left out here.
        let resource = FluentResource::try_new(source(language).to_owned());
        Arc::new(resource.unwrap_or_else(|(resource, _)| resource))
    };
    let index = Language::ALL.iter().position(|each| *each == language).unwrap_or_default();
    PARSED.get(index).map_or_else(parse, |parsed| Arc::clone(parsed.get_or_init(parse)))
}

/// Returns the text of the catalogue of `language`.
pub(super) fn source(language: Language) -> &'static str {
    match language {
        Language::Ca => include_str!("../../data/ca.ftl"),
        Language::De => include_str!("../../data/de.ftl"),
        Language::En => include_str!("../../data/en.ftl"),
        Language::Es => include_str!("../../data/es.ftl"),
        Language::Fr => include_str!("../../data/fr.ftl"),
        Language::It => include_str!("../../data/it.ftl"),
        Language::Pt => include_str!("../../data/pt.ftl"),
    }
}

/// The language in the form the bundle takes, for its plural rules.
///
/// Generic, since the type belongs to a package that only the bundle names.
pub(super) fn fluent_locale<L: std::str::FromStr>(language: Language) -> Vec<L> {
    language.tag().parse().into_iter().collect()
}

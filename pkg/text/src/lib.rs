//! Localised sentences, formats and templates.

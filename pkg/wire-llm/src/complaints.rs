//! Collecting what a provider would refuse in a body: for the `strict.rs` of each dialect.
//!
//! Those know nothing of our encoders. Where a rule was learnt from a report and not from a page, the
//! report is named beside it.

use serde_json::Value;

/// Collects what is wrong, each with its place.
#[derive(Debug, Default)]
pub(crate) struct Complaints(pub(crate) Vec<String>);

impl Complaints {
    /// Complains unless `is_right`.
    pub(crate) fn unless(&mut self, is_right: bool, at: &str, what: &str) {
        if !is_right {
            self.0.push(format!("{at}: {what}"));
        }
    }

    /// Complains of every key that is not one of these.
    pub(crate) fn keys(&mut self, value: &Value, at: &str, known: &[&str]) {
        let Some(object) = value.as_object() else {
            self.0.push(format!("{at}: must be an object"));
            return;
        };
        for key in object.keys().filter(|key| !known.contains(&key.as_str())) {
            self.0.push(format!("{at}.{key}: extra inputs are not permitted"));
        }
    }
}

/// Returns the items of a list; of anything else, none.
pub(crate) fn items(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// Returns the text; of anything else, none.
pub(crate) fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

pub(crate) fn is_whole(value: &Value) -> bool {
    value.as_u64().is_some_and(|number| number > 0)
}

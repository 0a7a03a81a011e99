//! One call: its arguments in pieces, and what they are said to be in whole.
//!
//! The same arguments are told up to four times. What does not agree is an error: which of two
//! amounts was meant, nobody can know.

use serde_json::Value;
use serde_json::value::RawValue;

use manos_model::{CallArguments, RequestedCall};

use super::super::types::Item;
use crate::lenient::{Raw, text};
use crate::pieces::{Piece, Pieces};
use crate::{AssembleError, CALL_BYTES_MAX, NAME_BYTES_MAX};

/// A call as far as it has come.
#[derive(Debug, Default)]
pub(super) struct Call {
    /// The id by which its result is told.
    pub(super) told_by: Option<String>,
    pub(super) name: String,
    arguments: Pieces,
    /// They came as a value, not as text.
    is_value: bool,
    /// They were told in whole: later pieces are late ones.
    is_whole: bool,
    /// The provider says of this call that it is cut.
    pub(super) is_cut: bool,
}

impl Call {
    /// Takes name and id.
    pub(super) fn name(&mut self, item: &Item<'_>) -> Result<(), AssembleError> {
        let call_id = call_id(item);
        let name = item.name.and_then(text).unwrap_or_default();
        if name.len() > NAME_BYTES_MAX || call_id.as_deref().unwrap_or("").len() > NAME_BYTES_MAX {
            return Err(AssembleError::NameTooLong);
        }
        if !name.is_empty() {
            if !self.name.is_empty() && self.name != name {
                return Err(AssembleError::Ambiguous);
            }
            self.name = name.into_owned();
        }
        if self.told_by.is_none() {
            self.told_by = call_id;
        }
        Ok(())
    }

    /// Takes a piece of the arguments.
    pub(super) fn piece(&mut self, delta: Raw<'_>) -> Result<(), AssembleError> {
        if let (Some(piece), false) = (delta.and_then(Piece::of_json), self.is_whole) {
            self.arguments.push(&piece);
        }
        self.check()
    }

    /// Takes the whole arguments. Empty ones after pieces say nothing.
    pub(super) fn whole(&mut self, told: Raw<'_>) -> Result<(), AssembleError> {
        let Some(raw) = told.filter(|raw| !matches!(raw.get(), "null" | "\"\"")) else {
            return Ok(());
        };
        let (given, is_value) = read(raw);
        let known = self.arguments.as_str();
        if known.is_empty() || (!self.is_whole && !is_value && given.starts_with(known)) {
            let mut whole = Pieces::default();
            whole.push(&Piece::Text(given.into()));
            (self.arguments, self.is_value) = (whole, is_value);
        } else if known != given && !are_equal(known, &given) {
            return Err(AssembleError::Ambiguous);
        }
        self.is_whole = true;
        self.check()
    }

    /// Returns how many bytes its arguments have.
    pub(super) fn bytes(&self) -> usize {
        self.arguments.len()
    }

    pub(super) fn finish(self) -> RequestedCall {
        let text = self.arguments.finish();
        let arguments = if text.is_empty() {
            CallArguments::Missing
        } else if self.is_value {
            match serde_json::from_str(&text) {
                Ok(value) => CallArguments::Value(value),
                // Too deep for a value; whoever reads the arguments says so.
                Err(_) => CallArguments::Text(text),
            }
        } else {
            CallArguments::Text(text)
        };
        RequestedCall { wire_id: self.told_by, name: self.name, arguments }
    }

    fn check(&self) -> Result<(), AssembleError> {
        if self.bytes() > CALL_BYTES_MAX { Err(AssembleError::TooLarge) } else { Ok(()) }
    }
}

/// Returns the id by which a call's result is told.
pub(super) fn call_id(item: &Item<'_>) -> Option<String> {
    let id = item.call_id.and_then(text).filter(|id| !id.is_empty());
    id.map(std::borrow::Cow::into_owned)
}

/// The text of arguments, and whether they are a value themselves.
fn read(raw: &RawValue) -> (String, bool) {
    match Piece::of_json(raw) {
        Some(Piece::Text(text)) => (text.into_owned(), false),
        Some(Piece::Broken(bytes)) => (String::from_utf8_lossy(&bytes).into_owned(), false),
        None => (raw.get().to_owned(), true),
    }
}

fn are_equal(left: &str, right: &str) -> bool {
    let parse = |text: &str| serde_json::from_str::<Value>(text).ok();
    parse(left).is_some_and(|left| Some(left) == parse(right))
}

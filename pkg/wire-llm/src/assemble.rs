//! Pieces of tool calls → whole tool calls, for every dialect that streams them.
//!
//! Owns which piece belongs to which call, and how much of it all is taken. It guesses at no
//! argument: what cannot be told apart is an error, and text that is no JSON stays as it came.

use std::collections::BTreeMap;

use serde_json::value::RawValue;
use thiserror::Error;

use manos_model::{CallArguments, RequestedCall};

use crate::pieces::{Piece, Pieces};

/// The most calls of one reply.
pub const CALLS_MAX: usize = 128;

/// The most bytes of arguments of one call.
pub const CALL_BYTES_MAX: usize = 256 * 1024;

/// The most bytes of arguments of all calls of one reply.
pub const CALLS_BYTES_MAX: usize = 4 * 1024 * 1024;

/// The most bytes of a name or an id.
pub const NAME_BYTES_MAX: usize = 1024;

/// Why the calls of a reply cannot be put together. None of them may run then.
#[derive(Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum AssembleError {
    /// Arguments came under a number that turned out to be another call's.
    #[error("the reply mixes up the arguments of its tool calls")]
    Ambiguous,
    /// More than [`CALL_BYTES_MAX`] or [`CALLS_BYTES_MAX`].
    #[error("the arguments of the reply's tool calls are too large")]
    TooLarge,
    /// More than [`NAME_BYTES_MAX`].
    #[error("a name or id in the reply is longer than {NAME_BYTES_MAX} bytes")]
    NameTooLong,
    /// More than [`CALLS_MAX`].
    #[error("the reply asks for more than {CALLS_MAX} tool calls")]
    TooMany,
}

/// What one piece says of a call; an empty id or name counts as none.
#[derive(Debug, Default, Clone, Copy)]
pub struct CallPiece<'a> {
    /// The provider's number of the call: a key, never a position.
    pub index: Option<u64>,
    /// The provider's id.
    pub id: Option<&'a str>,
    /// The name, as it is on the wire.
    pub name: Option<&'a str>,
    /// Arguments: a JSON string with a piece of their text, or a whole JSON value.
    pub arguments: Option<&'a RawValue>,
}

impl CallPiece<'_> {
    /// Whether it brings more of the arguments than nothing.
    fn has_arguments(&self) -> bool {
        self.arguments.is_some_and(|raw| !raw.get().trim_matches('"').trim().is_empty())
    }
}

/// Puts the tool calls of one reply together.
///
/// A piece belongs to the call with its index, else with its id, else to the last one opened. A new
/// id or another name where a call already has one opens a new call, even on the same index.
///
/// # Examples
///
/// ```
/// use manos_wire_llm::{Assembler, CallPiece};
/// use manos_model::CallArguments;
/// let mut calls = Assembler::default();
/// // Two calls under the same number, as some servers send them.
/// for (id, name) in [("a", "read"), ("b", "write")] {
///     let piece = CallPiece { index: Some(0), id: Some(id), name: Some(name), arguments: None };
///     calls.add(piece).unwrap();
/// }
/// let calls = calls.finish();
/// assert_eq!(calls.len(), 2);
/// assert_eq!(calls[1].arguments, CallArguments::Missing);
/// ```
#[derive(Debug, Default)]
pub struct Assembler {
    calls: Vec<PartialCall>,
    by_index: BTreeMap<u64, Slot>,
    by_id: BTreeMap<String, usize>,
    bytes: usize,
}

/// Where an index leads.
#[derive(Debug, Clone, Copy)]
struct Slot {
    call: usize,
    /// The index came without id and name and was given to the call opened last.
    guessed: bool,
}

#[derive(Debug, Default)]
struct PartialCall {
    id: Option<String>,
    name: String,
    arguments: Pieces,
    kind: Kind,
}

/// In which form the arguments came.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Both, or several values: no form that can be read; kept as text, which will not parse.
    Mixed,
    #[default]
    Nothing,
    Text,
    Value,
}

impl Assembler {
    /// Returns whether any call has been opened.
    pub fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }

    /// Returns how many calls are open; pieces go to the last one unless they say otherwise.
    pub fn len(&self) -> usize {
        self.calls.len()
    }

    /// Takes a piece of a streamed call and returns the position of its call.
    ///
    /// # Errors
    ///
    /// [`AssembleError`]; no call of the reply may run then.
    pub fn add(&mut self, piece: CallPiece<'_>) -> Result<Option<usize>, AssembleError> {
        let piece = cleaned(piece);
        if piece.id.is_none() && piece.name.is_none() && piece.arguments.is_none() {
            return Ok(None);
        }
        let at = match self.place(&piece)? {
            Some(at) => at,
            None => self.begin(&piece)?,
        };
        self.fill(at, &piece)?;
        Ok(Some(at))
    }

    /// Takes a whole call, as replies that are not streamed have them: each is a call of its own,
    /// even when its id repeats.
    ///
    /// # Errors
    ///
    /// As [`Assembler::add`].
    pub fn add_whole(&mut self, piece: CallPiece<'_>) -> Result<Option<usize>, AssembleError> {
        let piece = cleaned(piece);
        if piece.id.is_none() && piece.name.is_none() && piece.arguments.is_none() {
            return Ok(None);
        }
        let at = self.begin(&piece)?;
        self.fill(at, &piece)?;
        Ok(Some(at))
    }

    /// Ends the reply and returns its calls in the order in which they were opened.
    pub fn finish(self) -> Vec<RequestedCall> {
        self.calls.into_iter().map(PartialCall::finish).collect()
    }

    /// Finds the open call that a piece belongs to; `None` when it opens one.
    fn place(&mut self, piece: &CallPiece<'_>) -> Result<Option<usize>, AssembleError> {
        let Some(index) = piece.index else { return Ok(self.place_without_index(piece)) };
        if let Some(slot) = self.by_index.get(&index).copied() {
            let Some(call) = self.calls.get(slot.call) else { return Ok(None) };
            if call.may_be_named_on(piece) {
                return Err(AssembleError::Ambiguous);
            }
            if call.continues(piece) {
                return Ok(Some(slot.call));
            }
            return if slot.guessed { Err(AssembleError::Ambiguous) } else { Ok(None) };
        }
        if let Some(at) = piece.id.and_then(|id| self.by_id.get(id).copied()) {
            // The number moved on but the id did not: one call, unless it begins anew.
            let same = self.calls.get(at).is_some_and(|call| {
                piece.name.is_none() || (call.name == piece.name.unwrap_or("") && !call.is_whole())
            });
            if same {
                self.by_index.insert(index, Slot { call: at, guessed: false });
                return Ok(Some(at));
            }
        }
        if piece.id.is_none() && piece.name.is_none() {
            // Some servers announce under one number and send the arguments under the next.
            let last = self.calls.len().checked_sub(1);
            let waits = last
                .and_then(|at| self.calls.get(at))
                .is_some_and(|call| call.kind == Kind::Nothing && !call.name.is_empty());
            if let (true, Some(at)) = (waits, last) {
                self.by_index.insert(index, Slot { call: at, guessed: true });
                return Ok(Some(at));
            }
        }
        Ok(None)
    }

    fn place_without_index(&self, piece: &CallPiece<'_>) -> Option<usize> {
        if let Some(at) = piece.id.and_then(|id| self.by_id.get(id).copied()) {
            return self.calls.get(at).filter(|call| call.continues(piece)).map(|_| at);
        }
        let last = self.calls.len().checked_sub(1)?;
        self.calls.get(last).filter(|call| call.continues(piece)).map(|_| last)
    }

    fn begin(&mut self, piece: &CallPiece<'_>) -> Result<usize, AssembleError> {
        let at = self.calls.len();
        if at >= CALLS_MAX {
            return Err(AssembleError::TooMany);
        }
        self.calls.push(PartialCall::default());
        if let Some(index) = piece.index {
            self.by_index.insert(index, Slot { call: at, guessed: false });
        }
        Ok(at)
    }

    fn fill(&mut self, at: usize, piece: &CallPiece<'_>) -> Result<(), AssembleError> {
        let Some(call) = self.calls.get_mut(at) else { return Ok(()) };
        for text in [piece.id, piece.name].into_iter().flatten() {
            if text.len() > NAME_BYTES_MAX {
                return Err(AssembleError::NameTooLong);
            }
        }
        if let Some(id) = piece.id {
            self.by_id.insert(id.to_owned(), at);
            call.id.get_or_insert_with(|| id.to_owned());
        }
        if let (Some(name), true) = (piece.name, call.name.is_empty()) {
            name.clone_into(&mut call.name);
        }
        if let Some(arguments) = piece.arguments {
            let before = call.arguments.len();
            call.add_arguments(arguments);
            let after = call.arguments.len();
            self.bytes = self.bytes.saturating_add(after.saturating_sub(before));
            if after > CALL_BYTES_MAX || self.bytes > CALLS_BYTES_MAX {
                return Err(AssembleError::TooLarge);
            }
        }
        Ok(())
    }
}

impl PartialCall {
    /// Whether a piece that leads here by its index, id or place goes on with this call.
    fn continues(&self, piece: &CallPiece<'_>) -> bool {
        match (piece.id, self.id.as_deref()) {
            // A known id: the same call, unless it now has another name, or begins once more.
            (Some(id), Some(known)) if id == known => self.takes_name(piece),
            (Some(_), Some(_)) => false,
            // No id with this piece, or the id comes late.
            (None, _) | (Some(_), None) => self.takes_name(piece),
        }
    }

    /// Whether a piece without an id of its own may be part of this call by its name.
    fn takes_name(&self, piece: &CallPiece<'_>) -> bool {
        match piece.name {
            None => true,
            Some(_) if self.name.is_empty() => true,
            // The name is said again with every piece, or the same tool is called once more.
            Some(name) => self.name == name && !(piece.has_arguments() && self.is_whole()),
        }
    }

    /// Whether a piece with another name and no id of its own may be the rest of this call's name,
    /// where nothing else of the call has come but its id: one call or two cannot be told.
    fn may_be_named_on(&self, piece: &CallPiece<'_>) -> bool {
        let other = piece.name.is_some_and(|name| !self.name.is_empty() && self.name != name);
        other && piece.id.is_none() && self.id.is_some() && self.kind == Kind::Nothing
    }

    /// Whether its arguments are complete, so that more of them would be another call's.
    fn is_whole(&self) -> bool {
        match self.kind {
            Kind::Nothing => false,
            Kind::Mixed | Kind::Value => true,
            Kind::Text => {
                let text = self.arguments.as_str();
                // A look at the end first: most pieces end in the middle of something.
                text.trim_end().ends_with(['}', ']'])
                    && serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok()
            }
        }
    }

    fn add_arguments(&mut self, raw: &RawValue) {
        if let Some(piece) = Piece::of_json(raw) {
            if matches!(&piece, Piece::Text(text) if text.is_empty()) {
                return;
            }
            self.arguments.push(&piece);
            self.kind = if matches!(self.kind, Kind::Nothing | Kind::Text) {
                Kind::Text
            } else {
                Kind::Mixed
            };
            return;
        }
        self.arguments.push(&Piece::Text(raw.get().into()));
        self.kind = if self.kind == Kind::Nothing { Kind::Value } else { Kind::Mixed };
    }

    fn finish(self) -> RequestedCall {
        let text = self.arguments.finish();
        let arguments = match self.kind {
            Kind::Nothing => CallArguments::Missing,
            Kind::Value => match serde_json::from_str(&text) {
                Ok(value) => CallArguments::Value(value),
                // Too deep for a value; whoever reads the arguments says so.
                Err(_) => CallArguments::Text(text),
            },
            Kind::Mixed | Kind::Text => CallArguments::Text(text),
        };
        RequestedCall { wire_id: self.id, name: self.name, arguments }
    }
}

fn cleaned(mut piece: CallPiece<'_>) -> CallPiece<'_> {
    piece.id = piece.id.filter(|id| !id.is_empty());
    piece.name = piece.name.filter(|name| !name.is_empty());
    piece.arguments = piece.arguments.filter(|raw| !matches!(raw.get(), "null"));
    piece
}

#[cfg(test)]
mod tests;

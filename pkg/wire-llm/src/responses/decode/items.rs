//! Which output item an event is about, and what of it is known.
//!
//! The index leads, as servers exist that give an item another id in each event; an id that is known
//! counts more, as servers exist that give several items one index. What a later event says in whole
//! is compared with what came before it, never taken in its place.

use serde_json::value::RawValue;

use manos_model::RequestedCall;

use super::super::order::Ordered;
use super::super::types::Item;
use super::call::Call;
use crate::lenient::{One, Raw, text};
use crate::pieces::{Piece, Pieces};
use crate::{
    AssembleError, CALLS_BYTES_MAX, CALLS_MAX, DecodeError, OPAQUE_BYTES_MAX, REPLY_BYTES_MAX,
};

mod find;
mod slot;

use find::Streamed;
use slot::{Kind, Message, Slot, can_go_back};

/// The most output items of one reply, of all kinds; more are an error.
const ITEMS_MAX: usize = 4 * CALLS_MAX;

/// What stands between two messages of one reply.
const BETWEEN: &str = "\n\n";

/// Where an event says that it belongs.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Place<'a> {
    pub(super) index: Option<u64>,
    pub(super) id: Option<&'a str>,
}

/// All output items of a reply.
#[derive(Debug, Default)]
pub(super) struct Items {
    slots: Vec<Slot>,
    text: String,
    /// Pieces of two messages came mixed: then no message has one stretch of the text.
    is_mixed: bool,
}

impl Items {
    /// Takes the beginning of an item.
    pub(super) fn announce(
        &mut self,
        place: Place<'_>,
        item: &Item<'_>,
    ) -> Result<(), DecodeError> {
        let kind = Kind::of(item);
        let id = item.id.and_then(text);
        let place = Place { id: id.as_deref().filter(|id| !id.is_empty()).or(place.id), ..place };
        let known = self.find(place, &kind).filter(|at| {
            self.slots.get(*at).is_some_and(|slot| !slot.is_announced || slot.is_again(place, item))
        });
        let at = match known {
            Some(at) => at,
            None => self.open(place, kind)?,
        };
        let Some(slot) = self.slots.get_mut(at) else { return Ok(()) };
        slot.is_announced = true;
        slot.name(place, item)?;
        Ok(())
    }

    /// Takes an item that has ended; `json` is its text.
    pub(super) fn end(
        &mut self,
        place: Place<'_>,
        item: &Item<'_>,
        json: &str,
        on_text: &mut dyn FnMut(&str),
    ) -> Result<(), DecodeError> {
        let kind = Kind::of(item);
        let id = item.id.and_then(text);
        let place = Place { id: id.as_deref().filter(|id| !id.is_empty()).or(place.id), ..place };
        let at = match self.find_ended(place, item, &kind) {
            Some(at) => at,
            None => self.open(place, kind)?,
        };
        self.fill(at, place, item, json, on_text)
    }

    /// Takes a piece of a call's arguments.
    pub(super) fn arguments_piece(
        &mut self,
        place: Place<'_>,
        delta: Raw<'_>,
    ) -> Result<(), DecodeError> {
        if let Some(call) = self.call(place)? {
            call.piece(delta)?;
        }
        self.check_calls()
    }

    /// Takes a call's whole arguments.
    pub(super) fn arguments(&mut self, place: Place<'_>, told: Raw<'_>) -> Result<(), DecodeError> {
        if let Some(call) = self.call(place)? {
            call.whole(told)?;
        }
        self.check_calls()
    }

    /// Takes a piece of a message.
    pub(super) fn text_piece(
        &mut self,
        place: Place<'_>,
        part: u64,
        delta: Raw<'_>,
        on_text: &mut dyn FnMut(&str),
    ) -> Result<(), DecodeError> {
        let Some(piece) = delta.and_then(Piece::of_json) else { return Ok(()) };
        let at = self.message(place)?;
        let Some(Slot { kind: Kind::Message(message), is_ended: false, .. }) =
            self.slots.get_mut(at)
        else {
            return Ok(());
        };
        let new = message.parts.entry(part).or_default().push(&piece).to_owned();
        self.say(at, &new, on_text)
    }

    /// Takes a message's part in whole: what of it has not been shown is shown.
    pub(super) fn text(
        &mut self,
        place: Place<'_>,
        part: u64,
        told: Raw<'_>,
        on_text: &mut dyn FnMut(&str),
    ) -> Result<(), DecodeError> {
        let at = self.message(place)?;
        self.whole_text(at, part, told, on_text)
    }

    /// Compares with the output as the end of the response tells it, and takes what is missing.
    pub(super) fn reconcile(
        &mut self,
        output: &[&RawValue],
        on_text: &mut dyn FnMut(&str),
    ) -> Result<(), DecodeError> {
        let streamed = self.in_order();
        for (position, raw) in output.iter().enumerate() {
            let Ok(One(Some(item))) = serde_json::from_str::<One<Item<'_>>>(raw.get()) else {
                continue;
            };
            let kind = Kind::of(&item);
            let id = item.id.and_then(text);
            let place = Place { index: None, id: id.as_deref().filter(|id| !id.is_empty()) };
            let at = match self.streamed_as(&streamed, position, &item, &kind)? {
                Streamed::As(at) => at,
                Streamed::Not => {
                    self.open(Place { index: u64::try_from(position).ok(), ..place }, kind)?
                }
                Streamed::Passed => continue,
            };
            self.fill(at, place, &item, raw.get(), on_text)?;
        }
        Ok(())
    }

    /// Returns whether any text or call has come.
    pub(super) fn has_content(&self) -> bool {
        !self.text.is_empty() || self.slots.iter().any(|slot| matches!(slot.kind, Kind::Call(_)))
    }

    /// Returns whether the provider says of a call that it is cut.
    pub(super) fn has_cut_call(&self) -> bool {
        self.slots.iter().any(|slot| matches!(&slot.kind, Kind::Call(call) if call.is_cut))
    }

    /// Ends the reply: its text, its calls in order, and how it goes back as it came; none when it
    /// cannot.
    pub(super) fn finish(self) -> (String, Vec<RequestedCall>, Option<Vec<Ordered>>) {
        let (order, is_mixed) = (self.in_order(), self.is_mixed);
        let mut slots: Vec<Option<Slot>> = self.slots.into_iter().map(Some).collect();
        let (mut calls, mut ordered, mut kept) = (Vec::new(), Vec::new(), 0_usize);
        let (mut is_whole, mut said) = (!is_mixed, 0);
        for at in order {
            let Some(slot) = slots.get_mut(at).and_then(Option::take) else { continue };
            match slot.kind {
                Kind::Call(call) => {
                    ordered.push(Ordered::Call { at: calls.len(), id: slot.id });
                    calls.push(call.finish());
                }
                Kind::Message(message) => {
                    let Message { from, to, phase, .. } = message;
                    if from < to {
                        is_whole &= said <= from;
                        said = to;
                        ordered.push(Ordered::Text { from, to, id: slot.id, phase });
                    }
                }
                Kind::Other => is_whole = false,
                Kind::Reasoning(json) => {
                    kept = kept.saturating_add(json.len());
                    is_whole &= !json.is_empty() && kept <= OPAQUE_BYTES_MAX;
                    ordered.push(Ordered::Reasoning(json));
                }
            }
        }
        (self.text, calls, is_whole.then_some(ordered))
    }

    /// The slots in the order of the output.
    fn in_order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.slots.len()).collect();
        let index = |at: usize| self.slots.get(at).and_then(|slot| slot.index);
        // Those without an index stay where they came.
        order
            .sort_by_key(|at| index(*at).unwrap_or_else(|| u64::try_from(*at).unwrap_or(u64::MAX)));
        order
    }

    fn open(&mut self, place: Place<'_>, kind: Kind) -> Result<usize, DecodeError> {
        let at = self.slots.len();
        let calls = self.slots.iter().filter(|slot| matches!(slot.kind, Kind::Call(_))).count();
        if at >= ITEMS_MAX || (matches!(kind, Kind::Call(_)) && calls >= CALLS_MAX) {
            return Err(AssembleError::TooMany.into());
        }
        let id = place.id.map(str::to_owned);
        self.slots.push(Slot {
            index: place.index,
            id,
            is_announced: false,
            is_ended: false,
            kind,
        });
        Ok(at)
    }

    fn call(&mut self, place: Place<'_>) -> Result<Option<&mut Call>, DecodeError> {
        let kind = Kind::Call(Call::default());
        let at = match self.find(place, &kind) {
            Some(at) => at,
            None => self.open(place, kind)?,
        };
        Ok(self.slots.get_mut(at).and_then(|slot| match &mut slot.kind {
            Kind::Call(call) => Some(call),
            Kind::Message(_) | Kind::Other | Kind::Reasoning(_) => None,
        }))
    }

    fn message(&mut self, place: Place<'_>) -> Result<usize, DecodeError> {
        let kind = Kind::Message(Message::default());
        match self.find(place, &kind) {
            Some(at) => Ok(at),
            None => self.open(place, kind),
        }
    }

    /// Takes all that an ended item says.
    fn fill(
        &mut self,
        at: usize,
        place: Place<'_>,
        item: &Item<'_>,
        json: &str,
        on_text: &mut dyn FnMut(&str),
    ) -> Result<(), DecodeError> {
        let Some(slot) = self.slots.get_mut(at) else { return Ok(()) };
        slot.is_announced = true;
        slot.name(place, item)?;
        match &mut slot.kind {
            Kind::Call(call) => {
                call.whole(item.arguments.or(item.input))?;
                call.is_cut |= item.status.and_then(text).as_deref() == Some("incomplete");
            }
            Kind::Message(_) => {
                for (part, One(found)) in item.content.0.iter().enumerate() {
                    let Some(found) = found else { continue };
                    let part = u64::try_from(part).unwrap_or(u64::MAX);
                    self.whole_text(at, part, found.text.or(found.refusal), on_text)?;
                }
            }
            Kind::Other => {}
            Kind::Reasoning(kept) => {
                if kept.is_empty() && can_go_back(item) && json.len() <= OPAQUE_BYTES_MAX {
                    json.clone_into(kept);
                }
            }
        }
        if let Some(slot) = self.slots.get_mut(at) {
            slot.is_ended = true;
        }
        self.check_calls()
    }

    fn whole_text(
        &mut self,
        at: usize,
        part: u64,
        told: Raw<'_>,
        on_text: &mut dyn FnMut(&str),
    ) -> Result<(), DecodeError> {
        let Some(Slot { kind: Kind::Message(message), .. }) = self.slots.get_mut(at) else {
            return Ok(());
        };
        let Some(told) = told.and_then(text) else { return Ok(()) };
        let shown = message.parts.entry(part).or_default();
        // What was shown cannot be taken back; only its end can be missing.
        let Some(rest) = told.strip_prefix(shown.as_str()) else { return Ok(()) };
        let rest = rest.to_owned();
        let mut whole = Pieces::default();
        whole.push(&Piece::Text(told));
        *shown = whole;
        self.say(at, &rest, on_text)
    }

    /// Shows what is new of a message.
    fn say(
        &mut self,
        at: usize,
        new: &str,
        on_text: &mut dyn FnMut(&str),
    ) -> Result<(), DecodeError> {
        let Some(Slot { kind: Kind::Message(message), .. }) = self.slots.get_mut(at) else {
            return Ok(());
        };
        if new.is_empty() {
            return Ok(());
        }
        if message.from == message.to {
            if !self.text.is_empty() {
                self.text.push_str(BETWEEN);
                on_text(BETWEEN);
            }
            message.from = self.text.len();
        } else if message.to != self.text.len() {
            self.is_mixed = true;
        }
        self.text.push_str(new);
        on_text(new);
        message.to = self.text.len();
        if self.text.len() > REPLY_BYTES_MAX {
            return Err(DecodeError::TooLarge { max: REPLY_BYTES_MAX });
        }
        Ok(())
    }

    fn check_calls(&self) -> Result<(), DecodeError> {
        let bytes = |slot: &Slot| match &slot.kind {
            Kind::Call(call) => call.bytes(),
            Kind::Message(_) | Kind::Other | Kind::Reasoning(_) => 0,
        };
        if self.slots.iter().map(bytes).sum::<usize>() > CALLS_BYTES_MAX {
            return Err(AssembleError::TooLarge.into());
        }
        Ok(())
    }
}

//! Which of the known items an event, or the end of a response, is about.

use super::slot::{Kind, Slot};
use super::{Items, Place};
use crate::lenient::text;
use crate::{AssembleError, DecodeError};

use super::super::super::types::Item;
use super::super::call::call_id;

/// What an item of the final output is among the streamed ones.
pub(super) enum Streamed {
    As(usize),
    Not,
    /// Nothing is known of it, but others of its kind were streamed: it adds nothing.
    Passed,
}

impl Items {
    pub(super) fn find(&self, place: Place<'_>, kind: &Kind) -> Option<usize> {
        let last = |fits: &dyn Fn(&Slot) -> bool| {
            self.slots.iter().rposition(|slot| slot.kind.is_like(kind) && fits(slot))
        };
        let by_id = place.id.and_then(|id| last(&|slot| slot.id.as_deref() == Some(id)));
        let by_index = || place.index.and_then(|index| last(&|slot| slot.index == Some(index)));
        let open = || {
            (place.index.is_none() && place.id.is_none()).then(|| last(&|slot| !slot.is_ended))?
        };
        by_id.or_else(by_index).or_else(open)
    }

    /// Finds the item that an end is about.
    pub(super) fn find_ended(
        &self,
        place: Place<'_>,
        item: &Item<'_>,
        kind: &Kind,
    ) -> Option<usize> {
        let told = call_id(item);
        let named = |open: bool| {
            let told = told.as_deref()?;
            self.slots.iter().position(|slot| slot.call_id() == Some(told) && slot.is_ended != open)
        };
        let fits = |at: &usize| {
            self.slots.get(*at).is_some_and(|slot| !slot.is_ended && slot.is_named_as(item))
        };
        named(true).or_else(|| self.find(place, kind).filter(fits)).or_else(|| named(false))
    }

    /// Finds the streamed item that one of the final output is.
    pub(super) fn streamed_as(
        &self,
        streamed: &[usize],
        position: usize,
        item: &Item<'_>,
        kind: &Kind,
    ) -> Result<Streamed, DecodeError> {
        let like = |at: &usize| self.slots.get(*at).is_some_and(|slot| slot.kind.is_like(kind));
        let id = item.id.and_then(text);
        let told = call_id(item);
        let same = |at: &&usize| {
            self.slots.get(**at).is_some_and(|slot| match &slot.kind {
                Kind::Call(call) => told.is_some() && call.told_by == told,
                _ => id.is_some() && slot.id.as_deref() == id.as_deref(),
            })
        };
        let known = streamed.iter().filter(|at| like(at)).find(same);
        let there = streamed.get(position).filter(|at| like(at));
        if let Some(at) = known.or(there) {
            return Ok(Streamed::As(*at));
        }
        match kind {
            Kind::Call(_) if streamed.iter().any(like) => Err(AssembleError::Ambiguous.into()),
            Kind::Call(_) => Ok(Streamed::Not),
            _ if streamed.iter().any(like) => Ok(Streamed::Passed),
            _ => Ok(Streamed::Not),
        }
    }
}

//! One output item, as far as it is known.

use std::collections::BTreeMap;

use super::super::super::types::Item;
use super::super::call::{Call, call_id};
use super::Place;
use crate::DecodeError;
use crate::lenient::text;
use crate::pieces::Pieces;

#[derive(Debug)]
pub(super) struct Slot {
    pub(super) index: Option<u64>,
    pub(super) id: Option<String>,
    pub(super) is_announced: bool,
    pub(super) is_ended: bool,
    pub(super) kind: Kind,
}

#[derive(Debug)]
pub(super) enum Kind {
    Call(Call),
    Message(Message),
    /// What nobody asked for, such as a search of the provider's own.
    Other,
    /// Byte for byte; empty until it has ended, or when it cannot go back.
    Reasoning(String),
}

#[derive(Debug, Default)]
pub(super) struct Message {
    pub(super) parts: BTreeMap<u64, Pieces>,
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) phase: Option<String>,
}

impl Kind {
    pub(super) fn of(item: &Item<'_>) -> Self {
        match item.kind.and_then(text).as_deref() {
            Some("function_call" | "custom_tool_call") => Self::Call(Call::default()),
            Some("message") => Self::Message(Message::default()),
            Some("reasoning") => Self::Reasoning(String::new()),
            _ => Self::Other,
        }
    }

    pub(super) fn is_like(&self, other: &Self) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other)
    }
}

impl Slot {
    pub(super) fn call_id(&self) -> Option<&str> {
        match &self.kind {
            Kind::Call(call) => call.told_by.as_deref(),
            Kind::Message(_) | Kind::Other | Kind::Reasoning(_) => None,
        }
    }

    /// Whether nothing that is known of it speaks against its being this item.
    pub(super) fn is_named_as(&self, item: &Item<'_>) -> bool {
        match (self.call_id(), call_id(item).as_deref()) {
            (Some(known), Some(told)) => known == told,
            (None, _) | (_, None) => true,
        }
    }

    /// Whether an announcement after the first one, or after the end, is of this item once more.
    pub(super) fn is_again(&self, place: Place<'_>, item: &Item<'_>) -> bool {
        let told = call_id(item);
        let is_known = (place.id.is_some() && self.id.as_deref() == place.id)
            || (told.is_some() && self.call_id() == told.as_deref());
        self.index == place.index && self.is_named_as(item) && (is_known || !self.is_ended)
    }

    pub(super) fn name(&mut self, place: Place<'_>, item: &Item<'_>) -> Result<(), DecodeError> {
        if self.id.is_none() {
            self.id = place.id.map(str::to_owned);
        }
        match &mut self.kind {
            Kind::Call(call) => call.name(item)?,
            Kind::Message(message) => {
                let phase = item.phase.filter(|raw| raw.get().starts_with('"')).and_then(text);
                message.phase = phase.map(std::borrow::Cow::into_owned).or(message.phase.take());
            }
            Kind::Other | Kind::Reasoning(_) => {}
        }
        Ok(())
    }
}

/// Whether a reasoning item means anything to a provider that keeps nothing: without its encrypted or
/// plain content it is a name of what is not there.
pub(super) fn can_go_back(item: &Item<'_>) -> bool {
    let encrypted = item.encrypted_content.and_then(text).is_some_and(|text| !text.is_empty());
    let summarised = item.summary.is_some_and(|raw| raw.get().starts_with('['));
    (encrypted || !item.content.0.is_empty()) && summarised
}

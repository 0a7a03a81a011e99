//! The chat: who gets an inbound event, rules, and the order of turns.
//!
//! A [`Chat`] is one value. [`Chat::apply`] takes an [`Event`] with its [`manos_model::Stamp`] and
//! returns a [`Decision`]: what the shell must do once the event is kept, and what the audit trail
//! gets. It has no clock, no randomness and no IO.

mod chat;
mod decision;
mod event;
mod matching;
mod rule;
mod spec;

pub use chat::{Chat, ChatError, FORMAT, StateError};
pub use decision::{ChatEffect, Decision, Delivery, DeliveryKind, Doing};
pub use event::{DeliveryOutcome, Event, Inbound, InboundBody, Stamped};
pub use rule::{Rule, RuleArgument, Speaker, Then, When};
pub use spec::{ChatSpec, MESSAGE_CHARS_MAX, SECOND_YES_WINDOW, WAITING_MAX};

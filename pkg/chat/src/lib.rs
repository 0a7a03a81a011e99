//! The chat: who gets an inbound event, rules, and the order of turns.
//!
//! A [`Chat`] is one value. [`Chat::apply`] takes an [`Event`] with its [`manos_model::Stamp`] and
//! returns a [`Decision`]: what the shell must do once the event is kept, and what the audit trail
//! gets. It has no clock, no randomness and no IO.
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # use manos_chat::*;
//! # use manos_engine::*;
//! # use manos_model::{Seed, Stamp, Timestamp};
//! # use manos_text::{Formats, Language, Locale, Money, Template, Texts};
//! # let locale = Locale::from_tag("es-CO").ok_or("locale")?;
//! # let money = Money { symbol: "$".into(), decimals: 0 };
//! # let agent = AgentSpec::new(AgentParts {
//! #     name: "espiga".into(), persona: String::new(), has_model: false,
//! #     texts: Texts::new(Language::Es),
//! #     formats: Formats::new(&locale, money, jiff::tz::TimeZone::UTC),
//! #     access: manos_policy::Access::default(), confirm: ConfirmSettings::default(),
//! #     limits: Limits::default(), max_steps_message: None,
//! # }, Vec::new())?;
//! # let when = When { equals: vec!["hola".into()], ..When::default() };
//! # let rules = vec![Rule { when, then: Then::Reply(Template::compile("¡Hola!")?) }];
//! # let spec = ChatSpec {
//! #     agent, rules, fallback: None, greeting: None, direct_tools: Vec::new(),
//! #     answer_languages: Vec::new(), waiting_max: WAITING_MAX,
//! #     message_chars_max: MESSAGE_CHARS_MAX, gather: GATHER, message_ids_kept: MESSAGE_IDS_KEPT,
//! # };
//! // `spec` is an agent with one rule: «hola» is answered with «¡Hola!».
//! let mut chat = Chat::new("terminal:local".into());
//! let event = Event::Received(Inbound {
//!     message_id: None,
//!     user: "terminal:local".into(),
//!     surface: Surface::default(),
//!     body: InboundBody::Text("hola".into()),
//! });
//! let stamp = Stamp { at: Timestamp::UNIX_EPOCH, seed: Seed(7) };
//! let decision = chat.apply(&spec, &event, stamp)?;
//!
//! let ChatEffect::Deliver(delivery) = &decision.effects[0] else { return Err("no output".into()) };
//! assert_eq!(delivery.kind, DeliveryKind::Reply { text: "¡Hola!".into() });
//! let names: Vec<&str> = decision.audit.iter().map(|event| event.kind.name()).collect();
//! assert_eq!(names, ["message.received", "rule.matched", "turn.started", "turn.finished"]);
//! # Ok(())
//! # }
//! ```
//!
//! Tested by scripts in `tests/it/`: whole chats, what must hold whatever happens, the stored form.

mod chat;
mod decision;
mod event;
mod matching;
mod rule;
mod spec;

pub use chat::{Chat, ChatError, FORMAT, StateError};
pub use decision::{ChatEffect, Decision, Delivery, DeliveryKind, Doing, Keep, KnownCall};
pub use event::{DeliveryOutcome, Event, Inbound, InboundBody, Stamped};
pub use rule::{Rule, RuleArgument, Speaker, Then, When};
pub use spec::{
    ChatSpec, GATHER, MESSAGE_CHARS_MAX, MESSAGE_IDS_KEPT, MESSENGERS, SECOND_YES_WINDOW,
    WAITING_MAX,
};

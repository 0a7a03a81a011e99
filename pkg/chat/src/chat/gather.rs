//! Messages of one user in a row, joined before a turn starts.
//!
//! People on messengers write a thought in several messages. The first one waits a moment; what its
//! writer adds in time is joined to it. Presses, answers and commands never wait here, and a message
//! of somebody else ends the wait.

use std::time::Duration;

use manos_model::Timestamp;
use serde::{Deserialize, Serialize};

use super::apply::Applying;
use crate::{Inbound, InboundBody};

/// However much is added, the first message waits at most this many times the span.
const SPANS_MAX: u32 = 4;

/// The newest message that waits may be added to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Gathering {
    /// When its first part came.
    since: Timestamp,
    /// When it is complete.
    pub(super) until: Timestamp,
}

impl Applying<'_> {
    /// Starts to wait for more of a message; says whether it does.
    pub(super) fn gather(&mut self, inbound: &Inbound) -> bool {
        let Some(span) = self.gathered_for(inbound) else { return false };
        let until = later(self.now, span);
        self.chat.active.gathering = Some(Gathering { since: self.now, until });
        self.chat.active.waiting.push(inbound.clone());
        true
    }

    /// Joins a message to the one before it, when both are of one user in a row and it still waits.
    pub(super) fn join(&mut self, inbound: &Inbound) -> bool {
        let (Some(span), InboundBody::Text(more)) = (self.gathered_for(inbound), &inbound.body)
        else {
            return false;
        };
        let chars_max = self.spec.message_chars_max;
        let active = &mut self.chat.active;
        let Some(last) = active.waiting.last_mut().filter(|last| last.user == inbound.user) else {
            return false;
        };
        let InboundBody::Text(text) = &mut last.body else { return false };
        if is_command(text) || text.chars().count() + 1 + more.chars().count() > chars_max {
            return false;
        }
        text.push('\n');
        text.push_str(more);
        if let Some(gathering) = &mut active.gathering {
            let last = later(gathering.since, span.saturating_mul(SPANS_MAX));
            gathering.until = later(self.now, span).min(last);
        }
        true
    }

    /// Whether the message that waits may still be added to.
    pub(super) fn gathers_still(&mut self) -> bool {
        let still = self.chat.active.gathering.is_some_and(|gathering| self.now < gathering.until);
        if !still {
            self.chat.active.gathering = None;
        }
        still
    }

    /// How long this message waits for more of it, when it does.
    fn gathered_for(&self, inbound: &Inbound) -> Option<Duration> {
        let InboundBody::Text(text) = &inbound.body else { return None };
        let span = self.spec.gather_on(&self.chat.key.channel());
        (!span.is_zero() && !is_command(text)).then_some(span)
    }
}

fn is_command(text: &str) -> bool {
    text.trim_start().starts_with(['/', '!'])
}

fn later(at: Timestamp, span: Duration) -> Timestamp {
    at.checked_add(span).unwrap_or(Timestamp::MAX)
}

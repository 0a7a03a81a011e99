//! Notices: what subscribed endpoints are told of a fact in the audit trail, and when a try that
//! failed is made again.
//!
//! Nothing is kept for a notice but its place in the trail: kind, id and body follow from the fact
//! and from what the trail says of its run, so each try sends the same bytes. Reading the trail,
//! sending and waiting are the shell's. Tested by tables.
//!
//! | module | subject |
//! | --- | --- |
//! | `body` | the bytes of a notice |
//! | `fact` | an event of the trail, read |
//! | `schedule` | when a try that failed is made again |

mod body;
mod fact;
mod schedule;

pub use body::{Begun, TEST_KIND, body, test_body};
pub use fact::{Fact, PLACE_KINDS, is_kind};
pub use schedule::{GIVE_UP_AFTER, Next, Tried, WAIT_FIRST, WAIT_MAX, next};

use std::collections::BTreeSet;

use manos_model::{AgentName, NoticeEndpointId, sha256_hex};

use crate::address::Target;

/// The value of the event header of a notice; that of a call is `call`.
pub const EVENT: &str = "notice";

/// How many hex digits of a digest make the id of an endpoint: 64 bits.
const ENDPOINT_DIGITS: usize = 16;

/// Returns the id of an address that an agent tells. The address may hold a secret; its id does not
/// give it away.
pub fn endpoint_id(agent: &AgentName, target: &Target) -> NoticeEndpointId {
    let digest = sha256_hex(&[agent.as_str().as_bytes(), target.url().as_bytes()]);
    NoticeEndpointId::new(&digest[..ENDPOINT_DIGITS])
}

/// What one endpoint wants to hear.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Wanted {
    /// The kinds; all when empty.
    pub kinds: BTreeSet<String>,
}

impl Wanted {
    /// Returns the kinds of notices that a fact is for this endpoint: the fact's own, and where it
    /// ends a run that of the place, each if it is wanted.
    pub fn of(&self, fact: &Fact) -> Vec<String> {
        let own = std::iter::once(fact.kind());
        let kinds = own.chain(fact.tool_kind());
        let wanted = |kind: &&str| self.kinds.is_empty() || self.kinds.contains(*kind);
        kinds.filter(wanted).map(str::to_owned).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_endpoint_hears_what_it_wants() {
        let succeeded =
            Fact::parse(r#"{"id":7,"type":"tool.succeeded","chat_key":"web:1","tool":"t"}"#)
                .unwrap();
        let received =
            Fact::parse(r#"{"id":8,"type":"message.received","chat_key":"web:1"}"#).unwrap();
        let cases: [(&str, &[&str], &Fact, &[&str]); 6] = [
            ("everything", &[], &succeeded, &["tool.succeeded", "web.tool"]),
            ("everything of what is no run", &[], &received, &["message.received"]),
            ("the ends of runs", &["web.tool"], &succeeded, &["web.tool"]),
            ("those of another place", &["chat.tool"], &succeeded, &[]),
            ("the fact itself", &["tool.succeeded"], &succeeded, &["tool.succeeded"]),
            ("something else", &["turn.finished"], &received, &[]),
        ];
        for (why, kinds, fact, expected) in cases {
            let wanted = Wanted { kinds: kinds.iter().map(|&kind| kind.to_owned()).collect() };
            assert_eq!(wanted.of(fact), expected, "{why}");
        }
    }
}
